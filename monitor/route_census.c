/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * route_census.c - pure: how many routes the runtime is not sent, and why
 */
#include "route_census.h"

#include <string.h>

void route_census_clear(struct route_census *census)
{
	census->count = 0;
}

void route_census_add(struct route_census *census, const struct route_list *list,
		      const struct route *route, const char *why)
{
	struct route_census_row *row = census->rows;

	if (census->on_route)
		census->on_route(census->arg, list, route, why);
	while (row < &census->rows[census->count] && strcmp(row->why, why) != 0)
		row++;
	if (row == &census->rows[ROUTE_CENSUS_REASONS])
		return;
	if (row == &census->rows[census->count]) {
		census->count++;
		*row = (struct route_census_row){
			.why = why,
			.dest = route->dest,
			.family = route->family,
			.prefix_len = route->prefix_len,
		};
	}
	row->count++;
}
