/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline.c - pure: what the runtime knew of the namespace before we came
 */
#include "baseline.h"

#include <errno.h>
#include <string.h>

#include "route_filter.h"

/*
 * What a runtime that scans the namespace has found there: a link with any address, or one it has
 * moved.
 */
static bool was_scanned(const struct policy *policy, const struct snapshot *snapshot,
			const struct link *link, enum link_verdict verdict)
{
	size_t count;

	if (!policy->dialect->scans_addressed)
		return verdict == LINK_READY || verdict == LINK_TENTATIVE;
	/* Kinds that it cannot hot-plug it could still attach when it made the VM. */
	if (!filter_counts(verdict) && verdict != LINK_WRONG_KIND)
		return false;
	snapshot_addresses(snapshot, link->index, &count);
	return count > 0 || link->macvtap != 0;
}

static int take_link(const struct policy *policy, const struct snapshot *snapshot,
		     struct applied *applied, const struct link *link)
{
	const struct link *macvtap = snapshot_find_link(snapshot, link->macvtap);
	struct plug *plug = applied_ensure(applied, link->index);
	/* The VM was created with the addresses that are still being checked, too. */
	struct policy at_start = *policy;

	if (!plug)
		return -ENOMEM;
	at_start.takes_tentative = true;
	if (filter_iface(&at_start, snapshot, link, NULL, &plug->iface))
		return -ENOMEM;
	/* The link got a random MAC, its own went to the macvtap. */
	if (macvtap) {
		plug->iface.mac_len = macvtap->mac_len;
		memcpy(plug->iface.mac, macvtap->mac, sizeof(plug->iface.mac));
	}
	plug->state = PLUG_APPLIED;
	return 0;
}

int baseline_take(const struct policy *policy, struct snapshot *snapshot, struct applied *applied,
		  const struct notes *notes)
{
	struct route_list routes = {0};
	bool has_macvtap = filter_find_macvtaps(policy, snapshot);
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < snapshot->link_count; i++) {
		const struct link *link = &snapshot->links[i];
		enum link_verdict verdict = filter_link(policy, snapshot, link);

		if (was_scanned(policy, snapshot, link, verdict))
			ret = take_link(policy, snapshot, applied, link);
	}
	if (ret < 0 || snapshot->has_more_routes || has_macvtap)
		return ret;
	ret = route_filter(policy, applied, snapshot, notes, &routes);
	if (ret == 0)
		route_list_move(&applied->routes, &routes);
	return ret;
}
