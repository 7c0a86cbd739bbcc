/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ready.h - tells whoever started us that from now on no change is missed
 */
#ifndef NETNSMON_READY_H
#define NETNSMON_READY_H

/*
 * Makes the socket for ready_notify(), where NOTIFY_SOCKET is set. To be called in the namespace
 * that we were started in: an abstract name ("@…") is looked up in the one where the socket was
 * made. Returns it, or a negative number: -1 where none is needed, or an errno.
 */
int ready_open(void);

/*
 * Sends READY=1 by @socket_fd (of ready_open()) to the socket that NOTIFY_SOCKET names
 * (sd_notify(3)), takes the variable out of the environment, so that no child can speak in our
 * name, and writes a newline to @fd (-1: none). Both are then closed. Returns 0 or the negative
 * errno of what failed last; the rest is done all the same.
 */
int ready_notify(int socket_fd, int fd);

#endif
