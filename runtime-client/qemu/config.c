/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.c - where a sandbox's VM is: from its file and from the command line
 *
 * Each key of the file is also an option. A row of the table is one of both.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox_id.h"

enum kind { KIND_TEXT, KIND_SECONDS, KIND_BOOL };

static const struct {
	const char *key;
	enum kind kind;
	size_t offset;
	size_t size; /* of a text */
	const char *value;
	const char *help;
} rows[] = {
	{"qmp", KIND_TEXT, offsetof(struct config, qmp), PATH_MAX, "SOCKET",
	 "QEMU's QMP socket (-qmp unix:SOCKET,server=on,wait=off)"},
	{"agent", KIND_TEXT, offsetof(struct config, agent), PATH_MAX, "SOCKET",
	 "the guest agent's; without it the guest gets the NIC only"},
	{"netns", KIND_TEXT, offsetof(struct config, netns), PATH_MAX, "NAME|PATH|pid:PID",
	 "the sandbox's namespace (default: the one it is in)"},
	{"bus", KIND_TEXT, offsetof(struct config, bus), 64, "ID",
	 "the bus for new NICs (default: any that is free)"},
	{"timeout", KIND_SECONDS, offsetof(struct config, timeout_ms), 0, "SECONDS",
	 "of a call, without 5 s to undo a failed one (20)"},
	{"agent-wait", KIND_SECONDS, offsetof(struct config, agent_wait_ms), 0, "SECONDS",
	 "for the agent to start in the guest (5)"},
	{"agent-required", KIND_BOOL, offsetof(struct config, needs_agent), 0, "yes|no",
	 "with no, a guest whose agent has not started gets the bare NIC (yes)"},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

#define SECONDS_MAX 3600
#define LINE_SIZE   (PATH_MAX + 64)

void config_set_defaults(struct config *config)
{
	memset(config, 0, sizeof(*config));
	config->timeout_ms = 20000;
	config->agent_wait_ms = 5000;
	/* A guest that is booting would get its NIC and never an address. */
	config->needs_agent = true;
}

void config_print_keys(FILE *stream)
{
	char left[48];

	for (size_t i = 0; i < ROW_COUNT; i++) {
		snprintf(left, sizeof(left), "--%s %s", rows[i].key, rows[i].value);
		fprintf(stream, "  %-28s %s\n", left, rows[i].help);
	}
}

static int set_row(struct config *config, size_t row, const char *value, struct fault *fault)
{
	void *field = (char *)config + rows[row].offset;
	size_t length = strlen(value);
	bool is_yes = strcmp(value, "yes") == 0;
	unsigned long seconds = 0;
	bool is_good = false;

	switch (rows[row].kind) {
	case KIND_TEXT:
		is_good = length > 0 && length < rows[row].size;
		if (is_good)
			memcpy(field, value, length + 1);
		break;
	case KIND_SECONDS:
		if (length > 0 && length < 8 && strspn(value, "0123456789") == length)
			seconds = strtoul(value, NULL, 10);
		is_good = seconds > 0 && seconds <= SECONDS_MAX;
		if (is_good)
			*(uint32_t *)field = (uint32_t)seconds * 1000;
		break;
	case KIND_BOOL:
		is_good = is_yes || strcmp(value, "no") == 0;
		if (is_good)
			*(bool *)field = is_yes;
		break;
	}
	return is_good ? 0
		       : fault_set(fault, -EINVAL, "%s: expected %s, not '%.80s'", rows[row].key,
				   rows[row].value, value);
}

int config_set(struct config *config, const char *key, const char *value, struct fault *fault)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (strcmp(rows[i].key, key) == 0)
			return set_row(config, i, value, fault);
	}
	return fault_set(fault, -EINVAL, "%.80s: no such key", key);
}

/* @text without the blanks around it. */
static char *trim(char *text)
{
	static const char blanks[] = " \t\r\n";
	size_t length;

	text += strspn(text, blanks);
	length = strlen(text);
	while (length > 0 && strchr(blanks, text[length - 1]))
		text[--length] = '\0';
	return text;
}

static int read_line(struct config *config, char *line, struct fault *fault)
{
	char *key = trim(line);
	char *equals = strchr(key, '=');

	if (!*key || *key == '#')
		return 0;
	if (!equals)
		return fault_set(fault, -EINVAL, "expected key = value");
	*equals = '\0';
	return config_set(config, trim(key), trim(equals + 1), fault);
}

int config_read_stream(struct config *config, FILE *stream, const char *path, struct fault *fault)
{
	struct fault reason;
	char line[LINE_SIZE];
	int number = 0;

	while (fgets(line, sizeof(line), stream)) {
		number++;
		if (read_line(config, line, &reason) < 0)
			return fault_set(fault, -EINVAL, "%.200s:%d: %.200s", path, number,
					 reason.text);
	}
	return ferror(stream) ? fault_set_errno(fault, -EIO, "%.200s", path) : 0;
}

/* A file that was not named need not be there. */
static int read_file(struct config *config, const char *named, const char *sandbox,
		     struct fault *fault)
{
	char path[PATH_MAX];
	FILE *stream;
	int ret;

	snprintf(path, sizeof(path), CONFIG_DIRECTORY "/%s.conf", sandbox);
	stream = fopen(named ? named : path, "re");
	if (!stream && !named && errno == ENOENT)
		return 0;
	if (!stream)
		return fault_set_errno(fault, -errno, "%s", named ? named : path);
	ret = config_read_stream(config, stream, named ? named : path, fault);
	fclose(stream);
	return ret;
}

enum { OPTION_CONFIG = 'c', OPTION_HELP = 'h', OPTION_VERSION = 'v', OPTION_ROW = 256 };

static void make_options(struct option options[ROW_COUNT + 4])
{
	memset(options, 0, (ROW_COUNT + 4) * sizeof(*options));
	for (size_t i = 0; i < ROW_COUNT; i++) {
		options[i].name = rows[i].key;
		options[i].has_arg = required_argument;
		options[i].val = OPTION_ROW + (int)i;
	}
	options[ROW_COUNT].name = "config";
	options[ROW_COUNT].has_arg = required_argument;
	options[ROW_COUNT].val = OPTION_CONFIG;
	options[ROW_COUNT + 1].name = "help";
	options[ROW_COUNT + 1].val = OPTION_HELP;
	options[ROW_COUNT + 2].name = "version";
	options[ROW_COUNT + 2].val = OPTION_VERSION;
}

/* Reads all options: their values, for after the file, into @values. */
static int read_options(struct config_command *command, const char **file,
			const char *values[ROW_COUNT], int argc, char **argv, struct fault *fault)
{
	struct option options[ROW_COUNT + 4];
	int id;

	make_options(options);
	optind = 0;
	opterr = 0;
	while ((id = getopt_long(argc, argv, "+:c:hv", options, NULL)) != -1) {
		if (id == OPTION_CONFIG)
			*file = optarg;
		else if (id == OPTION_HELP)
			command->wants_help = true;
		else if (id == OPTION_VERSION)
			command->wants_version = true;
		else if (id >= OPTION_ROW)
			values[id - OPTION_ROW] = optarg;
		else
			return fault_set(fault, -EINVAL,
					 id == ':' ? "%.80s needs a value"
						   : "%.80s: no such option; see --help",
					 argv[optind - 1]);
	}
	return 0;
}

/* VERB SANDBOX [-]. */
static int read_command(struct config_command *command, int argc, char **argv, struct fault *fault)
{
	int count = argc - optind;

	if (count < 2 || count > 3 || (count == 3 && strcmp(argv[optind + 2], "-") != 0))
		return fault_set(fault, -EINVAL, "expected VERB SANDBOX [-]; see --help");
	command->verb = argv[optind];
	command->sandbox = argv[optind + 1];
	if (!sandbox_id_is_valid(command->sandbox))
		return fault_set(fault, -EINVAL, "%.130s is no sandbox id", command->sandbox);
	return 0;
}

int config_read(struct config *config, struct config_command *command, int argc, char **argv,
		struct fault *fault)
{
	const char *values[ROW_COUNT] = {NULL};
	const char *file = NULL;
	int ret;

	config_set_defaults(config);
	memset(command, 0, sizeof(*command));
	ret = read_options(command, &file, values, argc, argv, fault);
	if (ret < 0 || command->wants_help || command->wants_version)
		return ret;
	ret = read_command(command, argc, argv, fault);
	if (ret == 0)
		ret = read_file(config, file, command->sandbox, fault);
	for (size_t i = 0; ret == 0 && i < ROW_COUNT; i++) {
		if (values[i])
			ret = set_row(config, i, values[i], fault);
	}
	if (ret == 0 && !config->qmp[0])
		ret = fault_set(fault, -EINVAL,
				"where is the VM? No --qmp, and no " CONFIG_DIRECTORY "/%s.conf",
				command->sandbox);
	return ret;
}
