/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_utf8.c - foreign bytes as text
 */
#include <string.h>

#include "scene.h"
#include "utf8.h"

static void test_decode(void **state)
{
	static const struct {
		const char *bytes;
		size_t length; /* 0: no character */
		uint32_t character;
	} cases[] = {
		{"a", 1, 'a'},
		{"\x7f", 1, 0x7f},
		{"\xc3\xa4", 2, 0xe4},
		{"\xe2\x82\xac", 3, 0x20ac},
		{"\xf0\x9f\x90\xa7", 4, 0x1f427},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
		/* Overlong, surrogate, past the end, alone, cut. */
		{"\xc0\x80", 0, 0},
		{"\xe0\x80\xaf", 0, 0},
		{"\xf0\x80\x80\xaf", 0, 0},
		{"\xed\xa0\x80", 0, 0},
		{"\xf4\x90\x80\x80", 0, 0},
		{"\xff", 0, 0},
		{"\x80", 0, 0},
		{"\xe2\x82", 0, 0},
		{"\xe2\x28\xa1", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t character = 0;
		size_t length = utf8_decode(cases[i].bytes, strlen(cases[i].bytes), &character);

		assert_int_equal(length, cases[i].length);
		if (length > 0)
			assert_int_equal(character, cases[i].character);
	}
}

static void test_sanitize(void **state)
{
	char text[UTF8_SANITIZED_SIZE(16)];

	(void)state;
	assert_string_equal(utf8_sanitize("eth0", text), "eth0");
	assert_string_equal(utf8_sanitize("\xff\xfe", text), "\\xff\\xfe");
	assert_string_equal(utf8_sanitize("a\xc3\xa4\xc3", text), "a\xc3\xa4\\xc3");
	assert_string_equal(utf8_sanitize("\x1b[m", text), "\x1b[m");
	/* The longest that fits. */
	assert_string_equal(utf8_sanitize("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
					  "\xff\xff\xff",
					  text),
			    "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff"
			    "\\xff\\xff\\xff");
}

static void test_printable(void **state)
{
	char text[UTF8_SANITIZED_SIZE(16)];

	(void)state;
	assert_string_equal(utf8_printable("\x1b[2J", text), "\\x1b[2J");
	assert_string_equal(utf8_printable("a\nb\x7f", text), "a\\x0ab\\x7f");
	/* C1 controls are two bytes in UTF-8, and terminals obey them too. */
	assert_string_equal(utf8_printable("\xc2\x9b", text), "\\xc2\\x9b");
	assert_string_equal(utf8_printable("\xc3\xa4", text), "\xc3\xa4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_sanitize),
		cmocka_unit_test(test_printable),
	};

	return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
