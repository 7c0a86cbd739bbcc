/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * route_filter.h - pure: which routes the runtime is to have
 */
#ifndef NETNSMON_ROUTE_FILTER_H
#define NETNSMON_ROUTE_FILTER_H

#include "applied.h"
#include "filter.h"
#include "notes.h"
#include "snapshot.h"

/*
 * Makes the list of routes that the runtime is to be sent, out of @snapshot's routes, which are
 * used up. Only routes over interfaces that it has acknowledged are in it, under the names that it
 * knows. What it cannot be told is left out and said once to @notes. @wanted must be empty; it is
 * sorted. Returns 0 or -ENOMEM.
 */
int route_filter(const struct policy *policy, struct applied *applied, struct snapshot *snapshot,
		 const struct notes *notes, struct route_list *wanted);

#endif
