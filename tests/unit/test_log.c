/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_log.c - whatever is said, it is one line of logfmt
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "scene.h"

static char path[] = "/tmp/nmt-log.XXXXXX";

static int open_log(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	return log_open("netnsmon", "box1", path, LOG_LEVEL_INFO);
}

static int remove_log(void **state)
{
	(void)state;
	log_close();
	return unlink(path);
}

/* What was written since the last time. Static. */
static const char *written(void)
{
	static char text[65536];
	FILE *file = fopen(path, "r+");
	size_t size;

	assert_non_null(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	assert_int_equal(ftruncate(fileno(file), 0), 0);
	fclose(file);
	return text;
}

/* The number of lines of @text, which must end with a whole one. */
static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	assert_int_equal(text[-1], '\n');
	return count;
}

static void test_fields(void **state)
{
	const char *text;

	(void)state;
	log_warn("link %s is %d", "eth0", 7);
	text = written();
	assert_int_equal(count_lines(text), 1);
	assert_int_equal(strncmp(text, "time=\"", 6), 0);
	assert_non_null(strstr(text, " level=warning msg=\"link eth0 is 7\" name=netnsmon pid="));
	assert_non_null(strstr(text, " source=netmon sandbox=box1\n"));
}

static void test_escapes(void **state)
{
	const char *text;

	(void)state;
	log_info("%s", "a\nlevel=error \"b\" \\ \t\x1b[2J \x7f \xff \xc3\xa4");
	text = written();
	assert_int_equal(count_lines(text), 1);
	assert_non_null(
		strstr(text, "msg=\"a\\nlevel=error \\\"b\\\" \\\\ \\u0009\\u001b[2J \\u007f "));
	for (; *text; text++)
		assert_in_range((unsigned char)*text, text[1] ? ' ' : '\n', 0xfe);
}

static void test_levels(void **state)
{
	(void)state;
	log_debug("not at this level");
	assert_string_equal(written(), "");
	assert_false(log_wants(LOG_LEVEL_DEBUG));
	assert_true(log_wants(LOG_LEVEL_ERROR));
}

static void test_long(void **state)
{
	static char message[100000];
	static const char bytes[] = {'x', '"', '\x01', '\xff'};
	const char *text;

	(void)state;
	/* However much longer it gets by being escaped. */
	for (size_t i = 0; i < sizeof(bytes); i++) {
		memset(message, bytes[i], sizeof(message) - 1);
		log_error("%s", message);
		text = written();
		/* Cut, but one whole line. */
		assert_int_equal(count_lines(text), 1);
		assert_in_range(strlen(text), 4000, 20000);
		assert_non_null(strstr(text, "\" name=netnsmon pid="));
		assert_non_null(strstr(text, " sandbox=box1\n"));
	}
}

static void test_errno_survives(void **state)
{
	(void)state;
	errno = ENOENT;
	log_info("something");
	assert_int_equal(errno, ENOENT);
	written();
}

static void test_level_names(void **state)
{
	static const struct {
		const char *name;
		enum log_level level;
	} cases[] = {
		{"panic", LOG_LEVEL_ERROR}, {"fatal", LOG_LEVEL_ERROR},	 {"error", LOG_LEVEL_ERROR},
		{"warn", LOG_LEVEL_WARN},   {"warning", LOG_LEVEL_WARN}, {"info", LOG_LEVEL_INFO},
		{"debug", LOG_LEVEL_DEBUG}, {"trace", LOG_LEVEL_DEBUG},
	};
	enum log_level level;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(log_level_find(cases[i].name, &level), 0);
		assert_int_equal(level, cases[i].level);
	}
	assert_int_equal(log_level_find("loud", &level), -EINVAL);
	assert_int_equal(log_level_find("", &level), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),	       cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_levels),	       cmocka_unit_test(test_long),
		cmocka_unit_test(test_errno_survives), cmocka_unit_test(test_level_names),
	};

	return cmocka_run_group_tests_name("log", tests, open_log, remove_log);
}
