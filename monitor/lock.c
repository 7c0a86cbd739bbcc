/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.c - one monitor for each network namespace
 *
 * The kernel releases a flock(2) with its holder's last breath, so a file that is left behind is no
 * lock. The holder removes its file while it still has the lock; whoever got hold of a file that is
 * removed meanwhile has locked nothing and tries again.
 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often the file may be removed between open and lock before that is an error. */
#define TRIES 100

/* Makes the directory and those above it that are missing. Returns 0 or a negative errno. */
static int make_directories(const char *path)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (length >= sizeof(part))
		return -ENAMETOOLONG;
	for (size_t end = 1; end <= length; end++) {
		if (path[end] != '/' && path[end] != '\0')
			continue;
		memcpy(part, path, end);
		part[end] = '\0';
		/* Not permitted to make one that is there, below /sys, say: the next call tells. */
		if (mkdir(part, 0700) < 0 && errno != EEXIST && access(part, F_OK) < 0)
			return -errno;
	}
	return 0;
}

int lock_open_directory(const char *path)
{
	struct stat status;
	int ret = make_directories(path);
	int fd;

	if (ret < 0)
		return ret == -EPERM ? -EACCES : ret;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? -EPERM : -errno;
	if (fstat(fd, &status) < 0)
		ret = -errno;
	else if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)))
		ret = -EPERM;
	if (ret < 0) {
		close(fd);
		return ret;
	}
	return fd;
}

/* Whether the file that was locked is the one that still has the name. */
static bool is_current(const struct lock *lock)
{
	struct stat locked, named;

	return fstat(lock->fd, &locked) == 0 &&
	       fstatat(lock->directory_fd, lock->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

void lock_init(struct lock *lock, int directory_fd, const struct netns_id *id)
{
	memset(lock, 0, sizeof(*lock));
	lock->directory_fd = directory_fd;
	lock->fd = -1;
	snprintf(lock->name, sizeof(lock->name), "netns-%ju-%ju.lock", (uintmax_t)id->device,
		 (uintmax_t)id->inode);
}

/* Whether no file can be made in the directory: then the namespace itself is what is locked. */
static bool is_unwritable(int error)
{
	return error == EROFS || error == EACCES || error == EPERM || error == ENOSPC ||
	       error == EDQUOT;
}

static int open_lock_file(struct lock *lock)
{
	int fd = openat(lock->directory_fd, lock->name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			0600);

	if (fd >= 0 || !is_unwritable(errno))
		return fd;
	lock->has_no_file = true;
	return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

/*
 * Returns 0, -EWOULDBLOCK with the file open, -ESTALE if it was removed meanwhile, or another
 * errno.
 */
static int try_once(struct lock *lock)
{
	if (lock->fd < 0)
		lock->fd = open_lock_file(lock);
	if (lock->fd < 0 || flock(lock->fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	if (lock->has_no_file || is_current(lock))
		return 0;
	close(lock->fd);
	lock->fd = -1;
	return -ESTALE;
}

int lock_try(struct lock *lock)
{
	int ret = -ESTALE;

	for (int i = 0; ret == -ESTALE && i < TRIES; i++)
		ret = try_once(lock);
	lock->is_held = ret == 0;
	return ret;
}

/* Should the waiting child have been killed, trying again does no harm. */
static void on_locked(void *arg, bool is_locked)
{
	struct lock *lock = arg;

	(void)is_locked;
	lock->on_turn(lock->arg);
}

int lock_wait(struct lock *lock, struct ev_loop *loop, void (*on_turn)(void *arg), void *arg)
{
	lock->on_turn = on_turn;
	lock->arg = arg;
	return lockwait_start(&lock->wait, loop, lock->fd, on_locked, lock);
}

void lock_release(struct lock *lock)
{
	if (lock->directory_fd < 0)
		return;
	lockwait_stop(&lock->wait);
	if (lock->is_held && !lock->has_no_file)
		unlinkat(lock->directory_fd, lock->name, 0);
	if (lock->fd >= 0)
		close(lock->fd);
	close(lock->directory_fd);
	lock->directory_fd = -1;
}
