/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feed.c - what happens, as it happens, for whoever looks on
 */
#include "feed.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "kernel_words.h"

/* A container engine's connect is some 20 messages; a storm has any number. */
#define HEARD_MAX 64

#define TEXT_SIZE 512

const char *feed_kind_name(enum feed_kind kind)
{
	static const char *const names[] = {
		[FEED_WATCHING] = "watching", [FEED_KERNEL] = "kernel",
		[FEED_SNAPSHOT] = "snapshot", [FEED_REQUEST] = "request",
		[FEED_RESULT] = "result",     [FEED_NOTE] = "note",
		[FEED_RESYNC] = "resync",     [FEED_MISSED] = "missed",
		[FEED_END] = "end",
	};

	static_assert(sizeof(names) / sizeof(names[0]) == FEED_COUNT, "each has a name");
	return names[kind];
}

void feed_say(struct feed *feed, enum feed_kind kind, const char *format, ...)
{
	struct feed_item item = {.kind = kind};
	char text[TEXT_SIZE];
	va_list args;

	if (!feed || !feed->is_watched)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	item.text = text;
	feed->publish(feed->arg, &item);
}

void feed_kernel(struct feed *feed, const struct nlmsghdr *message)
{
	struct kernel_words words;
	struct feed_item item = {.kind = FEED_KERNEL, .text = words.text};

	if (!feed || !feed->is_watched || feed->heard++ >= HEARD_MAX)
		return;
	kernel_words(message, &words);
	item.name = words.name[0] ? words.name : NULL;
	item.index = words.index;
	feed->publish(feed->arg, &item);
}

void feed_snapshot(struct feed *feed, size_t links, size_t addresses, size_t routes)
{
	uint32_t heard;

	if (!feed)
		return;
	heard = feed->heard;
	feed->heard = 0;
	if (heard > HEARD_MAX)
		feed_say(feed, FEED_KERNEL, "%u more messages", heard - HEARD_MAX);
	feed_say(feed, FEED_SNAPSHOT, "looked: %zu links, %zu addresses, %zu routes", links,
		 addresses, routes);
}

/* "eth1 (index 5)" or "(routes: 12)". */
static void describe_subject(const struct request *request, char *text, size_t size)
{
	if (request->verb == VERB_ROUTES)
		snprintf(text, size, "(routes: %zu)", request->routes.count);
	else
		snprintf(text, size, "%s (index %u)", request->iface.name, request->iface.index);
}

static struct feed_item item_about(enum feed_kind kind, const char *verb,
				   const struct request *request, const char *text)
{
	bool has_iface = request->verb != VERB_ROUTES;

	return (struct feed_item){
		.kind = kind,
		.text = text,
		.verb = verb,
		.name = has_iface ? request->iface.name : NULL,
		.index = has_iface ? request->iface.index : 0,
	};
}

void feed_request(struct feed *feed, const char *verb, const struct request *request)
{
	char subject[64], text[TEXT_SIZE];
	struct feed_item item = item_about(FEED_REQUEST, verb, request, text);

	if (!feed || !feed->is_watched)
		return;
	describe_subject(request, subject, sizeof(subject));
	snprintf(text, sizeof(text), "%s %s: %s", verb, subject, request->reason);
	feed->publish(feed->arg, &item);
}

void feed_result(struct feed *feed, const char *verb, const struct request *request,
		 const struct call_result *result, const char *error, uint64_t next_try_ms)
{
	char subject[64], text[TEXT_SIZE];
	struct feed_item item = item_about(FEED_RESULT, verb, request, text);

	if (!feed || !feed->is_watched)
		return;
	item.is_done = result->outcome == OUTCOME_DONE;
	item.elapsed_ms = result->elapsed_ms;
	item.next_try_ms = next_try_ms;
	describe_subject(request, subject, sizeof(subject));
	if (item.is_done)
		snprintf(text, sizeof(text), "%s %s: done in %u ms", verb, subject,
			 result->elapsed_ms);
	else
		snprintf(text, sizeof(text), "%s %s: failed after %u ms: %s", verb, subject,
			 result->elapsed_ms, error ? error : "");
	feed->publish(feed->arg, &item);
}
