/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outbox.c - text that waits until a socket takes it
 */
#include "outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "array.h"

void outbox_fini(struct outbox *outbox)
{
	free(outbox->bytes);
	memset(outbox, 0, sizeof(*outbox));
}

int outbox_add(struct outbox *outbox, const char *text)
{
	size_t size = strlen(text) + 1;

	if (outbox->sent > 0) {
		memmove(outbox->bytes, outbox->bytes + outbox->sent, outbox->length);
		outbox->sent = 0;
	}
	if (array_reserve(&outbox->bytes, &outbox->capacity, outbox->length + size, 1))
		return -ENOMEM;
	memcpy(outbox->bytes + outbox->length, text, size);
	outbox->length += size;
	return 0;
}

int outbox_send(struct outbox *outbox, int fd, bool *sent_any)
{
	*sent_any = false;
	while (outbox->length > 0) {
		ssize_t sent = send(fd, outbox->bytes + outbox->sent, outbox->length,
				    MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		*sent_any = true;
		outbox->sent += (size_t)sent;
		outbox->length -= (size_t)sent;
	}
	outbox_fini(outbox);
	return 0;
}
