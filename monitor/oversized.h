/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oversized.h - routes that are too large for a dump
 *
 * The kernel cannot put a route with some 2,000 next hops into the 32 KiB of a dump's datagram: the
 * dump ends there as if it were complete, without that route and all that come after it. Only its
 * event, which is as large, gives it away. While there is such a route, what a dump lacks is not
 * gone.
 */
#ifndef NETNSMON_OVERSIZED_H
#define NETNSMON_OVERSIZED_H

#include <stdbool.h>
#include <stddef.h>

#include "dump.h"
#include "routes.h"

/* Each costs the kernel 32 KiB or more; with more of them than this, none is believed to go. */
#define OVERSIZED_MAX 64

struct oversized {
	struct route *routes; /* only family, dest, prefix_len; NULL until there is one */
	size_t count;
	bool has_more; /* than could be noted */
};

void oversized_fini(struct oversized *oversized);

/* Notes the destination of a route whose event was larger than any dump's datagram. */
void oversized_note(struct oversized *oversized, const struct route *dest);

/* Asks the kernel which of them are still there and forgets the others. Returns whether any is. */
bool oversized_check(struct oversized *oversized, struct dump *dump);

#endif
