/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monitor_state.h - what the parts of a monitor share: monitor.c, monitor_round.c, monitor_view.c
 */
#ifndef NETNSMON_MONITOR_STATE_H
#define NETNSMON_MONITOR_STATE_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "alarm.h"
#include "applied.h"
#include "calls.h"
#include "delivery.h"
#include "intake.h"
#include "limit_notes.h"
#include "monitor.h"
#include "notes.h"
#include "reconcile.h"
#include "retry.h"
#include "settle.h"
#include "snapshot.h"

/*
 * A failed dump is not tried again more seldom than this: when the trouble ends, the state is exact
 * soon.
 */
#define DUMP_PAUSE_MAX_MS 1000

/* So many rounds in a row may be cut short because their snapshot has become old. */
#define CUT_ROUNDS_MAX 3

struct monitor {
	struct ev_loop *loop;
	struct monitor_config config;
	struct intake intake;
	struct delivery delivery;
	struct settle settle;
	struct snapshot snapshot; /* while a round goes on */
	struct applied applied;
	struct round round;
	struct calls calls;
	struct retry dump_retry;
	struct notes notes;
	struct limit_notes limit_notes;
	struct request request; /* that runs, about … */
	struct plug *plug;
	ev_io on_events;
	struct alarm alarm; /* when something is due */
	ev_timer on_grace;
	bool has_baseline; /* what the runtime knew at start has been taken as applied */
	bool has_round;
	bool has_ended_round;	 /* at least one */
	unsigned int cut_rounds; /* that gave way to new ones since the last that did not */
	bool is_outdated; /* the round's snapshot is older than a hint, and was used already */
	bool is_stopping;
	uint64_t snapshot_count;
	uint64_t resync_count;
	uint64_t started_ms;
	uint64_t call_ms; /* when the request that runs was started */
	int exit_status;
};

/* The monitor cannot go on. */
void monitor_give_up(struct monitor *monitor);

/* Takes in the events that are there. */
void monitor_read_events(struct monitor *monitor);

/* Writes down what is applied. */
void monitor_save_state(struct monitor *monitor);

/*
 * Takes a snapshot, in place of the last round's, and begins a round with it; the first one becomes
 * the baseline.
 */
void monitor_begin_round(struct monitor *monitor);

void monitor_end_round(struct monitor *monitor);

/* Whether a round that goes on must not give way to a new one. */
bool monitor_is_carried_through(const struct monitor *monitor);

/* Whether a call runs, or waits for a slot. */
bool monitor_is_busy(const struct monitor *monitor);

#endif
