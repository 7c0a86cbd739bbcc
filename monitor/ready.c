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

static const char *notify_name(void)
{
	const char *name = getenv("NOTIFY_SOCKET");

	return name && *name ? name : NULL;
}

int ready_open(void)
{
	int fd = notify_name() ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;

	return fd < 0 && notify_name() ? -errno : fd;
}

/* A path, or with a leading '@' an abstract name. */
static int send_ready(int socket_fd, const char *name)
{
	static const char message[] = "READY=1";
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(name);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);

	if (socket_fd < 0)
		return socket_fd;
	if ((name[0] != '/' && name[0] != '@') || length >= sizeof(address.sun_path))
		return -EINVAL;
	memcpy(address.sun_path, name, length);
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	if (sendto(socket_fd, message, strlen(message), MSG_NOSIGNAL | MSG_DONTWAIT,
		   (const struct sockaddr *)&address, size) < 0)
		return -errno;
	return 0;
}

int ready_notify(int socket_fd, int fd)
{
	const char *name = notify_name();
	int ret = name ? send_ready(socket_fd, name) : 0;

	unsetenv("NOTIFY_SOCKET");
	if (socket_fd >= 0)
		close(socket_fd);
	if (fd >= 0) {
		if (write(fd, "\n", 1) < 0)
			ret = -errno;
		close(fd);
	}
	return ret;
}
