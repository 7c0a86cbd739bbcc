/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_filter.c - which links and addresses count
 */
#include <stdlib.h>

#include "scene.h"

static const struct policy *plain(void)
{
	static struct policy policy;

	policy = (struct policy){.dialect = dialect_find("plain"), .tells_proto = true};
	return &policy;
}

/* The verdict on the first link of @scene. */
static enum link_verdict verdict_on(const struct policy *policy, const char *scene)
{
	struct snapshot snapshot = {0};
	enum link_verdict verdict;

	scene_add(&snapshot, scene);
	verdict = filter_link(policy, &snapshot, &snapshot.links[0]);
	snapshot_fini(&snapshot);
	return verdict;
}

static void test_links(void **state)
{
	static const struct {
		const char *scene;
		enum link_verdict verdict;
	} cases[] = {
		{"link 1 lo loopback", LINK_LOOPBACK},
		{"link 2 tap0_kata", LINK_RUNTIMES_OWN},
		{"link 2 br1_kata kind bridge down", LINK_RUNTIMES_OWN},
		{"link 2 redirect kind ifb", LINK_RUNTIMES_OWN},
		{"link 2 eth1 master 9", LINK_ENSLAVED},
		{"link 2 eth1 down", LINK_DOWN},
		{"link 2 eth1 nocarrier", LINK_NO_CARRIER},
		{"link 2 eth1; addr 2 fd00::1/64 tentative", LINK_TENTATIVE},
		{"link 2 eth1; addr 2 fd00::1/64 tentative optimistic", LINK_READY},
		/* It stays tentative for ever: no reason to wait. */
		{"link 2 eth1; addr 2 fd00::1/64 tentative dadfailed", LINK_READY},
		/* The kernel's own link-local address is not sent, so not waited for. */
		{"link 2 eth1; addr 2 fe80::1/64 tentative proto 3", LINK_READY},
		{"link 2 eth1; addr 2 fe80::1/64 tentative", LINK_TENTATIVE},
		/* Another link's address. */
		{"link 2 eth1; addr 3 fd00::1/64 tentative", LINK_READY},
		/* Without any address: L2 only. */
		{"link 2 eth1", LINK_READY},
		{"link 2 mvl kind macvlan", LINK_READY},
		{"link 2 wg0 kind wireguard nomac noarp", LINK_READY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (verdict_on(plain(), cases[i].scene) != cases[i].verdict)
			fail_msg("%s: verdict %d", cases[i].scene,
				 verdict_on(plain(), cases[i].scene));
	}
}

static void test_names(void **state)
{
	static const char *const ignore[] = {"cni*", "eth[0-3]"};
	static const char *const only[] = {"eth*"};
	struct policy policy = *plain();

	(void)state;
	policy.ignore = ignore;
	policy.ignore_count = 2;
	assert_int_equal(verdict_on(&policy, "link 2 cni0"), LINK_IGNORED);
	assert_int_equal(verdict_on(&policy, "link 2 eth3"), LINK_IGNORED);
	assert_int_equal(verdict_on(&policy, "link 2 eth4"), LINK_READY);
	policy.only = only;
	policy.only_count = 1;
	assert_int_equal(verdict_on(&policy, "link 2 net1"), LINK_NOT_ONLY);
	assert_int_equal(verdict_on(&policy, "link 2 eth4"), LINK_READY);
	/* Who is ignored is not let in by --only. */
	assert_int_equal(verdict_on(&policy, "link 2 eth1"), LINK_IGNORED);
}

static void test_kinds_of_kata1(void **state)
{
	const struct policy policy = {.dialect = dialect_find("kata1")};

	(void)state;
	assert_int_equal(verdict_on(&policy, "link 2 eth1"), LINK_READY);
	assert_int_equal(verdict_on(&policy, "link 2 tap9 kind tun"), LINK_READY);
	assert_int_equal(verdict_on(&policy, "link 2 tun9 kind tun nomac"), LINK_WRONG_KIND);
	assert_int_equal(verdict_on(&policy, "link 2 eth1 kind macvlan"), LINK_WRONG_KIND);
	/* What is down need not be talked about. */
	assert_int_equal(verdict_on(&policy, "link 2 eth1 kind macvlan down"), LINK_DOWN);
}

/* The addresses that link 2 of @scene has for a runtime that knows @known (or NULL). */
static const char *addresses(const struct policy *policy, const char *scene, const char *known)
{
	struct snapshot snapshot = {0}, before = {0};
	struct request request = {.verb = VERB_ADD};
	struct iface old = {0};
	const char *text;

	scene_add(&snapshot, scene);
	if (known) {
		scene_add(&before, known);
		assert_int_equal(
			filter_iface(policy, &before, snapshot_find_link(&before, 2), NULL, &old),
			0);
	}
	assert_int_equal(filter_iface(policy, &snapshot, snapshot_find_link(&snapshot, 2),
				      known ? &old : NULL, &request.iface),
			 0);
	text = scene_request(&request);
	iface_fini(&old);
	request_fini(&request);
	snapshot_fini(&snapshot);
	snapshot_fini(&before);
	/* "add 2 eth1 mac 02 mtu 1500" is in front. */
	return text + sizeof("add 2 eth1 mac 02 mtu 1500") - 1;
}

static void test_addresses(void **state)
{
	struct policy policy = *plain();
	const char *ll = "link 2 eth1; addr 2 fe80::1/64";

	(void)state;
	assert_string_equal(addresses(&policy,
				      "link 2 eth1; addr 2 fd00::2/64; addr 2 10.0.0.9/8 secondary;"
				      "addr 2 10.0.0.2/8; addr 3 10.0.0.7/8",
				      NULL),
			    " 10.0.0.2/8 10.0.0.9/8 fd00::2/64");
	/* With its peer elsewhere the prefix is the peer's. */
	assert_string_equal(
		addresses(&policy, "link 2 eth1; addr 2 10.9.0.1/32 peer 10.9.0.2", NULL),
		" 10.9.0.1/32");
	assert_string_equal(
		addresses(&policy, "link 2 eth1; addr 2 10.9.0.1/24 peer 172.16.0.2", NULL),
		" 10.9.0.1/32");
	assert_string_equal(
		addresses(&policy, "link 2 eth1; addr 2 10.9.0.1/24 peer 10.9.0.2", NULL),
		" 10.9.0.1/24");
	assert_string_equal(
		addresses(&policy, "link 2 eth1; addr 2 fd00::2/64 dadfailed tentative", NULL), "");
	assert_string_equal(addresses(&policy, "link 2 eth1; addr 2 fd00::2/64 temporary", NULL),
			    "");
	policy.takes_temporary = true;
	assert_string_equal(addresses(&policy, "link 2 eth1; addr 2 fd00::2/64 temporary", NULL),
			    " fd00::2/64");
	/* A user's link-local address counts, the kernel's does not. */
	assert_string_equal(addresses(&policy, ll, NULL), " fe80::1/64");
	assert_string_equal(addresses(&policy, "link 2 eth1; addr 2 fe80::1/64 proto 3", NULL), "");
	/* One out of a router's advertisement (IFAPROT_KERNEL_RA) is none of the guest's making. */
	assert_string_equal(addresses(&policy, "link 2 eth1; addr 2 fd00::7/64 proto 2", NULL),
			    " fd00::7/64");
	/* An old kernel does not tell them apart. */
	policy.tells_proto = false;
	assert_string_equal(addresses(&policy, ll, NULL), "");
}

static void test_checked_again(void **state)
{
	const char *settled = "link 2 eth1; addr 2 fd00::2/64";
	const char *tentative = "link 2 eth1; addr 2 fd00::2/64 tentative";

	(void)state;
	/* A link that went down and up checks its addresses again: the runtime keeps them. */
	assert_string_equal(addresses(plain(), tentative, NULL), "");
	assert_string_equal(addresses(plain(), tentative, settled), " fd00::2/64");
	assert_string_equal(addresses(plain(), tentative, "link 2 eth1; addr 2 fd00::3/64"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),	       cmocka_unit_test(test_names),
		cmocka_unit_test(test_kinds_of_kata1), cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_checked_again),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
