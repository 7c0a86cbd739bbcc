/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monitor.h - the wiring: from the kernel's events to the runtime's acknowledgements
 */
#ifndef NETNSMON_MONITOR_H
#define NETNSMON_MONITOR_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "delivery.h"
#include "feed.h"
#include "filter.h"
#include "snapshot.h"
#include "statefile.h"
#include "status.h"

struct monitor_config {
	struct policy policy;
	struct snapshot_limits limits;
	uint32_t quiet_ms;
	uint32_t max_wait_ms;
	size_t receive_bytes;
	bool takes_existing;	     /* the runtime knows what is there at start */
	bool is_once;		     /* one round, then the loop is broken */
	struct feed *feed;	     /* NULL, or is told of all that happens */
	struct statefile *state;     /* NULL: nothing is kept */
	void (*on_ready)(void *arg); /* called once: from now on no change is missed */
	void (*on_look)(void *arg);  /* called with each snapshot */
	void *hook_arg;
	struct delivery_config delivery;
};

struct monitor;

/*
 * Opens the sockets in the caller's network namespace; @loop must be the default loop. What @config
 * points to must outlive the monitor. NULL: it was logged why.
 */
struct monitor *monitor_new(struct ev_loop *loop, const struct monitor_config *config);

void monitor_free(struct monitor *monitor);

/*
 * Lets the loop begin: it looks at the namespace, takes the baseline and calls on_ready. If the
 * namespace changes all the time, that takes as many tries as it needs.
 */
void monitor_start(struct monitor *monitor);

/* Takes everything anew, as after lost events. */
void monitor_resync(struct monitor *monitor);

/*
 * Starts no further request and breaks the loop as soon as none runs, at the latest after the
 * grace: then the running child is ended if it must not outlive the monitor, else left alone.
 */
void monitor_stop(struct monitor *monitor);

/* The same, because the sandbox is gone: nothing is kept of it. */
void monitor_end(struct monitor *monitor);

/* Logs what is applied and what is pending. */
void monitor_log_status(const struct monitor *monitor);

/*
 * Fills @view with what the monitor knows, and with nothing of who it is. It holds until the
 * monitor does something else.
 */
void monitor_view(const struct monitor *monitor, struct status_view *view);

/*
 * Looks at the links and addresses that are there now. Returns 0 or a negative errno; then
 * @snapshot, which must be empty, still is.
 */
int monitor_look(const struct monitor *monitor, struct snapshot *snapshot);

/*
 * Valid when the loop was broken: 0, or 1 if the monitor had to give up or, with is_once, a request
 * failed.
 */
int monitor_exit_status(const struct monitor *monitor);

#endif
