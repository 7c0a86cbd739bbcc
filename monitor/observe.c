/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observe.c - a snapshot that can be believed, or none
 */
#include "observe.h"

#include <errno.h>

#include "dump.h"

/* A dump takes some 50 us; that it is interrupted so often in a row is no accident: better wait. */
#define TRIES 5

/* The kernel answers for one index what a dump may have left out. */
static void ask_for_absent(struct dump *dump, const struct snapshot *snapshot,
			   struct applied *applied, struct observation *seen)
{
	for (size_t i = 0; i < applied->count; i++) {
		struct plug *plug = applied->plugs[i];
		int ret;

		if (plug->is_gone || plug->is_dropped ||
		    snapshot_find_link(snapshot, plug->iface.index))
			continue;
		ret = dump_has_link(dump, plug->iface.index);
		if (ret == 0)
			plug_mark_gone(plug);
		else if (!snapshot->has_more_links)
			seen->doubts++;
	}
}

int observe(struct snapshot *snapshot, const struct snapshot_limits *limits,
	    struct applied *applied, struct oversized *oversized, struct observation *seen)
{
	int ret = -EINTR;

	*seen = (struct observation){0};
	for (int i = 0; ret == -EINTR && i < TRIES; i++) {
		struct dump *dump = dump_open();

		if (!dump)
			return -errno;
		ret = dump_snapshot(dump, snapshot, limits);
		if (ret == 0) {
			ask_for_absent(dump, snapshot, applied, seen);
			snapshot->has_cut_routes = oversized_check(oversized, dump);
		} else {
			snapshot_fini(snapshot);
		}
		seen->forged += dump_forged(dump);
		dump_close(dump);
	}
	return ret;
}
