/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monitor_view.c - what a monitor lets others see of itself
 */
#include <errno.h>

#include "clock.h"
#include "dump.h"
#include "monitor_state.h"

static enum status_state state_of(const struct monitor *monitor)
{
	if (monitor->is_stopping)
		return STATUS_STOPPING;
	if (delivery_is_calling(&monitor->delivery))
		return STATUS_CALLING;
	if (slots_is_waiting(&monitor->delivery.slots))
		return STATUS_WAITING;
	return monitor->has_baseline ? STATUS_WATCHING : STATUS_STARTING;
}

void monitor_view(const struct monitor *monitor, struct status_view *view)
{
	view->policy = &monitor->config.policy;
	view->applied = &monitor->applied;
	view->calls = &monitor->calls;
	view->state = state_of(monitor);
	view->request = delivery_is_calling(&monitor->delivery) ? &monitor->request : NULL;
	view->request_ms = monitor->call_ms;
	view->started_ms = monitor->started_ms;
	view->now_ms = clock_ms();
	view->events = monitor->intake.event_count;
	view->overruns = monitor->intake.overrun_count;
	view->snapshots = monitor->snapshot_count;
	view->resyncs = monitor->resync_count + monitor->intake.overrun_count;
}

int monitor_look(const struct monitor *monitor, struct snapshot *snapshot)
{
	struct dump *dump = dump_open();
	int ret;

	if (!dump)
		return -errno;
	ret = dump_links_only(dump, snapshot, &monitor->config.limits);
	dump_close(dump);
	if (ret < 0)
		snapshot_fini(snapshot);
	return ret;
}
