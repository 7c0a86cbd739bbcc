/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_dialect.c - how the runtimes are spoken to, and what they answer
 */
#include <string.h>

#include "dialect.h"
#include "scene.h"

static void test_find(void **state)
{
	(void)state;
	assert_non_null(dialect_find("plain"));
	assert_non_null(dialect_find("kata1"));
	assert_null(dialect_find("kata"));
	assert_null(dialect_find(""));
	assert_string_equal(dialect_names(), "plain|kata1");
}

static void test_verbs(void **state)
{
	const struct dialect *plain = dialect_find("plain"), *kata1 = dialect_find("kata1");

	(void)state;
	assert_string_equal(dialect_verb_name(plain, VERB_ADD), "add-network");
	assert_string_equal(dialect_verb_name(plain, VERB_DEL), "del-network");
	assert_string_equal(dialect_verb_name(plain, VERB_UPDATE), "update-network");
	assert_string_equal(dialect_verb_name(plain, VERB_ROUTES), "update-route");
	assert_string_equal(kata1->verbs[VERB_ADD][0], "kata-network");
	assert_string_equal(dialect_verb_name(kata1, VERB_ADD), "add-iface");
	assert_string_equal(dialect_verb_name(kata1, VERB_DEL), "del-iface");
	assert_string_equal(dialect_verb_name(kata1, VERB_ROUTES), "update-routes");
	assert_false(dialect_has_verb(kata1, VERB_UPDATE));
}

static void test_link_types(void **state)
{
	const struct dialect *plain = dialect_find("plain"), *kata1 = dialect_find("kata1");

	(void)state;
	assert_string_equal(dialect_link_type(plain, "ipvlan", true), "ipvlan");
	assert_string_equal(dialect_link_type(kata1, "veth", true), "veth");
	assert_string_equal(dialect_link_type(kata1, "tun", true), "tap");
	assert_null(dialect_link_type(kata1, "tun", false));
	assert_null(dialect_link_type(kata1, "macvtap", true));
	assert_null(dialect_link_type(kata1, "device", true));
}

static enum answer answer(const char *dialect, const char *output)
{
	return dialect_answer(dialect_find(dialect), output, strlen(output));
}

static void test_answers(void **state)
{
	(void)state;
	/* The wording of Kata 1.x: cli/network.go, virtcontainers/network.go, bridge.go. */
	assert_int_equal(answer("kata1", "Container ID (abc) does not exist"), ANSWER_UNKNOWN);
	assert_int_equal(answer("kata1", "container abc is not running"), ANSWER_NOT_YET);
	assert_int_equal(answer("kata1", "Error adding tap0_kata: file exists"), ANSWER_HOPELESS);
	assert_int_equal(answer("kata1", "device is not present on bridge"), ANSWER_HOPELESS);
	assert_int_equal(answer("kata1", "endpoint does not support Hot attach"), ANSWER_HOPELESS);
	assert_int_equal(answer("kata1", "Unsupported network interface: ipvlan"), ANSWER_HOPELESS);
	assert_int_equal(answer("kata1", "something else"), ANSWER_OTHER);
	assert_int_equal(answer("kata1", ""), ANSWER_OTHER);
	/* Half of an answer is another one. */
	assert_int_equal(answer("kata1", "container abc has started"), ANSWER_OTHER);
	assert_int_equal(answer("plain", "file exists"), ANSWER_OTHER);
	/* It need not be terminated. */
	assert_int_equal(dialect_answer(dialect_find("kata1"), "file exists", 8), ANSWER_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_verbs),
		cmocka_unit_test(test_link_types),
		cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests_name("dialect", tests, NULL, NULL);
}
