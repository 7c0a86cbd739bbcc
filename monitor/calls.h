/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.h - what the end of a runtime call means for what is applied, and for the next try
 */
#ifndef NETNSMON_CALLS_H
#define NETNSMON_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "applied.h"
#include "client.h"
#include "dialect.h"
#include "feed.h"

/* The calls of one verb that have ended. */
struct call_counters {
	uint64_t done;
	uint64_t failed; /* but for those that … */
	uint64_t timed_out;
	uint64_t runtime_ms; /* what all of them took */
};

#define CALLS_ERROR_SIZE 320

/* What is remembered of all calls to one runtime. */
struct calls {
	const struct dialect *dialect;
	struct feed *feed;	/* is told of each end; may be NULL */
	struct retry not_ready; /* the runtime does not know the sandbox yet, or it does not run */
	bool knows_sandbox;	/* it has answered in a way that only a known sandbox gets */
	bool is_sandbox_gone;	/* it knew the sandbox, and does not any more */
	bool is_once;		/* there is no next try */
	uint32_t seed;		/* of the jitter */
	struct call_counters by_verb[VERB_COUNT];
	uint64_t retries;	/* calls that repeated one that failed */
	char *last_error;	/* of the last call that failed; NULL: none did; owned */
	uint64_t last_error_ms; /* when that was */
};

/*
 * Ends the call that @request asked for, about @plug (NULL: routes): moves what was acknowledged
 * into @applied, or plans the next try, and logs one line either way. Takes over what @request
 * owns. Returns whether what the runtime has, as far as is known, has changed.
 */
bool calls_end(struct calls *calls, struct applied *applied, struct plug *plug,
	       struct request *request, const struct call_result *result, uint64_t now_ms);

/* Frees what is remembered. */
void calls_fini(struct calls *calls);

/*
 * When a try that has failed is due again: @retry's time, or that of all if the runtime is not
 * ready.
 */
uint64_t calls_next_ms(const struct calls *calls, const struct retry *retry);

/* Whether the runtime may be called at @now_ms; if not, @not_ready.next_ms says when. */
bool calls_may_start(const struct calls *calls, uint64_t now_ms);

#endif
