/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outbox.h - text that waits until a socket takes it
 */
#ifndef NETNSMON_OUTBOX_H
#define NETNSMON_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is an empty one; nothing is allocated while it is empty. */
struct outbox {
	char *bytes;
	size_t length; /* of what waits */
	size_t sent;   /* bytes before that which are gone */
	size_t capacity;
};

void outbox_fini(struct outbox *outbox);

/* Appends @text with its final NUL, as varlink has it. Returns 0 or -ENOMEM. */
int outbox_add(struct outbox *outbox, const char *text);

/*
 * Sends what the socket @fd takes now, without waiting. Returns 0, or a negative errno: the socket
 * is broken. *@sent_any says whether it took anything.
 */
int outbox_send(struct outbox *outbox, int fd, bool *sent_any);

#endif
