/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_varlink.c - any bytes in pieces of any size: what comes out is a call, or none
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inbox.h"
#include "varlink_call.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_all(struct inbox *inbox)
{
	const char *text;

	while ((text = inbox_first(inbox))) {
		struct varlink_call call;

		if (varlink_call_parse(text, &call) == 0) {
			if (!call.method || (call.parameters && !cJSON_IsObject(call.parameters)))
				abort();
			varlink_call_fini(&call);
		}
		inbox_drop(inbox);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct inbox inbox = {0};
	/* The first byte says how large the pieces are. */
	size_t piece = size > 0 ? data[0] + 1U : 1;
	size_t at = size > 0 ? 1 : 0;

	while (at < size && !inbox_is_hopeless(&inbox)) {
		size_t room, part = size - at;
		char *into = inbox_room(&inbox, &room);

		if (part > piece)
			part = piece;
		if (part > room)
			part = room;
		if (part == 0 || inbox.capacity > INBOX_SIZE)
			abort();
		memcpy(into, data + at, part);
		inbox_filled(&inbox, part);
		at += part;
		take_all(&inbox);
	}
	inbox_fini(&inbox);
	return 0;
}
