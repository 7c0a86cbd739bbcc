/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - what the kernel says a network namespace holds now
 *
 * Filled from one run of dumps, judged by filter and reconcile, then freed: between two settles
 * nothing of it stays.
 */
#ifndef NETNSMON_SNAPSHOT_H
#define NETNSMON_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iface.h"
#include "ip.h"
#include "routes.h"

struct link {
	uint32_t index;
	uint32_t flags;	 /* IFF_* */
	uint32_t mtu;	 /* bytes */
	uint32_t master; /* ifindex of the bridge, bond, … it belongs to; 0: none */
	uint32_t parent; /* IFLA_LINK: ifindex of the link it sits on, in this namespace; 0: none */
	uint32_t macvtap; /* ifindex of the runtime's own on this link, once looked for; 0: none */
	uint8_t mac_len;
	uint8_t mac[IFACE_MAC_MAX];
	char name[IF_NAMESIZE];
	char kind[IFACE_KIND_SIZE]; /* "" where the kernel names none */
};

struct address {
	uint32_t index; /* of its link */
	uint32_t flags; /* IFA_F_* */
	struct ip local;
	struct ip peer; /* equals local where there is none */
	uint8_t family;
	uint8_t prefix_len; /* of the peer where there is one */
	uint8_t proto;	    /* IFAPROT_*; 0: the user, or a kernel that does not tell */
};

struct snapshot_limits {
	size_t max_links;
	size_t max_routes; /* and as many addresses */
};

/* A nexthop group is shared by its routes in the kernel, but not here: the bound of all next hops.
 */
static inline size_t snapshot_max_hops(const struct snapshot_limits *limits)
{
	return 4 * limits->max_routes;
}

struct snapshot {
	struct link *links; /* sorted by index once complete */
	size_t link_count;
	size_t link_capacity;
	struct address *addresses; /* sorted by index once complete */
	size_t address_count;
	size_t address_capacity;
	struct route_list routes; /* of the main table, unsorted and unjudged */
	bool has_more_links;	  /* than max_links: the lowest indexes are here */
	bool has_more_addresses;
	bool has_more_routes; /* than max_routes, or next hops: nothing can be said of routes */
	bool has_route_parts; /* they came in several datagrams, between which they can change */
	bool has_torn_routes; /* … and something did change: stable routes may be missing */
	bool has_cut_routes;  /* one is too large for a dump, which ended there */
	bool tells_proto;     /* an address had an IFA_PROTO, so the kernel knows of it */
};

/* Frees what the snapshot holds and empties it. */
void snapshot_fini(struct snapshot *snapshot);

/* Appends a link. Returns 0 or -ENOMEM. Past the limit the highest indexes are dropped. */
int snapshot_add_link(struct snapshot *snapshot, const struct link *link,
		      const struct snapshot_limits *limits);

/* Appends an address. Returns 0 or -ENOMEM. Past the limit it is dropped. */
int snapshot_add_address(struct snapshot *snapshot, const struct address *address,
			 const struct snapshot_limits *limits);

/* Sorts links and addresses: call it once when all have been added. */
void snapshot_complete(struct snapshot *snapshot, const struct snapshot_limits *limits);

/* The link with @index, or NULL. The snapshot must be complete. */
struct link *snapshot_find_link(const struct snapshot *snapshot, uint32_t index);

/* The first link whose index is @index or higher, or NULL: links may be dropped while one goes on.
 */
const struct link *snapshot_next_link(const struct snapshot *snapshot, uint32_t index);

/* The first of the @count addresses of the link with @index; NULL and 0 where it has none. */
const struct address *snapshot_addresses(const struct snapshot *snapshot, uint32_t index,
					 size_t *count);

/* Takes a link out, since it is known to have gone after it was dumped. */
void snapshot_drop_link(struct snapshot *snapshot, uint32_t index);

#endif
