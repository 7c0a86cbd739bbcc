/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h - the socket on which the kernel says that something changed
 */
#ifndef NETNSMON_EVENTS_H
#define NETNSMON_EVENTS_H

#include <linux/netlink.h>
#include <stddef.h>

struct events;

/* Who is told of what the kernel sent. */
struct events_listener {
	void (*on_message)(void *arg, const struct nlmsghdr *message);
	/*
	 * A message larger than any dump's datagram, cut after @size bytes whatever its nlmsg_len
	 * says.
	 */
	void (*on_oversized)(void *arg, const struct nlmsghdr *head, size_t size);
	void *arg;
};

/*
 * Opens the socket in the caller's network namespace and joins LINK, ADDR and ROUTE of both
 * families and NEXTHOP. @receive_bytes sizes its buffer. NULL: errno says why.
 */
struct events *events_open(size_t receive_bytes);

void events_close(struct events *events);

/* To watch for reading. */
int events_fd(const struct events *events);

/* The receive buffer that the kernel granted, in bytes as the kernel counts them. */
size_t events_buffer(const struct events *events);

/*
 * Reads all that is there. Returns 0; -ENOBUFS if events were lost, be it that the buffer
 * overflowed or that one did not fit (whoever listens must then take everything anew); another
 * negative errno if the socket is broken. Datagrams that the kernel did not send are dropped:
 * *@forged counts them.
 */
int events_read(struct events *events, const struct events_listener *listener, size_t *forged);

#endif
