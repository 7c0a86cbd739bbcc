/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inbox.c - pure: bytes that come in pieces, as messages that each end with a NUL
 */
#include "inbox.h"

#include <stdlib.h>
#include <string.h>

/* Most calls are shorter: the room is only doubled for the others. */
#define FIRST_CAPACITY 256

void inbox_fini(struct inbox *inbox)
{
	free(inbox->bytes);
	memset(inbox, 0, sizeof(*inbox));
}

char *inbox_room(struct inbox *inbox, size_t *room)
{
	if (inbox->length == inbox->capacity && inbox->capacity < INBOX_SIZE) {
		size_t capacity = inbox->capacity ? inbox->capacity * 2 : FIRST_CAPACITY;
		char *bytes = realloc(inbox->bytes, capacity);

		if (bytes) {
			inbox->bytes = bytes;
			inbox->capacity = capacity;
		}
	}
	*room = inbox->capacity - inbox->length;
	return *room > 0 ? inbox->bytes + inbox->length : NULL;
}

void inbox_filled(struct inbox *inbox, size_t size)
{
	inbox->length += size;
	if (inbox->length == 0)
		inbox_fini(inbox);
}

const char *inbox_first(const struct inbox *inbox)
{
	return inbox->length > 0 && memchr(inbox->bytes, '\0', inbox->length) ? inbox->bytes : NULL;
}

void inbox_drop(struct inbox *inbox)
{
	size_t size = strlen(inbox->bytes) + 1;

	inbox->length -= size;
	memmove(inbox->bytes, inbox->bytes + size, inbox->length);
	if (inbox->length == 0)
		inbox_fini(inbox);
}

bool inbox_is_full(const struct inbox *inbox)
{
	return inbox->length == INBOX_SIZE;
}

bool inbox_is_hopeless(const struct inbox *inbox)
{
	return inbox_is_full(inbox) && !inbox_first(inbox);
}
