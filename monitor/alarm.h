/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alarm.h - one timer that is put off very often
 */
#ifndef NETNSMON_ALARM_H
#define NETNSMON_ALARM_H

#include <ev.h>
#include <stdint.h>

struct alarm {
	struct ev_loop *loop;
	ev_timer timer;
	uint64_t set_ms; /* what an active timer was set to */
};

/* @on_alarm may come too early, and then must set it again; its watcher's data is @arg. */
void alarm_init(struct alarm *alarm, struct ev_loop *loop,
		void (*on_alarm)(struct ev_loop *, ev_timer *, int), void *arg);
void alarm_set(struct alarm *alarm, uint64_t due_ms);
void alarm_stop(struct alarm *alarm);

#endif
