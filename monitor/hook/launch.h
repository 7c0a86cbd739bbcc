/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.h - starts a monitor that outlives the hook
 */
#ifndef NETNSMON_HOOK_LAUNCH_H
#define NETNSMON_HOOK_LAUNCH_H

#include "config.h"
#include "container.h"

/*
 * Returns as soon as the monitor has said that it misses no change any more, with its process in
 * @pid; if another one has the namespace, as soon as one has been started that takes over from it.
 * Fails with a negative errno, has said why then, and no process is left.
 */
int launch_monitor(const struct config *config, const struct container *container, pid_t *pid);

#endif
