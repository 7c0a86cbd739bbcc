/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printer.h - without a runtime: prints each request that would be made
 */
#ifndef NETNSMON_PRINTER_H
#define NETNSMON_PRINTER_H

#include <stdbool.h>
#include <stddef.h>

#include "dialect.h"
#include "feed.h"
#include "request.h"

struct printer {
	int fd;
	bool is_text; /* for people, else one JSON object a line */
	bool has_color;
	const struct dialect *dialect;
	const char *sandbox; /* NULL: none */
	char *text;	     /* what is being printed; owned; NULL: nothing */
	size_t size;
	size_t written;
};

/*
 * Starts to print one request; the one before must have been printed. Returns 1 when it is printed,
 * 0 if printer_continue() is to be called when @fd can be written to, or a negative errno.
 */
int printer_start(struct printer *printer, const struct request *request);

/*
 * Whether such an event is worth a line to a person: a request has lines of its own, and what is
 * left out is in the log.
 */
bool printer_wants(enum feed_kind kind);

/* The same as printer_start() for what happened. */
int printer_start_event(struct printer *printer, const struct feed_item *item);

/* Goes on; returns the same. */
int printer_continue(struct printer *printer);

/* Forgets what is still to be printed. */
void printer_stop(struct printer *printer);

bool printer_is_busy(const struct printer *printer);

#endif
