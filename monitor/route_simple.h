/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * route_simple.h - pure: the part of a list that a runtime without metrics and next hops can take
 */
#ifndef NETNSMON_ROUTE_SIMPLE_H
#define NETNSMON_ROUTE_SIMPLE_H

#include "applied.h"
#include "route_notes.h"
#include "routes.h"

/*
 * Takes out of the sorted @list what such a runtime cannot be told, or what would make its guest
 * refuse the whole list; @applied has the addresses of the guest. Says what it leaves out. Returns
 * 0 or -ENOMEM.
 */
int route_simplify(struct route_list *list, const struct applied *applied,
		   struct route_notes *notes);

#endif
