/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lockwait.c - waits in the loop for a flock(2) on a file
 */
#include "lockwait.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "spawn.h"

/* Before a wait that failed is reported. */
#define PAUSE_S 1.

bool lockwait_try(int fd)
{
	struct flock turn = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	bool is_locked = false;

	if (fcntl(fd, F_OFD_SETLK, &turn) < 0)
		return false;
	is_locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
	turn.l_type = F_UNLCK;
	fcntl(fd, F_OFD_SETLK, &turn);
	return is_locked;
}

static void tell(struct lockwait *wait, bool is_locked)
{
	wait->loop = NULL;
	wait->on_locked(wait->arg, is_locked);
}

static void on_pause_over(struct ev_loop *loop, ev_timer *watcher, int events)
{
	(void)loop;
	(void)events;
	tell(watcher->data, false);
}

/* A child that could not wait is no reason to start the next one at once. */
static void on_exit_status(struct ev_loop *loop, ev_child *watcher, int events)
{
	struct lockwait *wait = watcher->data;
	int status = watcher->rstatus;

	(void)events;
	ev_child_stop(loop, watcher);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		tell(wait, true);
	else
		ev_timer_start(loop, &wait->on_pause_over);
}

int lockwait_start(struct lockwait *wait, struct ev_loop *loop, int fd,
		   void (*on_locked)(void *arg, bool is_locked), void *arg)
{
	pid_t pid = spawn_lock_waiter(fd);

	if (pid < 0)
		return pid;
	wait->loop = loop;
	wait->on_locked = on_locked;
	wait->arg = arg;
	ev_child_init(&wait->on_exit, on_exit_status, pid, 0);
	wait->on_exit.data = wait;
	ev_timer_init(&wait->on_pause_over, on_pause_over, PAUSE_S, 0.);
	wait->on_pause_over.data = wait;
	ev_child_start(loop, &wait->on_exit);
	return 0;
}

void lockwait_stop(struct lockwait *wait)
{
	if (!wait->loop)
		return;
	if (ev_is_active(&wait->on_exit)) {
		ev_child_stop(wait->loop, &wait->on_exit);
		kill(wait->on_exit.pid, SIGKILL);
		waitpid(wait->on_exit.pid, NULL, 0);
	}
	ev_timer_stop(wait->loop, &wait->on_pause_over);
	wait->loop = NULL;
}

bool lockwait_is_active(const struct lockwait *wait)
{
	return wait->loop != NULL;
}
