/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_routes.h - makes a list of routes the guest's
 */
#ifndef NETNSMON_QEMU_GUEST_ROUTES_H
#define NETNSMON_QEMU_GUEST_ROUTES_H

#include "agent.h"
#include "routes.h"

/*
 * Sets all routes of @list in the guest and removes those set before that are not in it; a route
 * that stays is there all the time. One that cannot be set does not keep the others from being
 * set. What the guest has by itself is left alone. Returns 0 or a negative errno with the fault
 * set.
 */
int guest_set_routes(struct agent *agent, const struct route_list *list);

/*
 * Pure: the list as input for ip -batch, with "@" for where the protocol goes; the caller frees it.
 * NULL: no memory.
 */
char *guest_print_routes(const struct route_list *list);

#endif
