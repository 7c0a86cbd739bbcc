/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pathwatch.h - notices that a path is gone after it was there
 */
#ifndef NETNSMON_PATHWATCH_H
#define NETNSMON_PATHWATCH_H

#include <ev.h>
#include <limits.h>
#include <stdbool.h>

struct pathwatch {
	struct ev_loop *loop; /* NULL: nothing is watched */
	const char *path;     /* absolute; not owned */
	ev_io on_change;      /* of the inotify instance; fd -1: there is none */
	int directory;	      /* the watch in it, on the nearest directory that is there */
	bool was_there;
	bool has_said_failure;
	void (*on_gone)(void *arg);
	void *arg;
};

/*
 * Calls @on_gone when @path, which must be absolute and outlive the watch, is gone after it was
 * there; neither it nor its parents need to be there yet. Where there is no inotify instance left,
 * that is said once, and pathwatch_check() has to do.
 */
void pathwatch_start(struct pathwatch *watch, struct ev_loop *loop, const char *path,
		     void (*on_gone)(void *arg), void *arg);

/* Looks now, and tries again to get an inotify instance where there was none. */
void pathwatch_check(struct pathwatch *watch);

/* Harmless for one that was never started, if it is all zero. */
void pathwatch_stop(struct pathwatch *watch);

#endif
