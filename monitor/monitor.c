/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monitor.c - the wiring: from the kernel's events to the runtime's acknowledgements
 *
 *   intake (events, hint) ─▶ settle ─▶ observe ─▶ round (filter, reconcile) ─▶ delivery
 *                              ▲                                                  │
 *                              └──────── next try ◀── calls ◀── outcome ──────────┘
 *
 * Whatever happens — an event, a timer, the end of a call — step() is run: it does what can be done
 * now and arms the timer for what is due later. A round stands still while a call runs. If a hint
 * came in meanwhile, the round is outdated and the next one, from a fresh snapshot, takes its
 * place; but each snapshot is good for at least one request, so that an endless storm cannot starve
 * the runtime, and after some rounds that were cut short one is carried through, so that what comes
 * first in each cannot starve what comes last.
 */
#include "monitor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "applied.h"
#include "baseline.h"
#include "calls.h"
#include "clock.h"
#include "delivery.h"
#include "intake.h"
#include "limit_notes.h"
#include "log.h"
#include "observe.h"
#include "reconcile.h"
#include "settle.h"
#include "status.h"

/* How long a running child may take to finish when we are asked to stop. */
#define GRACE_S 5.

/* A failed dump is not tried again more seldom than this: when the trouble ends, the state is exact
 * soon. */
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
	ev_timer on_due;
	ev_timer on_grace;
	bool has_baseline; /* what the runtime knew at start has been taken as applied */
	bool has_round;
	bool has_ended_round;	 /* at least one */
	unsigned int cut_rounds; /* that gave way to new ones since the last that did not */
	bool is_outdated; /* the round's snapshot is older than a hint, and was used already */
	bool is_stopping;
	int exit_status;
};

static void give_up(struct monitor *monitor)
{
	monitor->exit_status = 1;
	monitor->is_stopping = true;
}

static void read_events(struct monitor *monitor)
{
	int ret = intake_read(&monitor->intake);

	if (ret < 0) {
		log_error("cannot read events: %s", strerror(-ret));
		give_up(monitor);
	}
}

/* --- a snapshot and its round ---------------------------------------------------------------- */

static void end_round(struct monitor *monitor)
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
static bool is_carried_through(const struct monitor *monitor)
{
	return monitor->has_round &&
	       (monitor->config.is_once || monitor->cut_rounds >= CUT_ROUNDS_MAX);
}

static bool is_round_outdated(const struct monitor *monitor)
{
	return monitor->has_round && monitor->settle.has_hint && !is_carried_through(monitor);
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
		give_up(monitor);
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
	settle_done(&monitor->settle, clock_ms(), clock_cpu_ms() - start_ms);
	read_events(monitor);
	if (monitor->settle.has_hint && monitor->snapshot.has_route_parts)
		monitor->snapshot.has_torn_routes = true;
	if (seen.doubts > 0)
		settle_hint(&monitor->settle, clock_ms(), false);
	limit_notes_say(&monitor->limit_notes, &monitor->snapshot, &monitor->config.limits,
			&monitor->notes);
	return 0;
}

static void save_state(struct monitor *monitor)
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
	save_state(monitor);
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
static void begin_round(struct monitor *monitor)
{
	bool *has_lost_events = &monitor->intake.has_lost_events;
	bool had_lost_events;

	monitor->cut_rounds += monitor->has_round;
	end_round(monitor);
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

/* --- requests -------------------------------------------------------------------------------- */

static void end_call(struct monitor *monitor, const struct call_result *result)
{
	const struct retry *retry =
		monitor->plug ? &monitor->plug->retry : &monitor->applied.routes_retry;
	bool has_changed = calls_end(&monitor->calls, &monitor->applied, monitor->plug,
				     &monitor->request, result, clock_ms());

	/* The round has passed it and will not ask for it again. */
	if (result->outcome != OUTCOME_DONE && !retry->is_resting)
		settle_wake_at(&monitor->settle, calls_next_ms(&monitor->calls, retry));
	monitor->plug = NULL;
	delivery_release(&monitor->delivery);
	if (has_changed)
		save_state(monitor);
	else if (monitor->config.state)
		statefile_forget_call(monitor->config.state);
	if (result->outcome != OUTCOME_DONE && monitor->config.is_once)
		monitor->exit_status = 1;
	if (monitor->calls.is_sandbox_gone)
		monitor->is_stopping = true;
}

/* Without a runtime a request that was printed counts as acknowledged. */
static void end_print(struct monitor *monitor, const struct call_result *result)
{
	if (result->outcome != OUTCOME_DONE) {
		log_error("cannot print requests: %s", strerror(result->detail));
		give_up(monitor);
	}
	applied_acknowledge(&monitor->applied, monitor->plug, &monitor->request);
	monitor->plug = NULL;
}

static void end_request(struct monitor *monitor, const struct call_result *result)
{
	if (monitor->config.delivery.has_runtime)
		end_call(monitor, result);
	else
		end_print(monitor, result);
}

static void start_request(struct monitor *monitor)
{
	struct call_result result = {.outcome = OUTCOME_DONE};
	int ret = delivery_reserve(&monitor->delivery);

	if (ret == 0) {
		/* What is to be asked for is found anew when the slot is there. */
		request_fini(&monitor->request);
		end_round(monitor);
		return;
	}
	log_debug("calling: %s %s",
		  dialect_verb_name(monitor->config.policy.dialect, monitor->request.verb),
		  monitor->request.iface.name);
	if (monitor->config.state)
		statefile_note_call(monitor->config.state, &monitor->request);
	if (ret > 0)
		ret = delivery_start(&monitor->delivery, &monitor->request);
	if (ret < 0)
		result = (struct call_result){.outcome = OUTCOME_NOT_STARTED, .detail = -ret};
	if (ret != 0)
		end_request(monitor, &result);
}

static bool is_busy(const struct monitor *monitor)
{
	return delivery_is_busy(&monitor->delivery);
}

/* Asks the round for requests until one runs, none is left, or its snapshot has become old. */
static void advance_round(struct monitor *monitor)
{
	while (monitor->has_round && !is_busy(monitor) && !monitor->is_stopping) {
		int ret;

		if (monitor->is_outdated)
			return;
		if (!calls_may_start(&monitor->calls, clock_ms())) {
			settle_wake_at(&monitor->settle, monitor->calls.not_ready.next_ms);
			end_round(monitor);
			monitor->has_ended_round = true;
			return;
		}
		ret = round_next(&monitor->round, clock_ms(), &monitor->request, &monitor->plug);
		if (ret < 0) {
			log_error("out of memory: trying again");
			settle_failed(&monitor->settle, clock_ms(), DUMP_PAUSE_MAX_MS);
		}
		if (ret <= 0) {
			delivery_release(&monitor->delivery);
			end_round(monitor);
			monitor->cut_rounds = 0;
			monitor->has_ended_round = true;
			return;
		}
		start_request(monitor);
		/* Without a slot the round has ended; the next one is not outdated. */
		monitor->is_outdated = is_round_outdated(monitor);
	}
}

static void arm_timer(struct monitor *monitor)
{
	uint64_t due_ms = settle_due(&monitor->settle);
	uint64_t now_ms = clock_ms();

	ev_timer_stop(monitor->loop, &monitor->on_due);
	/* While a call runs nothing else can be done; its end comes here again. */
	if (due_ms == SETTLE_NEVER || is_busy(monitor))
		return;
	ev_now_update(monitor->loop);
	ev_timer_set(&monitor->on_due, due_ms > now_ms ? (ev_tstamp)(due_ms - now_ms) / 1000. : 0.,
		     0.);
	ev_timer_start(monitor->loop, &monitor->on_due);
}

static void leave_loop(struct monitor *monitor)
{
	if (monitor->calls.is_sandbox_gone && monitor->config.state)
		statefile_remove(monitor->config.state);
	ev_break(monitor->loop, EVBREAK_ALL);
}

static void step(struct monitor *monitor)
{
	read_events(monitor);
	if (!is_busy(monitor) && !monitor->is_stopping &&
	    settle_due(&monitor->settle) <= clock_ms() && !is_carried_through(monitor))
		begin_round(monitor);
	advance_round(monitor);
	if (monitor->config.is_once && monitor->has_ended_round && !is_busy(monitor))
		monitor->is_stopping = true;
	if (monitor->is_stopping && !is_busy(monitor)) {
		leave_loop(monitor);
		return;
	}
	arm_timer(monitor);
}

/* --- watchers -------------------------------------------------------------------------------- */

static void on_request_done(void *arg, const struct call_result *result)
{
	struct monitor *monitor = arg;

	end_request(monitor, result);
	read_events(monitor);
	monitor->is_outdated |= is_round_outdated(monitor);
	step(monitor);
}

static void on_slot_granted(void *arg)
{
	struct monitor *monitor = arg;

	settle_now(&monitor->settle, clock_ms());
	step(monitor);
}

static void on_events_readable(struct ev_loop *loop, ev_io *watcher, int events)
{
	(void)loop;
	(void)events;
	step(watcher->data);
}

static void on_due(struct ev_loop *loop, ev_timer *watcher, int events)
{
	(void)loop;
	(void)events;
	step(watcher->data);
}

static void on_grace_over(struct ev_loop *loop, ev_timer *watcher, int events)
{
	struct monitor *monitor = watcher->data;

	(void)loop;
	(void)events;
	if (monitor->config.policy.dialect->dies_with_monitor) {
		log_warn("the runtime call did not end in %g s and is ended", GRACE_S);
		delivery_kill(&monitor->delivery);
	} else {
		log_warn("the runtime call did not end in %g s and is left alone", GRACE_S);
	}
	leave_loop(monitor);
}

/* --- life ------------------------------------------------------------------------------------ */

static void init_watchers(struct monitor *monitor)
{
	ev_io_init(&monitor->on_events, on_events_readable, events_fd(monitor->intake.events),
		   EV_READ);
	ev_init(&monitor->on_due, on_due);
	ev_timer_init(&monitor->on_grace, on_grace_over, GRACE_S, 0.);
	monitor->on_events.data = monitor;
	monitor->on_due.data = monitor;
	monitor->on_grace.data = monitor;
}

struct monitor *monitor_new(struct ev_loop *loop, const struct monitor_config *config)
{
	struct monitor *monitor = calloc(1, sizeof(*monitor));
	int ret;

	if (!monitor)
		return NULL;
	monitor->loop = loop;
	monitor->config = *config;
	monitor->notes.say = log_note;
	monitor->calls.dialect = config->policy.dialect;
	monitor->calls.is_once = config->is_once;
	monitor->calls.seed = (uint32_t)clock_ms() ^ (uint32_t)getpid() << 16;
	settle_init(&monitor->settle, config->quiet_ms, config->max_wait_ms);
	ret = intake_open(&monitor->intake, config->receive_bytes, &monitor->settle,
			  &monitor->applied, &monitor->snapshot);
	if (ret == 0)
		ret = delivery_init(&monitor->delivery, loop, &config->delivery, on_request_done,
				    on_slot_granted, monitor);
	if (ret < 0) {
		log_error("cannot subscribe to the kernel's events: %s", strerror(-ret));
		monitor_free(monitor);
		return NULL;
	}
	init_watchers(monitor);
	return monitor;
}

void monitor_free(struct monitor *monitor)
{
	if (!monitor)
		return;
	if (monitor->intake.events) {
		ev_io_stop(monitor->loop, &monitor->on_events);
		ev_timer_stop(monitor->loop, &monitor->on_due);
		ev_timer_stop(monitor->loop, &monitor->on_grace);
	}
	end_round(monitor);
	delivery_fini(&monitor->delivery);
	snapshot_fini(&monitor->snapshot);
	request_fini(&monitor->request);
	applied_fini(&monitor->applied);
	intake_close(&monitor->intake);
	free(monitor);
}

void monitor_start(struct monitor *monitor)
{
	settle_now(&monitor->settle, clock_ms());
	ev_io_start(monitor->loop, &monitor->on_events);
	arm_timer(monitor);
}

void monitor_resync(struct monitor *monitor)
{
	log_info("everything is taken anew");
	monitor->intake.has_lost_events = true;
	settle_now(&monitor->settle, clock_ms());
	step(monitor);
}

void monitor_stop(struct monitor *monitor)
{
	delivery_stop_waiting(&monitor->delivery);
	if (!monitor->is_stopping && is_busy(monitor))
		ev_timer_start(monitor->loop, &monitor->on_grace);
	monitor->is_stopping = true;
	step(monitor);
}

void monitor_end(struct monitor *monitor)
{
	monitor->calls.is_sandbox_gone = true;
	monitor_stop(monitor);
}

void monitor_log_status(const struct monitor *monitor)
{
	status_log(&monitor->applied, clock_ms());
}

int monitor_exit_status(const struct monitor *monitor)
{
	return monitor->exit_status;
}
