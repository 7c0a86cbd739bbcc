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

/* What is remembered of all calls to one runtime. */
struct calls {
	const struct dialect *dialect;
	struct retry not_ready; /* the runtime does not know the sandbox yet, or it does not run */
	bool knows_sandbox;	/* it has answered in a way that only a known sandbox gets */
	bool is_sandbox_gone;	/* it knew the sandbox, and does not any more */
	bool is_once;		/* there is no next try */
	uint32_t seed;		/* of the jitter */
};

/*
 * Ends the call that @request asked for, about @plug (NULL: routes): moves what was acknowledged
 * into @applied, or plans the next try, and logs one line either way. Takes over what @request
 * owns. Returns whether what the runtime has, as far as is known, has changed.
 */
bool calls_end(struct calls *calls, struct applied *applied, struct plug *plug,
	       struct request *request, const struct call_result *result, uint64_t now_ms);

/* When a try that has failed is due again: @retry's time, or that of all if the runtime is not
 * ready. */
uint64_t calls_next_ms(const struct calls *calls, const struct retry *retry);

/* Whether the runtime may be called at @now_ms; if not, @not_ready.next_ms says when. */
bool calls_may_start(const struct calls *calls, uint64_t now_ms);

#endif
