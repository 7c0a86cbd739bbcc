/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidwatch.c - notices the end of a process that is not our child
 */
#include "pidwatch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void on_readable(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct pidwatch *watch = watcher->data;

	(void)events;
	/* A pidfd stays readable. */
	ev_io_stop(loop, watcher);
	watch->on_gone(watch->arg);
}

int pidwatch_start(struct pidwatch *watch, struct ev_loop *loop, pid_t pid,
		   void (*on_gone)(void *arg), void *arg)
{
	/* It is close-on-exec by itself (pidfd_open(2)). */
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return -errno;
	watch->loop = loop;
	watch->on_gone = on_gone;
	watch->arg = arg;
	ev_io_init(&watch->on_end, on_readable, fd, EV_READ);
	watch->on_end.data = watch;
	ev_io_start(loop, &watch->on_end);
	return 0;
}

void pidwatch_stop(struct pidwatch *watch)
{
	if (!watch->loop)
		return;
	ev_io_stop(watch->loop, &watch->on_end);
	close(watch->on_end.fd);
	memset(watch, 0, sizeof(*watch));
}
