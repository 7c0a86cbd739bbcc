/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * routes.h - a list of routes: what the kernel has, and what a runtime is sent
 *
 * Routes, their next hops and the names of their devices live in three arrays, so that
 * 65,536 routes cost three allocations and 80 bytes each. A list owns its arrays.
 */
#ifndef NETNSMON_ROUTES_H
#define NETNSMON_ROUTES_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ip.h"

/* One way to a destination. A route has one, a multipath route several. */
struct hop {
	struct ip gateway;
	uint32_t device;	/* ifindex */
	uint32_t weight;	/* 1 and up, as iproute2 shows it */
	uint8_t gateway_family; /* AF_INET, AF_INET6, or 0: the destination is on the link */
	bool is_onlink;		/* the user says the gateway is on the link, whatever its prefix */
};

/*
 * What sets a route apart before the filter has judged it; a route that is sent has none but
 * MISSED.
 */
enum route_trait {
	ROUTE_KERNEL = 1 << 0,	      /* made by the kernel itself (RTPROT_KERNEL) */
	ROUTE_TOS = 1 << 1,	      /* counts for one type of service only */
	ROUTE_ENCAP = 1 << 2,	      /* MPLS, SRv6 and their like (RTA_ENCAP) */
	ROUTE_SOURCE_PREFIX = 1 << 3, /* IPv6 "from" a prefix (RTA_SRC) */
	ROUTE_MISSED = 1 << 4,	      /* acknowledged, but missing in one doubtful dump */
	ROUTE_SHADOWED = 1 << 5,      /* another one to this destination has a better metric */
};

struct route {
	struct ip dest;
	struct ip source; /* preferred source address; all zero where there is none */
	uint32_t metric;
	uint32_t mtu;	     /* bytes; 0 where the route sets none */
	uint32_t nexthop_id; /* not 0: a nexthop object that still has to be resolved */
	uint32_t first_hop;  /* into the list's hops */
	uint32_t hop_count;
	uint8_t family; /* AF_INET or AF_INET6 */
	uint8_t prefix_len;
	uint8_t scope; /* RT_SCOPE_* */
	uint8_t traits;
	bool has_source;
};

/* Under which name the runtime knows a device. */
struct route_device {
	uint32_t index;
	char name[IF_NAMESIZE];
};

struct route_list {
	struct route *routes;
	size_t count;
	size_t capacity;
	struct hop *hops;
	size_t hop_count;
	size_t hop_capacity;
	struct route_device *devices; /* sorted by index */
	size_t device_count;
};

/* Frees what the list owns and empties it. */
void route_list_fini(struct route_list *list);

/* Gives what @from owns to @to, whose old content is freed; @from is empty afterwards. */
void route_list_move(struct route_list *to, struct route_list *from);

/*
 * Appends a copy of @route with @hop_count copied @hops; its first_hop and hop_count are set here.
 * @hops may point into another list, not into @list. Returns 0 or -ENOMEM, then nothing is added.
 */
int route_list_add(struct route_list *list, const struct route *route, const struct hop *hops,
		   size_t hop_count);

/* The hops of @route, which is one of @list's: as many as its hop_count. */
static inline struct hop *route_hops(const struct route_list *list, const struct route *route)
{
	return &list->hops[route->first_hop];
}

/* The name of the device @index, or "" for one that the list does not name. */
const char *route_list_device(const struct route_list *list, uint32_t index);

/*
 * The runtime lost the device @index and all routes over it: the list is no longer equal to any
 * that has some.
 */
void route_list_forget_device(struct route_list *list, uint32_t index);

/* Whether any hop has a gateway. */
bool route_has_gateway(const struct route_list *list, const struct route *route);

/* Orders two destinations by family, address and prefix length. */
int route_compare_dest(const struct route *a, const struct route *b);

/*
 * A total order of all that a runtime can be told, in which the list can be installed from the
 * front: routes without gateway, then by falling prefix length, so default routes come last.
 * The routes may be of different lists.
 */
int route_compare(const struct route_list *list_a, const struct route *a,
		  const struct route_list *list_b, const struct route *b);

/* Sorts by route_compare() and keeps one of each; hops that are no longer used stay until fini. */
void route_list_sort(struct route_list *list);

/* A number that tells two different lists apart, for "has this been tried already". Never 0. */
uint64_t route_list_fingerprint(const struct route_list *list);

/* Whether a runtime that was sent @a has nothing to gain from @b. Both must be sorted. */
bool route_list_equal(const struct route_list *a, const struct route_list *b);

#endif
