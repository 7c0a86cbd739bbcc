/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * route_notes.h - says once of each route that is left out, and why
 */
#ifndef NETNSMON_ROUTE_NOTES_H
#define NETNSMON_ROUTE_NOTES_H

#include "notes.h"
#include "route_census.h"
#include "routes.h"

/* More than so many in one pass are counted only: a warning for each of 65,536 routes helps nobody.
 */
#define ROUTE_NOTES_MAX 16

struct route_notes {
	const struct notes *notes;
	struct once *once;
	struct route_census *census;
	size_t said;
	size_t unsaid;
};

/*
 * Counts that @route of @list is left out because of @why, and says so unless that was said in the
 * last pass too.
 */
void route_notes_left_out(struct route_notes *notes, const struct route_list *list,
			  const struct route *route, const char *why);

/* Only counts it: nobody misses such a route. */
void route_notes_pass_over(struct route_notes *notes, const struct route_list *list,
			   const struct route *route, const char *why);

/* Ends the pass: says how many were not named. */
void route_notes_end(struct route_notes *notes);

#endif
