/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nowait.h - writes to a descriptor that may belong to others, without ever waiting for it
 *
 * O_NONBLOCK is no way out there, since it would change the description for everyone who shares it.
 */
#ifndef NETNSMON_NOWAIT_H
#define NETNSMON_NOWAIT_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Writes as much of the @size bytes at @text as fits now. Returns how much that was, perhaps 0, or
 * a negative errno if nothing was written because of an error.
 */
ssize_t nowait_write(int fd, const char *text, size_t size);

#endif
