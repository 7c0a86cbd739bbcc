/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_varlink.c - bytes into messages, messages into calls, whatever a client sends
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inbox.h"
#include "scene.h"
#include "varlink_call.h"

/* Gives @size bytes to the inbox, in pieces of at most @piece. Returns how many it took. */
static size_t feed(struct inbox *inbox, const char *bytes, size_t size, size_t piece)
{
	size_t fed = 0;

	while (fed < size) {
		size_t room, part = size - fed;
		char *into = inbox_room(inbox, &room);

		if (part > piece)
			part = piece;
		if (part > room)
			part = room;
		if (part == 0)
			break;
		memcpy(into, bytes + fed, part);
		inbox_filled(inbox, part);
		fed += part;
	}
	return fed;
}

static void test_pieces(void **state)
{
	static const char bytes[] = "{\"a\":1}\0{}\0\0tail";

	(void)state;
	for (size_t piece = 1; piece < sizeof(bytes); piece++) {
		struct inbox inbox = {0};

		assert_null(inbox_first(&inbox));
		assert_int_equal(feed(&inbox, bytes, sizeof(bytes) - 1, piece), sizeof(bytes) - 1);
		assert_string_equal(inbox_first(&inbox), "{\"a\":1}");
		inbox_drop(&inbox);
		assert_string_equal(inbox_first(&inbox), "{}");
		inbox_drop(&inbox);
		assert_string_equal(inbox_first(&inbox), "");
		inbox_drop(&inbox);
		assert_null(inbox_first(&inbox));
		assert_false(inbox_is_hopeless(&inbox));
		feed(&inbox, "", 1, 1);
		assert_string_equal(inbox_first(&inbox), "tail");
		inbox_drop(&inbox);
		/* Empty again: nothing is kept. */
		assert_null(inbox.bytes);
		inbox_fini(&inbox);
	}
}

static void test_no_end(void **state)
{
	struct inbox inbox = {0};
	char *bytes = malloc((size_t)INBOX_SIZE * 2);

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'x', (size_t)INBOX_SIZE * 2);
	assert_int_equal(feed(&inbox, bytes, INBOX_SIZE - 1, 100), INBOX_SIZE - 1);
	assert_false(inbox_is_hopeless(&inbox));
	assert_int_equal(feed(&inbox, bytes, (size_t)INBOX_SIZE * 2, INBOX_SIZE), 1);
	assert_true(inbox_is_hopeless(&inbox));
	assert_int_equal(inbox.capacity, INBOX_SIZE);
	inbox_fini(&inbox);
	/* The longest that has an end is one. */
	bytes[INBOX_SIZE - 1] = '\0';
	assert_int_equal(feed(&inbox, bytes, INBOX_SIZE, 1000), INBOX_SIZE);
	assert_false(inbox_is_hopeless(&inbox));
	assert_int_equal(strlen(inbox_first(&inbox)), INBOX_SIZE - 1);
	inbox_fini(&inbox);
	free(bytes);
}

static void test_calls(void **state)
{
	struct varlink_call call;

	(void)state;
	assert_int_equal(varlink_call_parse("{\"method\":\"a.b.C\"}", &call), 0);
	assert_string_equal(call.method, "a.b.C");
	assert_null(call.parameters);
	assert_false(call.wants_more || call.is_oneway || call.wants_upgrade);
	varlink_call_fini(&call);
	assert_int_equal(varlink_call_parse(" {\"more\":true,\"oneway\":false,\"method\":\"a.b.C\","
					    "\"parameters\":{\"x\":\"[[[[{{{{\"}} \n",
					    &call),
			 0);
	assert_true(call.wants_more);
	assert_string_equal(cJSON_GetObjectItemCaseSensitive(call.parameters, "x")->valuestring,
			    "[[[[{{{{");
	varlink_call_fini(&call);
	assert_int_equal(varlink_call_parse(
				 "{\"method\":\"a.b.C\",\"parameters\":null,\"more\":null}", &call),
			 0);
	assert_null(call.parameters);
	varlink_call_fini(&call);
}

static void test_no_calls(void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		"x",
		"{",
		"{}",
		"[]",
		"null",
		"\"a.b.C\"",
		"{\"method\":1}",
		"{\"method\":null}",
		"{\"Method\":\"a.b.C\"}",
		"{\"method\":\"a.b.C\"",
		"{\"method\":\"a.b.C\"}x",
		"{\"method\":\"a.b.C\"}{\"method\":\"a.b.C\"}",
		"{\"method\":\"a.b.C\",\"parameters\":[]}",
		"{\"method\":\"a.b.C\",\"parameters\":\"x\"}",
		"{\"method\":\"a.b.C\",\"more\":1}",
		"{\"method\":\"a.b.C\",\"oneway\":\"true\"}",
		"GET / HTTP/1.1\r\n",
	};
	struct varlink_call call;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (varlink_call_parse(texts[i], &call) != -EBADMSG)
			fail_msg("taken for a call: %s", texts[i]);
	}
}

/* Brackets as deep as a message is long must not become as deep a recursion. */
static void test_depth(void **state)
{
	struct varlink_call call;
	char text[INBOX_SIZE];

	(void)state;
	memset(text, '[', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(varlink_call_parse(text, &call), -EBADMSG);
	memcpy(text, "{\"a\":\"\\\\\",\"b\":", 14);
	assert_int_equal(varlink_call_parse(text, &call), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces), cmocka_unit_test(test_no_end),
		cmocka_unit_test(test_calls),  cmocka_unit_test(test_no_calls),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests_name("varlink", tests, NULL, NULL);
}
