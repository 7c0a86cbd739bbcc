/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ready.h - tells whoever started us that from now on no change is missed
 */
#ifndef NETNSMON_READY_H
#define NETNSMON_READY_H

/*
 * Sends READY=1 to the socket that NOTIFY_SOCKET names (sd_notify(3)), takes the variable out of
 * the environment, so that no child can speak in our name, and writes a newline to @fd, which is
 * then closed (-1: none). Returns 0 or the negative errno of what failed last; the rest is done all
 * the same.
 */
int ready_notify(int fd);

#endif
