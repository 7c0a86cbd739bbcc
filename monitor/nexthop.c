/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nexthop.c - pure: nexthop objects, for routes that name nothing else
 */
#include "nexthop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

void nexthop_table_fini(struct nexthop_table *table)
{
	free(table->nexthops);
	free(table->members);
	memset(table, 0, sizeof(*table));
}

int nexthop_add(struct nexthop_table *table, const struct nexthop *nexthop,
		const struct nexthop_member *members, size_t member_count)
{
	struct nexthop *added;

	if (array_reserve(&table->nexthops, &table->capacity, table->count + 1, sizeof(*added)) ||
	    array_reserve(&table->members, &table->member_capacity,
			  table->member_count + member_count, sizeof(*members)))
		return -ENOMEM;
	added = &table->nexthops[table->count++];
	*added = *nexthop;
	added->first_member = (uint32_t)table->member_count;
	added->member_count = (uint32_t)member_count;
	if (member_count > 0)
		memcpy(&table->members[table->member_count], members,
		       member_count * sizeof(*members));
	table->member_count += member_count;
	return 0;
}

static int compare_nexthops(const void *left, const void *right)
{
	const struct nexthop *a = left;
	const struct nexthop *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

static const struct nexthop *find(const struct nexthop_table *table, uint32_t id)
{
	struct nexthop key = {.id = id};

	if (table->count == 0)
		return NULL;
	return bsearch(&key, table->nexthops, table->count, sizeof(key), compare_nexthops);
}

/* Appends the living hops of the object @id to @list's hops. A group's members are never groups. */
static int append_hops(const struct nexthop_table *table, uint32_t id, struct route_list *list,
		       struct route *route)
{
	const struct nexthop *nexthop = find(table, id);
	const struct nexthop_member self = {.id = id, .weight = 1};
	const struct nexthop_member *members = &self;
	size_t count = 1;

	route->first_hop = (uint32_t)list->hop_count;
	route->hop_count = 0;
	if (nexthop && nexthop->member_count > 0) {
		members = &table->members[nexthop->first_member];
		count = nexthop->member_count;
	}
	if (array_reserve(&list->hops, &list->hop_capacity, list->hop_count + count,
			  sizeof(*list->hops)))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct nexthop *member = find(table, members[i].id);

		if (!member || !member->has_hop)
			continue;
		list->hops[list->hop_count] = member->hop;
		list->hops[list->hop_count++].weight = members[i].weight;
		route->hop_count++;
		route->traits |= member->traits;
	}
	return 0;
}

int nexthop_resolve(struct nexthop_table *table, struct route_list *list, size_t max_hops)
{
	size_t kept = 0;

	if (table->count > 0)
		qsort(table->nexthops, table->count, sizeof(*table->nexthops), compare_nexthops);
	for (size_t i = 0; i < list->count; i++) {
		struct route *route = &list->routes[i];

		if (route->nexthop_id != 0) {
			if (append_hops(table, route->nexthop_id, list, route))
				return -ENOMEM;
			if (list->hop_count > max_hops)
				return -EOVERFLOW;
			route->nexthop_id = 0;
		}
		if (route->hop_count > 0)
			list->routes[kept++] = *route;
	}
	list->count = kept;
	return 0;
}
