/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * route_filter.c - pure: which routes the runtime is to have
 *
 * The parser has kept the unicast routes of the main table. Of these count here: those the user
 * made, and the kernel's own route to an address's peer, which nothing in the guest makes; of their
 * hops those over acknowledged interfaces. A destination that is only reached over interfaces that
 * are still to be plugged keeps the route it had: a default that moves to a NIC whose add fails
 * must not cut off the guest.
 */
#include "route_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prefix_set.h"
#include "route_notes.h"
#include "route_simple.h"

enum device_state { DEVICE_FOREIGN, DEVICE_PENDING, DEVICE_KNOWN };

/* Everything that the judgement of one list needs. */
struct judge {
	const struct policy *policy;
	struct applied *applied;
	struct snapshot *snapshot;
	struct route_list *list;	 /* the snapshot's, being judged in place */
	bool *is_pending;		 /* of each link in the snapshot */
	struct prefix_set peers;	 /* far peers of addresses, by device */
	struct prefix_set pending_dests; /* reached over pending devices; marked: over others too */
	struct route_notes notes;
};

/* Names the devices that the runtime knows, as it knows them. Plugs are sorted by index. */
static int name_devices(struct judge *judge)
{
	const struct applied *applied = judge->applied;
	struct route_list *list = judge->list;

	list->devices = calloc(applied->count + 1, sizeof(*list->devices));
	if (!list->devices)
		return -ENOMEM;
	for (size_t i = 0; i < applied->count; i++) {
		const struct plug *plug = applied->plugs[i];
		struct route_device *device = &list->devices[list->device_count];

		if (plug->state != PLUG_APPLIED || plug->is_gone || plug->is_dropped)
			continue;
		/* Absence says nothing where the snapshot does not hold all links. */
		if (!snapshot_find_link(judge->snapshot, plug->iface.index) &&
		    !judge->snapshot->has_more_links)
			continue;
		device->index = plug->iface.index;
		memcpy(device->name, plug->iface.name, sizeof(device->name));
		list->device_count++;
	}
	return 0;
}

static int find_pending(struct judge *judge)
{
	const struct snapshot *snapshot = judge->snapshot;

	judge->is_pending = calloc(snapshot->link_count + 1, sizeof(*judge->is_pending));
	if (!judge->is_pending)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->link_count; i++)
		judge->is_pending[i] =
			filter_counts(filter_link(judge->policy, snapshot, &snapshot->links[i]));
	return 0;
}

static enum device_state state_of(const struct judge *judge, uint32_t index)
{
	const struct link *link;

	if (route_list_device(judge->list, index)[0] != '\0')
		return DEVICE_KNOWN;
	link = snapshot_find_link(judge->snapshot, index);
	return link && judge->is_pending[link - judge->snapshot->links] ? DEVICE_PENDING
									: DEVICE_FOREIGN;
}

/* The kernel's routes to peers are told by their destination: the peer, on the address's device. */
static int collect_peers(struct judge *judge)
{
	const struct snapshot *snapshot = judge->snapshot;

	for (size_t i = 0; i < snapshot->address_count; i++) {
		const struct address *address = &snapshot->addresses[i];
		struct prefix prefix = {
			.ip = address->peer,
			.device = address->index,
			.family = address->family,
			.prefix_len = address->prefix_len,
		};

		if (filter_has_far_peer(address) && prefix_set_add(&judge->peers, &prefix))
			return -ENOMEM;
	}
	prefix_set_sort(&judge->peers);
	return 0;
}

static bool leads_to_peer(const struct judge *judge, const struct route *route)
{
	const struct prefix prefix = {
		.ip = route->dest,
		.device = route_hops(judge->list, route)->device,
		.family = route->family,
		.prefix_len = route->prefix_len,
	};

	return prefix_set_find(&judge->peers, &prefix) != NULL;
}

/* Keeps the hops over known devices. Returns how many hops go over pending ones. */
static size_t trim_hops(const struct judge *judge, struct route *route)
{
	struct hop *hops = route_hops(judge->list, route);
	uint32_t kept = 0;
	size_t pending = 0;

	for (uint32_t i = 0; i < route->hop_count; i++) {
		enum device_state state = state_of(judge, hops[i].device);

		if (state == DEVICE_KNOWN)
			hops[kept++] = hops[i];
		pending += state == DEVICE_PENDING;
	}
	route->hop_count = kept;
	/* A leg that is left alone is a plain route, which has no weight. */
	if (kept == 1)
		hops[0].weight = 1;
	return pending;
}

static const char *inexpressible(const struct route *route)
{
	if (route->traits & ROUTE_TOS)
		return "it is for one type of service only";
	if (route->traits & ROUTE_ENCAP)
		return "it encapsulates";
	if (route->traits & ROUTE_SOURCE_PREFIX)
		return "it is for some source addresses only";
	return NULL;
}

static struct prefix dest_of(const struct route *route)
{
	return (struct prefix){
		.ip = route->dest,
		.family = route->family,
		.prefix_len = route->prefix_len,
	};
}

/* Judges one route. Returns 1 to keep it, 0 or -ENOMEM. */
static int judge_route(struct judge *judge, struct route *route)
{
	struct prefix dest = dest_of(route);
	const char *why = inexpressible(route);
	size_t pending;

	if ((route->traits & ROUTE_KERNEL) && !leads_to_peer(judge, route)) {
		route_notes_pass_over(&judge->notes, judge->list, route,
				      "the kernel made it, as the guest's will");
		return 0;
	}
	pending = trim_hops(judge, route);
	if (route->hop_count == 0) {
		route_notes_pass_over(&judge->notes, judge->list, route,
				      pending > 0 ? "the runtime does not have its interface yet"
						  : "its interface does not count");
		return pending > 0 ? prefix_set_add(&judge->pending_dests, &dest) : 0;
	}
	if (why) {
		route_notes_left_out(&judge->notes, judge->list, route, why);
		return 0;
	}
	route->traits = 0;
	return 1;
}

static int judge_routes(struct judge *judge)
{
	struct route_list *list = judge->list;
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		int ret = judge_route(judge, &list->routes[i]);

		if (ret < 0)
			return ret;
		if (ret > 0)
			list->routes[kept++] = list->routes[i];
	}
	list->count = kept;
	return 0;
}

/* Whether each hop's device is known now. */
static bool is_usable(const struct judge *judge, const struct route_list *list,
		      const struct route *route)
{
	const struct hop *hops = route_hops(list, route);

	for (size_t i = 0; i < route->hop_count; i++) {
		if (route_list_device(judge->list, hops[i].device)[0] == '\0')
			return false;
	}
	return true;
}

/* A destination that only pending interfaces reach keeps what the runtime has for it. */
static int keep_applied(struct judge *judge)
{
	const struct route_list *applied = &judge->applied->routes;
	struct prefix_set *dests = &judge->pending_dests;
	struct prefix *dest;
	struct prefix key;

	if (dests->count == 0)
		return 0;
	prefix_set_sort(dests);
	for (size_t i = 0; i < judge->list->count; i++) {
		key = dest_of(&judge->list->routes[i]);
		dest = prefix_set_find(dests, &key);
		if (dest)
			dest->is_marked = true;
	}
	for (size_t i = 0; i < applied->count; i++) {
		const struct route *route = &applied->routes[i];

		key = dest_of(route);
		dest = prefix_set_find(dests, &key);
		if (dest && !dest->is_marked && is_usable(judge, applied, route) &&
		    route_list_add(judge->list, route, route_hops(applied, route),
				   route->hop_count))
			return -ENOMEM;
	}
	return 0;
}

/*
 * A dump in several parts, between which something changed, can lack stable routes without a mark.
 * A route that the runtime has and such a dump lacks stays; if the next one lacks it too, it is
 * gone. A dump that was cut proves no absence at all.
 */
static int keep_missed(struct judge *judge)
{
	struct route_list *applied = &judge->applied->routes;
	size_t dumped;
	size_t at = 0;

	route_list_sort(judge->list);
	dumped = judge->list->count;
	for (size_t i = 0; i < applied->count; i++) {
		struct route *route = &applied->routes[i];
		int order = 1;

		while (at < dumped && (order = route_compare(judge->list, &judge->list->routes[at],
							     applied, route)) < 0)
			at++;
		if (at < dumped && order == 0) {
			route->traits &= (uint8_t)~ROUTE_MISSED;
			continue;
		}
		if (((route->traits & ROUTE_MISSED) && !judge->snapshot->has_cut_routes) ||
		    !is_usable(judge, applied, route))
			continue;
		route->traits |= ROUTE_MISSED;
		if (route_list_add(judge->list, route, route_hops(applied, route),
				   route->hop_count))
			return -ENOMEM;
	}
	return 0;
}

static void forget_missed(struct route_list *applied)
{
	for (size_t i = 0; i < applied->count; i++)
		applied->routes[i].traits &= (uint8_t)~ROUTE_MISSED;
}

static int judge_all(struct judge *judge)
{
	int ret = name_devices(judge);

	if (ret == 0)
		ret = find_pending(judge);
	if (ret == 0)
		ret = collect_peers(judge);
	if (ret == 0)
		ret = judge_routes(judge);
	if (ret == 0)
		ret = keep_applied(judge);
	if (ret == 0 && (judge->snapshot->has_torn_routes || judge->snapshot->has_cut_routes))
		ret = keep_missed(judge);
	else
		forget_missed(&judge->applied->routes);
	if (ret < 0)
		return ret;
	route_list_sort(judge->list);
	if (!judge->policy->dialect->has_full_routes)
		ret = route_simplify(judge->list, judge->applied, &judge->notes);
	return ret;
}

int route_filter(const struct policy *policy, struct applied *applied, struct snapshot *snapshot,
		 const struct notes *notes, struct route_list *wanted)
{
	struct judge judge = {
		.policy = policy,
		.applied = applied,
		.snapshot = snapshot,
		.list = &snapshot->routes,
		.notes = {.notes = notes, .once = &applied->left_out, .census = &applied->census},
	};
	int ret;

	route_census_clear(&applied->census);
	ret = judge_all(&judge);
	route_notes_end(&judge.notes);
	if (ret == 0)
		route_list_move(wanted, judge.list);
	free(judge.is_pending);
	prefix_set_fini(&judge.peers);
	prefix_set_fini(&judge.pending_dests);
	return ret;
}
