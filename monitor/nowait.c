/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nowait.c - writes to a descriptor that may belong to others, without ever waiting for it
 */
#include "nowait.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

/* What n_tty has room for when poll(2) says that it has some (WAKEUP_CHARS). */
#define TERMINAL_PART 256

/*
 * How much may be written at once after poll(2) has said that there is room: to a pipe PIPE_BUF
 * bytes. A file never makes us wait, and a line that is one write is never mixed with another's.
 */
static size_t part_of(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return PIPE_BUF;
	if (S_ISREG(status.st_mode))
		return SSIZE_MAX;
	return S_ISCHR(status.st_mode) ? TERMINAL_PART : PIPE_BUF;
}

ssize_t nowait_write(int fd, const char *text, size_t size)
{
	size_t part = part_of(fd);
	size_t done = 0;

	while (done < size) {
		struct pollfd writable = {.fd = fd, .events = POLLOUT};
		size_t left = size - done;
		ssize_t written;

		if (poll(&writable, 1, 0) <= 0)
			break;
		/* An error or a hang-up is what write(2) says in words. */
		written = write(fd, text + done, left < part ? left : part);
		if (written < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (written < 0)
			return done > 0 ? (ssize_t)done : -errno;
		done += (size_t)written;
	}
	return (ssize_t)done;
}
