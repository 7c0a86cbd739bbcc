/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.c - pure: what became of a link, and why, in words
 */
#include "verdict.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_APPLIED] = "applied",	   [VERDICT_PENDING] = "pending",
		[VERDICT_NOT_READY] = "not_ready", [VERDICT_IGNORED] = "ignored",
		[VERDICT_REMOVING] = "removing",   [VERDICT_GIVEN_UP] = "given_up",
	};

	static_assert(sizeof(names) / sizeof(names[0]) == VERDICT_COUNT, "each has a name");
	return names[verdict];
}

static void say(char reason[VERDICT_REASON_SIZE], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(char reason[VERDICT_REASON_SIZE], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, VERDICT_REASON_SIZE, format, args);
	va_end(args);
}

static void say_master(const struct snapshot *snapshot, const struct link *link,
		       char reason[VERDICT_REASON_SIZE])
{
	const struct link *master = snapshot_find_link(snapshot, link->master);

	if (master)
		say(reason, "it belongs to %s (index %u)", master->name, master->index);
	else
		say(reason, "it belongs to the link with index %u", link->master);
}

/* Why the filter says what it says. */
static void say_filtered(const struct policy *policy, const struct snapshot *snapshot,
			 const struct link *link, enum link_verdict verdict,
			 char reason[VERDICT_REASON_SIZE])
{
	switch (verdict) {
	case LINK_LOOPBACK:
		say(reason, "loopback");
		break;
	case LINK_RUNTIMES_OWN:
		say(reason, "a device that a runtime makes for itself (*_kata, ifb)");
		break;
	case LINK_IGNORED:
		say(reason, "--ignore %s",
		    filter_match(link->name, policy->ignore, policy->ignore_count));
		break;
	case LINK_NOT_ONLY:
		say(reason, "matches no --only, the first of which is %s", policy->only[0]);
		break;
	case LINK_ENSLAVED:
		say_master(snapshot, link, reason);
		break;
	case LINK_DOWN:
		say(reason, "the link is down");
		break;
	case LINK_NO_CARRIER:
		say(reason, "no carrier: the other end is down");
		break;
	case LINK_WRONG_KIND:
		say(reason, "a runtime of dialect %s cannot plug kind %s%s", policy->dialect->name,
		    link->kind[0] ? link->kind : "device",
		    link->mac_len > 0 ? "" : " without a MAC");
		break;
	case LINK_TENTATIVE:
		say(reason, "an address is still being checked for duplicates");
		break;
	case LINK_READY:
		say(reason, "up");
		break;
	}
}

static enum verdict judge_applied(const struct policy *policy, const struct snapshot *snapshot,
				  const struct link *link, const struct plug *plug,
				  char reason[VERDICT_REASON_SIZE])
{
	enum link_verdict now = filter_link(policy, snapshot, link);

	if (plug->retry.is_resting) {
		say(reason, "the runtime has it; an update failed and will not heal");
		return VERDICT_GIVEN_UP;
	}
	if (plug->retry.failures > 0) {
		say(reason, "the runtime has it; an update failed");
		return VERDICT_PENDING;
	}
	if (plug->is_unsure)
		say(reason, "the runtime has it; its last call was cut short, it is sent again");
	else if (now == LINK_DOWN)
		say(reason, "the runtime has it; its link is down now, which changes nothing");
	else if (now == LINK_NO_CARRIER)
		say(reason, "the runtime has it; no carrier now, which changes nothing");
	else
		say(reason, "the runtime has it");
	return plug->is_unsure ? VERDICT_PENDING : VERDICT_APPLIED;
}

static enum verdict judge_pending(const struct link *link, const struct plug *plug,
				  char reason[VERDICT_REASON_SIZE])
{
	if (plug && plug->retry.is_resting) {
		say(reason,
		    "the call failed in a way that does not heal; tried again when %s "
		    "changes or comes up anew",
		    link->name);
		return VERDICT_GIVEN_UP;
	}
	if (plug && plug->retry.failures > 0)
		say(reason, "the call failed");
	else
		say(reason, "up: to be plugged next");
	return VERDICT_PENDING;
}

enum verdict verdict_of_link(const struct policy *policy, const struct snapshot *snapshot,
			     const struct link *link, const struct plug *plug,
			     char reason[VERDICT_REASON_SIZE])
{
	enum link_verdict verdict;

	if (plug && plug->state == PLUG_APPLIED)
		return judge_applied(policy, snapshot, link, plug, reason);
	verdict = filter_link(policy, snapshot, link);
	if (verdict == LINK_READY)
		return judge_pending(link, plug, reason);
	say_filtered(policy, snapshot, link, verdict, reason);
	if (verdict == LINK_TENTATIVE)
		return VERDICT_PENDING;
	return filter_counts(verdict) ? VERDICT_NOT_READY : VERDICT_IGNORED;
}

enum verdict verdict_of_gone(const struct plug *plug, char reason[VERDICT_REASON_SIZE])
{
	if (plug->retry.failures > 0)
		say(reason, "the link is gone, but the runtime did not let go of it");
	else
		say(reason, "the link is gone, which the runtime is told next");
	return VERDICT_REMOVING;
}
