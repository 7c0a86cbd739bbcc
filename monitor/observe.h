/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observe.h - a snapshot that can be believed, or none
 */
#ifndef NETNSMON_OBSERVE_H
#define NETNSMON_OBSERVE_H

#include <stddef.h>

#include "applied.h"
#include "snapshot.h"

/*
 * Takes a snapshot of the namespace into the empty @snapshot, several times if the kernel says that
 * something changed meanwhile. Applied or pending links that are not in it are asked for one by
 * one, since absence alone proves nothing: those that the kernel does not have are marked as gone;
 * *@doubts counts the others. Adds to *@forged the datagrams that the kernel did not send. Returns
 * 0 or a negative errno; then the snapshot is empty.
 */
int observe(struct snapshot *snapshot, const struct snapshot_limits *limits,
	    struct applied *applied, size_t *doubts, size_t *forged);

#endif
