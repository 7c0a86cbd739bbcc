/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nexthop.h - pure: nexthop objects, for routes that name nothing else
 *
 * With the sysctl nexthop_compat_mode=0 a route carries only its object's id (RTA_NH_ID).
 */
#ifndef NETNSMON_NEXTHOP_H
#define NETNSMON_NEXTHOP_H

#include <stddef.h>
#include <stdint.h>

#include "routes.h"

/* An object: one hop, or a group of others; neither for a blackhole or a dead link. */
struct nexthop {
	uint32_t id;
	uint32_t first_member;
	uint32_t member_count;
	uint8_t traits; /* ROUTE_ENCAP */
	uint8_t has_hop;
	struct hop hop;
};

struct nexthop_member {
	uint32_t id;
	uint32_t weight; /* 1 and up */
};

struct nexthop_table {
	struct nexthop *nexthops;
	size_t count;
	size_t capacity;
	struct nexthop_member *members;
	size_t member_count;
	size_t member_capacity;
};

void nexthop_table_fini(struct nexthop_table *table);

/*
 * Appends an object with a copy of its @member_count members; first_member and member_count are set
 * here. Returns 0 or -ENOMEM.
 */
int nexthop_add(struct nexthop_table *table, const struct nexthop *nexthop,
		const struct nexthop_member *members, size_t member_count);

/*
 * Gives each route in @list that has only an id the hops of its object, and takes out those whose
 * object has no living hop. Sorts the table. Returns 0; -EOVERFLOW if that were more than @max_hops
 * in the list, which then is of no use; or -ENOMEM.
 */
int nexthop_resolve(struct nexthop_table *table, struct route_list *list, size_t max_hops);

#endif
