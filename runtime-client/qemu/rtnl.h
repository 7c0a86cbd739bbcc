/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtnl.h - asks the kernel to change something by rtnetlink, and hears whether it did
 */
#ifndef NETNSMON_QEMU_RTNL_H
#define NETNSMON_QEMU_RTNL_H

#include <libmnl/libmnl.h>
#include <stdint.h>

/* All requests of this program are shorter. */
#define RTNL_REQUEST_SIZE 1024

struct rtnl {
	int fd;
	uint32_t sequence;
};

/* Opens a socket to the kernel in the caller's network namespace. 0 or a negative errno. */
int rtnl_open(struct rtnl *rtnl);

void rtnl_close(struct rtnl *rtnl);

/* Begins a request in @buffer, of RTNL_REQUEST_SIZE bytes that are aligned as nlmsghdr is. */
struct nlmsghdr *rtnl_begin(void *buffer, uint16_t type, uint16_t flags);

/* Sends @request and waits for the acknowledgement: 0 or the kernel's negative errno. */
int rtnl_change(struct rtnl *rtnl, struct nlmsghdr *request);

/* Sends @request, a dump, and gives each message to @on_message. 0 or a negative errno. */
int rtnl_dump(struct rtnl *rtnl, struct nlmsghdr *request, mnl_cb_t on_message, void *arg);

/* Sets the MTU of the link @index and brings it up; the kernel gives it no IPv6 address. */
int rtnl_set_link(struct rtnl *rtnl, unsigned int index, uint32_t mtu);

#endif
