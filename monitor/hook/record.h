/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - which process is the monitor of a container
 */
#ifndef NETNSMON_HOOK_RECORD_H
#define NETNSMON_HOOK_RECORD_H

#include <sys/types.h>

/* Keeps that @pid is the monitor of the container @id. Fails with a negative errno. */
int record_write(const char *run_dir, const char *id, pid_t pid);

/* A pidfd of the container's monitor, or a negative errno: -ESRCH if there is none any more. */
int record_open(const char *run_dir, const char *id);

void record_remove(const char *run_dir, const char *id);

#endif
