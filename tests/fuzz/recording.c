/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.c - what tests/data/record has written, of any bytes
 */
#include "recording.h"

#include <libmnl/libmnl.h>
#include <stdlib.h>
#include <string.h>

#include "nlparse.h"

static void walk_datagram(const uint8_t *data, size_t size,
			  void (*fn)(const struct nlmsghdr *, void *), void *arg)
{
	void *datagram = malloc(size + 1);
	const struct nlmsghdr *message = datagram;
	int left = (int)size;

	if (!datagram)
		abort();
	memcpy(datagram, data, size);
	for (; nlparse_is_whole(message, left); message = mnl_nlmsg_next(message, &left))
		fn(message, arg);
	free(datagram);
}

void recording_walk(const uint8_t *data, size_t size, void (*fn)(const struct nlmsghdr *, void *),
		    void *arg)
{
	uint32_t length;

	while (size >= sizeof(length)) {
		memcpy(&length, data, sizeof(length));
		data += sizeof(length);
		size -= sizeof(length);
		if (length > size)
			length = (uint32_t)size;
		walk_datagram(data, length, fn, arg);
		data += length;
		size -= length;
	}
}
