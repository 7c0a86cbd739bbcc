/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oversized.c - routes that are too large for a dump
 */
#include "oversized.h"

#include <stdlib.h>
#include <string.h>

void oversized_fini(struct oversized *oversized)
{
	free(oversized->routes);
	memset(oversized, 0, sizeof(*oversized));
}

void oversized_note(struct oversized *oversized, const struct route *dest)
{
	for (size_t i = 0; i < oversized->count; i++) {
		if (route_compare_dest(&oversized->routes[i], dest) == 0)
			return;
	}
	if (!oversized->routes)
		oversized->routes = calloc(OVERSIZED_MAX, sizeof(*oversized->routes));
	if (!oversized->routes || oversized->count == OVERSIZED_MAX)
		oversized->has_more = true;
	else
		oversized->routes[oversized->count++] = *dest;
}

bool oversized_check(struct oversized *oversized, struct dump *dump)
{
	size_t kept = 0;

	for (size_t i = 0; i < oversized->count; i++) {
		/* Where the kernel does not say, it may still be there. */
		if (dump_fits_route(dump, &oversized->routes[i]) != 1)
			oversized->routes[kept++] = oversized->routes[i];
	}
	oversized->count = kept;
	if (kept == 0 && !oversized->has_more)
		oversized_fini(oversized);
	return kept > 0 || oversized->has_more;
}
