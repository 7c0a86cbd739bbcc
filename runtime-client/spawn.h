/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn.h - the only place that starts a process
 */
#ifndef NETNSMON_SPAWN_H
#define NETNSMON_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct spawn {
	const char *path;	 /* the executable; never looked up in PATH, never a shell */
	const char *const *argv; /* ended by NULL */
	int input_fd;		 /* becomes standard input; 3 or more, close-on-exec */
	int output_fd;		 /* becomes standard output and error; 3 or more, close-on-exec */
	int netns_fd;		 /* the network namespace to run in, -1: the caller's */
	bool dies_with_parent;	 /* gets SIGTERM when the calling process dies */
};

/*
 * Starts a child in a process group of its own, with default signal handlers, an empty signal mask
 * and the caller's environment. The caller must have made all its other descriptors close-on-exec.
 * The caller sleeps until the child has called execve(2), but its memory is not copied. Returns the
 * process id, which the caller must wait for, or a negative errno if the program could not be
 * executed
 * (-EAGAIN, -ENOMEM: no process; -ENOENT, -EACCES, -ETXTBSY, …: execve; -EPERM: setns); then no
 * child is left.
 */
pid_t spawn_start(const struct spawn *spawn);

/*
 * Starts a child that waits in flock(2) for the file of @lock_fd and exits with status 0 when it
 * has the lock. A lock belongs to the open file, which both share, so that then it is the caller's:
 * this is how a process waits for a lock without standing still. The child is killed when the
 * caller dies. Returns the process id or a negative errno.
 */
pid_t spawn_lock_waiter(int lock_fd);

/*
 * Finds @program as a shell would: as it is where it has a '/', else in the directories of PATH.
 * Stores the path in @path. Returns 0, or why it cannot be run: -ENOENT, -EISDIR, -EACCES,
 * -ENAMETOOLONG, ….
 */
int spawn_find(const char *program, char *path, size_t size);

#endif
