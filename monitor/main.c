/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - the command line, the log, one session
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "explain.h"
#include "log.h"
#include "options.h"
#include "process.h"
#include "session.h"
#include "spawn.h"
#include "utf8.h"

static int usage_error(const struct options *options, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Says what is wrong with the command line, in one line whatever is in it. Who starts us in Kata
 * mode looks at the log only.
 */
static int usage_error(const struct options *options, const char *format, ...)
{
	char message[1024], text[UTF8_SANITIZED_SIZE(sizeof(message))];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fprintf(stderr, "%s: %s\n", options->program, utf8_printable(message, text));
	if (options->is_kata_mode) {
		log_open(options->program, options->sandbox, options->log_target,
			 options->log_level);
		log_error("%s", message);
		log_close();
	}
	return EXIT_USAGE;
}

static void print_help(void)
{
	options_print_help(stdout);
	command_print_help(stdout);
}

static int print_to_stdout(const struct options *options)
{
	if (options->wants_help)
		print_help();
	else
		printf("%s version %s\n", options->program, NETNSMON_VERSION);
	if (fflush(stdout) == 0)
		return EXIT_STOPPED;
	fprintf(stderr, "%s: cannot write to standard output: %s\n", options->program,
		strerror(errno));
	return EXIT_ERROR;
}

static int run(const struct options *options)
{
	char runtime[PATH_MAX];
	/* Before we open any of our own under that number. */
	if (options->ready_fd >= 0 && fcntl(options->ready_fd, F_GETFD) < 0)
		return usage_error(options, "--ready-fd %d: it is not open", options->ready_fd);
	/* A typing error must not wait for the first interface. */
	int ret = options->runtime ? spawn_find(options->runtime, runtime, sizeof(runtime)) : 0;

	if (ret < 0)
		return usage_error(options, "--runtime %.200s: %s", options->runtime,
				   strerror(-ret));
	ret = log_open(options->program, options->sandbox, options->log_target, options->log_level);
	if (ret < 0)
		return usage_error(options, "--log-to %.200s: %s", options->log_target,
				   strerror(-ret));
	if (!options->runtime && options_is_text(options) && isatty(STDERR_FILENO) &&
	    strcmp(options->log_target, "stderr") == 0)
		log_for_people();
	if (options->is_explain)
		ret = explain_run(options) < 0 ? EXIT_ERROR : EXIT_STOPPED;
	else
		ret = session_run(options, options->runtime ? runtime : NULL);
	log_close();
	return ret;
}

/* The status has the same meanings as a monitor's own. */
static int run_command(int argc, char **argv)
{
	char error[COMMAND_ERROR_SIZE] = "";
	struct command_options options;

	if (command_options_parse(&options, argc, argv, error) < 0) {
		fprintf(stderr, "netnsmon: %s\n", error);
		return EXIT_USAGE;
	}
	if (options.wants_help) {
		print_help();
		return EXIT_STOPPED;
	}
	return command_run(&options);
}

int main(int argc, char **argv)
{
	enum command command;
	char error[OPTIONS_ERROR_SIZE] = "out of memory";
	struct options options;
	int ret, status;

	process_init();
	/*
	 * Large arrays are mapped, so that after a burst their memory goes back; glibc would raise
	 * this.
	 */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	if (argc > 1 && command_find(argv[1], &command))
		return run_command(argc - 1, argv + 1);
	ret = options_parse(&options, argc, argv, error);
	if (ret < 0)
		status = usage_error(&options, "%s", error);
	else if (options.wants_help || options.wants_version)
		status = print_to_stdout(&options);
	else
		status = run(&options);
	/* Kata's monitor had another status for this. */
	if (ret == -ENODATA && options.is_kata_mode)
		status = EXIT_ERROR;
	options_fini(&options);
	return status;
}
