/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nlsock.c - what both rtnetlink sockets share: who may be believed
 */
#include "nlsock.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>

int nlsock_connect(int fd)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};

	return connect(fd, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0 ? -errno : 0;
}

int nlsock_receive(int fd, void *buffer, size_t size, size_t *received)
{
	struct sockaddr_nl sender = {.nl_pid = 1};
	struct iovec part = {.iov_base = buffer, .iov_len = size};
	struct msghdr header = {
		.msg_name = &sender,
		.msg_namelen = sizeof(sender),
		.msg_iov = &part,
		.msg_iovlen = 1,
	};
	ssize_t length = recvmsg(fd, &header, 0);

	if (length < 0)
		return -errno;
	/* nlmsg_pid is the sender's own word; only this address is the kernel's (netlink(7)). */
	if (header.msg_namelen != sizeof(sender) || sender.nl_pid != 0)
		return -EPERM;
	*received = (size_t)length;
	return header.msg_flags & MSG_TRUNC ? -EMSGSIZE : 0;
}
