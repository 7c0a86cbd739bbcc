/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - one namespace, one lock, one monitor, from start to end
 */
#ifndef NETNSMON_SESSION_H
#define NETNSMON_SESSION_H

#include "options.h"

enum exit_status {
	EXIT_STOPPED = 0,
	EXIT_ERROR = 1,
	EXIT_USAGE = 2,
	EXIT_WATCHED = 3, /* another monitor holds this namespace */
};

/*
 * Enters the namespace, takes the lock, and monitors until it is stopped or the sandbox is gone.
 * @runtime is the path of what the options call the runtime, or NULL. Returns an enum exit_status;
 * what went wrong was logged.
 */
int session_run(const struct options *options, const char *runtime);

#endif
