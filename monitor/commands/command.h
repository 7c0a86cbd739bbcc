/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - list, status, watch, resync: commands to running monitors
 */
#ifndef NETNSMON_COMMAND_H
#define NETNSMON_COMMAND_H

#include "command_options.h"

/* Returns 0; 1: there is no such monitor, or it does not answer; what is wrong was said on stderr.
 */
int command_run(const struct command_options *options);

#endif
