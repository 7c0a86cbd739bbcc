/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.c - the socket on which the kernel says that something changed
 *
 * Who may be believed: a process with CAP_NET_ADMIN in the namespace can send to our groups, and
 * only the sender's address tells it from the kernel (libmnl's receive call hides that, hence
 * recvmsg). To our port nobody can send but the kernel, since the socket is connected to it
 * (netlink_sendmsg() answers ECONNREFUSED).
 *
 * What is lost: after an overflow the kernel says ENOBUFS once and drops what comes until the queue
 * was read empty, even if there is room (netlink_overrun(), NETLINK_S_CONGESTED). So: read to the
 * end, then dump.
 */
#include "events.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/filter.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nlparse.h"
#include "nlsock.h"

/* Far more than the events of one turn ever were; past that a flood counts as lost events. */
#define DATAGRAMS_PER_READ 65536

struct events {
	struct mnl_socket *socket;
	size_t buffer_bytes;
};

static unsigned int group(unsigned int number)
{
	return 1U << (number - 1);
}

/*
 * Keeps what can never matter from waking us. Each datagram holds one message, at offset 0.
 * nlmsg_type is in host order, which a BPF load takes for network order, hence htons(). ifi_family
 * is at 16, rtm_table at 20 (one byte; tables above 255 show RT_TABLE_COMPAT), rtm_protocol at 21.
 */
static int attach_filter(int fd)
{
	const uint32_t pass = 0xffffffff;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_NEWLINK), 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELLINK), 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_NEWROUTE), 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELROUTE), 2, 6),
		/* links: family AF_UNSPEC */
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 16),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNSPEC, 4, 5),
		/* routes: table main, not the kernel's own */
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 20),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RT_TABLE_MAIN, 0, 3),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 21),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RTPROT_KERNEL, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, pass),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0)
		return -errno;
	return 0;
}

/* Forcing needs CAP_NET_ADMIN in the initial user namespace; without it rmem_max is the limit. */
static size_t set_buffer(int fd, size_t bytes)
{
	int wanted = (int)(bytes > INT32_MAX ? INT32_MAX : bytes);
	int granted = 0;
	socklen_t size = sizeof(granted);

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, sizeof(wanted)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof(wanted));
	getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &granted, &size);
	return (size_t)granted;
}

/* The filter comes before the groups, so that nothing slips past it. */
static int subscribe(struct events *events, size_t receive_bytes)
{
	unsigned int groups = group(RTNLGRP_LINK) | group(RTNLGRP_IPV4_IFADDR) |
			      group(RTNLGRP_IPV6_IFADDR) | group(RTNLGRP_IPV4_ROUTE) |
			      group(RTNLGRP_IPV6_ROUTE) | group(RTNLGRP_NEXTHOP);
	int fd = mnl_socket_get_fd(events->socket);
	int ret = attach_filter(fd);

	if (ret < 0)
		return ret;
	events->buffer_bytes = set_buffer(fd, receive_bytes);
	if (mnl_socket_bind(events->socket, groups, MNL_SOCKET_AUTOPID) < 0)
		return -errno;
	return nlsock_connect(fd);
}

struct events *events_open(size_t receive_bytes)
{
	struct events *events = calloc(1, sizeof(*events));
	int ret;

	if (!events)
		return NULL;
	events->socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	ret = events->socket ? subscribe(events, receive_bytes) : -errno;
	if (ret < 0) {
		events_close(events);
		errno = -ret;
		return NULL;
	}
	return events;
}

void events_close(struct events *events)
{
	if (!events)
		return;
	if (events->socket)
		mnl_socket_close(events->socket);
	free(events);
}

int events_fd(const struct events *events)
{
	return mnl_socket_get_fd(events->socket);
}

size_t events_buffer(const struct events *events)
{
	return events->buffer_bytes;
}

static void give_messages(const struct events_listener *listener, const void *datagram, size_t size)
{
	const struct nlmsghdr *message = datagram;
	int left = (int)size;

	if (size > NLSOCK_DUMP_MAX)
		listener->on_oversized(listener->arg, message, size);
	while (nlparse_is_whole(message, left)) {
		listener->on_message(listener->arg, message);
		message = mnl_nlmsg_next(message, &left);
	}
}

int events_read(struct events *events, const struct events_listener *listener, size_t *forged)
{
	/* The largest event is a route with some thousand next hops; what does not fit is cut. */
	_Alignas(struct nlmsghdr) char buffer[NLSOCK_DATAGRAM_MAX];
	int fd = events_fd(events);
	bool is_lossy = false;

	for (unsigned int count = 0; count < DATAGRAMS_PER_READ; count++) {
		size_t size = 0;
		int ret = nlsock_receive(fd, buffer, sizeof(buffer), &size);

		if (ret == -EAGAIN)
			return is_lossy ? -ENOBUFS : 0;
		if (ret == 0 || ret == -EMSGSIZE)
			give_messages(listener, buffer, size);
		else if (ret == -EPERM)
			(*forged)++;
		else if (ret != -ENOBUFS && ret != -ENOMEM && ret != -EINTR)
			return ret;
		is_lossy |= ret == -EMSGSIZE || ret == -ENOBUFS || ret == -ENOMEM;
	}
	return -ENOBUFS;
}
