/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settle.c - pure: when to look at the namespace next
 */
#include "settle.h"

/* Some events precede what they announce, and what follows is silent: look again this much later.
 */
#define RECHECK_MS 1000

/* Dumps take at most one part in so many of one core, however long the storm. */
#define COST_SHARE 20

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void settle_init(struct settle *settle, uint32_t quiet_ms, uint32_t max_wait_ms)
{
	*settle = (struct settle){
		.quiet_ms = quiet_ms,
		.max_wait_ms = max_wait_ms,
		.recheck_ms = SETTLE_NEVER,
		.wake_ms = SETTLE_NEVER,
	};
}

void settle_hint(struct settle *settle, uint64_t now_ms, bool is_loss)
{
	if (!settle->has_hint)
		settle->first_ms = now_ms;
	settle->has_hint = true;
	settle->last_ms = now_ms;
	if (is_loss)
		settle->recheck_ms = now_ms + RECHECK_MS;
}

void settle_wake_at(struct settle *settle, uint64_t when_ms)
{
	settle->wake_ms = earlier(settle->wake_ms, when_ms);
}

void settle_now(struct settle *settle, uint64_t now_ms)
{
	settle->has_hint = false;
	settle->wake_ms = now_ms;
	settle->rest_ms = now_ms;
}

void settle_done(struct settle *settle, uint64_t now_ms, uint64_t cost_ms)
{
	settle->has_hint = false;
	settle->wake_ms = SETTLE_NEVER;
	if (settle->recheck_ms <= now_ms)
		settle->recheck_ms = SETTLE_NEVER;
	settle->pause_ms = cost_ms * COST_SHARE;
	settle->rest_ms = now_ms + settle->pause_ms;
}

void settle_failed(struct settle *settle, uint64_t now_ms, uint64_t delay_ms)
{
	settle_hint(settle, now_ms, false);
	settle->rest_ms = now_ms + delay_ms;
}

uint64_t settle_due(const struct settle *settle)
{
	uint64_t due;

	/* While a burst goes on a retry waits for its end too: it is bounded, and its news count.
	 */
	if (settle->has_hint)
		due = earlier(settle->last_ms + settle->quiet_ms,
			      settle->first_ms + later(settle->max_wait_ms, settle->pause_ms));
	else
		due = earlier(settle->recheck_ms, settle->wake_ms);
	return due == SETTLE_NEVER ? due : later(due, settle->rest_ms);
}
