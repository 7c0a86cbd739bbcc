/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hint.h - pure: does this event matter, and did it take a link away
 *
 * An event describes a past moment; all that is taken from it is that something changed.
 */
#ifndef NETNSMON_HINT_H
#define NETNSMON_HINT_H

#include <linux/netlink.h>
#include <stdint.h>

enum hint_flag {
	HINT_CHANGE = 1 << 0, /* the dumps would show something new */
	HINT_LOSS = 1 << 1,   /* something went: more may follow without any event */
	HINT_GONE = 1 << 2,   /* the link with this index was deleted or moved away */
};

struct hint {
	unsigned int flags; /* none: the event cannot matter */
	uint32_t index;	    /* for HINT_GONE: ifindex */
};

/* Judges one message of the event socket, whose nlmsg_len must lie within its datagram. */
struct hint hint_of(const struct nlmsghdr *message);

#endif
