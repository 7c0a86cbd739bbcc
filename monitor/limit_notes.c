/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limit_notes.c - pure: says when a namespace holds more than is handled, and when it no longer
 * does
 */
#include "limit_notes.h"

void limit_notes_say(struct limit_notes *said, const struct snapshot *snapshot,
		     const struct snapshot_limits *limits, const struct notes *notes)
{
	bool has_more_routes = snapshot->has_more_routes || snapshot->has_more_addresses;

	if (snapshot->has_more_links && !said->has_said_links)
		notes_warn(notes,
			   "more than %zu links: only those with the lowest indexes are handled; "
			   "see --max-links",
			   limits->max_links);
	else if (!snapshot->has_more_links && said->has_said_links)
		notes_info(notes, "no more than %zu links again: all are handled",
			   limits->max_links);
	said->has_said_links = snapshot->has_more_links;
	if (has_more_routes && !said->has_said_routes)
		notes_warn(
			notes,
			"more than %zu routes or addresses, or %zu next hops: no routes are sent; "
			"see --max-routes",
			limits->max_routes, snapshot_max_hops(limits));
	else if (!has_more_routes && said->has_said_routes)
		notes_info(notes, "no more than %zu routes or addresses again: all are handled",
			   limits->max_routes);
	said->has_said_routes = has_more_routes;
}
