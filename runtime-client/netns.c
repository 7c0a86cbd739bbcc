/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netns.c - finds and enters network namespaces
 */
#include "netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where ip-netns(8) binds the namespaces that it names. */
#define NAMED_DIRECTORY "/run/netns"
#define CURRENT		"/proc/self/ns/net"

int netns_path(const char *netns, char path[PATH_MAX])
{
	const char *pid = strncmp(netns, "pid:", 4) == 0 ? netns + 4 : NULL;
	int length;

	if (pid) {
		if (!*pid || strspn(pid, "0123456789") != strlen(pid) || strlen(pid) > 10)
			return -EINVAL;
		length = snprintf(path, PATH_MAX, "/proc/%s/ns/net", pid);
	} else if (strchr(netns, '/')) {
		length = snprintf(path, PATH_MAX, "%s", netns);
	} else {
		if (!*netns || strcmp(netns, ".") == 0 || strcmp(netns, "..") == 0)
			return -EINVAL;
		length = snprintf(path, PATH_MAX, NAMED_DIRECTORY "/%s", netns);
	}
	return length < PATH_MAX ? 0 : -EINVAL;
}

int netns_enter(const char *path, int *origin_fd)
{
	/* O_NONBLOCK: should the path be a FIFO, nobody waits for its other end. */
	int target = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int ret = 0;

	*origin_fd = -1;
	if (target < 0)
		return -errno;
	*origin_fd = open(CURRENT, O_RDONLY | O_CLOEXEC);
	if (*origin_fd < 0 || setns(target, CLONE_NEWNET) < 0)
		ret = -errno;
	close(target);
	if (ret < 0 && *origin_fd >= 0) {
		close(*origin_fd);
		*origin_fd = -1;
	}
	return ret;
}

int netns_current(struct netns_id *id)
{
	struct stat status;

	if (stat(CURRENT, &status) < 0)
		return -errno;
	id->device = status.st_dev;
	id->inode = status.st_ino;
	return 0;
}
