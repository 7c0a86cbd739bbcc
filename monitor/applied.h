/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * applied.h - what the runtime has acknowledged, and what it still has to be told of
 *
 * The only state that stays between two settles.
 *
 *   PENDING --- add acknowledged ---> APPLIED
 *      |                                 |
 *      | link gone                       | link gone
 *      v                                 v
 *   forgotten <-- removal acknowledged or given up -- is_gone
 *   (unless the outcome of an add is unknown: then it is removed like an applied one)
 */
#ifndef NETNSMON_APPLIED_H
#define NETNSMON_APPLIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iface.h"
#include "notes.h"
#include "request.h"
#include "retry.h"
#include "route_census.h"
#include "routes.h"

enum plug_state { PLUG_PENDING, PLUG_APPLIED };

/*
 * One life of one link: a link that is deleted and made again has two, be its index and name the
 * same.
 */
struct plug {
	struct iface iface; /* as acknowledged; PENDING: as last tried, or nothing but the index */
	struct retry retry;
	uint64_t ready_by_ms; /* PENDING: no longer wait for duplicate address detection; 0: not
				 waiting */
	uint64_t since_ms;    /* APPLIED: when that was acknowledged; 0: known at start */
	char *error;	      /* what the last failure came to; NULL: none; owned */
	uint64_t tried;	      /* fingerprint of the interface that was last tried */
	uint64_t warned;      /* … and of that which the runtime could not be told of */
	uint64_t warned_dad;  /* … and of the duplicate addresses that were named */
	enum plug_state state;
	bool is_gone;	 /* the link was deleted or moved away: a removal is due */
	bool is_unsure;	 /* a call was killed: nobody knows whether it was carried out */
	bool is_refused; /* PENDING: of a kind that the runtime cannot plug, and that was said */
	bool is_name_wanted;	/* a new link waits for the name, which this one no longer bears */
	bool has_said_namesake; /* that a new link of its name may be set down by its removal */
	bool is_dropped;	/* to be freed by applied_sweep() */
};

struct applied {
	struct plug **plugs; /* sorted by index, of equal ones the older first; owned */
	size_t count;
	size_t capacity;
	struct route_list routes; /* the last list that was acknowledged */
	struct retry routes_retry;
	char *routes_error;	    /* what the last failure came to; NULL: none; owned */
	uint64_t routes_tried;	    /* fingerprint of the list that was last tried */
	bool are_routes_unsure;	    /* the list has to be sent whatever it is */
	bool has_said_empty;	    /* that the runtime cannot be told that there are no routes */
	struct once left_out;	    /* routes that it cannot be told of */
	struct route_census census; /* … and all others that it is not sent */
};

void applied_fini(struct applied *applied);

/* The living plug with @index, or NULL. */
struct plug *applied_find(const struct applied *applied, uint32_t index);

/* Whether the runtime has, or may have, a former life of the link with @index. */
bool applied_has_former(const struct applied *applied, uint32_t index);

/* The living plug with @index, a new PENDING one if there is none. NULL: no memory. */
struct plug *applied_ensure(struct applied *applied, uint32_t index);

/* The link with @index was deleted or moved away: its living plug, if there is one, is gone. */
void applied_mark_gone(struct applied *applied, uint32_t index);

/* The same for a plug that was found. */
void plug_mark_gone(struct plug *plug);

/* Whether the runtime has, or may have, this plug. */
bool plug_is_known(const struct plug *plug);

/* Frees the dropped plugs. */
void applied_sweep(struct applied *applied);

/*
 * The runtime has done what @request asked for; @plug is the one it was about, NULL for routes.
 * Takes over what @request owns.
 */
void applied_acknowledge(struct applied *applied, struct plug *plug, struct request *request);

/*
 * It has not, or nobody knows (@is_unsure). Keeps what a later removal must carry; takes over what
 * @request owns.
 */
void applied_fail(struct applied *applied, struct plug *plug, struct request *request,
		  bool is_unsure);

/*
 * Keeps a copy of what a failure came to, of @plug or (NULL) of the routes; a @text of NULL forgets
 * the last one.
 */
void applied_set_error(struct applied *applied, struct plug *plug, const char *text);

#endif
