/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.c - what netnsmon-qemu does: add, remove, update a NIC, set routes
 *
 *     the interface ◀─ tc redirect, both ways ─▶ tap ◀─ QEMU: netdev, virtio-net-pci ─▶ NIC in the
 * guest (veth, …)        tc.c                    tap.c        nic.c                       guest.c
 *
 * The state of a verb is nowhere but in these parts themselves: ids and names are made of the
 * interface's index and MAC, and each step looks at what is there before it makes it.
 */
#include "verbs.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "guest.h"
#include "guest_routes.h"
#include "nic.h"
#include "tap.h"
#include "tc.h"

/* How long another client of the QMP socket may take. */
#define GREETING_MS 5000

/* What undoing a failed add may take beyond the time-out. */
#define UNDO_MS 5000

/* Between two looks at something that has no event. */
#define LOOK_MS 20

/* How long the kernel may take to remove a tap that QEMU has closed. */
#define TAP_GONE_MS 2000

/* Link layer addresses with this bit are of groups. */
#define MAC_GROUP 1

/* virtio's host_mtu is 16 bits wide. */
#define HOST_MTU_MAX 65535

int vm_open(struct vm *vm, const struct config *config, void (*warn)(const char *text))
{
	int ret;

	memset(vm, 0, sizeof(*vm));
	vm->config = config;
	vm->warn = warn;
	vm->deadline_ms = clock_ms() + config->timeout_ms;
	channel_attach(&vm->qmp.channel, -1);
	channel_attach(&vm->agent.channel, -1);
	ret = rtnl_open(&vm->rtnl);
	if (ret < 0)
		return fault_set_errno(&vm->fault, ret, "rtnetlink socket");
	return qmp_open(&vm->qmp, config->qmp, GREETING_MS, vm->deadline_ms, &vm->fault);
}

void vm_close(struct vm *vm)
{
	agent_close(&vm->agent);
	qmp_close(&vm->qmp);
	rtnl_close(&vm->rtnl);
}

/* Waits for the guest to open the agent's port: it may be booting. */
static int await_port(struct vm *vm, bool *is_open)
{
	uint64_t until_ms = clock_ms() + vm->config->agent_wait_ms;
	int ret;

	for (;;) {
		ret = nic_is_port_open(&vm->qmp, vm->config->agent, is_open);
		if (ret < 0 || *is_open || clock_ms() >= until_ms || clock_ms() >= vm->deadline_ms)
			return ret;
		clock_pause(LOOK_MS);
	}
}

int vm_open_agent(struct vm *vm)
{
	bool is_open = false;
	int ret;

	if (!vm->config->agent[0]) {
		vm->warn("no guest agent is configured: nothing is set up in the guest");
		return 0;
	}
	ret = await_port(vm, &is_open);
	if (ret < 0)
		return ret;
	if (!is_open && vm->config->needs_agent)
		return fault_set(&vm->fault, -EAGAIN, "no agent has started in the guest yet");
	if (!is_open) {
		vm->warn("no agent has started in the guest: nothing is set up there");
		return 0;
	}
	ret = agent_open(&vm->agent, vm->config->agent, vm->deadline_ms, &vm->fault);
	vm->has_agent = ret == 0;
	return ret;
}

/* QEMU's NIC for the interface, or NULL. The index is the identity: a MAC may change. */
static const struct nic *find_plugged(const struct nic_list *list, const struct iface *iface)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->nics[i].index == iface->index)
			return &list->nics[i];
	}
	return NULL;
}

static int check_plugged_mac(struct vm *vm, const struct iface *iface)
{
	if (iface->mac_len != NIC_MAC_SIZE)
		return fault_set(&vm->fault, -EOPNOTSUPP, "%s has no Ethernet address: no NIC",
				 iface->name);
	if (iface->mac[0] & MAC_GROUP)
		return fault_set(&vm->fault, -EINVAL, "%s has the address of a group: no NIC",
				 iface->name);
	return 0;
}

/*
 * Removes NICs that are in the way: that of a former life of this index, and those with our MAC
 * whose interface is gone.
 */
static int clear_the_way(struct vm *vm, const struct nic_list *list, const struct nic *nic)
{
	char name[IF_NAMESIZE];
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < list->count; i++) {
		const struct nic *other = &list->nics[i];
		bool has_mac = memcmp(other->mac, nic->mac, NIC_MAC_SIZE) == 0;

		if (has_mac == (other->index == nic->index))
			continue;
		if (has_mac && if_indextoname(other->index, name))
			return fault_set(&vm->fault, -EEXIST,
					 "the guest has a NIC with this MAC already, for %s", name);
		ret = nic_unplug(&vm->qmp, other);
	}
	return ret;
}

/* Joins the tap and the interface. */
static int join(struct vm *vm, const struct iface *iface, const char *tap)
{
	unsigned int index = if_nametoindex(tap);
	int ret = index == 0 ? -ENODEV : rtnl_set_link(&vm->rtnl, index, iface->mtu);

	if (ret < 0)
		return fault_set_errno(&vm->fault, ret, "tap %s", tap);
	ret = tc_redirect(&vm->rtnl, iface->index, index);
	if (ret < 0)
		return fault_set_errno(&vm->fault, ret, "redirecting %s to %s", iface->name, tap);
	ret = tc_redirect(&vm->rtnl, index, iface->index);
	return ret < 0 ? fault_set_errno(&vm->fault, ret, "redirecting %s to %s", tap, iface->name)
		       : 0;
}

static int plug(struct vm *vm, const struct iface *iface, const struct nic *nic, const char *tap)
{
	uint32_t host_mtu = vm->has_agent || iface->mtu > HOST_MTU_MAX ? 0 : iface->mtu;
	int fd, ret;

	/* Whatever is left of an earlier try holds the tap. */
	ret = nic_unplug(&vm->qmp, nic);
	if (ret < 0)
		return ret;
	fd = tap_open(tap);
	if (fd < 0)
		return fault_set_errno(&vm->fault, fd, "making the tap %s", tap);
	ret = join(vm, iface, tap);
	if (ret == 0)
		ret = nic_plug(&vm->qmp, nic, fd, vm->config->bus, host_mtu);
	/* QEMU has its own now, or nobody has one and the tap goes. */
	close(fd);
	return ret;
}

static int set_up_in_guest(struct vm *vm, const struct input_iface *input,
			   const struct nic *plugged)
{
	struct guest_nic nic = {
		.wanted = &input->iface,
		.previous_name = input->previous_name,
		.plugged = plugged,
	};
	struct nic_list list = {0};
	int ret;

	if (!vm->has_agent)
		return 0;
	ret = nic_list_get(&list, &vm->qmp);
	nic.all = &list;
	if (ret == 0)
		ret = guest_set_up(&vm->agent, &nic);
	nic_list_fini(&list);
	return ret;
}

/* After a failure: nothing of the NIC is to be left. What the failure was stays the fault. */
static void undo_add(struct vm *vm, const struct iface *iface, const struct nic *nic)
{
	struct fault reason = vm->fault;

	vm->qmp.deadline_ms = clock_ms() + UNDO_MS;
	if (nic_unplug(&vm->qmp, nic) == -ETIMEDOUT)
		vm->warn("the NIC could not be taken out again");
	tc_clear(&vm->rtnl, iface->index);
	vm->fault = reason;
}

static int add(struct vm *vm, const struct input_iface *input, const struct nic *nic,
	       const struct nic_list *list)
{
	const struct nic *plugged = find_plugged(list, &input->iface);
	char tap[IF_NAMESIZE];
	int ret;

	tap_name(input->iface.index, tap);
	if (plugged && strcmp(plugged->id, nic->id) == 0 && if_nametoindex(tap) != 0)
		ret = join(vm, &input->iface, tap);
	else
		ret = plug(vm, &input->iface, nic, tap);
	return ret < 0 ? ret : set_up_in_guest(vm, input, nic);
}

int vm_add(struct vm *vm, const struct input_iface *input)
{
	char name[IF_NAMESIZE];
	struct nic_list list = {0};
	struct nic nic;
	int ret = check_plugged_mac(vm, &input->iface);

	if (ret < 0)
		return ret;
	if (!if_indextoname(input->iface.index, name))
		return fault_set(&vm->fault, -ENODEV, "the namespace has no interface %u (%s)",
				 input->iface.index, input->iface.name);
	ret = nic_list_get(&list, &vm->qmp);
	if (ret < 0)
		return ret;
	nic_of_iface(&nic, &input->iface);
	ret = vm_open_agent(vm);
	if (ret == 0)
		ret = clear_the_way(vm, &list, &nic);
	if (ret == 0)
		ret = add(vm, input, &nic, &list);
	if (ret < 0)
		undo_add(vm, &input->iface, &nic);
	nic_list_fini(&list);
	return ret;
}

/* The tap goes with the last descriptor, which QEMU closes. */
static int await_tap_gone(struct vm *vm, uint32_t index)
{
	uint64_t until_ms = clock_ms() + TAP_GONE_MS;
	char tap[IF_NAMESIZE];

	tap_name(index, tap);
	while (if_nametoindex(tap) != 0) {
		if (clock_ms() >= until_ms)
			return fault_set(&vm->fault, -EBUSY,
					 "the tap %s is still there: who has it?", tap);
		clock_pause(LOOK_MS);
	}
	return 0;
}

int vm_del(struct vm *vm, const struct input_iface *input)
{
	const struct iface *iface = &input->iface;
	struct nic_list list = {0};
	struct nic nic;
	int ret = nic_list_get(&list, &vm->qmp);

	for (size_t i = 0; ret == 0 && i < list.count; i++) {
		if (list.nics[i].index == iface->index)
			ret = nic_unplug(&vm->qmp, &list.nics[i]);
	}
	nic_list_fini(&list);
	if (ret == 0 && iface->mac_len == NIC_MAC_SIZE) {
		nic_of_iface(&nic, iface);
		ret = nic_unplug(&vm->qmp, &nic);
	}
	if (ret < 0)
		return ret;
	ret = tc_clear(&vm->rtnl, iface->index);
	if (ret < 0)
		return fault_set_errno(&vm->fault, ret, "filters of interface %u", iface->index);
	return await_tap_gone(vm, iface->index);
}

static int update(struct vm *vm, const struct input_iface *input, const struct nic *plugged)
{
	char tap[IF_NAMESIZE];
	unsigned int index;
	int ret;

	tap_name(input->iface.index, tap);
	index = if_nametoindex(tap);
	if (plugged && index != 0) {
		ret = rtnl_set_link(&vm->rtnl, index, input->iface.mtu);
		if (ret < 0)
			return fault_set_errno(&vm->fault, ret, "tap %s", tap);
	}
	ret = vm_open_agent(vm);
	return ret < 0 ? ret : set_up_in_guest(vm, input, plugged);
}

int vm_update(struct vm *vm, const struct input_iface *input)
{
	struct nic_list list = {0};
	int ret = check_plugged_mac(vm, &input->iface);

	if (ret == 0)
		ret = nic_list_get(&list, &vm->qmp);
	if (ret < 0)
		return ret;
	ret = update(vm, input, find_plugged(&list, &input->iface));
	nic_list_fini(&list);
	return ret;
}

int vm_set_routes(struct vm *vm, const struct route_list *routes)
{
	int ret = vm_open_agent(vm);

	if (ret < 0 || !vm->has_agent)
		return ret;
	return guest_set_routes(&vm->agent, routes);
}
