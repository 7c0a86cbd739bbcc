/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - where a sandbox's VM is: from its file and from the command line
 */
#ifndef NETNSMON_QEMU_CONFIG_H
#define NETNSMON_QEMU_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fault.h"

/* SANDBOX.conf is looked for here. */
#define CONFIG_DIRECTORY "/etc/netnsmon/qemu"

struct config {
	char qmp[PATH_MAX];   /* socket of QEMU's machine protocol */
	char agent[PATH_MAX]; /* socket of the guest agent's port; "": none */
	char netns[PATH_MAX]; /* as of netnsmon --netns; "": the caller's */
	char bus[64];	      /* the only bus for new NICs; "": any that is free */
	uint32_t timeout_ms;  /* of one verb */
	uint32_t agent_wait_ms;
	bool needs_agent; /* a guest whose agent has not started gets no NIC */
};

/* What a command line says, besides the VM. */
struct config_command {
	const char *verb;
	const char *sandbox;
	bool wants_help;
	bool wants_version;
};

/*
 * Reads the command line, and the file that it names or that the sandbox has; the command line
 * wins. The strings of @command are @argv's. Returns 0, -EINVAL (usage), or another negative errno,
 * with the fault set.
 */
int config_read(struct config *config, struct config_command *command, int argc, char **argv,
		struct fault *fault);

/* Sets one value by its key, as in the file. 0 or -EINVAL with the fault set. */
int config_set(struct config *config, const char *key, const char *value, struct fault *fault);

/* Reads lines "key = value" from @stream; "#" begins a comment line. @path is for the fault. */
int config_read_stream(struct config *config, FILE *stream, const char *path, struct fault *fault);

void config_set_defaults(struct config *config);

/* The options' lines of --help. */
void config_print_keys(FILE *stream);

#endif
