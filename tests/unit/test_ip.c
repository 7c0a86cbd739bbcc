/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_ip.c - addresses, and sets of prefixes
 */
#include <sys/socket.h>

#include "ip.h"
#include "prefix_set.h"
#include "scene.h"

static void test_mask(void **state)
{
	struct ip all = scene_ip("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), masked, expected;

	(void)state;
	expected = scene_ip("ffff:ffff:e000::");
	masked = ip_masked(all, 35);
	assert_int_equal(ip_compare(&masked, &expected), 0);
	expected = scene_ip("::");
	masked = ip_masked(all, 0);
	assert_int_equal(ip_compare(&masked, &expected), 0);
	masked = ip_masked(all, 128);
	assert_int_equal(ip_compare(&masked, &all), 0);
	masked = ip_masked(all, 255);
	assert_int_equal(ip_compare(&masked, &all), 0);
}

static void test_same_prefix(void **state)
{
	struct ip a = scene_ip("10.1.2.3"), b = scene_ip("10.1.3.3");

	(void)state;
	assert_true(ip_same_prefix(&a, &b, 23));
	assert_false(ip_same_prefix(&a, &b, 24));
	assert_true(ip_same_prefix(&a, &b, 0));
	assert_true(ip_same_prefix(&a, &a, 32));
}

static void test_link_local(void **state)
{
	struct ip ll = scene_ip("fe80::1"), other = scene_ip("fe80:1::1"),
		  v4 = scene_ip("169.254.0.1");

	(void)state;
	assert_true(ip_is_link_local(&ll, AF_INET6));
	/* fe80::/64, not /10: nothing else is made by the kernel. */
	assert_false(ip_is_link_local(&other, AF_INET6));
	assert_false(ip_is_link_local(&v4, AF_INET));
}

static void test_format(void **state)
{
	struct ip v4 = scene_ip("192.168.100.200");
	struct ip v6 = scene_ip("1111:2222:3333:4444:5555:6666:7777:8888");
	char text[IP_PREFIX_TEXT_SIZE];

	(void)state;
	assert_string_equal(ip_format_prefix(&v4, AF_INET, 32, text), "192.168.100.200/32");
	assert_string_equal(ip_format_prefix(&v6, AF_INET6, 128, text),
			    "1111:2222:3333:4444:5555:6666:7777:8888/128");
}

static struct prefix prefix_of(const char *ip, uint8_t prefix_len, uint32_t device)
{
	return (struct prefix){
		.ip = scene_ip(ip), .device = device, .family = AF_INET, .prefix_len = prefix_len};
}

static void test_set(void **state)
{
	struct prefix_set set = {0};
	struct prefix prefix = prefix_of("10.1.2.3", 16, 2);
	struct ip inside = scene_ip("10.1.255.255"), outside = scene_ip("10.2.0.0");

	(void)state;
	assert_null(prefix_set_find(&set, &prefix));
	assert_false(prefix_set_covers(&set, 2, AF_INET, &inside));
	assert_int_equal(prefix_set_add(&set, &prefix), 0);
	assert_int_equal(prefix_set_add(&set, &prefix), 0);
	prefix = prefix_of("10.1.9.9", 32, 2);
	assert_int_equal(prefix_set_add(&set, &prefix), 0);
	prefix_set_sort(&set);
	assert_int_equal(set.count, 2);
	/* The bits after the prefix do not count. */
	prefix = prefix_of("10.1.7.7", 16, 2);
	assert_non_null(prefix_set_find(&set, &prefix));
	prefix = prefix_of("10.1.7.7", 17, 2);
	assert_null(prefix_set_find(&set, &prefix));
	prefix = prefix_of("10.1.7.7", 16, 3);
	assert_null(prefix_set_find(&set, &prefix));
	assert_true(prefix_set_covers(&set, 2, AF_INET, &inside));
	assert_false(prefix_set_covers(&set, 2, AF_INET, &outside));
	assert_false(prefix_set_covers(&set, 3, AF_INET, &inside));
	assert_false(prefix_set_covers(&set, 2, AF_INET6, &inside));
	prefix_set_fini(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mask),	   cmocka_unit_test(test_same_prefix),
		cmocka_unit_test(test_link_local), cmocka_unit_test(test_format),
		cmocka_unit_test(test_set),
	};

	return cmocka_run_group_tests_name("ip", tests, NULL, NULL);
}
