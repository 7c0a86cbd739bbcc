/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_qemu_input.c - netnsmon-qemu takes what the monitor writes, and refuses all else in one line
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "encode.h"
#include "guest_routes.h"
#include "input.h"
#include "scene.h"

static const char good_iface[] =
	"{\"Device\":\"eth1\",\"Name\":\"eth1\",\"PreviousName\":\"eth0\",\"IPAddresses\":["
	"{\"Family\":2,\"Address\":\"10.0.0.2\",\"Mask\":\"24\"},"
	"{\"Family\":10,\"Address\":\"fd00::2\",\"Mask\":\"64\"}],"
	"\"Mtu\":1500,\"HwAddr\":\"02:42:ac:12:00:02\",\"LinkType\":\"veth\",\"Index\":13}";

static const char good_route[] =
	"[{\"Dest\":\"10.9.0.0/16\",\"Gateway\":\"10.0.0.1\",\"Device\":\"eth1\",\"Source\":\"\","
	"\"Scope\":0,\"Family\":2,\"Metric\":4294967295,\"Mtu\":0,\"Flags\":4}]";

static void test_iface(void **state)
{
	struct input_iface input;
	struct fault fault;
	char mac[IFACE_MAC_TEXT_SIZE];

	(void)state;
	assert_int_equal(input_parse_iface(good_iface, strlen(good_iface), &input, &fault), 0);
	assert_string_equal(input.iface.name, "eth1");
	assert_string_equal(input.previous_name, "eth0");
	assert_int_equal(input.iface.index, 13);
	assert_int_equal(input.iface.mtu, 1500);
	assert_string_equal(iface_format_mac(&input.iface, mac), "02:42:ac:12:00:02");
	assert_int_equal(input.iface.address_count, 2);
	assert_int_equal(input.iface.addresses[1].prefix_len, 64);
	iface_fini(&input.iface);
}

/* @good with the first @from replaced by @to; the caller frees it. */
static char *changed(const char *good, const char *from, const char *to)
{
	const char *at = strstr(good, from);
	char *text;

	if (!at)
		fail_msg("no %s in %s", from, good);
	assert_true(asprintf(&text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from)) > 0);
	return text;
}

static void refuse_iface(const char *from, const char *to)
{
	char *text = changed(good_iface, from, to);
	struct input_iface input;
	struct fault fault = {""};

	if (input_parse_iface(text, strlen(text), &input, &fault) != -EBADMSG)
		fail_msg("taken: %s", text);
	assert_int_equal(strncmp(fault.text, "bad input: ", 11), 0);
	assert_null(input.iface.addresses);
	free(text);
}

static void test_bad_ifaces(void **state)
{
	(void)state;
	refuse_iface("{\"Device\"", "[{\"Device\"");
	refuse_iface("13}", "13}}");
	refuse_iface("13}", "13} x");
	refuse_iface("13}", "13");
	refuse_iface("\"Name\":\"eth1\",", "");
	refuse_iface("\"Name\":\"eth1\"", "\"Name\":\"\"");
	refuse_iface("\"Name\":\"eth1\"", "\"Name\":7");
	refuse_iface("\"PreviousName\":\"eth0\"", "\"PreviousName\":null");
	refuse_iface(",\"Index\":13", "");
	refuse_iface("\"Index\":13", "\"Index\":0");
	refuse_iface("\"Index\":13", "\"Index\":-13");
	refuse_iface("\"Index\":13", "\"Index\":13.5");
	refuse_iface("\"Index\":13", "\"Index\":2147483648");
	refuse_iface("\"Index\":13", "\"Index\":\"13\"");
	refuse_iface("\"Mtu\":1500", "\"Mtu\":4294967296");
	refuse_iface("\"Mtu\":1500", "\"Mtu\":true");
	refuse_iface("02:42:ac", "02:4:ac");
	refuse_iface("02:42:ac", "02:4g:ac");
	refuse_iface("00:02\"", "00:02:\"");
	refuse_iface("\"IPAddresses\":[", "\"IPAddresses\":[null,");
	refuse_iface("\"Family\":2", "\"Family\":3");
	refuse_iface("10.0.0.2", "10.0.0");
	refuse_iface("10.0.0.2", "fd00::2");
	refuse_iface("\"24\"", "\"33\"");
	refuse_iface("\"24\"", "24");
	refuse_iface("\"24\"", "\"\"");
	refuse_iface("\"24\"", "\"-4\"");
	refuse_iface("\"24\"", "\" 24\"");
}

static void test_cut_anywhere(void **state)
{
	struct input_iface input;
	struct route_list list;
	struct fault fault;

	(void)state;
	for (size_t size = 0; size < strlen(good_iface); size++)
		assert_true(input_parse_iface(good_iface, size, &input, &fault) < 0);
	for (size_t size = 0; size < strlen(good_route); size++)
		assert_true(input_parse_routes(good_route, size, &list, &fault) < 0);
}

static void test_names(void **state)
{
	static const char *const odd[] = {"a b",
					  "$(x)",
					  "-rf",
					  "..",
					  "a/b",
					  "\"",
					  "'",
					  "a;b",
					  "\\xff\\xfe",
					  "ä",
					  "sixteen-bytes-xx",
					  "a\nb",
					  "#a",
					  "a@b"};
	char name[IF_NAMESIZE], other[IF_NAMESIZE];

	(void)state;
	input_guest_name("eth1.5_a-b+c", name);
	assert_string_equal(name, "eth1.5_a-b+c");
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		input_guest_name(odd[i], name);
		assert_int_equal(strncmp(name, "nm-", 3), 0);
		assert_int_equal(strlen(name), 11);
		assert_int_equal(strspn(name + 3, "0123456789abcdef"), 8);
		/* The same again, so that a route finds its device. */
		input_guest_name(odd[i], other);
		assert_string_equal(name, other);
	}
	input_guest_name("ö", other);
	input_guest_name("ä", name);
	assert_string_not_equal(name, other);
}

/* What ip is told for the list in @text. The caller frees it. */
static char *printed(const char *text)
{
	struct route_list list;
	struct fault fault;
	char *lines;

	if (input_parse_routes(text, strlen(text), &list, &fault) < 0)
		fail_msg("%s: %s", fault.text, text);
	lines = guest_print_routes(&list);
	assert_non_null(lines);
	route_list_fini(&list);
	return lines;
}

static void test_routes(void **state)
{
	char *lines = printed(good_route);

	(void)state;
	assert_string_equal(lines, "route replace 10.9.0.0/16 @ metric 4294967295 scope 0 via "
				   "10.0.0.1 dev eth1 onlink\n");
	free(lines);
	lines = printed("[]");
	assert_string_equal(lines, "");
	free(lines);
	lines = printed(
		"[{\"Dest\":\"::/0\",\"Gateway\":\"\",\"Device\":\"\",\"Source\":\"fd00::2\","
		"\"Scope\":0,\"Family\":10,\"Metric\":7,\"Mtu\":1400,\"Flags\":0,\"NextHops\":["
		"{\"Gateway\":\"fe80::1\",\"Device\":\"a\",\"Weight\":1},"
		"{\"Gateway\":\"\",\"Device\":\"$b\",\"Weight\":256}]}]");
	assert_string_equal(lines, "route replace ::/0 @ metric 7 mtu 1400 src fd00::2 nexthop via "
				   "fe80::1 dev a weight 1 nexthop dev nm-b33bff24 weight 256\n");
	free(lines);
}

/* Of those with one destination and metric only the first takes the place of what is there. */
static void test_repeated_keys(void **state)
{
	static const char text[] =
		"[{\"Dest\":\"0.0.0.0/"
		"0\",\"Gateway\":\"\",\"Device\":\"a\",\"Source\":\"\",\"Scope\":253,"
		"\"Family\":2,\"Metric\":0,\"Mtu\":0,\"Flags\":0},"
		"{\"Dest\":\"10.0.0.0/"
		"8\",\"Gateway\":\"10.0.0.1\",\"Device\":\"b\",\"Source\":\"\","
		"\"Scope\":0,\"Family\":2,\"Metric\":0,\"Mtu\":0,\"Flags\":0},"
		"{\"Dest\":\"0.0.0.0/0\",\"Gateway\":\"fd00::1\",\"Device\":\"b\",\"Source\":\"\","
		"\"Scope\":0,\"Family\":2,\"Metric\":0,\"Mtu\":0,\"Flags\":0},"
		"{\"Dest\":\"0.0.0.0/0\",\"Gateway\":\"10.0.0.2\",\"Device\":\"b\",\"Source\":\"\","
		"\"Scope\":0,\"Family\":2,\"Metric\":5,\"Mtu\":0,\"Flags\":0}]";
	char *lines = printed(text);

	(void)state;
	assert_string_equal(lines,
			    "route replace 0.0.0.0/0 @ scope 253 dev a\n"
			    "route replace 10.0.0.0/8 @ scope 0 via 10.0.0.1 dev b\n"
			    "route append 0.0.0.0/0 @ scope 0 via inet6 fd00::1 dev b\n"
			    "route replace 0.0.0.0/0 @ metric 5 scope 0 via 10.0.0.2 dev b\n");
	free(lines);
}

static void refuse_route(const char *from, const char *to)
{
	char *text = changed(good_route, from, to);
	struct route_list list;
	struct fault fault = {""};

	if (input_parse_routes(text, strlen(text), &list, &fault) != -EBADMSG)
		fail_msg("taken: %s", text);
	assert_int_equal(strncmp(fault.text, "bad input: ", 11), 0);
	assert_int_equal(list.count, 0);
	free(text);
}

static void test_bad_routes(void **state)
{
	(void)state;
	refuse_route("[{", "{\"a\":[{");
	refuse_route("}]", "},5]");
	refuse_route("10.9.0.0/16", "");
	refuse_route("10.9.0.0/16", "10.9.0.0");
	refuse_route("10.9.0.0/16", "10.9.0.0/33");
	refuse_route("10.9.0.0/16", "10.9.0.0/");
	refuse_route("10.9.0.0/16", "fd00::/16");
	refuse_route("10.9.0.0/16", "10.9.0.0/16 proto 1");
	refuse_route("\"Gateway\":\"10.0.0.1\"", "\"Gateway\":\"10.0.0.1 dev lo\"");
	refuse_route("\"Gateway\":\"10.0.0.1\",", "");
	refuse_route("\"Device\":\"eth1\"", "\"Device\":\"\"");
	refuse_route("\"Source\":\"\"", "\"Source\":\"fd00::1\"");
	refuse_route("\"Scope\":0", "\"Scope\":256");
	refuse_route("\"Family\":2", "\"Family\":0");
	refuse_route("4294967295", "4294967296");
	refuse_route("\"Flags\":4", "\"Flags\":4,\"NextHops\":[]");
	refuse_route("\"Flags\":4", "\"Flags\":4,\"NextHops\":{}");
	refuse_route("\"Flags\":4",
		     "\"Flags\":4,\"NextHops\":[{\"Gateway\":\"\",\"Device\":\"a\","
		     "\"Weight\":1},{\"Gateway\":\"\",\"Device\":\"a\",\"Weight\":0}]");
	refuse_route("\"Flags\":4", "\"Flags\":4,\"NextHops\":[{\"Gateway\":\"\",\"Device\":\"a\","
				    "\"Weight\":1},{\"Gateway\":\"\",\"Weight\":1}]");
}

/* All that the monitor can write can be read. */
static void test_what_the_monitor_writes(void **state)
{
	struct request request = {.verb = VERB_ADD,
				  .iface = {.index = 4, .mtu = 9000, .mac_len = 6}};
	struct input_iface input;
	struct encoder encoder;
	struct fault fault;

	(void)state;
	strcpy(request.iface.name, "a\"\xff\n\\");
	strcpy(request.iface.kind, "veth");
	encode_init(&encoder, &request, dialect_find("plain"));
	assert_int_equal(encode_more(&encoder), 0);
	assert_true(encoder.is_complete);
	if (input_parse_iface(encoder.text, encoder.text_len, &input, &fault) < 0)
		fail_msg("%s", fault.text);
	assert_int_equal(input.iface.mtu, 9000);
	iface_fini(&input.iface);
	encode_fini(&encoder);
}

static int read_config(struct config *config, const char *text, struct fault *fault)
{
	FILE *stream = tmpfile();
	int ret;

	assert_non_null(stream);
	fputs(text, stream);
	rewind(stream);
	config_set_defaults(config);
	ret = config_read_stream(config, stream, "x.conf", fault);
	fclose(stream);
	return ret;
}

static void test_config(void **state)
{
	struct config config;
	struct fault fault;

	(void)state;
	assert_int_equal(
		read_config(&config,
			    "# a VM\n\n qmp=/run/a b.qmp \r\nagent = /run/ga\n\tnetns\t=\tpid:7\n"
			    "timeout = 7\nagent-required = no\nbus = rp1\nagent-wait = 1",
			    &fault),
		0);
	assert_string_equal(config.qmp, "/run/a b.qmp");
	assert_string_equal(config.agent, "/run/ga");
	assert_string_equal(config.netns, "pid:7");
	assert_string_equal(config.bus, "rp1");
	assert_int_equal(config.timeout_ms, 7000);
	assert_int_equal(config.agent_wait_ms, 1000);
	assert_false(config.needs_agent);
	assert_int_equal(read_config(&config, "qmp /run/x\n", &fault), -EINVAL);
	assert_string_equal(fault.text, "x.conf:1: expected key = value");
	assert_int_equal(read_config(&config, "\nqmp =\n", &fault), -EINVAL);
	assert_string_equal(fault.text, "x.conf:2: qmp: expected SOCKET, not ''");
	assert_int_equal(read_config(&config, "qmq = 1\n", &fault), -EINVAL);
	assert_int_equal(read_config(&config, "timeout = 0\n", &fault), -EINVAL);
	assert_int_equal(read_config(&config, "timeout = 3601\n", &fault), -EINVAL);
	assert_int_equal(read_config(&config, "timeout = 5s\n", &fault), -EINVAL);
	assert_int_equal(read_config(&config, "agent-required = maybe\n", &fault), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iface),	     cmocka_unit_test(test_bad_ifaces),
		cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_names),
		cmocka_unit_test(test_routes),	     cmocka_unit_test(test_repeated_keys),
		cmocka_unit_test(test_bad_routes),   cmocka_unit_test(test_what_the_monitor_writes),
		cmocka_unit_test(test_config),
	};

	return cmocka_run_group_tests_name("qemu_input", tests, NULL, NULL);
}
