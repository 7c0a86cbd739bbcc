/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encode.h - a request as JSON text, piece by piece
 *
 * The text of 65,536 routes is written while the runtime reads it: at any time only one
 * route exists as a cJSON tree, and only some kilobytes of text wait to be written.
 */
#ifndef NETNSMON_ENCODE_H
#define NETNSMON_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "dialect.h"
#include "request.h"

/* Text that waits to be written. Owned: encode_fini() frees it. */
struct encoder {
	const struct request *request; /* not owned: must stay until encode_fini() */
	const struct dialect *dialect;
	size_t piece;	    /* private: the next route or address */
	unsigned int phase; /* private */
	bool needs_comma;   /* private */
	bool is_complete;   /* no more text will come */
	char *text;	    /* not NUL-terminated */
	size_t text_len;
	size_t text_capacity;
};

/* Starts to encode @request, which must outlive the encoder. */
void encode_init(struct encoder *encoder, const struct request *request,
		 const struct dialect *dialect);

/*
 * Appends pieces until some kilobytes of text are there or nothing is left (is_complete).
 * Returns 0 or -ENOMEM.
 */
int encode_more(struct encoder *encoder);

/* Says that the first @count bytes of the text have been written. */
void encode_consume(struct encoder *encoder, size_t count);

void encode_fini(struct encoder *encoder);

#endif
