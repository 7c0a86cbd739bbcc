/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidwatch.h - notices the end of a process that is not our child
 */
#ifndef NETNSMON_PIDWATCH_H
#define NETNSMON_PIDWATCH_H

#include <ev.h>
#include <sys/types.h>

struct pidwatch {
	struct ev_loop *loop;
	ev_io on_end; /* of the pidfd; fd -1: nothing is watched */
	void (*on_gone)(void *arg);
	void *arg;
};

/*
 * Calls @on_gone from the loop when process @pid has ended. Returns 0 or a negative errno (-ESRCH:
 * there is none; -ENOSYS: Linux before 5.3).
 */
int pidwatch_start(struct pidwatch *watch, struct ev_loop *loop, pid_t pid,
		   void (*on_gone)(void *arg), void *arg);

/* Harmless for one that was never started, if it is all zero. */
void pidwatch_stop(struct pidwatch *watch);

#endif
