/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - one monitor for each network namespace
 */
#ifndef NETNSMON_LOCK_H
#define NETNSMON_LOCK_H

#include <ev.h>
#include <stdbool.h>

#include "lockwait.h"
#include "netns.h"

struct lock {
	int directory_fd; /* owned; -1: there is no lock */
	int fd;		  /* -1: not open */
	bool is_held;
	bool has_no_file; /* none can be made: the namespace's own file is locked */
	char name[64];
	struct lockwait wait;
	void (*on_turn)(void *arg);
	void *arg;
};

/*
 * Opens the run directory, which it makes if need be, with those above it: it must be the caller's
 * own and nobody else's to write. Returns a descriptor or a negative errno; -EPERM: it is no
 * directory, or one that somebody else could write to.
 */
int lock_open_directory(const char *path);

/* A lock for namespace @id in the directory, whose descriptor it then owns. */
void lock_init(struct lock *lock, int directory_fd, const struct netns_id *id);

/* Returns 0: the lock is held; -EWOULDBLOCK: another process has it; or another negative errno. */
int lock_try(struct lock *lock);

/*
 * After -EWOULDBLOCK: calls @on_turn from @loop, the default one, as soon as the lock's holder is
 * gone; then lock_try() must be called again, since others may wait too. Returns 0 or a negative
 * errno.
 */
int lock_wait(struct lock *lock, struct ev_loop *loop, void (*on_turn)(void *arg), void *arg);

/* Gives the lock up and removes its file if it was held. A lock with directory_fd -1 is harmless.
 */
void lock_release(struct lock *lock);

#endif
