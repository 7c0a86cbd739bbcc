/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inbox.h - pure: bytes that come in pieces, as messages that each end with a NUL
 */
#ifndef NETNSMON_INBOX_H
#define NETNSMON_INBOX_H

#include <stdbool.h>
#include <stddef.h>

/* The longest message with its NUL. A call has a method's name and hardly any parameters. */
#define INBOX_SIZE ((size_t)8192)

/* All zero is an empty one; nothing is allocated while it is empty. */
struct inbox {
	char *bytes;
	size_t length;
	size_t capacity;
};

void inbox_fini(struct inbox *inbox);

/* Where the next bytes go, and how many may: *@room is 0 if it is full, or there is no memory. */
char *inbox_room(struct inbox *inbox, size_t *room);

/* Says that @size bytes have come in there. */
void inbox_filled(struct inbox *inbox, size_t size);

/* The first message, as a string, or NULL if none is complete. It stays until inbox_drop(). */
const char *inbox_first(const struct inbox *inbox);

/* Drops the first message, which must be there. */
void inbox_drop(struct inbox *inbox);

bool inbox_is_full(const struct inbox *inbox);

/* Whether it is full of one message that has no end: nothing will ever come of it. */
bool inbox_is_hopeless(const struct inbox *inbox);

#endif
