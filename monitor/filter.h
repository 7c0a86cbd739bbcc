/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - pure: which links and addresses are the runtime's business, and when a link is ready
 *
 * Judges what is there now; what the runtime knows already is reconcile's business.
 */
#ifndef NETNSMON_FILTER_H
#define NETNSMON_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "dialect.h"
#include "snapshot.h"

/* What the user wants, fixed for the life of a monitor. */
struct policy {
	const struct dialect *dialect;
	const char *const *ignore; /* globs of names, besides the runtime's own "*_kata" */
	size_t ignore_count;
	const char *const *only; /* if there are any, a name must match one of them */
	size_t only_count;
	bool takes_temporary; /* IPv6 privacy addresses count */
	bool takes_tentative; /* addresses that are still being checked count */
	bool tells_proto;     /* the kernel says which addresses it made itself */
	bool waits_for_dad;   /* for duplicate address detection */
};

/* Why a link counts or not; the first that applies, in this order. */
enum link_verdict {
	LINK_LOOPBACK,
	LINK_RUNTIMES_OWN, /* "*_kata", or an ifb device, which only redirects */
	LINK_IGNORED,	   /* --ignore */
	LINK_NOT_ONLY,	   /* --only */
	LINK_ENSLAVED,	   /* to a bridge, bond, … in the namespace */
	LINK_DOWN,
	LINK_NO_CARRIER,
	LINK_WRONG_KIND, /* the runtime cannot plug it; what is down need not be talked about */
	LINK_TENTATIVE,	 /* an address is still being checked for duplicates */
	LINK_READY,
};

enum address_verdict {
	ADDRESS_DUPLICATE,  /* dadfailed: somebody else has it */
	ADDRESS_TENTATIVE,  /* not checked yet */
	ADDRESS_LINK_LOCAL, /* made by the kernel, as the guest's will */
	ADDRESS_TEMPORARY,
	ADDRESS_COUNTS,
};

/* Judges @link, which is one of @snapshot's. */
enum link_verdict filter_link(const struct policy *policy, const struct snapshot *snapshot,
			      const struct link *link);

/* Whether a link with this verdict is one that will be plugged, be it only when it is ready. */
bool filter_counts(enum link_verdict verdict);

/* The first of the globs that @name matches, or NULL. */
const char *filter_match(const char *name, const char *const *globs, size_t count);

enum address_verdict filter_address(const struct policy *policy, const struct snapshot *snapshot,
				    const struct address *address);

/*
 * Makes the interface that the runtime would be told of now, with sorted addresses. Of the
 * tentative addresses those count that @known (may be NULL) has: being checked again is no removal.
 * Returns 0 or -ENOMEM.
 */
int filter_iface(const struct policy *policy, const struct snapshot *snapshot,
		 const struct link *link, const struct iface *known, struct iface *iface);

/*
 * The same for a link that the runtime has as @known: what the link does not show at the moment,
 * but still has in the VM, stays as known. Returns 0 or -ENOMEM.
 */
int filter_known_iface(const struct policy *policy, const struct snapshot *snapshot,
		       const struct link *link, const struct iface *known, struct iface *wanted)
	__attribute__((nonnull));

/*
 * Whether the address's peer lies outside its prefix, so that the prefix is the peer's, not its
 * own.
 */
bool filter_has_far_peer(const struct address *address);

/*
 * The link that the runtime may set down when it is told that @iface, whose link is gone, is to go;
 * or NULL.
 */
const struct link *filter_find_namesake(const struct policy *policy,
					const struct snapshot *snapshot, const struct iface *iface);

/*
 * Notes in each link of @snapshot the macvtap that the runtime made on it: what it took from the
 * link is in the VM. Must come before the questions about known interfaces. Returns whether there
 * is any: then the namespace no longer has the guest's routes.
 */
bool filter_find_macvtaps(const struct policy *policy, struct snapshot *snapshot);

#endif
