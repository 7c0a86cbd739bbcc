/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * channel.c - lines of JSON over a Unix socket, and nothing that waits for ever
 */
#include "channel.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "array.h"
#include "clock.h"

/* What is read at once: most answers are shorter. */
#define READ_SIZE 4096

/* No byte of UTF-8, so no byte of JSON. */
#define SENTINEL '\xff'

void channel_attach(struct channel *channel, int fd)
{
	memset(channel, 0, sizeof(*channel));
	channel->fd = fd;
}

int channel_open(struct channel *channel, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);
	int ret = 0;

	channel_attach(channel, -1);
	if (length >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, length);
	channel->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (channel->fd < 0)
		return -errno;
	/* A backlog that is full is -EAGAIN here, unix(7): others wait for their turn already. */
	if (connect(channel->fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		ret = -errno;
		channel_close(channel);
	}
	return ret;
}

void channel_close(struct channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	free(channel->bytes);
	channel_attach(channel, -1);
}

static int wait_until(int fd, short events, uint64_t deadline_ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};
	uint64_t now_ms = clock_ms();
	int ready;

	if (now_ms >= deadline_ms)
		return -ETIMEDOUT;
	ready = poll(&poll_fd, 1, (int)(deadline_ms - now_ms));
	if (ready < 0 && errno != EINTR)
		return -errno;
	return 0;
}

static ssize_t send_some(int fd, const char *text, size_t size, int passed_fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec part = {.iov_len = size};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct cmsghdr *header;

	/* sendmsg(2) writes nothing there, but its type does not say so. */
	memcpy(&part.iov_base, &text, sizeof(text));
	if (passed_fd >= 0) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &passed_fd, sizeof(int));
	}
	return sendmsg(fd, &message, MSG_NOSIGNAL);
}

int channel_send(struct channel *channel, const char *text, size_t size, int passed_fd,
		 uint64_t deadline_ms)
{
	while (size > 0) {
		ssize_t sent = send_some(channel->fd, text, size, passed_fd);
		int ret;

		if (sent >= 0) {
			text += sent;
			size -= (size_t)sent;
			passed_fd = -1;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		ret = wait_until(channel->fd, POLLOUT, deadline_ms);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Finds a whole line from *@line on, without its end, and takes it. */
static bool take_line(struct channel *channel, char **line)
{
	char *start = channel->bytes + channel->start;
	char *end = channel->bytes ? memchr(start, '\n', channel->end - channel->start) : NULL;
	char *mark;

	if (!end)
		return false;
	channel->start += (size_t)(end - start) + 1;
	*end = '\0';
	mark = memrchr(start, SENTINEL, (size_t)(end - start));
	*line = mark ? mark + 1 : start;
	return true;
}

static int read_more(struct channel *channel, uint64_t deadline_ms)
{
	ssize_t length;

	memmove(channel->bytes, channel->bytes + channel->start, channel->end - channel->start);
	channel->end -= channel->start;
	channel->start = 0;
	if (channel->end >= CHANNEL_LINE_MAX)
		return -EMSGSIZE;
	length = read(channel->fd, channel->bytes + channel->end, channel->capacity - channel->end);
	if (length == 0)
		return -ECONNRESET;
	if (length > 0) {
		channel->end += (size_t)length;
		return 0;
	}
	return errno == EAGAIN || errno == EINTR ? wait_until(channel->fd, POLLIN, deadline_ms)
						 : -errno;
}

int channel_receive(struct channel *channel, uint64_t deadline_ms, cJSON **object)
{
	const char *end;
	char *line;
	int ret;

	*object = NULL;
	do {
		while (!take_line(channel, &line)) {
			ret = array_reserve(&channel->bytes, &channel->capacity,
					    channel->end + READ_SIZE, 1);
			if (ret == 0)
				ret = read_more(channel, deadline_ms);
			if (ret < 0)
				return ret;
		}
		/* The end of what the sentinel made void is an empty line. */
	} while (line[strspn(line, " \t\r")] == '\0');
	*object = cJSON_ParseWithOpts(line, &end, 0);
	if (cJSON_IsObject(*object) && end[strspn(end, " \t\r")] == '\0')
		return 0;
	cJSON_Delete(*object);
	*object = NULL;
	return -EBADMSG;
}
