/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settle.h - pure: when to look at the namespace next
 *
 *    hints      |  | |     |                          |
 *               `--+-+-----+--- quiet ---> dump       `- loss -- quiet --> dump ... 1 s later --> dump
 *               `------------- max-wait at most -->
 *
 * All times are milliseconds of one monotonic clock, given by the caller.
 */
#ifndef NETNSMON_SETTLE_H
#define NETNSMON_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#define SETTLE_NEVER UINT64_MAX

struct settle {
	uint32_t quiet_ms;
	uint32_t max_wait_ms;
	bool has_hint;	     /* something changed since the last dump */
	uint64_t first_ms;   /* when the first such hint came */
	uint64_t last_ms;    /* … and the last */
	uint64_t recheck_ms; /* a dump that a loss asks for, SETTLE_NEVER: none */
	uint64_t wake_ms;    /* a dump that a retry or a wait asks for, SETTLE_NEVER: none */
	uint64_t rest_ms;    /* not before: dumps may take only a small share of a core */
	uint64_t pause_ms;   /* 20 times what the last dumps cost */
};

void settle_init(struct settle *settle, uint32_t quiet_ms, uint32_t max_wait_ms);

/* A hint has come in; @is_loss asks for one more dump about a second later. */
void settle_hint(struct settle *settle, uint64_t now_ms, bool is_loss);

/* Asks for a dump at @when_ms even if nothing is heard until then; the earliest wish counts. */
void settle_wake_at(struct settle *settle, uint64_t when_ms);

/* A dump is due at once, whatever was heard: SIGHUP. */
void settle_now(struct settle *settle, uint64_t now_ms);

/* The dumps have been taken: all hints until then are answered. @cost_ms is what they cost. */
void settle_done(struct settle *settle, uint64_t now_ms, uint64_t cost_ms);

/* The dumps failed: everything is still to be answered, but not before @delay_ms have passed. */
void settle_failed(struct settle *settle, uint64_t now_ms, uint64_t delay_ms);

/* When the next dump is due, or SETTLE_NEVER. */
uint64_t settle_due(const struct settle *settle);

#endif
