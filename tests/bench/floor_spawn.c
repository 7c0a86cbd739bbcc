/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor_spawn.c - floor (c): executes the runtime at once on the event that ends a connect
 *
 *   floor_spawn NETNS-PATH RUNTIME
 *
 * That is the route which somebody added: the kernel's own are in the table "local" or of proto
 * kernel.
 */
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_last(const struct nlmsghdr *message)
{
	const struct rtmsg *route = NLMSG_DATA(message);

	return message->nlmsg_type == RTM_NEWROUTE && route->rtm_table == RT_TABLE_MAIN &&
	       route->rtm_protocol != RTPROT_KERNEL;
}

int main(int argc, char **argv)
{
	struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR |
			     RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
	};
	_Alignas(struct nlmsghdr) static char buffer[32768];
	int netns = argc > 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	int fd;

	if (netns < 0 || setns(netns, CLONE_NEWNET) < 0)
		return 1;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return 1;
	while (recv(fd, buffer, sizeof(buffer), 0) >= 0) {
		char *const arguments[] = {argv[2], NULL};
		pid_t pid;

		if (!is_last((const struct nlmsghdr *)(const void *)buffer))
			continue;
		pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
		if (pid == 0) {
			/* NOLINTNEXTLINE(clang-analyzer-unix.Vfork) */
			execv(argv[2], arguments);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
	return 1;
}
