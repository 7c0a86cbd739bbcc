/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_options.c - the command line: Kata's spellings, defaults, and what is refused
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "scene.h"

#define ARGS_MAX 32

/* Parses the words of @line for a program started as @name; the error goes to @error. */
static int parse_as(const char *name, struct options *options, const char *line, char *error)
{
	static char copy[1024];
	char *argv[ARGS_MAX + 1] = {(char *)name};
	int argc = 1;

	assert_true(strlen(line) < sizeof(copy));
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word && argc < ARGS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	error[0] = '\0';
	return options_parse(options, argc, argv, error);
}

static int parse(struct options *options, const char *line, char *error)
{
	return parse_as("netnsmon", options, line, error);
}

static void test_defaults(void **state)
{
	char error[OPTIONS_ERROR_SIZE];
	struct options options;

	(void)state;
	assert_int_equal(parse(&options, "", error), 0);
	assert_null(options.netns);
	assert_null(options.runtime);
	assert_string_equal(options.dialect->name, "plain");
	assert_int_equal(options.quiet_ms, 60);
	assert_int_equal(options.max_wait_ms, 500);
	assert_int_equal(options.max_routes, 65536);
	assert_int_equal(options.max_links, 1024);
	assert_true(options.takes_existing);
	assert_true(options.keeps_state);
	assert_int_equal(options.ready_fd, -1);
	assert_string_equal(options.run_dir, "/run/netnsmon");
	assert_int_equal(options.log_level, LOG_LEVEL_INFO);
	options_fini(&options);
}

static void test_spellings(void **state)
{
	static const char *const lines[] = {
		"-s box1 -r /bin/true -d -log info",	    "-s=box1 -r=/bin/true -d -log=info",
		"--s box1 --r /bin/true --debug -log=info", "-sbox1 -r/bin/true",
		"--sandbox box1 --runtime=/bin/true",	    "-sandbox box1 -runtime /bin/true",
	};
	char error[OPTIONS_ERROR_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct options options;

		if (parse(&options, lines[i], error))
			fail_msg("%s: %s", lines[i], error);
		assert_string_equal(options.sandbox, "box1");
		assert_string_equal(options.runtime, "/bin/true");
		options_fini(&options);
	}
}

static void test_debug_wins(void **state)
{
	char error[OPTIONS_ERROR_SIZE];
	struct options options;

	(void)state;
	/* Kata gives both: "-d" for its own debug switch, "-log" from its configuration. */
	assert_int_equal(parse(&options, "-d", error), 0);
	assert_int_equal(options.log_level, LOG_LEVEL_DEBUG);
	options_fini(&options);
}

static void test_lists(void **state)
{
	char error[OPTIONS_ERROR_SIZE];
	struct options options;

	(void)state;
	assert_int_equal(parse(&options,
			       "--ignore a* --ignore b* --only c --runtime-arg --x --runtime-arg=y",
			       error),
			 0);
	assert_int_equal(options.ignore.count, 2);
	assert_string_equal(options.ignore.items[1], "b*");
	assert_int_equal(options.only.count, 1);
	assert_string_equal(options.runtime_args.items[0], "--x");
	assert_string_equal(options.runtime_args.items[1], "y");
	options_fini(&options);
}

static void test_refused(void **state)
{
	static const struct {
		const char *line;
		const char *word; /* that the message must have */
	} cases[] = {
		{"--frobnicate", "frobnicate"},
		{"-x", "-x"},
		{"stray", "stray"},
		{"--netns", "netns"},
		{"--quiet ten", "--quiet ten"},
		{"--quiet -1", "--quiet -1"},
		{"--quiet 0x10", "--quiet"},
		{"--quiet 99999999999999999999", "--quiet"},
		{"--max-links 0", "--max-links 0"},
		{"--dialect kata9", "kata9"},
		{"--baseline some", "some"},
		{"--format xml", "xml"},
		{"--log loud", "loud"},
		{"--ready-fd x", "--ready-fd"},
		{"--runtime-netns here", "here"},
		{"-s ../x -r /bin/true", "../x"},
		{"-s . -r /bin/true", "sandbox"},
		{"-s -x -r /bin/true", "sandbox"},
		{"--watch-pid 0", "--watch-pid"},
	};
	char error[OPTIONS_ERROR_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct options options;
		int ret = parse(&options, cases[i].line, error);

		options_fini(&options);
		if (ret != -EINVAL || !strstr(error, cases[i].word) || strchr(error, '\n'))
			fail_msg("%s: %d, \"%s\"", cases[i].line, ret, error);
	}
}

static void test_missing(void **state)
{
	char error[OPTIONS_ERROR_SIZE];
	struct options options;

	(void)state;
	assert_int_equal(parse(&options, "-r /bin/true", error), -ENODATA);
	assert_non_null(strstr(error, "--sandbox"));
	options_fini(&options);
	/* Alone it prints; Kata's monitor never does. */
	assert_int_equal(parse(&options, "", error), 0);
	options_fini(&options);
	assert_int_equal(parse_as("kata-netmon", &options, "-s box1", error), -ENODATA);
	options_fini(&options);
	assert_int_equal(parse_as("kata-netmon", &options, "-r /bin/true", error), -ENODATA);
	options_fini(&options);
	assert_int_equal(parse_as("kata-netmon", &options, "-x", error), -EINVAL);
	options_fini(&options);
}

static void test_kata_mode(void **state)
{
	char error[OPTIONS_ERROR_SIZE];
	struct options options;

	(void)state;
	assert_int_equal(parse_as("/usr/libexec/kata-netmon", &options,
				  "-r /usr/bin/kata-runtime -s box1 -d -log info", error),
			 0);
	assert_true(options.is_kata_mode);
	assert_string_equal(options.program, "kata-netmon");
	assert_string_equal(options.dialect->name, "kata1");
	assert_string_equal(options.log_target, "syslog");
	assert_int_equal(options.log_level, LOG_LEVEL_DEBUG);
	assert_string_equal(options.watch_path, "/run/vc/sbs/box1");
	assert_null(options.run_dir);
	assert_int_equal(options.timeout_ms, 120000);
	assert_true(options.runs_in_sandbox);
	options_fini(&options);
	assert_int_equal(parse_as("kata-netmon", &options,
				  "-r /bin/true -s box1 --watch-path /run/x --log-to stderr",
				  error),
			 0);
	assert_int_equal(options.log_level, LOG_LEVEL_WARN);
	assert_string_equal(options.watch_path, "/run/x");
	assert_string_equal(options.log_target, "stderr");
	options_fini(&options);
	/* Under any other name nothing of that. */
	assert_int_equal(parse_as("kata-netmon2", &options, "", error), 0);
	assert_false(options.is_kata_mode);
	options_fini(&options);
}

static void test_help_and_version(void **state)
{
	char error[OPTIONS_ERROR_SIZE];
	struct options options;

	(void)state;
	/* They end the reading: what follows is not looked at. */
	assert_int_equal(parse(&options, "--help --frobnicate", error), 0);
	assert_true(options.wants_help);
	options_fini(&options);
	assert_int_equal(parse(&options, "-v", error), 0);
	assert_true(options.wants_version);
	options_fini(&options);
	assert_int_equal(parse(&options, "--version", error), 0);
	assert_true(options.wants_version);
	options_fini(&options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),   cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_debug_wins), cmocka_unit_test(test_lists),
		cmocka_unit_test(test_refused),	   cmocka_unit_test(test_missing),
		cmocka_unit_test(test_kata_mode),  cmocka_unit_test(test_help_and_version),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
