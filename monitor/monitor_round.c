/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monitor_round.c - the monitor's look at the namespace: snapshot, baseline, the round's begin and
 * end
 */
#include <errno.h>
#include <string.h>

#include "baseline.h"
#include "clock.h"
#include "log.h"
#include "monitor_state.h"
#include "observe.h"

void monitor_give_up(struct monitor *monitor)
{
	monitor->exit_status = 1;
	monitor->is_stopping = true;
}

void monitor_read_events(struct monitor *monitor)
{
	int ret = intake_read(&monitor->intake);

	if (ret < 0) {
		log_error("cannot read events: %s", strerror(-ret));
		monitor_give_up(monitor);
	}
}

void monitor_end_round(struct monitor *monitor)
{
	if (!monitor->has_round)
		return;
	settle_wake_at(&monitor->settle, monitor->round.wake_ms);
	round_end(&monitor->round);
	snapshot_fini(&monitor->snapshot);
	monitor->has_round = false;
	monitor->is_outdated = false;
}

/* Whether a round that goes on must not give way to a new one. */
bool monitor_is_carried_through(const struct monitor *monitor)
{
	return monitor->has_round &&
	       (monitor->config.is_once || monitor->cut_rounds >= CUT_ROUNDS_MAX);
}

static void dump_failed(struct monitor *monitor, int error)
{
	uint64_t now_ms = clock_ms();
	uint32_t pause_ms = retry_failed(&monitor->dump_retry, now_ms, monitor->calls.seed);

	if (monitor->dump_retry.failures == 1)
		log_warn("cannot take a snapshot of the namespace: %s%s",
			 error == -EINTR ? "it changes all the time" : strerror(-error),
			 monitor->config.is_once ? "" : "; trying again");
	settle_failed(&monitor->settle, now_ms,
		      pause_ms < DUMP_PAUSE_MAX_MS ? pause_ms : DUMP_PAUSE_MAX_MS);
	if (monitor->config.is_once)
		monitor_give_up(monitor);
}

/*
 * Takes a snapshot. Events that came in while it was taken are read at once: they are new hints,
 * they take out of it what has gone since, and they cast doubt on routes that were read in parts.
 */
static int take_snapshot(struct monitor *monitor)
{
	uint64_t start_ms = clock_cpu_ms();
	struct observation seen;
	int ret = observe(&monitor->snapshot, &monitor->config.limits, &monitor->applied,
			  &monitor->intake.oversized, &seen);

	intake_say_forged(&monitor->intake, seen.forged);
	if (ret < 0) {
		dump_failed(monitor, ret);
		return ret;
	}
	retry_reset(&monitor->dump_retry);
	monitor->snapshot_count++;
	feed_snapshot(monitor->config.feed, monitor->snapshot.link_count,
		      monitor->snapshot.address_count, monitor->snapshot.routes.count);
	settle_done(&monitor->settle, clock_ms(), clock_cpu_ms() - start_ms);
	monitor_read_events(monitor);
	if (monitor->settle.has_hint && monitor->snapshot.has_route_parts)
		monitor->snapshot.has_torn_routes = true;
	if (seen.doubts > 0)
		settle_hint(&monitor->settle, clock_ms(), false);
	limit_notes_say(&monitor->limit_notes, &monitor->snapshot, &monitor->config.limits,
			&monitor->notes);
	return 0;
}

void monitor_save_state(struct monitor *monitor)
{
	if (monitor->config.state)
		statefile_save(monitor->config.state, &monitor->applied);
}

/*
 * Takes the first snapshot as what the runtime knows already. It is used up by that: the first
 * round takes another one, which shows what the baseline did not take, and what has come since.
 */
static void take_baseline(struct monitor *monitor)
{
	bool is_restored =
		monitor->config.state && statefile_load(monitor->config.state, &monitor->applied);
	int ret = 0;

	/* While nobody watched, links may have had other lives, as after lost events. */
	if (is_restored)
		monitor->intake.has_lost_events = true;
	else if (monitor->config.takes_existing)
		ret = baseline_take(&monitor->config.policy, &monitor->snapshot, &monitor->applied,
				    &monitor->notes);
	snapshot_fini(&monitor->snapshot);
	if (ret < 0) {
		applied_fini(&monitor->applied);
		dump_failed(monitor, ret);
		return;
	}
	monitor->has_baseline = true;
	monitor_save_state(monitor);
	log_info("watching%s with a receive buffer of %zu bytes; known to the runtime: "
		 "%zu interfaces, %zu routes",
		 is_restored ? " again, from saved state," : "",
		 events_buffer(monitor->intake.events), monitor->applied.count,
		 monitor->applied.routes.count);
	monitor->config.on_ready(monitor->config.hook_arg);
	settle_now(&monitor->settle, clock_ms());
}

/*
 * A loss that is found out after the snapshot may be one of before it or of after it: it concerns
 * this round and the next.
 */
void monitor_begin_round(struct monitor *monitor)
{
	bool *has_lost_events = &monitor->intake.has_lost_events;
	bool had_lost_events;

	monitor->cut_rounds += monitor->has_round;
	monitor_end_round(monitor);
	monitor->config.on_look(monitor->config.hook_arg);
	if (monitor->is_stopping)
		return;
	had_lost_events = *has_lost_events;
	*has_lost_events = false;
	if (take_snapshot(monitor) < 0) {
		*has_lost_events |= had_lost_events;
		return;
	}
	if (!monitor->has_baseline) {
		take_baseline(monitor);
		return;
	}
	log_debug("snapshot: links: %zu, addresses: %zu, routes: %zu%s",
		  monitor->snapshot.link_count, monitor->snapshot.address_count,
		  monitor->snapshot.routes.count, had_lost_events ? ", after lost events" : "");
	round_begin(&monitor->round, &monitor->config.policy, &monitor->snapshot, &monitor->applied,
		    &monitor->notes, had_lost_events || *has_lost_events);
	monitor->has_round = true;
}
