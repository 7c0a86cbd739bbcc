/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nic.h - the NICs that we have plugged into a VM, on QEMU's side
 *
 * A NIC and its backend both have the id "nmINDEX-MAC", as "nm13-0242ac120002". So QEMU itself
 * remembers what is plugged, also after we have crashed, and a verb that is repeated finds it.
 */
#ifndef NETNSMON_QEMU_NIC_H
#define NETNSMON_QEMU_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iface.h"
#include "qmp.h"

#define NIC_MAC_SIZE 6

struct nic {
	char id[QMP_ID_SIZE];
	uint32_t index; /* of the interface in the namespace */
	uint8_t mac[NIC_MAC_SIZE];
};

struct nic_list {
	struct nic *nics;
	size_t count;
	size_t capacity;
};

/* The NIC for @iface, whose MAC has 6 bytes. */
void nic_of_iface(struct nic *nic, const struct iface *iface);

/* Reads an id. Returns whether it is one of ours. */
bool nic_parse_id(struct nic *nic, const char *id);

bool nic_has_mac(const struct nic *nic, const struct iface *link);

/* What is plugged now, to be freed by nic_list_fini(). 0 or a negative errno, the fault set. */
int nic_list_get(struct nic_list *list, struct qmp *qmp);

void nic_list_fini(struct nic_list *list);

/*
 * Plugs @nic, with the tap @tap_fd behind it, into the bus @bus (NULL or "": one that is free).
 * @host_mtu is what the guest is told, 0: nothing. Returns 0 or a negative errno with the fault
 * set; then nothing of it is left in QEMU if QEMU still answers.
 */
int nic_plug(struct qmp *qmp, const struct nic *nic, int tap_fd, const char *bus,
	     uint32_t host_mtu);

/*
 * Unplugs @nic and waits until the guest has let go of it; what there is not is harmless. Returns 0
 * or a negative errno with the fault set.
 */
int nic_unplug(struct qmp *qmp, const struct nic *nic);

/* Whether the guest has opened the port of the Unix socket @path; true where QEMU does not tell. */
int nic_is_port_open(struct qmp *qmp, const char *path, bool *is_open);

/*
 * Pure: the ids of bridges without a device behind them, by the answer of query-pci; at most @room.
 * They belong to @answer. Returns how many.
 */
size_t nic_free_bridges(const cJSON *answer, const char **ids, size_t room);

#endif
