/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ready.c - tells whoever started us that from now on no change is missed
 */
#include "ready.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A path, or with a leading '@' an abstract name. */
static int send_ready(const char *name)
{
	static const char message[] = "READY=1";
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(name);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
	int ret = 0;
	int fd;

	if ((name[0] != '/' && name[0] != '@') || length >= sizeof(address.sun_path))
		return -EINVAL;
	memcpy(address.sun_path, name, length);
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, message, strlen(message), MSG_NOSIGNAL | MSG_DONTWAIT,
		   (const struct sockaddr *)&address, size) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int ready_notify(int fd)
{
	const char *name = getenv("NOTIFY_SOCKET");
	int ret = 0;

	if (name && *name)
		ret = send_ready(name);
	unsetenv("NOTIFY_SOCKET");
	if (fd >= 0) {
		if (write(fd, "\n", 1) < 0)
			ret = -errno;
		close(fd);
	}
	return ret;
}
