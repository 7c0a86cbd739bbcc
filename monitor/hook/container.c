/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * container.c - a container's state, as the OCI runtime writes it to a hook's standard input
 *
 * Of the state ("State" in the runtime specification) only id, status, pid and annotations count.
 */
#include "container.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

/* Annotations may be long, but not without bound. */
#define STATE_MAX ((size_t)4 * 1024 * 1024)

/* All of @fd, as a string to be freed. */
static char *read_all(int fd)
{
	size_t capacity = 4096, length = 0;
	char *text = malloc(capacity);

	while (text) {
		ssize_t got = read(fd, text + length, capacity - length - 1);
		char *larger;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		length += (size_t)got;
		text[length] = '\0';
		if (got == 0)
			return text;
		if (length + 1 < capacity)
			continue;
		errno = EFBIG;
		larger = capacity < STATE_MAX ? realloc(text, capacity * 2) : NULL;
		if (!larger)
			break;
		text = larger;
		capacity *= 2;
	}
	free(text);
	return NULL;
}

bool container_is_id(const char *id)
{
	static const char alphanumeric[] = "0123456789abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t length = strlen(id);

	return length > 0 && length <= CONTAINER_ID_MAX && strchr(alphanumeric, id[0]) &&
	       strspn(id, "_.-0123456789abcdefghijklmnopqrstuvwxyz"
			  "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == length;
}

static const char *string_member(const struct container *container, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(container->json, name));
}

static int read_status(struct container *container)
{
	const char *status = string_member(container, "status");

	if (!status)
		return say("the container's state has no status");
	container->is_stopped = strcmp(status, "stopped") == 0;
	if (!container->is_stopped && strcmp(status, "creating") != 0 &&
	    strcmp(status, "created") != 0 && strcmp(status, "running") != 0)
		return say("the container's status is %.40s: expected creating or stopped", status);
	return 0;
}

static int read_pid(struct container *container)
{
	const cJSON *pid = cJSON_GetObjectItemCaseSensitive(container->json, "pid");

	if (container->is_stopped)
		return 0;
	if (!cJSON_IsNumber(pid) || pid->valuedouble < 1 || pid->valuedouble > INT_MAX ||
	    pid->valuedouble != (double)pid->valueint)
		return say("the container's state has no pid");
	container->pid = pid->valueint;
	return 0;
}

static int read_state(struct container *container)
{
	container->id = string_member(container, "id");
	if (!container->id || !container_is_id(container->id))
		return say("the container's state has no id that netnsmon takes");
	if (read_status(container))
		return -EINVAL;
	return read_pid(container);
}

int container_read(struct container *container, int fd)
{
	char *text = read_all(fd);
	int ret;

	memset(container, 0, sizeof(*container));
	if (!text)
		return say("cannot read the container's state: %s", strerror(errno));
	container->json = cJSON_Parse(text);
	free(text);
	if (!cJSON_IsObject(container->json))
		ret = say("standard input is not the state of a container");
	else
		ret = read_state(container);
	if (ret)
		container_fini(container);
	return ret;
}

void container_fini(struct container *container)
{
	cJSON_Delete(container->json);
	memset(container, 0, sizeof(*container));
}

const char *container_annotation(const struct container *container, const char *name)
{
	const cJSON *annotations = cJSON_GetObjectItemCaseSensitive(container->json, "annotations");

	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(annotations, name));
}
