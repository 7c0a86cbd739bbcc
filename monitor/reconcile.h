/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reconcile.h - pure: the difference of what is and what the runtime knows, as ordered requests
 *
 * One round goes through a snapshot once: removals, additions, updates, then routes. Its steps are
 * asked for one by one, since each acknowledgement changes what comes next.
 */
#ifndef NETNSMON_RECONCILE_H
#define NETNSMON_RECONCILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "applied.h"
#include "filter.h"
#include "notes.h"
#include "request.h"
#include "settle.h"
#include "snapshot.h"

enum round_phase {
	ROUND_REMOVALS,
	ROUND_ADDITIONS,
	ROUND_UPDATES,
	ROUND_ROUTES,
	ROUND_DONE,
};

struct round {
	const struct policy *policy;
	struct snapshot *snapshot; /* must stay until round_end(); its routes are used up */
	struct applied *applied;
	const struct notes *notes;
	enum round_phase phase;
	size_t next;		 /* plug of the phase */
	uint32_t next_link;	 /* ifindex, for additions: links may be dropped meanwhile */
	bool has_macvtap;	 /* the runtime moved the state of links into the VM */
	bool is_blocked;	 /* an addition waits for a name to become free */
	bool has_changed_names;	 /* a removal or an update was asked for since additions were looked
				    at */
	struct plug **displaced; /* by name: those whose name in the runtime is not their link's */
	size_t displaced_count;
	uint64_t wake_ms; /* when something that was put off is due, or SETTLE_NEVER */
};

/*
 * Starts a round. @has_lost_events: events were lost since the last one, so a link with another MAC
 * or kind under the same index counts as another link.
 */
void round_begin(struct round *round, const struct policy *policy, struct snapshot *snapshot,
		 struct applied *applied, const struct notes *notes, bool has_lost_events);

/*
 * Finds what to ask for next. Returns 1 and fills @request, which the caller then owns, and *@plug
 * (NULL for routes); 0 when the round is done; -ENOMEM. After each request the caller must have
 * called applied_acknowledge() or applied_fail() before it asks again.
 */
int round_next(struct round *round, uint64_t now_ms, struct request *request, struct plug **plug);

/* Frees what the round owns, and the plugs it has dropped. */
void round_end(struct round *round);

#endif
