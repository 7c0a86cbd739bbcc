/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alarm.c - one timer that is put off very often
 *
 * Each event of a burst puts off the end of the settle. The timer is left as it is then: that it
 * comes once too early is cheaper than to set it for each event.
 */
#include "alarm.h"

#include "clock.h"

void alarm_init(struct alarm *alarm, struct ev_loop *loop,
		void (*on_alarm)(struct ev_loop *, ev_timer *, int), void *arg)
{
	alarm->loop = loop;
	ev_init(&alarm->timer, on_alarm);
	alarm->timer.data = arg;
}

void alarm_set(struct alarm *alarm, uint64_t due_ms)
{
	uint64_t now_ms;

	if (ev_is_active(&alarm->timer) && alarm->set_ms <= due_ms)
		return;
	now_ms = clock_ms();
	alarm_stop(alarm);
	ev_now_update(alarm->loop);
	alarm->set_ms = due_ms;
	ev_timer_set(&alarm->timer, due_ms > now_ms ? (ev_tstamp)(due_ms - now_ms) / 1000. : 0.,
		     0.);
	ev_timer_start(alarm->loop, &alarm->timer);
}

void alarm_stop(struct alarm *alarm)
{
	ev_timer_stop(alarm->loop, &alarm->timer);
}
