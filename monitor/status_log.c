/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status_log.c - what a monitor knows, in the log
 */
#include "status_log.h"

#include <stdio.h>

#include "log.h"

#define TEXT_SIZE 96

static const char *describe_retry(const struct retry *retry, uint64_t now_ms, char text[TEXT_SIZE])
{
	uint64_t left_ms = retry->next_ms > now_ms ? retry->next_ms - now_ms : 0;

	if (retry->is_resting)
		return ", given up until something changes";
	if (retry->failures == 0)
		return "";
	snprintf(text, TEXT_SIZE, ", failed %u times, next try in %ju ms", retry->failures,
		 (uintmax_t)left_ms);
	return text;
}

static const char *describe_plug(const struct plug *plug)
{
	if (plug->is_gone)
		return "the link is gone, its removal is pending";
	if (plug->state == PLUG_APPLIED)
		return plug->is_unsure ? "applied, an update was cut short" : "applied";
	if (plug->is_refused)
		return "left out: the runtime cannot plug its kind";
	if (plug->ready_by_ms != 0)
		return "pending: duplicate address detection goes on";
	return "pending";
}

void status_log(const struct applied *applied, uint64_t now_ms)
{
	char text[TEXT_SIZE];

	for (size_t i = 0; i < applied->count; i++) {
		const struct plug *plug = applied->plugs[i];

		log_info("status: %s (index %u): %s%s", plug->iface.name, plug->iface.index,
			 describe_plug(plug), describe_retry(&plug->retry, now_ms, text));
	}
	log_info("status: %zu routes applied%s%s", applied->routes.count,
		 applied->are_routes_unsure ? ", to be sent again" : "",
		 describe_retry(&applied->routes_retry, now_ms, text));
}
