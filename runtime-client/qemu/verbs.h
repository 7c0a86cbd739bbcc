/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h - what netnsmon-qemu does: add, remove, update a NIC, set routes, list
 *
 * Each verb may be repeated, also after it was killed at any moment, and ends in the same state.
 */
#ifndef NETNSMON_QEMU_VERBS_H
#define NETNSMON_QEMU_VERBS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "agent.h"
#include "config.h"
#include "fault.h"
#include "input.h"
#include "qmp.h"
#include "routes.h"
#include "rtnl.h"

/* One VM, for the time of one verb. */
struct vm {
	const struct config *config;
	uint64_t deadline_ms;
	struct rtnl rtnl;
	struct qmp qmp;
	struct agent agent;
	bool has_agent;
	struct fault fault;
	void (*warn)(const char *text); /* something that does not make the verb fail */
};

/*
 * Connects to the kernel, from the sandbox's namespace, and to QEMU. 0 or a negative errno, fault
 * set; vm_close() is due in any case.
 */
int vm_open(struct vm *vm, const struct config *config, void (*warn)(const char *text));

void vm_close(struct vm *vm);

/*
 * Connects to the guest's agent, if it has one: has_agent. If not there is a warning. 0 or a
 * negative errno, fault set.
 */
int vm_open_agent(struct vm *vm);

/* All return 0 or a negative errno with the fault set. A failed add leaves nothing behind. */
int vm_add(struct vm *vm, const struct input_iface *input);
int vm_del(struct vm *vm, const struct input_iface *input);
int vm_update(struct vm *vm, const struct input_iface *input);
int vm_set_routes(struct vm *vm, const struct route_list *routes);

/* Writes one JSON object a line for each NIC that is plugged. */
int vm_list(struct vm *vm, FILE *stream);

#endif
