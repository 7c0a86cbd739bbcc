/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake.c - takes in the kernel's events: what they ring for, and what they took away
 */
#include "intake.h"

#include <errno.h>
#include <string.h>

#include "clock.h"
#include "hint.h"
#include "log.h"
#include "nlparse.h"

/* Repeated warnings of one kind come at most this often, with their number. */
#define WARN_EVERY_MS 60000

int intake_open(struct intake *intake, size_t receive_bytes, struct settle *settle,
		struct applied *applied, struct snapshot *snapshot)
{
	memset(intake, 0, sizeof(*intake));
	intake->settle = settle;
	intake->applied = applied;
	intake->snapshot = snapshot;
	intake->events = events_open(receive_bytes);
	return intake->events ? 0 : -errno;
}

void intake_close(struct intake *intake)
{
	events_close(intake->events);
	intake->events = NULL;
	oversized_fini(&intake->oversized);
}

/* Counts, and says whether the sum is to be logged now; then it begins anew. */
static size_t sum_to_say(struct repeated *repeated, size_t more)
{
	uint64_t now_ms = clock_ms();
	size_t sum;

	repeated->count += more;
	if (repeated->count == 0 || now_ms < repeated->next_ms)
		return 0;
	repeated->next_ms = now_ms + WARN_EVERY_MS;
	sum = repeated->count;
	repeated->count = 0;
	return sum;
}

static void on_message(void *arg, const struct nlmsghdr *message)
{
	struct intake *intake = arg;
	struct hint hint = hint_of(message);

	if (hint.flags == 0)
		return;
	intake->event_count++;
	feed_kernel(intake->feed, message);
	settle_hint(intake->settle, clock_ms(), hint.flags & HINT_LOSS);
	if (hint.flags & HINT_GONE) {
		/* What a snapshot says of it is older than this, or its next life: seen next time.
		 */
		applied_mark_gone(intake->applied, hint.index);
		snapshot_drop_link(intake->snapshot, hint.index);
	}
}

static void on_oversized(void *arg, const struct nlmsghdr *head, size_t size)
{
	struct intake *intake = arg;
	struct route dest;
	char text[IP_PREFIX_TEXT_SIZE];

	if (nlparse_route_dest(head, size, &dest) < 0)
		return;
	oversized_note(&intake->oversized, &dest);
	if (sum_to_say(&intake->too_large, 1) > 0)
		log_warn("route %s has too many next hops to be dumped: until it is gone, routes "
			 "that seem missing stay in the guest",
			 ip_format_prefix(&dest.dest, dest.family, dest.prefix_len, text));
}

void intake_say_forged(struct intake *intake, size_t more)
{
	size_t sum = sum_to_say(&intake->forged, more);

	if (sum > 0)
		log_warn("%zu netlink datagrams that the kernel did not send were dropped: "
			 "a process in the namespace forges them",
			 sum);
}

int intake_read(struct intake *intake)
{
	const struct events_listener listener = {on_message, on_oversized, intake};
	size_t forged = 0;
	int ret = events_read(intake->events, &listener, &forged);
	size_t sum;

	intake_say_forged(intake, forged);
	if (ret != -ENOBUFS)
		return ret;
	intake->overrun_count++;
	intake->has_lost_events = true;
	settle_hint(intake->settle, clock_ms(), true);
	sum = sum_to_say(&intake->overruns, 1);
	if (sum > 0)
		log_warn("events were lost, everything is taken anew (%zu times); "
			 "a larger --receive-buffer helps",
			 sum);
	return 0;
}
