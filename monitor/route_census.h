/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * route_census.h - pure: how many routes the runtime is not sent, and why
 */
#ifndef NETNSMON_ROUTE_CENSUS_H
#define NETNSMON_ROUTE_CENSUS_H

#include <stddef.h>
#include <stdint.h>

#include "routes.h"

/* There are fewer reasons than this in the filter. */
#define ROUTE_CENSUS_REASONS 12

struct route_census_row {
	const char *why; /* a constant text */
	size_t count;
	struct ip dest; /* the first of them */
	uint8_t family;
	uint8_t prefix_len;
};

struct route_census {
	struct route_census_row rows[ROUTE_CENSUS_REASONS];
	size_t count;
	/*
	 * NULL, or is told of each; of its hops, which may have been judged away, the first is
	 * there.
	 */
	void (*on_route)(void *arg, const struct route_list *list, const struct route *route,
			 const char *why);
	void *arg;
};

/* Forgets all that was counted. */
void route_census_clear(struct route_census *census);

/* Counts a route of @list that is left out because of @why. */
void route_census_add(struct route_census *census, const struct route_list *list,
		      const struct route *route, const char *why);

#endif
