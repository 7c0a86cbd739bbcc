/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_options.c - the command line of a command to running monitors
 */
#include "command_options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <string.h>

static const struct {
	const char *name;
	const char *arguments;
	const char *help;
	bool takes_sandbox;
	bool has_prometheus;
} rows[] = {
	[COMMAND_LIST] = {"list", "", "all monitors of this host", false, true},
	[COMMAND_STATUS] = {"status", " [SANDBOX]", "each link and what became of it, and why",
			    true, false},
	[COMMAND_WATCH] = {"watch", " [SANDBOX]", "events, decisions and results as they happen",
			   true, false},
	[COMMAND_RESYNC] = {"resync", " [SANDBOX]", "take everything anew, as after lost events",
			    true, false},
};

static_assert(sizeof(rows) / sizeof(rows[0]) == COMMAND_COUNT, "each has a row");

bool command_find(const char *word, enum command *command)
{
	for (int i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(rows[i].name, word) == 0) {
			*command = (enum command)i;
			return true;
		}
	}
	return false;
}

static int read_format(struct command_options *options, const char *value, char *error)
{
	bool has_prometheus = rows[options->command].has_prometheus;

	if (strcmp(value, "text") == 0)
		options->format = COMMAND_TEXT;
	else if (strcmp(value, "json") == 0)
		options->format = COMMAND_JSON;
	else if (strcmp(value, "prometheus") == 0 && has_prometheus)
		options->format = COMMAND_PROMETHEUS;
	else {
		snprintf(error, COMMAND_ERROR_SIZE, "--format %.80s: expected text%s json%s", value,
			 has_prometheus ? "," : " or", has_prometheus ? " or prometheus" : "");
		return -EINVAL;
	}
	return 0;
}

static int read_option(struct command_options *options, int id, char **argv, char *error)
{
	switch (id) {
	case 'd':
		options->run_dir = optarg;
		options->has_run_dir = true;
		return 0;
	case 'f':
		return read_format(options, optarg, error);
	case 'h':
		options->wants_help = true;
		return 0;
	case ':':
		snprintf(error, COMMAND_ERROR_SIZE, "%.80s needs a value", argv[optind - 1]);
		return -EINVAL;
	default:
		snprintf(error, COMMAND_ERROR_SIZE, "%.80s: no such option of %s; see --help",
			 argv[optind - 1], rows[options->command].name);
		return -EINVAL;
	}
}

int command_options_parse(struct command_options *options, int argc, char **argv,
			  char error[COMMAND_ERROR_SIZE])
{
	static const struct option long_options[] = {
		{"run-dir", required_argument, NULL, 'd'},
		{"format", required_argument, NULL, 'f'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int id, ret = 0;

	*options = (struct command_options){.run_dir = "/run/netnsmon"};
	if (!command_find(argv[0], &options->command))
		return -EINVAL;
	optind = 0;
	opterr = 0;
	while (ret == 0 && (id = getopt_long_only(argc, argv, ":h", long_options, NULL)) != -1)
		ret = read_option(options, id, argv, error);
	if (ret < 0 || options->wants_help)
		return ret;
	if (optind < argc && rows[options->command].takes_sandbox)
		options->sandbox = argv[optind++];
	if (optind < argc) {
		snprintf(error, COMMAND_ERROR_SIZE, "%.80s: unexpected argument of %s; see --help",
			 argv[optind], rows[options->command].name);
		return -EINVAL;
	}
	return 0;
}

void command_print_help(FILE *stream)
{
	fputs("\nCommands to running monitors; SANDBOX may be the start of an id:\n", stream);
	for (int i = 0; i < COMMAND_COUNT; i++) {
		char left[64];

		snprintf(left, sizeof(left), "%s%s", rows[i].name, rows[i].arguments);
		fprintf(stream, "  %-20s %s%s\n", left, rows[i].help,
			rows[i].has_prometheus ? "; also --format prometheus" : "");
	}
}
