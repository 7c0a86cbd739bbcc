/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_round.c - pairs of snapshots of any content, into filter and reconcile
 *
 * The bytes say what is in each snapshot and which calls fail. Whatever they say: no request is
 * made twice in a round, a runtime that follows the requests never adds what it has or removes what
 * it has not, and once all calls succeed a further round over the same state asks for nothing.
 */
#include <linux/if_addr.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if.h>

#include "baseline.h"
#include "reconcile.h"

#define LINKS_MAX  12
#define ROUTES_MAX 24
#define STEPS_MAX  200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes that are still to be used; zeros when they are used up. */
struct bytes {
	const uint8_t *at;
	size_t left;
};

/* What a runtime that obeys has plugged: indexes, with how often. */
struct guest {
	unsigned int plugged[LINKS_MAX + 1];
};

static const struct snapshot_limits limits = {LINKS_MAX, ROUTES_MAX};

static uint8_t take(struct bytes *bytes)
{
	if (bytes->left == 0)
		return 0;
	bytes->left--;
	return *bytes->at++;
}

static struct ip make_ip(uint8_t byte)
{
	return (struct ip){{10, (uint8_t)(byte >> 4), 0, (uint8_t)(byte & 15)}};
}

static void make_link(struct bytes *bytes, struct snapshot *snapshot, uint32_t index)
{
	static const char *const names[] = {"eth0", "eth1", "eth2", "tap0_kata", "\xff\xfe", "lo"};
	static const char *const kinds[] = {"veth", "", "macvtap", "tun"};
	uint8_t what = take(bytes), more = take(bytes);
	struct link link = {.index = index, .mtu = 1500U + (more & 1)};

	if (!(what & 1))
		return;
	link.flags = (what & 2 ? 0 : IFF_UP) | (what & 4 ? 0 : IFF_LOWER_UP);
	link.master = (what & 0x70) == 0x70 ? 1 : 0;
	link.parent = more >> 4;
	link.mac_len = what & 8 ? 0 : 6;
	link.mac[5] = more & 2;
	snprintf(link.name, sizeof(link.name), "%s", names[(what >> 4) % 6]);
	snprintf(link.kind, sizeof(link.kind), "%s", kinds[(more >> 2) & 3]);
	snapshot_add_link(snapshot, &link, &limits);
}

static void make_address(struct bytes *bytes, struct snapshot *snapshot)
{
	uint8_t what = take(bytes), value = take(bytes);
	struct address address = {
		.index = 1U + what % LINKS_MAX,
		.local = make_ip(value),
		.peer = make_ip(what & 0x80 ? value ^ 0x33 : value),
		.family = what & 0x40 ? AF_INET6 : AF_INET,
		.prefix_len = value & 31,
	};

	if (take(bytes) & 1)
		address.flags = IFA_F_TENTATIVE;
	snapshot_add_address(snapshot, &address, &limits);
}

static void make_route(struct bytes *bytes, struct snapshot *snapshot)
{
	uint8_t what = take(bytes), value = take(bytes), more = take(bytes);
	struct hop hops[2] = {{.weight = 1}, {.weight = 2}};
	struct route route = {
		.dest = make_ip(value),
		.metric = more & 3,
		.family = what & 0x40 ? AF_INET6 : AF_INET,
		.prefix_len = value & 31,
		.traits = (more & 0xf0) == 0xf0 ? ROUTE_TOS
			  : more & 8		? ROUTE_KERNEL
						: 0,
	};

	for (int i = 0; i < 2; i++) {
		hops[i].device = 1U + (what + (uint32_t)i * more) % LINKS_MAX;
		if (what & 0x20)
			hops[i].gateway_family = more & 4 ? AF_INET6 : AF_INET;
		hops[i].gateway = make_ip(more);
	}
	if (route_list_add(&snapshot->routes, &route, hops, what & 0x80 ? 2 : 1))
		abort();
}

static void make_snapshot(struct bytes *bytes, struct snapshot *snapshot)
{
	uint8_t addresses = take(bytes) & 15, routes = take(bytes) & 15;

	memset(snapshot, 0, sizeof(*snapshot));
	for (uint32_t index = 1; index <= LINKS_MAX; index++)
		make_link(bytes, snapshot, index);
	while (addresses-- > 0)
		make_address(bytes, snapshot);
	while (routes-- > 0)
		make_route(bytes, snapshot);
	snapshot->has_torn_routes = take(bytes) & 1;
	snapshot_complete(snapshot, &limits);
}

static void say_nothing(void *arg, bool is_warning, const char *text)
{
	(void)arg;
	(void)is_warning;
	if (!text[0])
		abort();
}

/* A runtime that obeys: what is done twice or never was is a fault of ours. */
static void obey(struct guest *guest, const struct request *request)
{
	unsigned int *plugged = &guest->plugged[request->iface.index];

	if (request->verb == VERB_ROUTES)
		return;
	if (request->verb == VERB_ADD)
		(*plugged)++;
	else if (*plugged == 0)
		abort();
	else if (request->verb == VERB_DEL)
		(*plugged)--;
	/* Two lives of one index may overlap while a removal fails, but not more. */
	if (*plugged > LINKS_MAX)
		abort();
}

/* Runs one round; @failures says which calls fail. Returns how many requests were made. */
static size_t run_round(const struct policy *policy, struct snapshot *snapshot,
			struct applied *applied, struct guest *guest, struct bytes *failures,
			uint64_t now_ms)
{
	const struct notes notes = {.say = say_nothing};
	struct request request;
	struct round round;
	struct plug *plug;
	size_t count = 0;

	round_begin(&round, policy, snapshot, applied, &notes, failures && (take(failures) & 1));
	while (round_next(&round, now_ms, &request, &plug) > 0) {
		uint8_t fate = failures ? take(failures) : 0;

		if (++count > STEPS_MAX)
			abort();
		if (fate & 1) {
			retry_failed(plug ? &plug->retry : &applied->routes_retry, now_ms, fate);
			applied_fail(applied, plug, &request, false);
		} else {
			obey(guest, &request);
			applied_acknowledge(applied, plug, &request);
		}
	}
	round_end(&round);
	return count;
}

static void mark_absent(struct applied *applied, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < applied->count; i++) {
		if (!applied->plugs[i]->is_gone &&
		    !snapshot_find_link(snapshot, applied->plugs[i]->iface.index))
			plug_mark_gone(applied->plugs[i]);
	}
}

/* The same bytes make the same snapshot, which a round uses up. */
static void remake(struct bytes bytes, struct snapshot *snapshot)
{
	snapshot_fini(snapshot);
	make_snapshot(&bytes, snapshot);
	snapshot->has_torn_routes = false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, size};
	uint8_t mode = take(&bytes);
	struct policy policy = {
		.dialect = dialect_find(mode & 1 ? "kata1" : "plain"),
		.tells_proto = true,
		.waits_for_dad = mode & 2,
	};
	const struct notes notes = {.say = say_nothing};
	struct applied applied = {0};
	struct snapshot snapshot = {0};
	struct guest guest = {0};
	struct bytes last;

	make_snapshot(&bytes, &snapshot);
	if ((mode & 4) && baseline_take(&policy, &snapshot, &applied, &notes) < 0)
		abort();
	for (size_t i = 0; i < applied.count; i++)
		guest.plugged[applied.plugs[i]->iface.index]++;
	snapshot_fini(&snapshot);
	last = bytes;
	make_snapshot(&bytes, &snapshot);
	mark_absent(&applied, &snapshot);
	run_round(&policy, &snapshot, &applied, &guest, &bytes, 1000);
	/* All is well from now on: some rounds later nothing is left to be asked for. */
	for (uint64_t now_ms = 100000; now_ms < 1000000; now_ms += 100000) {
		remake(last, &snapshot);
		if (run_round(&policy, &snapshot, &applied, &guest, NULL, now_ms) == 0)
			break;
		if (now_ms > 500000)
			abort();
	}
	snapshot_fini(&snapshot);
	applied_fini(&applied);
	return 0;
}
