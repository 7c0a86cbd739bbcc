/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observe.h - a snapshot that can be believed, or none
 */
#ifndef NETNSMON_OBSERVE_H
#define NETNSMON_OBSERVE_H

#include <stddef.h>

#include "applied.h"
#include "oversized.h"
#include "snapshot.h"

struct observation {
	size_t doubts; /* links that a dump lacked though they are there: it has to be taken again
			*/
	size_t forged; /* datagrams that the kernel did not send */
};

/*
 * Takes a snapshot of the namespace into the empty @snapshot, several times if the kernel says that
 * something changed meanwhile. Applied or pending links that are not in it are asked for one by
 * one, since absence alone proves nothing: those that the kernel does not have are marked as gone.
 * Whether one of the @oversized routes is still there is asked too. Returns 0 or a negative errno;
 * then the snapshot is empty.
 */
int observe(struct snapshot *snapshot, const struct snapshot_limits *limits,
	    struct applied *applied, struct oversized *oversized, struct observation *seen);

#endif
