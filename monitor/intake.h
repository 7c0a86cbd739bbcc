/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake.h - takes in the kernel's events: what they ring for, and what they took away
 */
#ifndef NETNSMON_INTAKE_H
#define NETNSMON_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "applied.h"
#include "events.h"
#include "feed.h"
#include "oversized.h"
#include "settle.h"
#include "snapshot.h"

/* A warning that would otherwise come as often as somebody likes. */
struct repeated {
	uint64_t next_ms;
	size_t count;
};

struct intake {
	struct events *events;	   /* owned */
	struct settle *settle;	   /* gets the hints */
	struct applied *applied;   /* gets to know which links are gone */
	struct snapshot *snapshot; /* loses them */
	struct oversized oversized;
	struct feed *feed; /* NULL, or is told of each event */
	struct repeated forged;
	struct repeated overruns;
	struct repeated too_large;
	uint64_t event_count;	/* messages that could matter */
	uint64_t overrun_count; /* times that some were lost */
	bool has_lost_events;	/* since somebody last set this to false */
};

/* Opens the event socket; the parts that it tells must outlive it. Returns 0 or a negative errno.
 */
int intake_open(struct intake *intake, size_t receive_bytes, struct settle *settle,
		struct applied *applied, struct snapshot *snapshot);

/* Frees what the intake owns; one that was never opened, all zero, is harmless. */
void intake_close(struct intake *intake);

/*
 * Takes in all events that are there. Returns 0, also if some were lost, which is handled and said,
 * or a negative errno: the socket is broken.
 */
int intake_read(struct intake *intake);

/*
 * Warns of datagrams that the kernel did not send, here or on a socket for dumps, now or a little
 * later.
 */
void intake_say_forged(struct intake *intake, size_t more);

#endif
