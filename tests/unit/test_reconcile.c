/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_reconcile.c - from one state of a namespace to the next: the requests, and their order
 */
#include <string.h>

#include "scene.h"

static void plain(struct world *world)
{
	world_init(world, "plain");
}

static void test_add_change_remove(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	assert_string_equal(world_round(&world, "link 2 eth1 down"), "");
	assert_string_equal(world_round(&world, "link 2 eth1; addr 2 10.0.0.2/24;"
						"route default via 10.0.0.1 dev 2"),
			    "add 2 eth1 mac 02 mtu 1500 10.0.0.2/24\n"
			    "routes 0.0.0.0/0 via 10.0.0.1 dev eth1\n");
	assert_string_equal(world_round(&world, "link 2 eth1; addr 2 10.0.0.2/24;"
						"route default via 10.0.0.1 dev 2"),
			    "");
	assert_string_equal(world_round(&world, "link 2 net7 mac 9 mtu 1400; addr 2 10.0.0.3/24"),
			    "update 2 net7 was eth1 mac 09 mtu 1400 10.0.0.3/24\n"
			    "routes \n");
	assert_string_equal(world_round(&world, ""), "del 2 net7 mac 09 mtu 1400 10.0.0.3/24\n");
	assert_int_equal(world.applied.count, 0);
	world_fini(&world);
}

static void test_order(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	world_round(&world, "link 2 a; link 3 b");
	/* Removals, additions, updates, routes. */
	assert_string_equal(world_round(&world, "link 2 a mtu 9000; link 4 c; route default dev 4"),
			    "del 3 b mac 03 mtu 1500\n"
			    "add 4 c mac 04 mtu 1500\n"
			    "update 2 a mac 02 mtu 9000\n"
			    "routes 0.0.0.0/0 dev c\n");
	world_fini(&world);
}

static void test_removal_carries_applied_name(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	world_round(&world, "link 2 eth1; addr 2 10.0.0.2/24");
	/* Docker sets the link down, renames it and moves it out. */
	assert_string_equal(world_round(&world, "link 2 veth4711 down; addr 2 10.0.0.2/24"), "");
	assert_string_equal(world_round(&world, ""), "del 2 eth1 mac 02 mtu 1500 10.0.0.2/24\n");
	world_fini(&world);
}

static void test_made_anew_with_the_same_name(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	world_round(&world, "link 2 eth1; route 10.0.0.0/8 dev 2");
	assert_string_equal(world_round(&world, "link 3 eth1; route 10.0.0.0/8 dev 3"),
			    "del 2 eth1 mac 02 mtu 1500\n"
			    "add 3 eth1 mac 03 mtu 1500\n"
			    "routes 10.0.0.0/8 dev eth1\n");
	world_fini(&world);
}

static void test_made_anew_with_the_same_index(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	world_round(&world, "link 2 eth1");
	applied_mark_gone(&world.applied, 2);
	assert_string_equal(world_round(&world, "link 2 eth1"), "del 2 eth1 mac 02 mtu 1500\n"
								"add 2 eth1 mac 02 mtu 1500\n");
	/* Without its event, after an overflow, another MAC or kind gives it away. */
	world.has_lost_events = true;
	assert_string_equal(world_round(&world, "link 2 eth1 mac 7"),
			    "del 2 eth1 mac 02 mtu 1500\n"
			    "add 2 eth1 mac 07 mtu 1500\n");
	assert_string_equal(world_round(&world, "link 2 eth1 mac 8"),
			    "update 2 eth1 mac 08 mtu 1500\n");
	world_fini(&world);
}

static void test_gone_before_it_was_added(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	world.fails = "add";
	world_round(&world, "link 2 eth1");
	assert_int_equal(world.applied.count, 1);
	assert_string_equal(world_round(&world, ""), "");
	assert_int_equal(world.applied.count, 0);
	/* If nobody knows how the add ended, it is removed. */
	world.fails_unsure = true;
	world_round(&world, "link 2 eth1");
	world.fails = NULL;
	assert_string_equal(world_round(&world, ""), "del 2 eth1 mac 02 mtu 1500\n");
	world_fini(&world);
}

static void test_names_swap(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	world_round(&world, "link 2 a; link 3 b");
	assert_string_equal(world_round(&world, "link 2 b; link 3 a"),
			    "update 2 b was a mac 02 mtu 1500\n"
			    "update 3 a was b mac 03 mtu 1500\n");
	/* A new link takes the name of one that is renamed: the rename comes first. */
	assert_string_equal(world_round(&world, "link 2 c; link 3 a; link 4 b"),
			    "update 2 c was b mac 02 mtu 1500\n"
			    "add 4 b mac 04 mtu 1500\n");
	/* The old one is to be removed, and cannot be: the new one waits. */
	world.fails = "del";
	assert_string_equal(world_round(&world, "link 3 a; link 4 b; link 5 c"),
			    "del 2 c mac 02 mtu 1500\n");
	world.fails = NULL;
	world.now_ms += 60000;
	assert_string_equal(world_round(&world, "link 3 a; link 4 b; link 5 c"),
			    "del 2 c mac 02 mtu 1500\n"
			    "add 5 c mac 05 mtu 1500\n");
	world_fini(&world);
}

static void test_failures_hold_up_nobody(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	world.fails = "add 2";
	assert_string_equal(world_round(&world, "link 2 a; link 3 b; route default dev 3"),
			    "add 2 a mac 02 mtu 1500\n"
			    "add 3 b mac 03 mtu 1500\n"
			    "routes 0.0.0.0/0 dev b\n");
	/* Not before its time, and the round says when that is. */
	assert_string_equal(world_round(&world, "link 2 a; link 3 b; route default dev 3"), "");
	assert_in_range(world.wake_ms, world.now_ms + 150, world.now_ms + 350);
	world.now_ms = world.wake_ms;
	world.fails = NULL;
	assert_string_equal(world_round(&world, "link 2 a mtu 1300; link 3 b; route default dev 3"),
			    "add 2 a mac 02 mtu 1300\n");
	world_fini(&world);
}

static void test_waits_for_address_check(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	assert_string_equal(world_round(&world, "link 2 a; addr 2 fd00::2/64 tentative"), "");
	assert_int_equal(world.wake_ms, world.now_ms + 3000);
	assert_string_equal(world_round(&world, "link 2 a; addr 2 fd00::2/64"),
			    "add 2 a mac 02 mtu 1500 fd00::2/64\n");
	/* One that never ends is not waited for for ever. */
	world_round(&world, "link 3 b; addr 3 fd00::3/64 tentative");
	world.now_ms += 3000;
	assert_string_equal(world_round(&world, "link 3 b; addr 3 fd00::3/64 tentative"),
			    "add 3 b mac 03 mtu 1500\n");
	assert_string_equal(world_round(&world, "link 3 b; addr 3 fd00::3/64"),
			    "update 3 b mac 03 mtu 1500 fd00::3/64\n");
	world_fini(&world);
}

static void test_duplicate_address(void **state)
{
	const char *scene = "link 2 a; addr 2 fd00::2/64 tentative dadfailed; addr 2 10.0.0.2/24";
	struct world world;

	(void)state;
	plain(&world);
	assert_string_equal(world_round(&world, scene), "add 2 a mac 02 mtu 1500 10.0.0.2/24\n");
	assert_non_null(strstr(world.notes, "fd00::2"));
	/* Said once. */
	assert_string_equal(world_round(&world, scene), "");
	assert_string_equal(world.notes, "");
	world_fini(&world);
}

static void test_down_keeps_everything(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	world_round(&world, "link 2 a; addr 2 10.0.0.2/24; route default via 10.0.0.1 dev 2");
	/* Down: the kernel takes the routes away, the guest's follow; the link stays. */
	assert_string_equal(world_round(&world, "link 2 a down; addr 2 10.0.0.2/24"), "routes \n");
	world_fini(&world);
}

static void test_baseline(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	world_baseline(&world, "link 2 a; addr 2 fd00::2/64 tentative; link 3 b down;"
			       "route default dev 2");
	assert_string_equal(world_round(&world, "link 2 a; addr 2 fd00::2/64; link 3 b;"
						"route default dev 2"),
			    "add 3 b mac 03 mtu 1500\n");
	world_fini(&world);
	/* Kata 1.x has found what has an address, up or not. */
	world_init(&world, "kata1");
	world_baseline(&world, "link 2 a down; addr 2 10.0.0.2/24; link 3 b");
	assert_string_equal(world_round(&world, "link 2 a; addr 2 10.0.0.2/24; link 3 b"),
			    "add 3 b mac 03 mtu 1500\n");
	world_fini(&world);
}

static void test_kata1_has_no_update(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, "kata1");
	world_round(&world, "link 2 a; addr 2 10.0.0.2/24");
	assert_string_equal(world_round(&world, "link 2 a; addr 2 10.0.0.3/24"), "");
	assert_non_null(strstr(world.notes, "the guest keeps the old addresses"));
	/* No empty list. */
	world_round(&world, "link 2 a; addr 2 10.0.0.2/24; route 10.7.0.0/16 dev 2");
	assert_string_equal(world_round(&world, "link 2 a; addr 2 10.0.0.2/24"), "");
	assert_non_null(strstr(world.notes, "no empty list"));
	assert_string_equal(world_round(&world, "link 2 a; addr 2 10.0.0.2/24"), "");
	assert_string_equal(world.notes, "");
	world_fini(&world);
}

static void test_kata1_macvtap(void **state)
{
	const char *before = "link 2 a; addr 2 10.0.0.2/24; route default via 10.0.0.1 dev 2";
	struct world world;

	(void)state;
	world_init(&world, "kata1");
	world_round(&world, before);
	/* Kata takes MAC, addresses and routes from the link: they are in the guest. */
	assert_string_equal(world_round(&world, "link 2 a mac 99;"
						"link 3 tap0_kata kind macvtap parent 2 mac 2"),
			    "");
	assert_string_equal(world.notes, "");
	world_fini(&world);
}

static void test_kata1_kinds(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, "kata1");
	assert_string_equal(world_round(&world, "link 2 m kind macvlan; link 3 t kind tun"),
			    "add 3 t mac 03 mtu 1500\n");
	assert_non_null(strstr(world.notes, "cannot plug kind macvlan"));
	world_round(&world, "link 2 m kind macvlan; link 3 t kind tun");
	assert_string_equal(world.notes, "");
	world_fini(&world);
}

static void test_unsure_update_is_repeated(void **state)
{
	struct world world;

	(void)state;
	plain(&world);
	world_round(&world, "link 2 a");
	world.fails = "update";
	world.fails_unsure = true;
	world_round(&world, "link 2 a mtu 9000");
	world.fails = NULL;
	world.now_ms += 60000;
	/* Even if the link is again as it was acknowledged. */
	assert_string_equal(world_round(&world, "link 2 a"), "update 2 a mac 02 mtu 1500\n");
	assert_string_equal(world_round(&world, "link 2 a"), "");
	world_fini(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_change_remove),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_removal_carries_applied_name),
		cmocka_unit_test(test_made_anew_with_the_same_name),
		cmocka_unit_test(test_made_anew_with_the_same_index),
		cmocka_unit_test(test_gone_before_it_was_added),
		cmocka_unit_test(test_names_swap),
		cmocka_unit_test(test_failures_hold_up_nobody),
		cmocka_unit_test(test_waits_for_address_check),
		cmocka_unit_test(test_duplicate_address),
		cmocka_unit_test(test_down_keeps_everything),
		cmocka_unit_test(test_baseline),
		cmocka_unit_test(test_kata1_has_no_update),
		cmocka_unit_test(test_kata1_macvtap),
		cmocka_unit_test(test_kata1_kinds),
		cmocka_unit_test(test_unsure_update_is_repeated),
	};

	return cmocka_run_group_tests_name("reconcile", tests, NULL, NULL);
}
