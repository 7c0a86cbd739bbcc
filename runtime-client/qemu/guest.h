/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest.h - gives a NIC in the guest the name, MTU and addresses that it has in the namespace
 */
#ifndef NETNSMON_QEMU_GUEST_H
#define NETNSMON_QEMU_GUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "agent.h"
#include "iface.h"
#include "nic.h"

/* What is known of the NIC that is to be set up. */
struct guest_nic {
	const struct iface *wanted;
	const char *previous_name; /* the name that the guest may know it by, or "" */
	const struct nic
		*plugged; /* as QEMU has it, whose MAC the guest may still use; NULL: not ours */
	const struct nic_list *all; /* those whose names are ours to change */
};

/* A room for the name of a NIC that is in the way: "nm", and the MAC. */
#define GUEST_ASIDE_SIZE IF_NAMESIZE

/*
 * Waits until the guest has the NIC, sets it up and makes sure that the guest has it so. May be
 * repeated. Returns 0 or a negative errno with the agent's fault set: -ENODEV if there is no such
 * NIC and none is expected, -EEXIST if the guest has another one of the name.
 */
int guest_set_up(struct agent *agent, const struct guest_nic *nic);

/* Pure: the guest's link that is @nic, or NULL. Of several with its MAC that by the right name. */
const struct iface *guest_find(const struct agent_links *links, const struct guest_nic *nic);

/* Pure: whether @link has the name, MAC and addresses that are wanted. */
bool guest_is_as_wanted(const struct iface *link, const struct iface *wanted);

#endif
