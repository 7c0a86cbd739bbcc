/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h - what we inherit from whoever started us, put in order
 */
#ifndef NETNSMON_PROCESS_H
#define NETNSMON_PROCESS_H

/*
 * Puts in order what the process was started with: opens /dev/null for those of descriptors 0-2
 * that are closed, marks all others close-on-exec, unblocks all signals, and gives them their
 * default handlers but SIGPIPE, which is ignored. Takes what is meant for us alone (WATCHDOG_*,
 * LISTEN_*) out of the environment.
 */
void process_init(void);

#endif
