/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nic.c - the NICs that we have plugged into a VM, on QEMU's side
 *
 * What is plugged where, and in what order:
 *
 *     getfd        the tap's descriptor, by the name of the id
 *     netdev_add   the backend; takes the descriptor
 *     device_add   the NIC; from here on the guest sees it, and qom-list shows it
 *
 * After a crash between two of them the backend, which no list shows, or the descriptor is left
 * behind. So both are removed before they are made, and when the NIC is removed.
 */
#include "nic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "clock.h"
#include "json.h"

/* Buses that are tried for one NIC: q35 has 32 slots for root ports, each with up to 8. */
#define BUSES_MAX 256

/* After this long the guest is asked once more: one that was booting has missed the first. */
#define ASK_AGAIN_MS 2000

/* The longest descent into bridges behind bridges. */
#define BRIDGES_DEEP 8

void nic_of_iface(struct nic *nic, const struct iface *iface)
{
	const uint8_t *mac = iface->mac;

	nic->index = iface->index;
	memcpy(nic->mac, mac, NIC_MAC_SIZE);
	snprintf(nic->id, sizeof(nic->id), "nm%" PRIu32 "-%02x%02x%02x%02x%02x%02x", nic->index,
		 mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

bool nic_parse_id(struct nic *nic, const char *id)
{
	struct iface iface = {.mac_len = NIC_MAC_SIZE};
	uint64_t mac;
	int length = 0;

	if (sscanf(id, "nm%10" SCNu32 "-%12" SCNx64 "%n", &iface.index, &mac, &length) != 2 ||
	    id[length])
		return false;
	for (int i = 0; i < NIC_MAC_SIZE; i++)
		iface.mac[i] = (uint8_t)(mac >> (8 * (NIC_MAC_SIZE - 1 - i)));
	nic_of_iface(nic, &iface);
	/* Only what we would write ourselves. */
	return strcmp(nic->id, id) == 0;
}

bool nic_has_mac(const struct nic *nic, const struct iface *link)
{
	return link->mac_len == NIC_MAC_SIZE && memcmp(nic->mac, link->mac, NIC_MAC_SIZE) == 0;
}

static cJSON *object_with(const char *key, const char *value)
{
	cJSON *object = cJSON_CreateObject();

	if (object && cJSON_AddStringToObject(object, key, value))
		return object;
	cJSON_Delete(object);
	return NULL;
}

int nic_list_get(struct nic_list *list, struct qmp *qmp)
{
	cJSON *answer;
	const cJSON *element;
	int ret =
		qmp_call(qmp, "qom-list", object_with("path", "/machine/peripheral"), -1, &answer);

	memset(list, 0, sizeof(*list));
	if (ret < 0)
		return ret;
	cJSON_ArrayForEach(element, answer)
	{
		const char *id = json_string(element, "name");
		struct nic nic;

		if (!id || !nic_parse_id(&nic, id))
			continue;
		if (array_reserve(&list->nics, &list->capacity, list->count + 1, sizeof(nic))) {
			nic_list_fini(list);
			ret = fault_set_errno(qmp->fault, -ENOMEM, "list of NICs");
			break;
		}
		list->nics[list->count++] = nic;
	}
	cJSON_Delete(answer);
	return ret;
}

void nic_list_fini(struct nic_list *list)
{
	free(list->nics);
	memset(list, 0, sizeof(*list));
}

/* An error of QEMU's own counts as done: there was none. */
static int remove_backend(struct qmp *qmp, const struct nic *nic)
{
	int ret = qmp_call(qmp, "netdev_del", object_with("id", nic->id), -1, NULL);

	if (ret == 0 || ret == -EREMOTEIO)
		ret = qmp_call(qmp, "closefd", object_with("fdname", nic->id), -1, NULL);
	return ret == -EREMOTEIO ? 0 : ret;
}

static int add_backend(struct qmp *qmp, const struct nic *nic, int tap_fd)
{
	cJSON *arguments = object_with("id", nic->id);
	int ret;

	if (arguments && (!cJSON_AddStringToObject(arguments, "type", "tap") ||
			  !cJSON_AddStringToObject(arguments, "fd", nic->id))) {
		cJSON_Delete(arguments);
		arguments = NULL;
	}
	ret = qmp_call(qmp, "getfd", object_with("fdname", nic->id), tap_fd, NULL);
	if (ret == 0)
		return qmp_call(qmp, "netdev_add", arguments, -1, NULL);
	cJSON_Delete(arguments);
	return ret;
}

static int add_device(struct qmp *qmp, const struct nic *nic, const char *bus, uint32_t host_mtu)
{
	cJSON *arguments = object_with("id", nic->id);
	const uint8_t *mac = nic->mac;
	char text[18];
	bool ok;

	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	/* Without the ROM: nobody boots from a NIC that comes later. */
	ok = arguments && cJSON_AddStringToObject(arguments, "driver", "virtio-net-pci") &&
	     cJSON_AddStringToObject(arguments, "netdev", nic->id) &&
	     cJSON_AddStringToObject(arguments, "mac", text) &&
	     cJSON_AddStringToObject(arguments, "romfile", "") &&
	     (!bus || cJSON_AddStringToObject(arguments, "bus", bus)) &&
	     (host_mtu == 0 || cJSON_AddNumberToObject(arguments, "host_mtu", host_mtu));
	if (!ok) {
		cJSON_Delete(arguments);
		arguments = NULL;
	}
	return qmp_call(qmp, "device_add", arguments, -1, NULL);
}

/* The bridges among @devices, and those behind them. */
static size_t find_bridges(const cJSON *devices, const char **ids, size_t room)
{
	const cJSON *next[BRIDGES_DEEP] = {devices ? devices->child : NULL};
	size_t depth = 0, count = 0;

	while (count < room && (next[depth] || depth > 0)) {
		const cJSON *device = next[depth];
		const cJSON *bridge = cJSON_GetObjectItemCaseSensitive(device, "pci_bridge");
		const cJSON *behind = cJSON_GetObjectItemCaseSensitive(bridge, "devices");
		const char *id = json_string(device, "qdev_id");

		if (!device) {
			depth--;
			continue;
		}
		next[depth] = device->next;
		if (cJSON_GetArraySize(behind) == 0 && bridge && id && *id)
			ids[count++] = id;
		else if (cJSON_GetArraySize(behind) > 0 && depth + 1 < BRIDGES_DEEP)
			next[++depth] = behind->child;
	}
	return count;
}

size_t nic_free_bridges(const cJSON *answer, const char **ids, size_t room)
{
	const cJSON *bus;
	size_t count = 0;

	cJSON_ArrayForEach(bus, answer)
	{
		const cJSON *devices = cJSON_GetObjectItemCaseSensitive(bus, "devices");

		count += find_bridges(devices, ids + count, room - count);
	}
	return count;
}

/* QEMU's words for it are several, and differ by machine and version. */
static bool is_about_room(const struct qmp *qmp)
{
	return strstr(qmp->error_desc, "does not support hotplugging") ||
	       strstr(qmp->error_desc, "no slot/function available") ||
	       strstr(qmp->error_desc, "already occupied") || strstr(qmp->error_desc, "in use");
}

/* q35's own bus takes no NIC while it runs: each needs a root port that is free. */
static int add_behind_bridge(struct qmp *qmp, const struct nic *nic, uint32_t host_mtu)
{
	const char *ids[BUSES_MAX];
	size_t count;
	cJSON *answer;
	int ret = qmp_call(qmp, "query-pci", cJSON_CreateObject(), -1, &answer);

	if (ret < 0)
		return ret;
	count = nic_free_bridges(answer, ids, BUSES_MAX);
	ret = fault_set(qmp->fault, -ENOSPC,
			"the VM has no free PCI slot: plug fewer NICs, or start it with more "
			"pcie-root-port devices");
	for (size_t i = 0; i < count; i++) {
		int tried = add_device(qmp, nic, ids[i], host_mtu);

		if (tried != -EREMOTEIO || !is_about_room(qmp)) {
			ret = tried;
			break;
		}
	}
	cJSON_Delete(answer);
	return ret;
}

int nic_plug(struct qmp *qmp, const struct nic *nic, int tap_fd, const char *bus, uint32_t host_mtu)
{
	struct fault reason;
	bool has_bus = bus && *bus;
	int ret = remove_backend(qmp, nic);

	if (ret == 0)
		ret = add_backend(qmp, nic, tap_fd);
	if (ret == 0)
		ret = add_device(qmp, nic, has_bus ? bus : NULL, host_mtu);
	if (ret == -EREMOTEIO && !has_bus && is_about_room(qmp))
		ret = add_behind_bridge(qmp, nic, host_mtu);
	if (ret == 0)
		return 0;
	reason = *qmp->fault;
	remove_backend(qmp, nic);
	*qmp->fault = reason;
	return ret;
}

/* Whether the NIC is among QEMU's devices. */
static int is_plugged(struct qmp *qmp, const struct nic *nic, bool *is_there)
{
	struct nic_list list;
	int ret = nic_list_get(&list, qmp);

	*is_there = false;
	for (size_t i = 0; ret == 0 && i < list.count; i++)
		*is_there |= strcmp(list.nics[i].id, nic->id) == 0;
	nic_list_fini(&list);
	return ret;
}

/* The event may have come before we did, and some machines refuse a second request. */
static int remove_device(struct qmp *qmp, const struct nic *nic)
{
	bool is_there;
	int ret;

	qmp_watch(qmp, nic->id);
	for (;;) {
		ret = is_plugged(qmp, nic, &is_there);
		if (ret < 0 || !is_there)
			return ret;
		ret = qmp_call(qmp, "device_del", object_with("id", nic->id), -1, NULL);
		if (ret < 0 && ret != -EREMOTEIO)
			return ret;
		ret = qmp_await_deleted(qmp, clock_ms() + ASK_AGAIN_MS < qmp->deadline_ms
						     ? clock_ms() + ASK_AGAIN_MS
						     : qmp->deadline_ms);
		if (ret == -EBUSY)
			return fault_set(qmp->fault, ret, "the guest refuses to let go of the NIC");
		if (ret != -ETIMEDOUT)
			return ret;
		if (clock_ms() >= qmp->deadline_ms)
			return fault_set(qmp->fault, ret,
					 "the guest does not let go of the NIC in time");
	}
}

int nic_unplug(struct qmp *qmp, const struct nic *nic)
{
	int ret = remove_device(qmp, nic);

	return ret < 0 ? ret : remove_backend(qmp, nic);
}

int nic_is_port_open(struct qmp *qmp, const char *path, bool *is_open)
{
	const cJSON *element;
	cJSON *answer;
	int ret = qmp_call(qmp, "query-chardev", cJSON_CreateObject(), -1, &answer);

	*is_open = true;
	if (ret < 0)
		return ret;
	cJSON_ArrayForEach(element, answer)
	{
		const char *file = json_string(element, "filename");

		/* "unix:PATH,server=on", or "disconnected:unix:PATH,server=on" without a client. */
		const char *at = file ? strstr(file, "unix:") : NULL;
		size_t length = strlen(path);

		if (at && strncmp(at + 5, path, length) == 0 &&
		    (at[5 + length] == ',' || at[5 + length] == '\0'))
			json_bool(element, "frontend-open", is_open);
	}
	cJSON_Delete(answer);
	return 0;
}
