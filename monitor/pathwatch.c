/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pathwatch.c - notices that a path is gone after it was there
 *
 * The nearest parent directory that is there is watched for the name of the next part of the path,
 * which may come or go; whatever happens, the path is looked at anew. The path itself is not
 * watched: a namespace's name is a mount, and of the end of a mount inotify does not tell.
 */
#include "pathwatch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

#define CHANGES                                                                                    \
	(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF |     \
	 IN_ONLYDIR)

static bool is_there(const char *path)
{
	struct stat status;

	/* An error other than "not there" proves nothing. */
	return lstat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static void say_failure(struct pathwatch *watch, int error)
{
	if (!watch->has_said_failure)
		log_warn(
			"cannot watch %s: %s%s; it is looked at with each change instead",
			watch->path, strerror(error),
			error == EMFILE || error == ENOSPC
				? " (see sysctl fs.inotify.max_user_instances and max_user_watches)"
				: "");
	watch->has_said_failure = true;
}

/* Cuts the last part off @path, which is absolute: "/a/b" becomes "/a", "/a" becomes "/". */
static void cut_last_part(char *path)
{
	char *slash = strrchr(path, '/');

	slash[slash == path] = '\0';
}

/* Moves the watch to the nearest directory that is there. Returns 0 or a negative errno. */
static int watch_nearest(struct pathwatch *watch)
{
	int fd = watch->on_change.fd;
	char directory[PATH_MAX];
	int descriptor;

	snprintf(directory, sizeof(directory), "%s", watch->path);
	do {
		cut_last_part(directory);
		descriptor = inotify_add_watch(fd, directory, CHANGES);
	} while (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR) &&
		 strcmp(directory, "/") != 0);
	if (descriptor < 0)
		return -errno;
	if (watch->directory >= 0 && watch->directory != descriptor)
		inotify_rm_watch(fd, watch->directory);
	watch->directory = descriptor;
	return 0;
}

/* Looks at the path. Returns whether it is there, or may still come. */
static bool look(struct pathwatch *watch)
{
	bool there = is_there(watch->path);

	if (!there && watch->was_there) {
		watch->on_gone(watch->arg);
		return false;
	}
	watch->was_there = there;
	return true;
}

/* Until nothing has come or gone between the watch and the look: then no change is missed. */
static void settle_watch(struct pathwatch *watch)
{
	int before;
	int ret;

	do {
		before = watch->directory;
		ret = watch_nearest(watch);
	} while (ret == 0 && watch->directory != before);
	if (ret < 0)
		say_failure(watch, -ret);
	look(watch);
}

static void on_change(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct pathwatch *watch = watcher->data;
	_Alignas(struct inotify_event) char buffer[4096];

	(void)loop;
	(void)events;
	/* What happened does not matter, only that something did. */
	while (read(watcher->fd, buffer, sizeof(buffer)) > 0)
		;
	settle_watch(watch);
}

static void open_inotify(struct pathwatch *watch)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd < 0) {
		say_failure(watch, errno);
		return;
	}
	ev_io_set(&watch->on_change, fd, EV_READ);
	ev_io_start(watch->loop, &watch->on_change);
	watch->directory = -1;
	if (watch->has_said_failure)
		log_info("%s can be watched again", watch->path);
	watch->has_said_failure = false;
}

void pathwatch_check(struct pathwatch *watch)
{
	if (!watch->loop)
		return;
	if (watch->on_change.fd >= 0) {
		look(watch);
		return;
	}
	open_inotify(watch);
	if (watch->on_change.fd >= 0)
		settle_watch(watch);
	else
		look(watch);
}

void pathwatch_start(struct pathwatch *watch, struct ev_loop *loop, const char *path,
		     void (*on_gone)(void *arg), void *arg)
{
	memset(watch, 0, sizeof(*watch));
	watch->loop = loop;
	watch->path = path;
	watch->on_gone = on_gone;
	watch->arg = arg;
	ev_io_init(&watch->on_change, on_change, -1, EV_READ);
	watch->on_change.data = watch;
	pathwatch_check(watch);
}

void pathwatch_stop(struct pathwatch *watch)
{
	if (!watch->loop)
		return;
	ev_io_stop(watch->loop, &watch->on_change);
	if (watch->on_change.fd >= 0)
		close(watch->on_change.fd);
	memset(watch, 0, sizeof(*watch));
}
