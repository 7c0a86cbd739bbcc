/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.h - asks the kernel for everything that a network namespace holds now
 */
#ifndef NETNSMON_DUMP_H
#define NETNSMON_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot.h"

struct dump;

/*
 * Opens a socket for dumps in the caller's network namespace. It is meant to live for one snapshot:
 * what a dump that was given up has left in it is gone with it. NULL: errno says why.
 */
struct dump *dump_open(void);

void dump_close(struct dump *dump);

/*
 * Dumps links, addresses and routes, in this order, into the empty @snapshot and completes it.
 * Returns 0; -EINTR if the kernel said that something changed meanwhile; -EMSGSIZE, -EBADMSG,
 * -ETIMEDOUT or another negative errno if a dump was cut, malformed, had no end, or failed. Then
 * nothing may be concluded from the snapshot, and the socket must be closed.
 */
int dump_snapshot(struct dump *dump, struct snapshot *snapshot,
		  const struct snapshot_limits *limits);

/* The same without routes. */
int dump_links_only(struct dump *dump, struct snapshot *snapshot,
		    const struct snapshot_limits *limits);

/* Asks for one link. Returns 1: it is there, 0: it is not (ENODEV), or a negative errno: not known.
 */
int dump_has_link(struct dump *dump, uint32_t index);

/*
 * Asks for the route to @route's destination. Returns 0: it is too large for a datagram (EMSGSIZE),
 * so that a dump ends before it; 1: it fits, or is not there; or a negative errno: not known.
 */
int dump_fits_route(struct dump *dump, const struct route *route);

/* How many datagrams that the kernel did not send were dropped. */
size_t dump_forged(const struct dump *dump);

#endif
