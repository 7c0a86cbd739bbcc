/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.h - pure: what a monitor knows, as JSON
 *
 * The fields are those of org.netnsmon.Monitor.varlink; status.schema.json has them too.
 */
#ifndef NETNSMON_STATUS_H
#define NETNSMON_STATUS_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "applied.h"
#include "calls.h"
#include "feed.h"
#include "filter.h"
#include "snapshot.h"

/* Of more links only the first are told: nobody reads them, and they have to wait in memory. */
#define STATUS_LINKS_MAX 1024

enum status_state {
	STATUS_STARTING, /* what the runtime knew at start is not known yet */
	STATUS_WATCHING,
	STATUS_WAITING, /* for a slot */
	STATUS_CALLING,
	STATUS_STOPPING,
	STATUS_STATE_COUNT
};

/* Everything that is told. Nothing of it is owned. */
struct status_view {
	const char *sandbox;
	const char *netns; /* as it was named; NULL: not at all */
	uint64_t netns_inode;
	int pid;
	const char *version;
	const char *runtime;
	const struct policy *policy;
	const struct applied *applied;
	const struct calls *calls;
	enum status_state state;
	const struct request *request; /* that runs; NULL: none */
	uint64_t request_ms;	       /* … since then */
	uint64_t started_ms;
	uint64_t now_ms;      /* monotonic, as all times of the monitor; at the same moment: … */
	int64_t now_realtime; /* … seconds since the epoch */
	uint64_t memory_bytes;
	uint64_t events;
	uint64_t overruns;
	uint64_t snapshots;
	uint64_t resyncs;
};

/* The Monitor of the interface. These return NULL without memory; the caller owns the result. */
cJSON *status_monitor(const struct status_view *view);

/* All of Status' reply; @snapshot needs no routes. */
cJSON *status_all(const struct status_view *view, const struct snapshot *snapshot);

/* An Event that happens at @seconds and @nanoseconds since the epoch. */
cJSON *status_event(const struct feed_item *item, int64_t seconds, long nanoseconds);

#endif
