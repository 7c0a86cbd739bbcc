/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_options.h - the command line of a command to running monitors
 */
#ifndef NETNSMON_COMMAND_OPTIONS_H
#define NETNSMON_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

enum command { COMMAND_LIST, COMMAND_STATUS, COMMAND_WATCH, COMMAND_RESYNC, COMMAND_COUNT };

enum command_format { COMMAND_TEXT, COMMAND_JSON, COMMAND_PROMETHEUS };

struct command_options {
	enum command command;
	enum command_format format;
	const char *run_dir;
	bool has_run_dir;    /* it was given */
	const char *sandbox; /* NULL: all */
	bool wants_help;
};

/* Whether @word is a command; stores which. */
bool command_find(const char *word, enum command *command);

#define COMMAND_ERROR_SIZE 256

/*
 * Reads the command line, whose first word (@argv[0]) is the command. Returns 0, or -EINVAL and one
 * line for people.
 */
int command_options_parse(struct command_options *options, int argc, char **argv,
			  char error[COMMAND_ERROR_SIZE]);

/* A line for each command. */
void command_print_help(FILE *stream);

#endif
