/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor_idle.c - floor (a): the libraries, two netlink sockets, the loop, and nothing else
 *
 *   floor_idle NETNS-PATH [READY-FD]
 */
#include <cjson/cJSON.h>
#include <ev.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int open_socket(unsigned int groups)
{
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);

	return socket ? mnl_socket_bind(socket, groups, MNL_SOCKET_AUTOPID) : -1;
}

int main(int argc, char **argv)
{
	int netns = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (netns < 0 || setns(netns, CLONE_NEWNET) < 0)
		return 1;
	if (open_socket(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE) < 0 ||
	    open_socket(0) < 0)
		return 1;
	/* Referred to, so that the linker keeps the library. */
	if (!ev_default_loop(0) || !cJSON_Version())
		return 1;
	if (argc > 2 && write(atoi(argv[2]), "\n", 1) != 1)
		return 1;
	pause();
	return 0;
}
