/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reconcile.c - pure: the difference of what is and what the runtime knows, as ordered requests
 *
 * Removals come first because an addition may need their names or slots, routes last because they
 * need the interfaces. What failed is passed over until its time has come, and never holds up
 * another.
 */
#include "reconcile.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fingerprint.h"
#include "route_filter.h"

/* Duplicate address detection takes up to 2 s (RFC 4862: a random delay, one probe, its wait). */
#define DAD_WAIT_MS 3000

static void wake_at(struct round *round, uint64_t when_ms)
{
	if (when_ms < round->wake_ms)
		round->wake_ms = when_ms;
}

/* Whether a try is due; if not, the round remembers when it will be. */
static bool is_due(struct round *round, const struct retry *retry, uint64_t now_ms)
{
	if (retry_is_due(retry, now_ms))
		return true;
	if (!retry->is_resting)
		wake_at(round, retry->next_ms);
	return false;
}

/*
 * The interface that the runtime is to have for an applied plug. A new name is held back while the
 * link is down: Docker and CNI rename a link on its way out; unless a new link waits for the old
 * one.
 */
static int wanted_iface(const struct round *round, const struct plug *plug, const struct link *link,
			struct iface *wanted)
{
	int ret = filter_known_iface(round->policy, round->snapshot, link, &plug->iface, wanted);

	if (ret == 0 && !(link->flags & IFF_UP) && !plug->is_name_wanted)
		memcpy(wanted->name, plug->iface.name, sizeof(wanted->name));
	return ret;
}

static void make_request(struct request *request, enum verb verb, struct iface *iface,
			 const char *reason)
{
	memset(request, 0, sizeof(*request));
	request->verb = verb;
	iface_move(&request->iface, iface);
	snprintf(request->reason, sizeof(request->reason), "%s", reason);
}

/* Names the addresses of the link that somebody else has, once. */
static void say_duplicates(const struct round *round, struct plug *plug, const struct link *link)
{
	size_t count;
	const struct address *addresses = snapshot_addresses(round->snapshot, link->index, &count);
	uint64_t print = FINGERPRINT_START;
	char text[IP_TEXT_SIZE] = "";
	size_t duplicates = 0;

	for (size_t i = 0; i < count; i++) {
		if (filter_address(round->policy, round->snapshot, &addresses[i]) !=
		    ADDRESS_DUPLICATE)
			continue;
		ip_format(&addresses[i].local, addresses[i].family, text);
		print = fingerprint_add(print, text, strlen(text));
		duplicates++;
	}
	if (duplicates > 0 && print != plug->warned_dad)
		notes_warn(round->notes,
			   "link %s (index %u): address %s%s is left out: somebody else has it",
			   link->name, link->index, text, duplicates > 1 ? " and others" : "");
	plug->warned_dad = duplicates > 0 ? print : 0;
}

/* --- removals -------------------------------------------------------------------------------- */

static int next_removal(struct round *round, uint64_t now_ms, struct request *request,
			struct plug **subject)
{
	while (round->next < round->applied->count) {
		struct plug *plug = round->applied->plugs[round->next++];
		const struct link *namesake;
		struct iface iface;

		if (!plug->is_gone || plug->is_dropped)
			continue;
		if (!plug_is_known(plug)) {
			plug->is_dropped = true;
			continue;
		}
		if (!is_due(round, &plug->retry, now_ms))
			continue;
		if (iface_copy(&iface, &plug->iface))
			return -ENOMEM;
		namesake = filter_find_namesake(round->policy, round->snapshot, &iface);
		if (namesake && !plug->has_said_namesake)
			notes_warn(round->notes,
				   "link %s (index %u): the removal of the old one may set it down",
				   namesake->name, namesake->index);
		plug->has_said_namesake |= namesake != NULL;
		make_request(request, VERB_DEL, &iface, "the link is gone");
		*subject = plug;
		return 1;
	}
	return 0;
}

/* --- additions ------------------------------------------------------------------------------- */

static int compare_names(const void *left, const void *right)
{
	const struct plug *a = *(struct plug *const *)left;
	const struct plug *b = *(struct plug *const *)right;

	return strcmp(a->iface.name, b->iface.name);
}

/*
 * Names are unique among the links of a namespace, so a new link's can only collide in the runtime
 * with a plug whose link is gone or bears another name now. Those are sorted by name, once for a
 * pass.
 */
static int find_displaced(struct round *round)
{
	struct applied *applied = round->applied;

	free(round->displaced);
	round->displaced_count = 0;
	round->displaced = calloc(applied->count + 1, sizeof(struct plug *));
	if (!round->displaced)
		return -ENOMEM;
	for (size_t i = 0; i < applied->count; i++) {
		struct plug *plug = applied->plugs[i];
		const struct link *link = snapshot_find_link(round->snapshot, plug->iface.index);

		plug->is_name_wanted = false;
		if (plug_is_known(plug) &&
		    (plug->is_gone || !link || strcmp(link->name, plug->iface.name) != 0))
			round->displaced[round->displaced_count++] = plug;
	}
	qsort(round->displaced, round->displaced_count, sizeof(struct plug *), compare_names);
	return 0;
}

/* Whether the runtime knows another link by this name; if so, that one is to give it up. */
static bool is_name_taken(const struct round *round, const char *name)
{
	struct plug key;
	const struct plug *const key_pointer = &key;
	struct plug *const *holder;

	if (round->displaced_count == 0)
		return false;
	memcpy(key.iface.name, name, sizeof(key.iface.name));
	holder = bsearch(&key_pointer, round->displaced, round->displaced_count,
			 sizeof(struct plug *), compare_names);
	if (holder)
		(*holder)->is_name_wanted = true;
	return holder != NULL;
}

/*
 * A link that does not count: what was remembered of it is forgotten, unless the runtime may have
 * it.
 */
static int pass_over(struct round *round, const struct link *link, struct plug *plug,
		     enum link_verdict verdict)
{
	if (verdict == LINK_WRONG_KIND) {
		if (!plug)
			plug = applied_ensure(round->applied, link->index);
		if (!plug)
			return -ENOMEM;
		if (!plug->is_refused)
			notes_warn(
				round->notes,
				"link %s (index %u) is left out: the runtime cannot plug kind %s",
				link->name, link->index, link->kind[0] ? link->kind : "device");
		plug->is_refused = true;
	} else if (plug && !plug->is_unsure) {
		plug->is_dropped = true;
	}
	return 0;
}

/* Whether an address of the link is to be waited for still. */
static bool waits_for_dad(struct round *round, struct plug *plug, enum link_verdict verdict,
			  uint64_t now_ms)
{
	if (verdict != LINK_TENTATIVE || !round->policy->waits_for_dad)
		return false;
	if (plug->ready_by_ms == 0)
		plug->ready_by_ms = now_ms + DAD_WAIT_MS;
	if (now_ms >= plug->ready_by_ms)
		return false;
	wake_at(round, plug->ready_by_ms);
	return true;
}

/* Decides about a link that is ready but for its addresses. Returns 1 with a request, 0 or -ENOMEM.
 */
static int add_link(struct round *round, const struct link *link, enum link_verdict verdict,
		    uint64_t now_ms, struct request *request, struct plug **subject)
{
	struct plug *plug = applied_ensure(round->applied, link->index);
	struct iface iface;

	if (!plug)
		return -ENOMEM;
	if (waits_for_dad(round, plug, verdict, now_ms))
		return 0;
	/* The runtime tells interfaces by index and MAC, or by name: no two may be the same to it.
	 */
	if (is_name_taken(round, link->name) || applied_has_former(round->applied, link->index)) {
		round->is_blocked = true;
		return 0;
	}
	if (filter_iface(round->policy, round->snapshot, link, NULL, &iface))
		return -ENOMEM;
	if (plug->retry.is_resting && iface_fingerprint(&iface) != plug->tried)
		retry_reset(&plug->retry);
	if (!is_due(round, &plug->retry, now_ms)) {
		iface_fini(&iface);
		return 0;
	}
	say_duplicates(round, plug, link);
	plug->tried = iface_fingerprint(&iface);
	make_request(request, VERB_ADD, &iface, "a new link is up");
	*subject = plug;
	return 1;
}

static int next_addition(struct round *round, uint64_t now_ms, struct request *request,
			 struct plug **subject)
{
	const struct link *link;

	while ((link = snapshot_next_link(round->snapshot, round->next_link))) {
		struct plug *plug = applied_find(round->applied, link->index);
		enum link_verdict verdict;
		int ret = 0;

		round->next_link = link->index + 1;
		if (plug && plug->state == PLUG_APPLIED)
			continue;
		verdict = filter_link(round->policy, round->snapshot, link);
		if (verdict == LINK_READY || verdict == LINK_TENTATIVE) {
			ret = add_link(round, link, verdict, now_ms, request, subject);
		} else if (!filter_counts(verdict)) {
			ret = pass_over(round, link, plug, verdict);
		} else if (plug) {
			/* Down: when it comes up, everything about it begins anew. */
			plug->ready_by_ms = 0;
			retry_reset(&plug->retry);
		}
		if (ret != 0)
			return ret;
	}
	return 0;
}

/* --- updates --------------------------------------------------------------------------------- */

static const char *describe(unsigned int difference, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s%s", difference & IFACE_NAME ? ", name" : "",
		 difference & IFACE_MAC ? ", MAC" : "", difference & IFACE_MTU ? ", MTU" : "",
		 difference & IFACE_ADDRESSES ? ", addresses" : "");
	return text[0] ? text + 2 : text;
}

/* The runtime has no such verb: what the guest lacks is said once. */
static void say_not_updated(const struct round *round, struct plug *plug,
			    const struct iface *wanted, unsigned int difference)
{
	uint64_t print = iface_fingerprint(wanted);
	char text[64];

	if (print != plug->warned)
		notes_warn(
			round->notes,
			"link %s (index %u): the guest keeps the old %s: dialect %s has no update",
			plug->iface.name, plug->iface.index,
			describe(difference, text, sizeof(text)), round->policy->dialect->name);
	plug->warned = print;
}

/* Decides about an applied link. Returns 1 with a request, 0 or -ENOMEM. */
static int update_link(struct round *round, struct plug *plug, const struct link *link,
		       uint64_t now_ms, struct request *request)
{
	char text[64], reason[REQUEST_REASON_SIZE];
	struct iface wanted;
	unsigned int difference;

	if (wanted_iface(round, plug, link, &wanted))
		return -ENOMEM;
	say_duplicates(round, plug, link);
	difference = iface_compare(&plug->iface, &wanted);
	if (difference == 0 && !plug->is_unsure) {
		plug->warned = 0;
		retry_reset(&plug->retry);
	} else if (!dialect_has_verb(round->policy->dialect, VERB_UPDATE)) {
		if (difference != 0)
			say_not_updated(round, plug, &wanted, difference);
	} else if (is_due(round, &plug->retry, now_ms)) {
		snprintf(reason, sizeof(reason), "%s changed",
			 difference ? describe(difference, text, sizeof(text))
				    : "the last call was killed, nothing");
		make_request(request, VERB_UPDATE, &wanted, reason);
		if (difference & IFACE_NAME)
			memcpy(request->previous_name, plug->iface.name,
			       sizeof(request->previous_name));
		return 1;
	}
	iface_fini(&wanted);
	return 0;
}

static int next_update(struct round *round, uint64_t now_ms, struct request *request,
		       struct plug **subject)
{
	while (round->next < round->applied->count) {
		struct plug *plug = round->applied->plugs[round->next++];
		const struct link *link;
		int ret;

		if (plug->state != PLUG_APPLIED || plug->is_gone || plug->is_dropped)
			continue;
		link = snapshot_find_link(round->snapshot, plug->iface.index);
		ret = link ? update_link(round, plug, link, now_ms, request) : 0;
		*subject = plug;
		if (ret != 0)
			return ret;
	}
	return 0;
}

/* --- routes ---------------------------------------------------------------------------------- */

/*
 * Whether the list can be sent at all; an empty one would wipe some guests, so it is only talked
 * about.
 */
static bool can_send(const struct round *round, const struct route_list *wanted)
{
	struct applied *applied = round->applied;

	if (wanted->count > 0 || round->policy->dialect->has_full_routes) {
		applied->has_said_empty = false;
		return true;
	}
	if (applied->routes.count > 0 && !applied->has_said_empty) {
		notes_warn(round->notes,
			   "all routes are gone, but the guest keeps its %zu: dialect %s has no "
			   "empty list",
			   applied->routes.count, round->policy->dialect->name);
		applied->has_said_empty = true;
	}
	return false;
}

/* Whether the list may be tried now. One that will not heal rests until it is another. */
static bool are_routes_due(struct round *round, const struct route_list *wanted, uint64_t now_ms)
{
	struct applied *applied = round->applied;
	uint64_t print = route_list_fingerprint(wanted);

	if (applied->routes_retry.is_resting && print != applied->routes_tried)
		retry_reset(&applied->routes_retry);
	if (!is_due(round, &applied->routes_retry, now_ms))
		return false;
	applied->routes_tried = print;
	return true;
}

static int next_routes(struct round *round, uint64_t now_ms, struct request *request,
		       struct plug **subject)
{
	struct applied *applied = round->applied;
	struct route_list wanted = {0};
	bool is_same;
	int ret;

	/* Routes to peers are told by addresses, so a cut list of those cuts this one too. */
	if (round->next++ > 0 || round->snapshot->has_more_routes ||
	    round->snapshot->has_more_addresses || round->has_macvtap)
		return 0;
	ret = route_filter(round->policy, applied, round->snapshot, round->notes, &wanted);
	if (ret < 0)
		return ret;
	is_same = route_list_equal(&applied->routes, &wanted) && !applied->are_routes_unsure;
	if (is_same)
		retry_reset(&applied->routes_retry);
	if (!is_same && can_send(round, &wanted) && are_routes_due(round, &wanted, now_ms)) {
		memset(request, 0, sizeof(*request));
		request->verb = VERB_ROUTES;
		route_list_move(&request->routes, &wanted);
		snprintf(request->reason, sizeof(request->reason), "routes changed");
		*subject = NULL;
		return 1;
	}
	route_list_fini(&wanted);
	return 0;
}

/* --- the round ------------------------------------------------------------------------------- */

/* After lost events a link may have had another life under the same index. */
static void find_changed_identities(struct round *round)
{
	for (size_t i = 0; i < round->applied->count; i++) {
		struct plug *plug = round->applied->plugs[i];
		const struct link *link = snapshot_find_link(round->snapshot, plug->iface.index);
		struct iface now = {0};

		if (!link || plug->is_gone || !plug_is_known(plug))
			continue;
		if (link->macvtap != 0)
			continue;
		now.mac_len = link->mac_len;
		memcpy(now.mac, link->mac, sizeof(now.mac));
		if (!iface_same_mac(&now, &plug->iface) ||
		    strcmp(link->kind[0] ? link->kind : "device", plug->iface.kind) != 0)
			plug_mark_gone(plug);
	}
}

void round_begin(struct round *round, const struct policy *policy, struct snapshot *snapshot,
		 struct applied *applied, const struct notes *notes, bool has_lost_events)
{
	*round = (struct round){
		.policy = policy,
		.snapshot = snapshot,
		.applied = applied,
		.notes = notes,
		.has_macvtap = filter_find_macvtaps(policy, snapshot),
		.wake_ms = SETTLE_NEVER,
	};
	if (has_lost_events)
		find_changed_identities(round);
}

/* Goes to the phase after the one that has nothing more to ask for. Returns 0 or -ENOMEM. */
static int next_phase(struct round *round)
{
	round->next = 0;
	round->next_link = 0;
	round->phase++;
	/* Once more, if a name that an addition waits for may have become free. */
	if (round->phase == ROUND_ROUTES && round->is_blocked && round->has_changed_names)
		round->phase = ROUND_ADDITIONS;
	if (round->phase != ROUND_ADDITIONS)
		return 0;
	round->is_blocked = false;
	round->has_changed_names = false;
	return find_displaced(round);
}

int round_next(struct round *round, uint64_t now_ms, struct request *request, struct plug **plug)
{
	int ret = 0;

	while (ret == 0 && round->phase != ROUND_DONE) {
		switch (round->phase) {
		case ROUND_REMOVALS:
			ret = next_removal(round, now_ms, request, plug);
			break;
		case ROUND_ADDITIONS:
			ret = next_addition(round, now_ms, request, plug);
			break;
		case ROUND_UPDATES:
			ret = next_update(round, now_ms, request, plug);
			round->has_changed_names |= ret > 0;
			break;
		case ROUND_ROUTES:
			ret = next_routes(round, now_ms, request, plug);
			break;
		case ROUND_DONE:
			break;
		}
		if (ret == 0)
			ret = next_phase(round);
	}
	return ret;
}

void round_end(struct round *round)
{
	free(round->displaced);
	round->displaced = NULL;
	round->displaced_count = 0;
	round->phase = ROUND_DONE;
	applied_sweep(round->applied);
}
