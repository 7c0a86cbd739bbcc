/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - the command line as one struct
 *
 * Long options may have one dash or two, and their value may follow after '=' or as the next
 * argument: so Kata, whose monitor was written with Go's flag package, can start this one as it is.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "option_values.h"
#include "sandbox_id.h"

enum option_id {
	OPTION_SANDBOX = 's',
	OPTION_RUNTIME = 'r',
	OPTION_DEBUG = 'd',
	OPTION_HELP = 'h',
	OPTION_VERSION = 'v',
	OPTION_NETNS = 256,
	OPTION_RUNTIME_ARG,
	OPTION_DIALECT,
	OPTION_RUNTIME_NETNS,
	OPTION_RUNTIME_TIMEOUT,
	OPTION_IGNORE,
	OPTION_ONLY,
	OPTION_BASELINE,
	OPTION_TEMPORARY,
	OPTION_QUIET,
	OPTION_MAX_WAIT,
	OPTION_MAX_ROUTES,
	OPTION_MAX_LINKS,
	OPTION_RECEIVE_BUFFER,
	OPTION_ONCE,
	OPTION_EXPLAIN,
	OPTION_FORMAT,
	OPTION_RUN_DIR,
	OPTION_NO_STATE,
	OPTION_STANDBY,
	OPTION_WATCH_PID,
	OPTION_WATCH_PATH,
	OPTION_SLOTS,
	OPTION_SLOTS_DIR,
	OPTION_READY_FD,
	OPTION_LOG,
	OPTION_LOG_TO,
};

/*
 * One row is one option: what getopt needs, and its line of --help. A NULL help is another
 * spelling.
 */
static const struct {
	const char *name;
	enum option_id id;
	const char *value; /* NULL: takes none */
	const char *help;
} rows[] = {
	{"netns", OPTION_NETNS, "NAME|PATH|pid:PID",
	 "namespace to watch (default: the one it is in)"},
	{"sandbox", OPTION_SANDBOX, "ID", "sandbox id that the runtime is told; required with -r"},
	{"runtime", OPTION_RUNTIME, "PATH", "runtime to call; without it requests are printed"},
	{"runtime-arg", OPTION_RUNTIME_ARG, "ARG", "goes between PATH and the verb; may repeat"},
	{"dialect", OPTION_DIALECT, "plain|kata1", "how the runtime is spoken to (default: plain)"},
	{"runtime-netns", OPTION_RUNTIME_NETNS, "origin|sandbox",
	 "where calls run (default: the dialect's)"},
	{"runtime-timeout", OPTION_RUNTIME_TIMEOUT, "SECONDS",
	 "of one call (default: plain 30, kata1 120)"},
	{"ignore", OPTION_IGNORE, "GLOB",
	 "interface names to leave out, besides *_kata; may repeat"},
	{"only", OPTION_ONLY, "GLOB", "interface names to watch, no others; may repeat"},
	{"baseline", OPTION_BASELINE, "existing|none",
	 "what the VM has of what is there at start (existing)"},
	{"temporary-addresses", OPTION_TEMPORARY, NULL, "IPv6 privacy addresses count"},
	{"quiet", OPTION_QUIET, "MS", "silence that ends a burst (60)"},
	{"max-wait", OPTION_MAX_WAIT, "MS", "longest wait for such a silence (500)"},
	{"max-routes", OPTION_MAX_ROUTES, "N", "routes, and addresses, that are handled (65536)"},
	{"max-links", OPTION_MAX_LINKS, "N", "links that are handled (1024)"},
	{"receive-buffer", OPTION_RECEIVE_BUFFER, "BYTES", "of the event socket (1048576)"},
	{"once", OPTION_ONCE, NULL, "reconcile once and exit: 0 if all was acknowledged, else 1"},
	{"explain", OPTION_EXPLAIN, NULL,
	 "say of each link and route why it counts or not, and exit"},
	{"format", OPTION_FORMAT, "text|json",
	 "of printed requests (text on a terminal, else json)"},
	{"run-dir", OPTION_RUN_DIR, "DIR", "for locks, state and sockets (/run/netnsmon)"},
	{"no-state", OPTION_NO_STATE, NULL, "keep nothing for the next monitor of the sandbox"},
	{"standby", OPTION_STANDBY, NULL,
	 "if another monitor holds the namespace, wait for its end"},
	{"watch-pid", OPTION_WATCH_PID, "PID", "end when this process ends"},
	{"watch-path", OPTION_WATCH_PATH, "PATH", "end when this path is gone after it was there"},
	{"slots", OPTION_SLOTS, "N", "runtime calls at once, over all monitors with the same DIR"},
	{"slots-dir", OPTION_SLOTS_DIR, "DIR", "for their locks (/run/netnsmon/slots)"},
	{"ready-fd", OPTION_READY_FD, "FD", "gets a newline when no change is missed any more"},
	{"log", OPTION_LOG, "LEVEL", "error, warn, info or debug (info)"},
	{"log-level", OPTION_LOG, "LEVEL", NULL},
	/* Exact, since "-r=PATH" would otherwise be taken for one of several long names. */
	{"s", OPTION_SANDBOX, "ID", NULL},
	{"r", OPTION_RUNTIME, "PATH", NULL},
	{"debug", OPTION_DEBUG, NULL, "same as --log debug"},
	{"log-to", OPTION_LOG_TO, "stderr|syslog|FILE", "where log lines go (stderr)"},
	{"help", OPTION_HELP, NULL, "print this and exit"},
	{"version", OPTION_VERSION, NULL, "print the version and exit"},
};

/* Who is started under this name is to be Kata's monitor. */
#define KATA_PROGRAM "kata-netmon"

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static int read_format(const struct reader *reader, const char *value)
{
	bool is_text;
	int ret = option_choice(reader, value, "text", "json", &is_text);

	reader->options->format = is_text ? FORMAT_TEXT : FORMAT_JSON;
	return ret;
}

/* The options about the runtime and what it is told of. */
static int read_value(const struct reader *reader, int id, const char *value)
{
	struct options *options = reader->options;

	switch (id) {
	case OPTION_SANDBOX:
		options->sandbox = value;
		return sandbox_id_is_valid(value)
			       ? 0
			       : option_fail(reader, value, "[A-Za-z0-9][A-Za-z0-9_.-]{0,127}");
	case OPTION_RUNTIME:
		return option_string(reader, value, &options->runtime);
	case OPTION_RUNTIME_ARG:
		return option_append(&options->runtime_args, value);
	case OPTION_DIALECT:
		options->dialect = dialect_find(value);
		return options->dialect ? 0 : option_fail(reader, value, dialect_names());
	case OPTION_RUNTIME_TIMEOUT:
		if (option_u32(reader, value, 1, 86400, &options->timeout_ms))
			return -EINVAL;
		options->timeout_ms *= 1000;
		return 0;
	case OPTION_NETNS:
		return option_string(reader, value, &options->netns);
	case OPTION_IGNORE:
		return option_append(&options->ignore, value);
	case OPTION_ONLY:
		return option_append(&options->only, value);
	case OPTION_BASELINE:
		return option_choice(reader, value, "existing", "none", &options->takes_existing);
	default:
		return 0;
	}
}

/* All that have a value: the rest of them is left to read_value(). */
static int read_other(const struct reader *reader, int id, const char *value)
{
	struct options *options = reader->options;
	uint32_t number;

	switch (id) {
	case OPTION_QUIET:
		return option_u32(reader, value, 0, 60000, &options->quiet_ms);
	case OPTION_MAX_WAIT:
		return option_u32(reader, value, 0, 600000, &options->max_wait_ms);
	case OPTION_MAX_ROUTES:
		return option_size(reader, value, 1, 1U << 24, &options->max_routes);
	case OPTION_MAX_LINKS:
		return option_size(reader, value, 1, 1U << 20, &options->max_links);
	case OPTION_RECEIVE_BUFFER:
		return option_size(reader, value, 4096, 1U << 30, &options->receive_bytes);
	case OPTION_FORMAT:
		return read_format(reader, value);
	case OPTION_RUN_DIR:
		return option_string(reader, value, &options->run_dir);
	case OPTION_WATCH_PID:
		if (option_u32(reader, value, 1, INT32_MAX, &number))
			return -EINVAL;
		options->watch_pid = (pid_t)number;
		return 0;
	case OPTION_WATCH_PATH:
		options->watch_path = value;
		return option_is_watchable(value)
			       ? 0
			       : option_fail(reader, value, "an absolute path, no '/' last");
	case OPTION_SLOTS:
		return option_u32(reader, value, 1, 65536, &options->slots);
	case OPTION_SLOTS_DIR:
		return option_string(reader, value, &options->slots_dir);
	case OPTION_READY_FD:
		if (option_u32(reader, value, 3, 1U << 20, &number))
			return -EINVAL;
		options->ready_fd = (int)number;
		return 0;
	case OPTION_LOG:
		return log_level_find(value, &options->log_level)
			       ? option_fail(reader, value, "error, warn, info or debug")
			       : 0;
	case OPTION_LOG_TO:
		return option_string(reader, value, &options->log_target);
	default:
		return read_value(reader, id, value);
	}
}

/* What was given where the default depends on something else. */
struct given {
	bool runs_in_sandbox;
	bool is_debug;
};

static int read_option(const struct reader *reader, int id, const char *value, struct given *given)
{
	struct options *options = reader->options;
	bool is_origin;
	int ret;

	switch (id) {
	case OPTION_DEBUG:
		given->is_debug = true;
		return 0;
	case OPTION_ONCE:
		options->is_once = true;
		return 0;
	case OPTION_EXPLAIN:
		options->is_explain = true;
		return 0;
	case OPTION_NO_STATE:
		options->keeps_state = false;
		return 0;
	case OPTION_STANDBY:
		options->is_standby = true;
		return 0;
	case OPTION_TEMPORARY:
		options->takes_temporary = true;
		return 0;
	case OPTION_HELP:
		options->wants_help = true;
		return 0;
	case OPTION_VERSION:
		options->wants_version = true;
		return 0;
	case OPTION_RUNTIME_NETNS:
		ret = option_choice(reader, value, "origin", "sandbox", &is_origin);
		options->runs_in_sandbox = !is_origin;
		given->runs_in_sandbox = true;
		return ret;
	default:
		return read_other(reader, id, value);
	}
}

/* Kata 1.x: virtcontainers/persist/fs keeps what it knows of a sandbox there. */
static void watch_katas_sandbox(struct options *options)
{
	snprintf(options->sandbox_path, sizeof(options->sandbox_path), "/run/vc/sbs/%s",
		 options->sandbox);
	options->watch_path = options->sandbox_path;
}

static int check(struct options *options, const struct given *given, char *error)
{
	const char *missing = NULL;

	if (options->wants_help || options->wants_version)
		return 0;
	if (!options->sandbox && (options->runtime || options->is_kata_mode))
		missing = "--runtime needs --sandbox ID, which the runtime is told";
	else if (!options->runtime && options->is_kata_mode)
		missing = "--runtime PATH is missing";
	if (missing) {
		snprintf(error, OPTIONS_ERROR_SIZE, "%s", missing);
		return -ENODATA;
	}
	if (options->is_kata_mode && !options->watch_path)
		watch_katas_sandbox(options);
	if (!given->runs_in_sandbox)
		options->runs_in_sandbox = options->dialect->runs_in_sandbox;
	if (options->timeout_ms == 0)
		options->timeout_ms = options->dialect->timeout_ms;
	if (given->is_debug)
		options->log_level = LOG_LEVEL_DEBUG;
	return 0;
}

static void set_defaults(struct options *options)
{
	*options = (struct options){
		.program = "netnsmon",
		.dialect = dialect_find("plain"),
		.takes_existing = true,
		.keeps_state = true,
		.slots_dir = "/run/netnsmon/slots",
		.quiet_ms = 60,
		.max_wait_ms = 500,
		.max_routes = 65536,
		.max_links = 1024,
		.receive_bytes = 1U << 20,
		.run_dir = "/run/netnsmon",
		.ready_fd = -1,
		.log_target = "stderr",
		.log_level = LOG_LEVEL_INFO,
	};
}

/*
 * As Kata's own monitor: it writes to syslog, since its standard descriptors are /dev/null, leaves
 * nothing behind when it is killed, and ends with the sandbox.
 */
static void set_kata_mode(struct options *options)
{
	options->program = KATA_PROGRAM;
	options->is_kata_mode = true;
	options->dialect = dialect_find("kata1");
	options->run_dir = NULL;
	options->log_target = "syslog";
	options->log_level = LOG_LEVEL_WARN;
}

static const char *name_of(int id)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if ((int)rows[i].id == id && rows[i].help)
			return rows[i].name;
	}
	return "";
}

/* What getopt said about the argument that it did not like; optopt is the id of one that it knows.
 */
static int fail_unknown(int answer, const char *argument, char *error)
{
	const char *why = ": no such option, or not its whole name; see --help";

	if (answer == ':')
		why = " needs a value";
	else if (strchr(argument, '=') && name_of(optopt)[0])
		why = ": this option takes no value";
	snprintf(error, OPTIONS_ERROR_SIZE, "%.80s%s", argument, why);
	return -EINVAL;
}

int options_parse(struct options *options, int argc, char **argv, char error[OPTIONS_ERROR_SIZE])
{
	struct reader reader = {.options = options, .error = error};
	struct option long_options[ROW_COUNT + 1];
	struct given given = {0};
	int id, ret = 0;

	set_defaults(options);
	if (argc > 0 && strcmp(basename(argv[0]), KATA_PROGRAM) == 0)
		set_kata_mode(options);
	memset(long_options, 0, sizeof(long_options));
	for (size_t i = 0; i < ROW_COUNT; i++) {
		long_options[i].name = rows[i].name;
		long_options[i].has_arg = rows[i].value ? required_argument : no_argument;
		long_options[i].val = (int)rows[i].id;
	}
	/* 0: glibc starts anew, even if another command line was read before. */
	optind = 0;
	opterr = 0;
	while (ret == 0 && !options->wants_help && !options->wants_version) {
		/*
		 * '+': the first argument that is no option ends them, as in Go; ':': say what is
		 * missing.
		 */
		id = getopt_long_only(argc, argv, "+:s:r:dhv", long_options, NULL);
		if (id == -1)
			break;
		if (id == '?' || id == ':')
			return fail_unknown(id, argv[optind - 1], error);
		reader.name = name_of(id);
		ret = read_option(&reader, id, optarg, &given);
	}
	if (ret == 0 && !options->wants_help && !options->wants_version && optind < argc) {
		snprintf(error, OPTIONS_ERROR_SIZE, "%.80s: unexpected argument; see --help",
			 argv[optind]);
		ret = -EINVAL;
	}
	return ret < 0 ? ret : check(options, &given, error);
}

void options_fini(struct options *options)
{
	free(options->runtime_args.items);
	free(options->ignore.items);
	free(options->only.items);
}

bool options_is_text(const struct options *options)
{
	return options->format == FORMAT_TEXT ||
	       (options->format == FORMAT_AUTO && isatty(STDOUT_FILENO));
}

void options_print_help(FILE *stream)
{
	fputs("Usage: netnsmon [OPTION]...\n"
	      "       netnsmon COMMAND [SANDBOX] [--run-dir DIR] [--format text|json]\n"
	      "Watches a network namespace and tells a VM runtime which interfaces and routes to "
	      "plug.\n\n",
	      stream);
	for (size_t i = 0; i < ROW_COUNT; i++) {
		char left[64];
		char letter[8] = "    ";

		if (!rows[i].help)
			continue;
		if (rows[i].id < 256)
			snprintf(letter, sizeof(letter), "-%c, ", (char)rows[i].id);
		snprintf(left, sizeof(left), "%s--%s %s", letter, rows[i].name,
			 rows[i].value ? rows[i].value : "");
		fprintf(stream, "  %-35s %s\n", left, rows[i].help);
	}
	fputs("\nLong options may be written with one dash, and values after '='.\n"
	      "Exit status: 0 stopped or sandbox gone, 1 error, 2 usage, 3 namespace has a "
	      "monitor.\n",
	      stream);
}
