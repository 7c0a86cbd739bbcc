/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.h - pure: what became of a link, and why, in words
 */
#ifndef NETNSMON_VERDICT_H
#define NETNSMON_VERDICT_H

#include "applied.h"
#include "filter.h"
#include "snapshot.h"

enum verdict {
	VERDICT_APPLIED,   /* the runtime has it */
	VERDICT_PENDING,   /* it is to be told of it */
	VERDICT_NOT_READY, /* … when it is up */
	VERDICT_IGNORED,   /* it is none of the runtime's business */
	VERDICT_REMOVING,  /* the link is gone, the runtime is to be told of that */
	VERDICT_GIVEN_UP,  /* it will not be tried again until something changes */
	VERDICT_COUNT
};

#define VERDICT_REASON_SIZE 160

/* "applied", "not_ready", … */
const char *verdict_name(enum verdict verdict);

/*
 * Judges @link of @snapshot, of which the runtime knows @plug (NULL: nothing). The reason is for
 * people; names in it are the kernel's bytes.
 */
enum verdict verdict_of_link(const struct policy *policy, const struct snapshot *snapshot,
			     const struct link *link, const struct plug *plug,
			     char reason[VERDICT_REASON_SIZE]);

/* The same for a plug whose link is gone. */
enum verdict verdict_of_gone(const struct plug *plug, char reason[VERDICT_REASON_SIZE]);

#endif
