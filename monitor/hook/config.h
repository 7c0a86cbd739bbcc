/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - what monitors are started with
 */
#ifndef NETNSMON_HOOK_CONFIG_H
#define NETNSMON_HOOK_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#define CONFIG_PATH	   "/etc/netnsmon/hook.conf"
#define CONFIG_OPTIONS_MAX 64

struct config {
	char *text; /* owns the strings that are not constants */
	char *found_monitor;
	const char *monitor;
	const char *runtime;
	const char *run_dir;
	const char *sandbox_annotation; /* NULL: the sandbox's id is the container's */
	const char *options[CONFIG_OPTIONS_MAX];
	size_t option_count;
	unsigned int ready_timeout; /* seconds */
	bool is_optional;	    /* a container starts without its monitor, too */
};

/* Reads it from the file @path. Fails with a negative errno, and has said why. */
int config_read(struct config *config, const char *path);
void config_fini(struct config *config);

#endif
