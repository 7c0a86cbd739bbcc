/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * varlink_client.c - the other end of a monitor's socket
 */
#include "varlink_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "array.h"
#include "clock.h"

/* The status of the most links that are told has some 500 KiB. */
#define REPLY_MAX ((size_t)16 << 20)
#define READ_SIZE 16384

int varlink_client_open(struct varlink_client *client, int directory_fd, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int length = snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s",
			      directory_fd, name);
	const struct timeval patience = {.tv_sec = 1};
	int ret;

	*client = (struct varlink_client){.fd = -1};
	if ((size_t)length >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		return -errno;
	setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(client->fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	ret = -errno;
	varlink_client_close(client);
	return ret;
}

void varlink_client_close(struct varlink_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	free(client->bytes);
	*client = (struct varlink_client){.fd = -1};
}

pid_t varlink_client_pid(const struct varlink_client *client)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(client->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

int varlink_client_call(struct varlink_client *client, const char *method, bool wants_more)
{
	char text[160];
	int length = snprintf(text, sizeof(text), "{\"method\":\"%s\"%s}", method,
			      wants_more ? ",\"more\":true" : "");
	ssize_t sent = send(client->fd, text, (size_t)length + 1, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0)
		return -errno;
	/* So few bytes fit into any socket's buffer that nobody has written to. */
	return sent == length + 1 ? 0 : -EAGAIN;
}

bool varlink_client_has_reply(const struct varlink_client *client)
{
	return client->length > 0 && memchr(client->bytes, '\0', client->length);
}

/* Returns 0 when some bytes were read. */
static int read_more(struct varlink_client *client, uint64_t deadline_ms)
{
	struct pollfd poll_fd = {.fd = client->fd, .events = POLLIN};
	uint64_t now_ms = clock_ms();
	int wait_ms = -1;
	ssize_t size;

	if (client->length > REPLY_MAX)
		return -EMSGSIZE;
	if (deadline_ms != UINT64_MAX)
		wait_ms = deadline_ms > now_ms ? (int)(deadline_ms - now_ms) : 0;
	switch (poll(&poll_fd, 1, wait_ms)) {
	case -1:
		return errno == EINTR ? 0 : -errno;
	case 0:
		return -ETIMEDOUT;
	default:
		break;
	}
	if (array_reserve(&client->bytes, &client->capacity, client->length + READ_SIZE, 1))
		return -ENOMEM;
	size = recv(client->fd, client->bytes + client->length, READ_SIZE, MSG_DONTWAIT);
	if (size < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	client->length += (size_t)size;
	return size > 0 ? 0 : -ENODATA;
}

/* Takes the first message out of what was read. */
static cJSON *take_message(struct varlink_client *client)
{
	size_t size = strlen(client->bytes) + 1;
	cJSON *json = cJSON_Parse(client->bytes);

	client->length -= size;
	memmove(client->bytes, client->bytes + size, client->length);
	return json;
}

int varlink_client_reply(struct varlink_client *client, uint64_t deadline_ms, cJSON **parameters,
			 bool *continues)
{
	cJSON *reply;
	int ret = 0;

	*parameters = NULL;
	while (ret == 0 && !varlink_client_has_reply(client))
		ret = read_more(client, deadline_ms);
	if (ret < 0)
		return ret;
	reply = take_message(client);
	*continues = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(reply, "continues"));
	if (!cJSON_GetObjectItemCaseSensitive(reply, "error"))
		*parameters = cJSON_DetachItemFromObjectCaseSensitive(reply, "parameters");
	cJSON_Delete(reply);
	return *parameters ? 0 : -EPROTO;
}
