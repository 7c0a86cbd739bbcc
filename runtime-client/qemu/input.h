/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h - what the monitor writes to a runtime's standard input, as values
 *
 * runtime-client/request.schema.json, dialect plain. Members that are not known are left alone,
 * what is known must be right to the last byte.
 */
#ifndef NETNSMON_QEMU_INPUT_H
#define NETNSMON_QEMU_INPUT_H

#include <net/if.h>
#include <stddef.h>

#include "fault.h"
#include "iface.h"
#include "routes.h"

/* An interface, and the name it had. */
struct input_iface {
	struct iface iface;		 /* its name is that in the guest; owned */
	char previous_name[IF_NAMESIZE]; /* "" if unchanged */
};

/*
 * Reads an interface. Addresses keep their order, in which they can be installed. Returns 0 or
 * a negative errno with the fault set.
 */
int input_parse_iface(const char *text, size_t size, struct input_iface *input,
		      struct fault *fault);

/*
 * Reads a list of routes, which keeps its order. A device's index is only its number in this
 * list: route_list_device() gives its name in the guest. Returns 0 or a negative errno with the
 * fault set.
 */
int input_parse_routes(const char *text, size_t size, struct route_list *list, struct fault *fault);

/*
 * What the interface @name of the namespace is called in the guest: the same, if it is of letters,
 * digits, '_', '.', '-' and '+'. The kernel allows nearly any bytes, but this name becomes part of
 * commands in the guest; another one gets a name made of "nm-" and a number that depends on it
 * alone.
 */
void input_guest_name(const char *name, char guest_name[IF_NAMESIZE]);

#endif
