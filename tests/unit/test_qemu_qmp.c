/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_qemu_qmp.c - QMP's framing, answers and events, from a QEMU that was written down beforehand
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "nic.h"
#include "qmp.h"
#include "scene.h"

#define GREETING                                                                                   \
	"{\"QMP\": {\"version\": {\"qemu\": {\"major\": 7}}, \"capabilities\": [\"oob\"]}}\r\n"    \
	"{\"return\": {}}\r\n"

/* One who never answers is waited for this long; all others have answered beforehand. */
#define SHORT_MS 50
#define LONG_MS	 10000

/* A client, and the other end of its socket, on which @said waits to be read. */
struct talk {
	struct qmp qmp;
	struct fault fault;
	int other_fd;
};

static int open_talk(struct talk *talk, const char *said, uint64_t deadline_ms)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(write(fds[1], said, strlen(said)), strlen(said));
	talk->other_fd = fds[1];
	talk->fault.text[0] = '\0';
	return qmp_start(&talk->qmp, fds[0], deadline_ms, clock_ms() + deadline_ms, &talk->fault);
}

static void close_talk(struct talk *talk)
{
	qmp_close(&talk->qmp);
	close(talk->other_fd);
}

/* What the client has sent since the last time. */
static const char *sent(const struct talk *talk)
{
	static char text[4096];
	ssize_t length = read(talk->other_fd, text, sizeof(text) - 1);

	text[length > 0 ? length : 0] = '\0';
	return text;
}

static void test_start(void **state)
{
	struct talk talk;

	(void)state;
	assert_int_equal(open_talk(&talk, GREETING, LONG_MS), 0);
	assert_string_equal(sent(&talk), "{\"execute\":\"qmp_capabilities\",\"arguments\":{}}");
	close_talk(&talk);
}

static void refuse(const char *said, int error, const char *why)
{
	struct talk talk;
	int ret = open_talk(&talk, said, SHORT_MS);

	if (ret != error || !strstr(talk.fault.text, why))
		fail_msg("%s: %d, %s", said, ret, talk.fault.text);
	close_talk(&talk);
}

static void test_no_qmp(void **state)
{
	(void)state;
	refuse("", -EBUSY, "busy");
	refuse("{\"QMP\": {", -EBUSY, "busy");
	refuse("{\"QMP\": {}}\n", -ETIMEDOUT, "in time");
	refuse("SSH-2.0\r\n", -EBADMSG, "not QMP");
	refuse("[]\n", -EBADMSG, "not QMP");
	refuse("{\"QMP\": {}} {}\n", -EBADMSG, "not QMP");
	refuse("{\"return\": {}}\n", -EBADMSG, "not QMP");
	refuse("{\"QMP\": {}}\n{}\n", -EBADMSG, "not QMP");
	refuse("{\"QMP\": {}}\n{\"error\": {\"class\": \"GenericError\", \"desc\": \"no\"}}\n",
	       -EREMOTEIO, "QEMU refuses qmp_capabilities: no");
}

static void test_closed(void **state)
{
	struct talk talk;

	(void)state;
	assert_int_equal(open_talk(&talk, GREETING, LONG_MS), 0);
	close(talk.other_fd);
	assert_true(qmp_call(&talk.qmp, "x", cJSON_CreateObject(), -1, NULL) < 0);
	assert_non_null(strstr(talk.fault.text, "has it ended?"));
	qmp_close(&talk.qmp);
	/* Half a line, and gone. */
	assert_int_equal(open_talk(&talk, GREETING "{\"retu", LONG_MS), 0);
	shutdown(talk.other_fd, SHUT_WR);
	assert_int_equal(qmp_call(&talk.qmp, "x", cJSON_CreateObject(), -1, NULL), -ECONNRESET);
	close_talk(&talk);
}

/* An answer comes in pieces, behind events, and with another answer in the same piece. */
static void test_calls(void **state)
{
	struct talk talk;
	cJSON *result;

	(void)state;
	assert_int_equal(open_talk(&talk,
				   GREETING "{\"event\": \"RESUME\"}\r\n\r\n{\"return\": 7}\r\n"
					    "{\"error\": {\"class\": \"DeviceNotFound\", \"desc\": "
					    "\"Device 'a' not found\"}}\r\n",
				   LONG_MS),
			 0);
	sent(&talk);
	assert_int_equal(qmp_call(&talk.qmp, "x", cJSON_CreateObject(), -1, &result), 0);
	assert_int_equal(result->valueint, 7);
	cJSON_Delete(result);
	assert_string_equal(sent(&talk), "{\"execute\":\"x\",\"arguments\":{}}");
	assert_int_equal(qmp_call(&talk.qmp, "y", cJSON_CreateObject(), -1, &result), -EREMOTEIO);
	assert_null(result);
	assert_string_equal(talk.qmp.error_class, "DeviceNotFound");
	assert_string_equal(talk.fault.text, "QEMU refuses y: Device 'a' not found");
	assert_int_equal(qmp_call(&talk.qmp, "z", NULL, -1, NULL), -ENOMEM);
	close_talk(&talk);
}

static void test_long_line(void **state)
{
	struct talk talk;
	cJSON *result;
	char *line = malloc(100000);

	(void)state;
	assert_int_equal(open_talk(&talk, GREETING, LONG_MS), 0);
	snprintf(line, 100000, "{\"return\":\"%090000d\"}\n", 0);
	assert_int_equal(write(talk.other_fd, line, strlen(line)), strlen(line));
	assert_int_equal(qmp_call(&talk.qmp, "x", cJSON_CreateObject(), -1, &result), 0);
	assert_int_equal(strlen(result->valuestring), 90000);
	cJSON_Delete(result);
	free(line);
	close_talk(&talk);
}

static void test_descriptor(void **state)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	char text[256];
	struct iovec part = {.iov_base = text, .iov_len = sizeof(text)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	const struct cmsghdr *header;
	struct talk talk;
	int passed = -1;

	(void)state;
	assert_int_equal(open_talk(&talk, GREETING "{\"return\": {}}\n", LONG_MS), 0);
	sent(&talk);
	assert_int_equal(qmp_call(&talk.qmp, "getfd", cJSON_CreateObject(), STDIN_FILENO, NULL), 0);
	assert_true(recvmsg(talk.other_fd, &message, 0) > 0);
	header = CMSG_FIRSTHDR(&message);
	assert_non_null(header);
	if (header)
		memcpy(&passed, CMSG_DATA(header), sizeof(int));
	assert_int_equal(close(passed), 0);
	close_talk(&talk);
}

static int await(const char *events, const char *id)
{
	struct talk talk;
	int ret;

	assert_int_equal(open_talk(&talk, GREETING "{\"return\": {}}\n", LONG_MS), 0);
	qmp_watch(&talk.qmp, id);
	assert_int_equal(write(talk.other_fd, events, strlen(events)), strlen(events));
	assert_int_equal(qmp_call(&talk.qmp, "device_del", cJSON_CreateObject(), -1, NULL), 0);
	ret = qmp_await_deleted(&talk.qmp, clock_ms() + SHORT_MS);
	close_talk(&talk);
	return ret;
}

static void test_deleted(void **state)
{
	static const char other[] =
		"{\"event\": \"DEVICE_DELETED\", \"data\": {\"path\": "
		"\"/machine/peripheral/a/b\"}}\n"
		"{\"event\": \"DEVICE_DELETED\", \"data\": {\"device\": \"b\"}}\n";
	static const char refused[] =
		"{\"event\": \"DEVICE_UNPLUG_GUEST_ERROR\", \"data\": {\"device\": \"a\"}}\n";
	static const char deleted[] = "{\"event\": \"DEVICE_DELETED\", \"data\": {\"device\": "
				      "\"a\", \"path\": \"/x\"}}\n";
	struct talk talk;

	(void)state;
	assert_int_equal(await(deleted, "a"), 0);
	assert_int_equal(await(other, "a"), -ETIMEDOUT);
	assert_int_equal(await(refused, "a"), -EBUSY);
	assert_int_equal(await(refused, "b"), -ETIMEDOUT);
	/* The event may come before the answer. */
	assert_int_equal(open_talk(&talk, GREETING, LONG_MS), 0);
	qmp_watch(&talk.qmp, "a");
	assert_int_equal(write(talk.other_fd, deleted, strlen(deleted)), strlen(deleted));
	assert_int_equal(write(talk.other_fd, "{\"return\": {}}\n", 15), 15);
	assert_int_equal(qmp_call(&talk.qmp, "device_del", cJSON_CreateObject(), -1, NULL), 0);
	assert_int_equal(qmp_await_deleted(&talk.qmp, 0), 0);
	close_talk(&talk);
}

static void test_ids(void **state)
{
	static const char *const foreign[] = {"",
					      "net0",
					      "nm13-",
					      "nm-0242ac120002",
					      "nm13-0242ac12000",
					      "nm13-0242AC120002",
					      "nm013-0242ac120002",
					      "nm13-0242ac1200022",
					      "nm13-0242ac120002x",
					      "nm99999999999-0242ac120002",
					      "nm 13-0242ac120002"};
	struct iface iface = {
		.index = 4294967295, .mac_len = 6, .mac = {2, 0x42, 0xac, 0x12, 0, 2}};
	struct nic nic, read;

	(void)state;
	nic_of_iface(&nic, &iface);
	assert_string_equal(nic.id, "nm4294967295-0242ac120002");
	assert_true(nic_parse_id(&read, nic.id));
	assert_int_equal(read.index, iface.index);
	assert_memory_equal(read.mac, iface.mac, 6);
	assert_true(nic_has_mac(&read, &iface));
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (nic_parse_id(&read, foreign[i]))
			fail_msg("taken: %s", foreign[i]);
	}
}

static void test_bridges(void **state)
{
	static const char text[] =
		"[{\"bus\": 0, \"devices\": ["
		"{\"qdev_id\": \"\", \"slot\": 0},"
		"{\"qdev_id\": \"rp1\", \"pci_bridge\": {\"bus\": {}, \"devices\": [{\"qdev_id\": "
		"\"n\"}]}},"
		"{\"qdev_id\": \"rp2\", \"pci_bridge\": {\"bus\": {}}},"
		"{\"qdev_id\": \"\", \"pci_bridge\": {\"bus\": {}}},"
		"{\"qdev_id\": \"rp3\", \"pci_bridge\": {\"devices\": ["
		"{\"qdev_id\": \"br4\", \"pci_bridge\": {\"devices\": []}}]}}]}]";
	cJSON *answer = cJSON_Parse(text);
	cJSON *nonsense =
		cJSON_Parse("[5, {\"devices\": 7}, {\"devices\": [{\"pci_bridge\": true}]}]");
	const char *ids[4];

	(void)state;
	assert_int_equal(nic_free_bridges(answer, ids, 4), 2);
	assert_string_equal(ids[0], "rp2");
	assert_string_equal(ids[1], "br4");
	assert_int_equal(nic_free_bridges(answer, ids, 1), 1);
	assert_int_equal(nic_free_bridges(nonsense, ids, 4), 0);
	cJSON_Delete(answer);
	cJSON_Delete(nonsense);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),	  cmocka_unit_test(test_no_qmp),
		cmocka_unit_test(test_closed),	  cmocka_unit_test(test_calls),
		cmocka_unit_test(test_long_line), cmocka_unit_test(test_descriptor),
		cmocka_unit_test(test_deleted),	  cmocka_unit_test(test_ids),
		cmocka_unit_test(test_bridges),
	};

	return cmocka_run_group_tests_name("qemu_qmp", tests, NULL, NULL);
}
