/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_hint.c - which events ring, by recordings of what the kernel sends
 */
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>

#include "hint.h"
#include "scene.h"

/* What the events of one recording amounted to. */
struct tally {
	size_t changes;
	size_t losses;
	size_t silent;
	uint32_t gone; /* the last index */
};

static void count(const struct nlmsghdr *message, void *arg)
{
	struct hint hint = hint_of(message);
	struct tally *tally = arg;

	tally->changes += (hint.flags & HINT_CHANGE) != 0;
	tally->losses += (hint.flags & HINT_LOSS) != 0;
	tally->silent += hint.flags == 0;
	if (hint.flags & HINT_GONE)
		tally->gone = hint.index;
}

static struct tally tally_of(const char *recording)
{
	struct tally tally = {0};

	assert_true(for_each_recorded(recording, count, &tally) > 0);
	return tally;
}

static void test_connect(void **state)
{
	struct tally tally = tally_of("connect");

	(void)state;
	assert_true(tally.changes > 0);
	assert_int_equal(tally.gone, 0);
	/* The kernel's local and broadcast routes say nothing that an address did not. */
	assert_true(tally.silent >= 2);
}

static void test_disconnect(void **state)
{
	struct tally tally = tally_of("disconnect");

	(void)state;
	/* Moved away: to this namespace that is a deletion. */
	assert_int_equal(tally.gone, 21);
	assert_true(tally.losses > 1);
}

static void test_delete(void **state)
{
	struct tally tally = tally_of("delete");

	(void)state;
	assert_int_equal(tally.gone, 22);
	assert_true(tally.losses > 2);
}

static void test_bridge_port(void **state)
{
	struct tally tally = tally_of("bridge-port");

	(void)state;
	/* A port that leaves its bridge is reported as a DELLINK of AF_BRIDGE: it is not gone. */
	assert_int_equal(tally.gone, 0);
	assert_true(tally.changes > 0);
	assert_true(tally.silent > 0);
}

static struct hint hint_for_route(struct rtmsg header)
{
	char buffer[256];
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = RTM_NEWROUTE;
	memcpy(mnl_nlmsg_put_extra_header(message, sizeof(header)), &header, sizeof(header));
	return hint_of(message);
}

static void test_routes(void **state)
{
	struct rtmsg header = {.rtm_family = AF_INET,
			       .rtm_table = RT_TABLE_MAIN,
			       .rtm_protocol = RTPROT_BOOT,
			       .rtm_type = RTN_UNICAST};

	(void)state;
	assert_int_equal(hint_for_route(header).flags, HINT_CHANGE);
	/* In place of a unicast route: the list is another one. */
	header.rtm_type = RTN_BLACKHOLE;
	assert_int_equal(hint_for_route(header).flags, HINT_CHANGE);
	header.rtm_table = RT_TABLE_LOCAL;
	assert_int_equal(hint_for_route(header).flags, 0);
	header.rtm_table = RT_TABLE_MAIN;
	header.rtm_protocol = RTPROT_KERNEL;
	assert_int_equal(hint_for_route(header).flags, 0);
	header.rtm_protocol = RTPROT_RA;
	header.rtm_flags = RTM_F_CLONED;
	assert_int_equal(hint_for_route(header).flags, 0);
}

static void test_links(void **state)
{
	char buffer[256];
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *header = mnl_nlmsg_put_extra_header(message, sizeof(*header));

	(void)state;
	message->nlmsg_type = RTM_NEWLINK;
	header->ifi_index = 5;
	header->ifi_flags = IFF_UP | 1 << 16;
	assert_int_equal(hint_of(message).flags, HINT_CHANGE);
	/* Without carrier, or down: routes go that no event names. */
	header->ifi_flags = IFF_UP;
	assert_int_equal(hint_of(message).flags, HINT_CHANGE | HINT_LOSS);
	message->nlmsg_type = RTM_DELLINK;
	assert_int_equal(hint_of(message).flags, HINT_CHANGE | HINT_LOSS | HINT_GONE);
	assert_int_equal(hint_of(message).index, 5);
	header->ifi_index = 0;
	assert_int_equal(hint_of(message).flags, 0);
	header->ifi_index = 5;
	message->nlmsg_len = NLMSG_HDRLEN + 3;
	assert_int_equal(hint_of(message).flags, 0);
}

static void test_others(void **state)
{
	static const struct {
		uint16_t type;
		unsigned int flags;
	} cases[] = {
		{RTM_NEWADDR, HINT_CHANGE},
		{RTM_DELADDR, HINT_CHANGE | HINT_LOSS},
		{RTM_NEWNEXTHOP, HINT_CHANGE | HINT_LOSS},
		{RTM_DELNEXTHOP, HINT_CHANGE | HINT_LOSS},
		{RTM_NEWNEIGH, 0},
		{RTM_NEWRULE, 0},
		{NLMSG_DONE, 0},
		{NLMSG_ERROR, 0},
	};
	struct nlmsghdr message = {.nlmsg_len = sizeof(message)};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		message.nlmsg_type = cases[i].type;
		assert_int_equal(hint_of(&message).flags, cases[i].flags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_connect), cmocka_unit_test(test_disconnect),
		cmocka_unit_test(test_delete),	cmocka_unit_test(test_bridge_port),
		cmocka_unit_test(test_routes),	cmocka_unit_test(test_links),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests_name("hint", tests, NULL, NULL);
}
