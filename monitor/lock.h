/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - one monitor for each network namespace
 */
#ifndef NETNSMON_LOCK_H
#define NETNSMON_LOCK_H

#include "netns.h"

struct lock {
	int directory_fd; /* -1: not locked */
	int fd;
	char name[64];
};

/*
 * Opens the run directory, which it makes if need be: it must be the caller's own and nobody else's
 * to write. Returns a descriptor or a negative errno (-EPERM: somebody else could write there;
 * -ENOTDIR, -ELOOP).
 */
int lock_open_directory(const char *path);

/*
 * Takes the lock of namespace @id in the directory, whose descriptor the lock then owns. Returns 0,
 * -EWOULDBLOCK if another process has it, or another negative errno; then the directory is closed.
 */
int lock_take(struct lock *lock, int directory_fd, const struct netns_id *id);

/* Removes the lock's file and gives the lock up. A lock that was never taken is harmless. */
void lock_release(struct lock *lock);

#endif
