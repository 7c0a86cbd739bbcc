/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * container.h - a container's state, as the OCI runtime writes it to a hook's standard input
 */
#ifndef NETNSMON_HOOK_CONTAINER_H
#define NETNSMON_HOOK_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cJSON;

/* As long as netnsmon's sandbox ids may be. */
#define CONTAINER_ID_MAX 128

struct container {
	struct cJSON *json; /* owns the strings */
	const char *id;
	pid_t pid; /* 0 if it has stopped */
	bool is_stopped;
};

/* Reads it from @fd. Fails with a negative errno, and has said why. */
int container_read(struct container *container, int fd);
void container_fini(struct container *container);

/* The annotation's value, or NULL. */
const char *container_annotation(const struct container *container, const char *name);

/* Whether netnsmon takes it as the id of a sandbox; it becomes part of a file's name, too. */
bool container_is_id(const char *id);

#endif
