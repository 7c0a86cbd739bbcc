/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * channel.h - lines of JSON over a Unix socket, and nothing that waits for ever
 *
 * QEMU's machine protocol and its guest agent both speak so: one JSON object a line. All times are
 * those of clock_ms().
 */
#ifndef NETNSMON_QEMU_CHANNEL_H
#define NETNSMON_QEMU_CHANNEL_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

/* The longest line that is read: the agent's answer with a guest's whole routing table. */
#define CHANNEL_LINE_MAX (16U << 20)

struct channel {
	int fd;	     /* non-blocking; -1: closed */
	char *bytes; /* received, not yet taken: from start to end */
	size_t start;
	size_t end;
	size_t capacity;
};

/* Connects to the Unix socket at @path. Returns 0 or a negative errno. */
int channel_open(struct channel *channel, const char *path);

/* Takes over the connected socket @fd. */
void channel_attach(struct channel *channel, int fd);

void channel_close(struct channel *channel);

/*
 * Sends @text and, with its first byte, the descriptor @passed_fd (-1: none). Returns 0, -ETIMEDOUT
 * or another negative errno.
 */
int channel_send(struct channel *channel, const char *text, size_t size, int passed_fd,
		 uint64_t deadline_ms);

/*
 * Waits for the next line and parses it into *@object, which the caller deletes. A byte 0xff, with
 * which the agent marks the start of an answer, makes what stood before it void. Returns 0,
 * -ETIMEDOUT, -ECONNRESET (the other side has closed), -EBADMSG (no JSON object), -EMSGSIZE (line
 * too long) or another negative errno.
 */
int channel_receive(struct channel *channel, uint64_t deadline_ms, cJSON **object);

#endif
