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

#include "clock.h"
#include "log.h"
#include "monitor_state.h"
#include "status_log.h"
#include "trim.h"

/* How long a running child may take to finish when we are asked to stop. */
#define GRACE_S 5.

static void say_note(void *arg, bool is_warning, const char *text)
{
	struct monitor *monitor = arg;

	log_note(NULL, is_warning, text);
	feed_say(monitor->config.feed, FEED_NOTE, "%s", text);
}

/* Without a runtime a person may read along. */
static void on_item(void *arg, const struct feed_item *item)
{
	struct monitor *monitor = arg;

	delivery_show(&monitor->delivery, item);
}

static bool is_round_outdated(const struct monitor *monitor)
{
	return monitor->has_round && monitor->settle.has_hint &&
	       !monitor_is_carried_through(monitor);
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
		monitor_save_state(monitor);
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
		monitor_give_up(monitor);
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
		monitor_end_round(monitor);
		return;
	}
	log_debug("calling: %s %s",
		  dialect_verb_name(monitor->config.policy.dialect, monitor->request.verb),
		  monitor->request.iface.name);
	if (monitor->config.state)
		statefile_note_call(monitor->config.state, &monitor->request);
	monitor->call_ms = clock_ms();
	feed_request(monitor->config.feed,
		     dialect_verb_name(monitor->config.policy.dialect, monitor->request.verb),
		     &monitor->request);
	if (ret > 0)
		ret = delivery_start(&monitor->delivery, &monitor->request);
	if (ret < 0)
		result = (struct call_result){.outcome = OUTCOME_NOT_STARTED, .detail = -ret};
	if (ret != 0)
		end_request(monitor, &result);
}

bool monitor_is_busy(const struct monitor *monitor)
{
	return delivery_is_busy(&monitor->delivery);
}

/* Asks the round for requests until one runs, none is left, or its snapshot has become old. */
static void advance_round(struct monitor *monitor)
{
	while (monitor->has_round && !monitor_is_busy(monitor) && !monitor->is_stopping) {
		int ret;

		if (monitor->is_outdated)
			return;
		if (!calls_may_start(&monitor->calls, clock_ms())) {
			settle_wake_at(&monitor->settle, monitor->calls.not_ready.next_ms);
			monitor_end_round(monitor);
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
			monitor_end_round(monitor);
			monitor->cut_rounds = 0;
			monitor->has_ended_round = true;
			if (settle_due(&monitor->settle) == SETTLE_NEVER)
				trim_memory();
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

	/* While a call runs nothing else can be done; its end comes here again. */
	if (due_ms == SETTLE_NEVER || monitor_is_busy(monitor))
		alarm_stop(&monitor->alarm);
	else
		alarm_set(&monitor->alarm, due_ms);
}

static void leave_loop(struct monitor *monitor)
{
	if (monitor->calls.is_sandbox_gone && monitor->config.state)
		statefile_remove(monitor->config.state);
	ev_break(monitor->loop, EVBREAK_ALL);
}

static void step(struct monitor *monitor)
{
	monitor_read_events(monitor);
	if (!monitor_is_busy(monitor) && !monitor->is_stopping &&
	    settle_due(&monitor->settle) <= clock_ms() && !monitor_is_carried_through(monitor))
		monitor_begin_round(monitor);
	advance_round(monitor);
	if (monitor->config.is_once && monitor->has_ended_round && !monitor_is_busy(monitor))
		monitor->is_stopping = true;
	if (monitor->is_stopping && !monitor_is_busy(monitor)) {
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
	monitor_read_events(monitor);
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
	alarm_init(&monitor->alarm, monitor->loop, on_due, monitor);
	ev_timer_init(&monitor->on_grace, on_grace_over, GRACE_S, 0.);
	monitor->on_events.data = monitor;
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
	monitor->started_ms = clock_ms();
	monitor->notes = (struct notes){say_note, monitor};
	monitor->calls.dialect = config->policy.dialect;
	monitor->calls.feed = config->feed;
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
	monitor->intake.feed = config->feed;
	if (config->feed && !config->delivery.has_runtime && config->delivery.printer.is_text)
		*config->feed = (struct feed){true, on_item, monitor, 0};
	init_watchers(monitor);
	return monitor;
}

void monitor_free(struct monitor *monitor)
{
	if (!monitor)
		return;
	if (monitor->intake.events) {
		ev_io_stop(monitor->loop, &monitor->on_events);
		alarm_stop(&monitor->alarm);
		ev_timer_stop(monitor->loop, &monitor->on_grace);
	}
	monitor_end_round(monitor);
	delivery_fini(&monitor->delivery);
	snapshot_fini(&monitor->snapshot);
	request_fini(&monitor->request);
	applied_fini(&monitor->applied);
	calls_fini(&monitor->calls);
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
	feed_say(monitor->config.feed, FEED_RESYNC, "everything is taken anew");
	monitor->resync_count++;
	monitor->intake.has_lost_events = true;
	settle_now(&monitor->settle, clock_ms());
	step(monitor);
}

void monitor_stop(struct monitor *monitor)
{
	delivery_stop_waiting(&monitor->delivery);
	if (!monitor->is_stopping && monitor_is_busy(monitor))
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
