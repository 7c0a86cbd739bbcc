/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_qemu_agent.c - what the guest agent answers, a guest's word that is not to be trusted
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "base64.h"
#include "clock.h"
#include "guest.h"
#include "scene.h"

#define SHORT_MS 50
#define LONG_MS	 10000

static void test_base64(void **state)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"foobar", "Zm9vYmFy"},
		{"\xff\xfe", "//4="},
	};
	static const char *const bad[] = {"Z", "Zg=", "Zg===", "====", "Zm9v\n", "Z=9v", "Zm9\xff"};
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *text = base64_encode(pairs[i][0], strlen(pairs[i][0]));
		char *bytes = base64_decode(pairs[i][1], &size);

		assert_string_equal(text, pairs[i][1]);
		assert_string_equal(bytes, pairs[i][0]);
		assert_int_equal(size, strlen(pairs[i][0]));
		free(text);
		free(bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (base64_decode(bad[i], &size))
			fail_msg("taken: %s", bad[i]);
	}
}

static int parse_links(const char *text, struct agent_links *links)
{
	cJSON *answer = cJSON_Parse(text);
	int ret = agent_parse_links(answer, links);

	cJSON_Delete(answer);
	return ret;
}

/* As QEMU 7.2's agent writes it. */
static const char answer_links[] =
	"[{\"name\": \"lo\", \"ip-addresses\": [{\"ip-address-type\": \"ipv4\", \"ip-address\": "
	"\"127.0.0.1\", "
	"\"prefix\": 8}], \"hardware-address\": \"00:00:00:00:00:00\"},"
	"{\"name\": \"sit0\"},"
	"{\"name\": \"eth1\", \"ip-addresses\": ["
	"{\"ip-address-type\": \"ipv6\", \"ip-address\": \"fd00::2\", \"prefix\": 64},"
	"{\"ip-address-type\": \"ipv4\", \"ip-address\": \"10.0.0.2\", \"prefix\": 24},"
	"{\"ip-address-type\": \"ipv6\", \"ip-address\": \"fe80::1\", \"prefix\": 64}],"
	"\"statistics\": {\"tx-packets\": 3}, \"hardware-address\": \"02:42:ac:12:00:02\"},"
	"{\"name\": \"br0\", \"hardware-address\": \"02:42:AC:12:00:02\"}]";

static void test_links(void **state)
{
	struct agent_links links;

	(void)state;
	assert_int_equal(parse_links(answer_links, &links), 0);
	assert_int_equal(links.count, 3);
	assert_string_equal(links.links[1].name, "eth1");
	assert_int_equal(links.links[1].address_count, 3);
	assert_int_equal(links.links[1].addresses[0].prefix_len, 24);
	assert_true(iface_same_mac(&links.links[1], &links.links[2]));
	agent_links_fini(&links);
	assert_int_equal(parse_links("[]", &links), 0);
	agent_links_fini(&links);
}

static void test_bad_links(void **state)
{
	static const char *const bad[] = {"{}",
					  "7",
					  "null",
					  "[7]",
					  "[{}]",
					  "[{\"name\": \"\"}]",
					  "[{\"name\": 7}]",
					  "[{\"name\": \"sixteen-bytes-xx\"}]"};
	struct agent_links links;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (parse_links(bad[i], &links) != -EBADMSG)
			fail_msg("taken: %s", bad[i]);
	}
	/* What cannot be read is left out, the rest stays. */
	assert_int_equal(
		parse_links(
			"[{\"name\": \"a\", \"hardware-address\": \"zz\"},"
			"{\"name\": \"b\", \"hardware-address\": \"02:00:00:00:00:01\", "
			"\"ip-addresses\": [7, {}, {\"ip-address-type\": \"ipv4\"}, "
			"{\"ip-address-type\": \"ipv4\", \"ip-address\": \"::1\", \"prefix\": 8},"
			"{\"ip-address-type\": \"ipv4\", \"ip-address\": \"1.2.3.4\", \"prefix\": "
			"33},"
			"{\"ip-address-type\": \"ipv4\", \"ip-address\": \"1.2.3.4\", \"prefix\": "
			"32}]}]",
			&links),
		0);
	assert_int_equal(links.count, 1);
	assert_int_equal(links.links[0].address_count, 1);
	agent_links_fini(&links);
}

static int parse_exit(const char *text, struct agent_exit *exit)
{
	cJSON *answer = cJSON_Parse(text);
	int ret = agent_parse_exit(answer, exit);

	cJSON_Delete(answer);
	return ret;
}

static void test_exits(void **state)
{
	struct agent_exit exit;

	(void)state;
	assert_int_equal(parse_exit("{\"exited\": false}", &exit), -EAGAIN);
	assert_int_equal(
		parse_exit("{\"exited\": true, \"exitcode\": 3, \"err-data\": \"Zm9v\"}", &exit),
		0);
	assert_int_equal(exit.status, 3);
	assert_string_equal(exit.output, "foo");
	free(exit.output);
	assert_int_equal(parse_exit("{\"exited\": true, \"signal\": 9}", &exit), 0);
	assert_int_equal(exit.status, 137);
	assert_string_equal(exit.output, "");
	free(exit.output);
	assert_int_equal(parse_exit("{}", &exit), -EBADMSG);
	assert_int_equal(parse_exit("{\"exited\": 1}", &exit), -EBADMSG);
	assert_int_equal(parse_exit("{\"exited\": true}", &exit), -EBADMSG);
	assert_int_equal(parse_exit("{\"exited\": true, \"exitcode\": -1}", &exit), -EBADMSG);
	assert_int_equal(
		parse_exit("{\"exited\": true, \"exitcode\": 0, \"err-data\": \"?\"}", &exit),
		-EBADMSG);
}

/* Reads one line from @fd. */
static void read_line(int fd, char *line, size_t size)
{
	size_t length = 0;

	while (length < size - 1 && read(fd, line + length, 1) == 1 && line[length] != '\n')
		length++;
	line[length] = '\0';
}

/*
 * An agent in a process of its own: what it had to say before, the answer to the synchronisation,
 * then each line of @answers for a command.
 */
static pid_t fork_agent(const int fds[2], const char *before, const char *answers)
{
	int fd = fds[1];
	char line[65536];
	const char *id;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	close(fds[0]);
	dprintf(fd, "%s", before);
	read_line(fd, line, sizeof(line));
	id = strstr(line, "\"id\":");
	dprintf(fd, "\xff{\"return\": %lu}\n", id ? strtoul(id + 5, NULL, 10) : 0);
	while (*answers) {
		read_line(fd, line, sizeof(line));
		dprintf(fd, "%.*s\n", (int)strcspn(answers, "\n"), answers);
		answers += strcspn(answers, "\n");
		answers += *answers == '\n';
	}
	read_line(fd, line, sizeof(line));
	_exit(0);
}

struct talk {
	struct agent agent;
	struct fault fault;
	pid_t pid;
};

/* @before may hold what an earlier client has left. */
static int open_talk(struct talk *talk, const char *before, const char *answers)
{
	int fds[2];

	talk->fault.text[0] = '\0';
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	talk->pid = fork_agent(fds, before, answers);
	close(fds[1]);
	return agent_start(&talk->agent, fds[0], clock_ms() + LONG_MS, &talk->fault);
}

static void close_talk(struct talk *talk)
{
	agent_close(&talk->agent);
	waitpid(talk->pid, NULL, 0);
}

static void test_synchronise(void **state)
{
	struct talk talk;
	struct agent_links links;

	(void)state;
	assert_int_equal(open_talk(&talk, "", ""), 0);
	close_talk(&talk);
	assert_int_equal(open_talk(&talk, "{\"return\": 1}\nnonsense\n{\"error\": {}}\nhalf a li",
				   "{\"return\": []}\n"),
			 0);
	assert_int_equal(agent_get_links(&talk.agent, &links), 0);
	agent_links_fini(&links);
	close_talk(&talk);
}

static void test_silent(void **state)
{
	struct agent agent;
	struct fault fault;
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(agent_start(&agent, fds[0], clock_ms() + SHORT_MS, &fault), -ETIMEDOUT);
	assert_non_null(strstr(fault.text, "does not answer in time"));
	close(fds[1]);
}

static void test_run(void **state)
{
	static const char *const arguments[] = {"a b", "$(c)"};
	struct agent_exit exit;
	struct talk talk;

	(void)state;
	assert_int_equal(
		open_talk(&talk, "",
			  "{\"return\": {\"pid\": 7}}\n{\"return\": {\"exited\": false}}\n"
			  "{\"return\": {\"exited\": true, \"exitcode\": 0, \"err-data\": "
			  "\"Zm9v\"}}\n"
			  "{\"error\": {\"class\": \"CommandNotFound\", \"desc\": \"disabled\"}}\n"
			  "{\"return\": {}}\n"),
		0);
	assert_int_equal(agent_run(&talk.agent, "exit 0", arguments, 2, "", &exit), 0);
	assert_int_equal(exit.status, 0);
	assert_string_equal(exit.output, "foo");
	free(exit.output);
	assert_int_equal(agent_run(&talk.agent, "exit 0", NULL, 0, "", &exit), -EREMOTEIO);
	assert_string_equal(talk.fault.text, "the guest agent refuses guest-exec: disabled");
	assert_int_equal(agent_run(&talk.agent, "exit 0", NULL, 0, "", &exit), -EBADMSG);
	close_talk(&talk);
}

static void add_address(struct iface *iface, const char *text, uint8_t prefix_len)
{
	struct iface_address *address = &iface->addresses[iface->address_count++];

	address->ip = scene_ip(text);
	address->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	address->prefix_len = prefix_len;
}

static void test_guest(void **state)
{
	struct iface_address addresses[4] = {0};
	struct iface wanted = {.name = "eth1", .mac_len = 6, .mac = {2, 0x42, 0xac, 0x12, 0, 2}};
	struct guest_nic nic = {.wanted = &wanted, .previous_name = ""};
	struct agent_links links;

	(void)state;
	assert_int_equal(parse_links(answer_links, &links), 0);
	/* The guest's bridge has the same MAC. */
	assert_string_equal(guest_find(&links, &nic)->name, "eth1");
	strcpy(wanted.name, "eth9");
	nic.previous_name = "br0";
	assert_string_equal(guest_find(&links, &nic)->name, "br0");
	nic.previous_name = "eth1";
	assert_string_equal(guest_find(&links, &nic)->name, "eth1");
	strcpy(wanted.name, "eth1");
	wanted.addresses = addresses;
	add_address(&wanted, "fd00::2", 64);
	assert_false(guest_is_as_wanted(&links.links[1], &wanted));
	add_address(&wanted, "10.0.0.2", 24);
	/* fe80::1 is the guest's own. */
	assert_true(guest_is_as_wanted(&links.links[1], &wanted));
	wanted.addresses[1].prefix_len = 16;
	assert_false(guest_is_as_wanted(&links.links[1], &wanted));
	wanted.addresses[1].prefix_len = 24;
	add_address(&wanted, "fe80::9", 64);
	assert_false(guest_is_as_wanted(&links.links[1], &wanted));
	wanted.mac[5] = 3;
	assert_null(guest_find(&links, &nic));
	agent_links_fini(&links);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base64),	    cmocka_unit_test(test_links),
		cmocka_unit_test(test_bad_links),   cmocka_unit_test(test_exits),
		cmocka_unit_test(test_synchronise), cmocka_unit_test(test_silent),
		cmocka_unit_test(test_run),	    cmocka_unit_test(test_guest),
	};

	return cmocka_run_group_tests_name("qemu_agent", tests, NULL, NULL);
}
