/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dialect.h - how one kind of runtime is spoken to
 *
 * A dialect is a row of data: what a runtime's verbs are called, what its JSON can say, which
 * interfaces and routes it can take, and what its failures mean. No other file asks which
 * dialect it has; a new one is a new row in dialect.c.
 */
#ifndef NETNSMON_DIALECT_H
#define NETNSMON_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iface.h"
#include "request.h"

#define DIALECT_VERB_WORDS 2

/* A kind of link that the runtime can plug, and its LinkType. */
struct dialect_kind {
	const char *kind;
	bool needs_mac; /* a tun device has a MAC in tap mode only */
	const char *link_type;
};

/* What a failed call's output says about the next one. */
enum answer {
	ANSWER_OTHER,	 /* an ordinary failure: try again, with back-off */
	ANSWER_NOT_YET,	 /* the runtime is not ready: try again, quietly */
	ANSWER_UNKNOWN,	 /* it does not know the sandbox: not yet, or no longer */
	ANSWER_HOPELESS, /* this will not heal: a few tries, then rest until the link changes */
};

/* Output that contains both texts (the second may be NULL) is this answer. */
struct dialect_answer {
	const char *text;
	const char *more_text;
	enum answer answer;
};

struct dialect {
	const char *name;
	/* Per verb the words between the runtime and the sandbox; all NULL: it has no such verb. */
	const char *verbs[VERB_COUNT][DIALECT_VERB_WORDS];
	const struct dialect_kind *kinds;     /* ended by a NULL kind; NULL: any */
	const struct dialect_answer *answers; /* ended by a NULL text; NULL: none known */
	const char *no_runtime; /* glob of executables that are not this runtime; NULL: none */
	uint32_t timeout_ms;	/* for one call */
	bool runs_in_sandbox;	/* in the sandbox's namespace, else where we started */
	bool dies_with_monitor; /* the child gets a parent-death signal */
	bool has_full_routes;	/* metrics, next hops, gateways of the other family, [] */
	bool has_raw_flags;	/* interfaces carry RawFlags */
	bool has_index;		/* interfaces carry Index, routes the fields of plain */
	bool scans_addressed;	/* what it knows at start has an address, ready or not */
	bool moves_macvtap;	/* under a *_kata macvtap a link's state is in the guest */
	bool finds_by_name;	/* a removal sets down whichever link bears the name now */
	bool fails_midway;	/* after a failed call nobody knows which part was done */
};

/* The dialect called @name, or NULL. */
const struct dialect *dialect_find(const char *name);

/* The names of all dialects, separated by '|', for usage texts. */
const char *dialect_names(void);

bool dialect_has_verb(const struct dialect *dialect, enum verb verb);

/* The last word of the verb, which names it in logs: "add-network". */
const char *dialect_verb_name(const struct dialect *dialect, enum verb verb);

/* The LinkType that the runtime is sent for a link of @kind, or NULL if it cannot plug it. */
const char *dialect_link_type(const struct dialect *dialect, const char *kind, bool has_mac);

/* What a failed call meant whose output was the @size bytes at @output. */
enum answer dialect_answer(const struct dialect *dialect, const char *output, size_t size);

#endif
