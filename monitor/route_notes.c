/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * route_notes.c - says once of each route that is left out, and why
 */
#include "route_notes.h"

#include <stdio.h>
#include <string.h>

#include "fingerprint.h"

/* What tells one route from another, without the numbers that may change while it stays left out.
 */
static uint64_t fingerprint(const struct route_list *list, const struct route *route,
			    const char *why)
{
	const struct hop *hops = route_hops(list, route);
	uint64_t print = fingerprint_add(FINGERPRINT_START, why, strlen(why));

	print = fingerprint_add(print, &route->family, sizeof(route->family));
	print = fingerprint_add(print, route->dest.bytes, sizeof(route->dest.bytes));
	print = fingerprint_add(print, &route->prefix_len, sizeof(route->prefix_len));
	print = fingerprint_add(print, &route->metric, sizeof(route->metric));
	for (size_t i = 0; i < route->hop_count; i++) {
		print = fingerprint_add(print, hops[i].gateway.bytes,
					sizeof(hops[i].gateway.bytes));
		print = fingerprint_add(print, &hops[i].device, sizeof(hops[i].device));
	}
	return print;
}

void route_notes_left_out(struct route_notes *notes, const struct route_list *list,
			  const struct route *route, const char *why)
{
	const struct hop *hop = route_hops(list, route);
	char dest[IP_PREFIX_TEXT_SIZE];
	char gateway[IP_TEXT_SIZE];

	route_census_add(notes->census, list, route, why);
	if (!once_is_new(notes->once, fingerprint(list, route, why)))
		return;
	if (notes->said++ >= ROUTE_NOTES_MAX) {
		notes->unsaid++;
		return;
	}
	ip_format_prefix(&route->dest, route->family, route->prefix_len, dest);
	if (route->hop_count > 1)
		notes_warn(notes->notes, "route %s with %u next hops is left out: %s", dest,
			   route->hop_count, why);
	else if (hop->gateway_family != 0)
		notes_warn(notes->notes, "route %s via %s dev %s is left out: %s", dest,
			   ip_format(&hop->gateway, hop->gateway_family, gateway),
			   route_list_device(list, hop->device), why);
	else
		notes_warn(notes->notes, "route %s dev %s is left out: %s", dest,
			   route_list_device(list, hop->device), why);
}

void route_notes_pass_over(struct route_notes *notes, const struct route_list *list,
			   const struct route *route, const char *why)
{
	route_census_add(notes->census, list, route, why);
}

void route_notes_end(struct route_notes *notes)
{
	if (notes->unsaid > 0)
		notes_warn(notes->notes, "%zu more routes are left out", notes->unsaid);
	once_next_pass(notes->once);
}
