/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nlsock.h - what both rtnetlink sockets share: who may be believed
 */
#ifndef NETNSMON_NLSOCK_H
#define NETNSMON_NLSOCK_H

#include <stddef.h>

/* The kernel fills at most 32 KiB of a datagram (netlink_dump(), SKB_WITH_OVERHEAD(32768)). */
#define NLSOCK_DATAGRAM_MAX 32768

/* … and uses this much of it: measured; the rest is struct skb_shared_info. */
#define NLSOCK_DUMP_MAX 32448

/*
 * Connects a bound socket to the kernel: no other process can send to its port any more. 0 or
 * -errno.
 */
int nlsock_connect(int fd);

/*
 * Reads one datagram into @size bytes at @buffer and stores its length in *@received. Returns 0,
 * -EPERM for one that the kernel did not send (dropped), -EMSGSIZE for one that did not fit (cut:
 * *@received is @size), -EAGAIN if there is none, or another negative errno.
 */
int nlsock_receive(int fd, void *buffer, size_t size, size_t *received);

#endif
