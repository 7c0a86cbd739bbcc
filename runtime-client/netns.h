/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netns.h - finds and enters network namespaces
 */
#ifndef NETNSMON_NETNS_H
#define NETNSMON_NETNS_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

/* Which namespace: the file that stands for it is the same for all who see it. */
struct netns_id {
	dev_t device;
	ino_t inode;
};

/*
 * Writes the path of what --netns names: "pid:N" a process's namespace, with a '/' a path, else a
 * name that ip-netns(8) gave. Returns 0 or -EINVAL for a name or pid that cannot be one.
 */
int netns_path(const char *netns, char path[PATH_MAX]);

/*
 * Enters the namespace at @path and stores a close-on-exec descriptor of the one left in
 * *@origin_fd, which the caller owns. Returns 0 or a negative errno (-EINVAL: the file is no
 * network namespace).
 */
int netns_enter(const char *path, int *origin_fd);

/* Which namespace the caller is in. Returns 0 or a negative errno. */
int netns_current(struct netns_id *id);

#endif
