/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feed.h - what happens, as it happens, for whoever looks on
 *
 * Costs nothing while nobody does. A feed of NULL is one that nobody watches.
 */
#ifndef NETNSMON_FEED_H
#define NETNSMON_FEED_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stdint.h>

#include "client.h"
#include "request.h"

enum feed_kind {
	FEED_WATCHING, /* the first that each onlooker gets */
	FEED_KERNEL,   /* the kernel says that something changed */
	FEED_SNAPSHOT, /* the namespace was looked at */
	FEED_REQUEST,  /* the runtime is called */
	FEED_RESULT,   /* what came of it */
	FEED_NOTE,     /* what is left out, and why */
	FEED_RESYNC,   /* everything is taken anew */
	FEED_MISSED,   /* the onlooker was too slow for some */
	FEED_END,      /* the monitor ends */
	FEED_COUNT
};

/* Its texts are gone after publish(). */
struct feed_item {
	enum feed_kind kind;
	const char *text; /* for people; names in it are the kernel's bytes */
	const char *verb; /* REQUEST, RESULT; else NULL */
	const char *name; /* of an interface; NULL: none */
	uint32_t index;	  /* … ; 0: none */
	bool is_done;	  /* RESULT */
	uint32_t elapsed_ms;
	uint64_t next_try_ms; /* RESULT: in so many ms; 0: there is none */
	uint64_t missed;      /* MISSED */
};

struct feed {
	bool is_watched; /* set by who publishes */
	void (*publish)(void *arg, const struct feed_item *item);
	void *arg;
	uint32_t heard; /* kernel's messages since the last snapshot */
};

/* "kernel", "request", … */
const char *feed_kind_name(enum feed_kind kind);

/* Publishes a line of words. */
void feed_say(struct feed *feed, enum feed_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Tells of one message of the kernel. Of a storm only the first few until the next snapshot. */
void feed_kernel(struct feed *feed, const struct nlmsghdr *message);

/* Tells that the namespace was looked at, which was asked for by what was heard. */
void feed_snapshot(struct feed *feed, size_t links, size_t addresses, size_t routes);

/* Tells that @request is made, under the name @verb. */
void feed_request(struct feed *feed, const char *verb, const struct request *request);

/* Tells how it ended. @error says what went wrong; @next_try_ms: 0, or when it is tried again. */
void feed_result(struct feed *feed, const char *verb, const struct request *request,
		 const struct call_result *result, const char *error, uint64_t next_try_ms);

#endif
