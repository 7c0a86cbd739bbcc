/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor_events.c - floor (b): receives every event and discards it
 *
 *   floor_events NETNS-PATH RECEIVE-BYTES
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR |
			     RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
	};
	static char buffer[32768];
	int netns = argc > 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	int bytes, fd;

	if (netns < 0 || setns(netns, CLONE_NEWNET) < 0)
		return 1;
	bytes = atoi(argv[2]);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return 1;
	while (recv(fd, buffer, sizeof(buffer), 0) >= 0 || errno == ENOBUFS || errno == EINTR)
		;
	return 1;
}
