/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lockwait.h - waits in the loop for a flock(2) on a file
 */
#ifndef NETNSMON_LOCKWAIT_H
#define NETNSMON_LOCKWAIT_H

#include <ev.h>
#include <stdbool.h>

struct lockwait {
	struct ev_loop *loop;
	ev_child on_exit; /* of the waiting child */
	ev_timer on_pause_over;
	void (*on_locked)(void *arg, bool is_locked);
	void *arg;
};

/*
 * Takes the lock on @fd if it is free and nobody waits for it. The kernel wakes those who wait in
 * flock(2), but whoever tries first gets it: that would always be the one who has just released it.
 * So whoever is next holds a second lock on the file (of the kind of fcntl(2)) while he waits.
 */
bool lockwait_try(int fd);

/*
 * Calls @on_locked from @loop, the default one, when the lock on @fd is the caller's, or with
 * is_locked false, after a pause, if the child that waits for it has failed. @fd must stay open
 * until then. Returns 0 or a negative errno.
 */
int lockwait_start(struct lockwait *wait, struct ev_loop *loop, int fd,
		   void (*on_locked)(void *arg, bool is_locked), void *arg);

/* Ends the waiting. One that was never started, all zero, or has ended is harmless. */
void lockwait_stop(struct lockwait *wait);

bool lockwait_is_active(const struct lockwait *wait);

#endif
