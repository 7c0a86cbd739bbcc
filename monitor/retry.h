/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * retry.h - pure: when to try again what failed
 */
#ifndef NETNSMON_RETRY_H
#define NETNSMON_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct retry {
	uint32_t failures; /* in a row */
	uint32_t hopeless; /* how many of them will not heal */
	uint64_t next_ms;  /* not before; monotonic */
	bool is_resting;   /* given up until something changes */
};

/*
 * The first pause after @failures failures in a row: 250 ms, doubled each time, at most 30 s;
 * @random spreads it by a fifth either way, so that the monitors of a host do not try in step.
 */
uint32_t retry_pause_ms(uint32_t failures, uint32_t random);

/* Notes a failure at @now_ms: sets next_ms. Returns the pause in ms. */
uint32_t retry_failed(struct retry *retry, uint64_t now_ms, uint32_t random);

/*
 * Notes a failure that will not heal. Returns the pause in ms, or 0 if this was the third: then
 * is_resting is set.
 */
uint32_t retry_hopeless(struct retry *retry, uint64_t now_ms, uint32_t random);

/* Forgets all failures. */
void retry_reset(struct retry *retry);

/* Whether a try is due. */
bool retry_is_due(const struct retry *retry, uint64_t now_ms);

#endif
