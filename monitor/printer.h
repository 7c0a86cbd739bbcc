/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printer.h - without a runtime: prints each request that would be made
 */
#ifndef NETNSMON_PRINTER_H
#define NETNSMON_PRINTER_H

#include <stdbool.h>
#include <stdio.h>

#include "dialect.h"
#include "feed.h"
#include "request.h"

struct printer {
	FILE *stream;
	bool is_text; /* for people, else one JSON object a line */
	bool has_color;
	const struct dialect *dialect;
	const char *sandbox; /* NULL: none */
};

/* Prints one request. Returns 0, or a negative errno if it could not be written. */
int printer_print(const struct printer *printer, const struct request *request);

/* Prints what happened, if it is worth a line to a person. */
void printer_print_event(const struct printer *printer, const struct feed_item *item);

#endif
