/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limit_notes.h - pure: says when a namespace holds more than is handled, and when it no longer
 * does
 */
#ifndef NETNSMON_LIMIT_NOTES_H
#define NETNSMON_LIMIT_NOTES_H

#include <stdbool.h>

#include "notes.h"
#include "snapshot.h"

/* What was said last. */
struct limit_notes {
	bool has_said_links;
	bool has_said_routes;
};

/* Says what @snapshot, taken within @limits, changes in that. */
void limit_notes_say(struct limit_notes *said, const struct snapshot *snapshot,
		     const struct snapshot_limits *limits, const struct notes *notes);

#endif
