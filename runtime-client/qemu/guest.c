/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest.c - gives a NIC in the guest the name, MTU and addresses that it has in the namespace
 *
 * A look at what the guest has, one command in it, and another look; until it is as wanted, or
 * time is up. A guest changes by itself as well: udev renames what appears.
 */
#include "guest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

/* How often a command in the guest may end with the NIC not as wanted. */
#define TRIES 5

/* Between two looks whether the guest has the NIC by now. */
#define LOOK_MS 30

/*
 * $1 its name now, $2 its name to be, $3 what the NIC that has this name is to be called ("": none
 * has), $4 a new MAC or "", $5 the MTU, then each address that it is to have with "+" in front, and
 * each that it is not to have with "-".
 *
 * A new NIC is down, and all can be set at once; Linux before 6.2 renames no link that is up. New
 * addresses come before old ones go: with the last one all routes would go. A secondary address
 * goes with its primary one unless promote_secondaries is set, so then all are added again. The
 * netns has checked for duplicates already: nodad (busybox has no such word). Few programs are
 * started: under emulation each takes some 50 ms.
 */
static const char script[] =
	"PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin\n"
	"dev=$1 name=$2 aside=$3 mac=$4 mtu=$5 conf=/proc/sys/net\n"
	"shift 5\n"
	"set_link() {\n"
	"	was=$1; shift\n"
	"	ip link set dev \"$was\" \"$@\" 2>/dev/null && return\n"
	"	ip link set dev \"$was\" down && ip link set dev \"$was\" \"$@\"\n"
	"}\n"
	"if [ -n \"$aside\" ]; then\n"
	"	set_link \"$name\" name \"$aside\" && ip link set dev \"$aside\" up || exit\n"
	"fi\n"
	"if [ -n \"$mac\" ]; then\n"
	"	set_link \"$dev\" address \"$mac\" || exit\n"
	"fi\n"
	"if [ \"$dev\" != \"$name\" ]; then\n"
	"	set_link \"$dev\" name \"$name\" mtu \"$mtu\" up || exit\n"
	"else\n"
	"	ip link set dev \"$name\" mtu \"$mtu\" up || exit\n"
	"fi\n"
	"{ echo 1 >$conf/ipv4/conf/\"$name\"/promote_secondaries; } 2>/dev/null\n"
	"add() {\n"
	"	error=$(ip addr add \"$@\" 2>&1) && return\n"
	"	case $error in *exists*) return ;; *) return 1 ;; esac\n"
	"}\n"
	"add_all() {\n"
	"	for a; do\n"
	"		case $a in\n"
	"		-*) ;;\n"
	"		*:*)\n"
	"			{ echo 0 >$conf/ipv6/conf/\"$name\"/disable_ipv6; } 2>/dev/null\n"
	"			add \"${a#+}\" dev \"$name\" nodad || add \"${a#+}\" dev \"$name\" "
	"||\n"
	"				echo \"${a#+}: $error\" >&2\n"
	"			;;\n"
	"		*) add \"${a#+}\" dev \"$name\" || echo \"${a#+}: $error\" >&2 ;;\n"
	"		esac\n"
	"	done\n"
	"}\n"
	"add_all \"$@\"\n"
	"removed=\n"
	"for a; do\n"
	"	case $a in -*) ip addr del \"${a#-}\" dev \"$name\" 2>/dev/null; removed=1 ;; "
	"esac\n"
	"done\n"
	"[ -z \"$removed\" ] || add_all \"$@\"\n"
	"n=0 carrier=\n"
	"while [ $n -lt 20 ]; do\n"
	"	{ read -r carrier </sys/class/net/\"$name\"/carrier; } 2>/dev/null\n"
	"	[ \"$carrier\" != 1 ] || break\n"
	"	sleep 0.05 2>/dev/null || sleep 1\n"
	"	n=$((n + 1))\n"
	"done\n"
	"exit 0\n";

enum {
	ARGUMENT_DEVICE,
	ARGUMENT_NAME,
	ARGUMENT_ASIDE,
	ARGUMENT_MAC,
	ARGUMENT_MTU,
	ARGUMENT_ADDRESSES
};

#define ADDRESS_TEXT_SIZE (IP_PREFIX_TEXT_SIZE + 1)

/* The script's arguments. */
struct call {
	char device[IF_NAMESIZE];
	char aside[GUEST_ASIDE_SIZE];
	char mac[IFACE_MAC_TEXT_SIZE];
	char mtu[12];
	char (*addresses)[ADDRESS_TEXT_SIZE];
	const char **arguments;
	size_t count;
};

static bool is_nics(const struct iface *link, const struct guest_nic *nic)
{
	return iface_same_mac(link, nic->wanted) ||
	       (nic->plugged && nic_has_mac(nic->plugged, link));
}

const struct iface *guest_find(const struct agent_links *links, const struct guest_nic *nic)
{
	const struct iface *best = NULL;
	int best_rank = 0;

	/* A bridge or VLAN that the guest has made of the NIC has its MAC too. */
	for (size_t i = 0; i < links->count; i++) {
		const struct iface *link = &links->links[i];
		int rank = 1;

		if (!is_nics(link, nic))
			continue;
		if (strcmp(link->name, nic->wanted->name) == 0)
			rank = 3;
		else if (strcmp(link->name, nic->previous_name) == 0)
			rank = 2;
		if (rank > best_rank) {
			best = link;
			best_rank = rank;
		}
	}
	return best;
}

/* Those that the guest's kernel makes by itself are not ours to remove. */
static bool is_own(const struct iface_address *address)
{
	return ip_is_link_local(&address->ip, address->family);
}

static bool has_address(const struct iface *iface, const struct iface_address *address)
{
	for (size_t i = 0; i < iface->address_count; i++) {
		const struct iface_address *other = &iface->addresses[i];

		if (other->family == address->family && other->prefix_len == address->prefix_len &&
		    ip_compare(&other->ip, &address->ip) == 0)
			return true;
	}
	return false;
}

bool guest_is_as_wanted(const struct iface *link, const struct iface *wanted)
{
	if (strcmp(link->name, wanted->name) != 0 || !iface_same_mac(link, wanted))
		return false;
	for (size_t i = 0; i < wanted->address_count; i++) {
		if (!has_address(link, &wanted->addresses[i]))
			return false;
	}
	for (size_t i = 0; i < link->address_count; i++) {
		if (!is_own(&link->addresses[i]) && !has_address(wanted, &link->addresses[i]))
			return false;
	}
	return true;
}

static void put_address(struct call *call, char sign, const struct iface_address *address)
{
	size_t number = call->count - ARGUMENT_ADDRESSES;
	char *text = call->addresses[number];

	text[0] = sign;
	ip_format_prefix(&address->ip, address->family, address->prefix_len, text + 1);
	call->arguments[call->count++] = text;
}

static int make_call(struct call *call, const struct iface *link, const struct iface *wanted)
{
	size_t addresses = link->address_count + wanted->address_count;

	call->addresses = calloc(addresses + 1, sizeof(*call->addresses));
	call->arguments = calloc(addresses + ARGUMENT_ADDRESSES, sizeof(*call->arguments));
	if (!call->addresses || !call->arguments)
		return -ENOMEM;
	memcpy(call->device, link->name, sizeof(call->device));
	snprintf(call->mtu, sizeof(call->mtu), "%" PRIu32, wanted->mtu);
	if (!iface_same_mac(link, wanted))
		iface_format_mac(wanted, call->mac);
	call->arguments[ARGUMENT_DEVICE] = call->device;
	call->arguments[ARGUMENT_NAME] = wanted->name;
	call->arguments[ARGUMENT_ASIDE] = call->aside;
	call->arguments[ARGUMENT_MAC] = call->mac;
	call->arguments[ARGUMENT_MTU] = call->mtu;
	call->count = ARGUMENT_ADDRESSES;
	for (size_t i = 0; i < wanted->address_count; i++)
		put_address(call, '+', &wanted->addresses[i]);
	for (size_t i = 0; i < link->address_count; i++) {
		if (!is_own(&link->addresses[i]) && !has_address(wanted, &link->addresses[i]))
			put_address(call, '-', &link->addresses[i]);
	}
	return 0;
}

/*
 * Another NIC may have the name: two that swap theirs do, for a moment, and a new one gets from the
 * guest's kernel whatever is free. One that we have plugged steps aside until its own turn.
 */
static int step_aside(struct call *call, struct agent *agent, const struct agent_links *links,
		      const struct iface *link, const struct guest_nic *nic)
{
	const struct iface *other = NULL;

	for (size_t i = 0; i < links->count; i++) {
		if (&links->links[i] != link &&
		    strcmp(links->links[i].name, nic->wanted->name) == 0)
			other = &links->links[i];
	}
	if (!other)
		return 0;
	for (size_t i = 0; i < nic->all->count; i++) {
		const uint8_t *mac = other->mac;

		if (!nic_has_mac(&nic->all->nics[i], other))
			continue;
		snprintf(call->aside, sizeof(call->aside), "nm%02x%02x%02x%02x%02x%02x", mac[0],
			 mac[1], mac[2], mac[3], mac[4], mac[5]);
		return 0;
	}
	return fault_set(agent->fault, -EEXIST,
			 "the guest has an interface %s that was not plugged by us",
			 nic->wanted->name);
}

/* Keeps the last line of what a command in the guest wrote as the fault. */
static int note_output(struct agent *agent, const struct guest_nic *nic, char *output)
{
	size_t length = strlen(output);
	const char *line;

	while (length > 0 && (output[length - 1] == '\n' || output[length - 1] == '\r'))
		output[--length] = '\0';
	line = strrchr(output, '\n');
	line = line ? line + 1 : output;
	return fault_set(agent->fault, -EREMOTEIO, "the guest does not set up %s: %s",
			 nic->wanted->name, *line ? line : "no reason given");
}

/* One try. 0: the command has run, and what it said is the fault, should it not have worked. */
static int set_up_once(struct agent *agent, const struct agent_links *links,
		       const struct iface *link, const struct guest_nic *nic)
{
	struct agent_exit exit = {0};
	struct call call = {0};
	int ret = make_call(&call, link, nic->wanted);

	if (ret < 0)
		fault_set_errno(agent->fault, ret, "guest");
	else
		ret = step_aside(&call, agent, links, link, nic);
	if (ret == 0)
		ret = agent_run(agent, script, call.arguments, call.count, "", &exit);
	if (ret == 0)
		note_output(agent, nic, exit.output);
	free(exit.output);
	free(call.addresses);
	free(call.arguments);
	return ret;
}

static int fail_missing(struct agent *agent, const struct guest_nic *nic)
{
	return fault_set(agent->fault, -ETIMEDOUT, "the guest does not show the NIC for %s",
			 nic->wanted->name);
}

/* What has been done so far. */
struct progress {
	int tries;
	bool is_missing; /* the last look has not found the NIC */
};

/* A look and, if need be, a try. 1: the NIC is as wanted, and was tried at least once. */
static int look_and_try(struct agent *agent, const struct guest_nic *nic, struct progress *progress)
{
	struct agent_links links;
	const struct iface *link;
	int ret = agent_get_links(agent, &links);

	if (ret < 0)
		return ret;
	link = guest_find(&links, nic);
	progress->is_missing = !link;
	if (!link && !nic->plugged)
		ret = fault_set(agent->fault, -ENODEV, "the guest has no NIC for %s",
				nic->wanted->name);
	else if (!link)
		clock_pause(LOOK_MS);
	else if (progress->tries > 0 && guest_is_as_wanted(link, nic->wanted))
		ret = 1;
	else if (progress->tries == TRIES)
		ret = -EREMOTEIO;
	else
		ret = set_up_once(agent, &links, link, nic);
	if (link && ret == 0)
		progress->tries++;
	agent_links_fini(&links);
	return ret;
}

int guest_set_up(struct agent *agent, const struct guest_nic *nic)
{
	struct progress progress = {0};
	int ret = 0;

	fault_set(agent->fault, -ETIMEDOUT, "no time is left to set up %s in the guest",
		  nic->wanted->name);
	while (ret == 0)
		ret = clock_ms() >= agent->deadline_ms ? -ETIMEDOUT
						       : look_and_try(agent, nic, &progress);
	/* Time may be up in the middle of a look. */
	if (ret == -ETIMEDOUT && progress.is_missing)
		return fail_missing(agent, nic);
	return ret < 0 ? ret : 0;
}
