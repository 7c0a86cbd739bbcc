/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - pure: what is applied, as JSON text and back
 *
 * The text is for the next monitor of the same namespace, not for people or other programs; what
 * they may look at is the status socket's business. It is bound to what makes it meaningless
 * elsewhere.
 */
#ifndef NETNSMON_STATE_H
#define NETNSMON_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "applied.h"
#include "request.h"

#define STATE_VERSION	   1
#define STATE_BOOT_ID_SIZE 37

/* All of these must be the same for a state to mean anything. */
struct state_binding {
	const char *sandbox;
	const char *dialect;
	uint64_t netns_cookie; /* the kernel gives no two namespaces of one boot the same */
	char boot_id[STATE_BOOT_ID_SIZE];
};

/* Writes @applied to @stream; errors of the stream are its owner's to look for. 0 or -ENOMEM. */
int state_print(FILE *stream, const struct state_binding *binding, const struct applied *applied);

/*
 * Reads the @size bytes at @text into the empty @applied. Returns 0; -EBADMSG: this is no state, or
 * one that cannot be; -ESTALE: it is bound to something else; -ENOMEM. Then @applied is empty.
 */
int state_parse(const char *text, size_t size, const struct state_binding *binding,
		struct applied *applied);

/* The same for the call that is about to be made: should we die in it, its outcome is unknown. */
int state_print_call(FILE *stream, const struct state_binding *binding,
		     const struct request *request);

/*
 * Marks in @applied what the call was about as unsure; a link that was to be added becomes known,
 * so that it will be removed should it be gone. Returns as state_parse() does, but leaves @applied
 * as it was.
 */
int state_parse_call(const char *text, size_t size, const struct state_binding *binding,
		     struct applied *applied);

#endif
