/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_routes.c - which routes are sent, in which order, and when a list is the same
 */
#include <stdio.h>
#include <string.h>

#include "nexthop.h"
#include "scene.h"

/* The routes that a runtime that has acknowledged all links of @scene is sent. */
static const char *sent(struct world *world, const char *dialect, const char *scene)
{
	world_init(world, dialect);
	world_baseline(world, scene);
	return scene_routes(&world->applied.routes);
}

#define TWO_LINKS "link 2 a; addr 2 10.0.0.2/24; addr 2 fd00::2/64; link 3 b; addr 3 10.1.0.2/24;"

static void test_order(void **state)
{
	struct world world;

	(void)state;
	/* Without gateway first, then by falling prefix length, default routes last. */
	assert_string_equal(
		sent(&world, "plain",
		     TWO_LINKS "route default via 10.0.0.1 dev 2; route 10.7.1.0/24 via 10.7.0.1 "
			       "dev 2; route 10.7.0.1/32 dev 2; route 10.9.0.0/16 dev 3;"
			       "route default6 via fd00::1 dev 2; route 10.7.1.0/24 via 10.7.0.1 "
			       "dev 2 metric 5"),
		"10.7.0.1/32 dev a; 10.9.0.0/16 dev b; 10.7.1.0/24 via 10.7.0.1 dev a; "
		"10.7.1.0/24 via 10.7.0.1 dev a metric 5; 0.0.0.0/0 via 10.0.0.1 dev a; "
		"::/0 via fd00::1 dev a");
	world_fini(&world);
}

static void test_which_count(void **state)
{
	struct world world;

	(void)state;
	/* The kernel's own come with the addresses, but for the one to a peer. */
	assert_string_equal(sent(&world, "plain",
				 TWO_LINKS
				 "addr 2 10.9.0.1/32 peer 10.9.0.2; link 4 lo loopback;"
				 "route 10.0.0.0/24 dev 2 kernel; route 10.9.0.2/32 dev 2 kernel;"
				 "route 10.9.0.2/32 dev 3 kernel; route 10.5.0.0/16 dev 4;"
				 "route 10.6.0.0/16 dev 99"),
			    "10.9.0.2/32 dev a");
	world_fini(&world);
	assert_string_equal(sent(&world, "plain",
				 TWO_LINKS "route 10.1.0.0/16 dev 2 tos;"
					   "route 10.2.0.0/16 dev 2 encap;"
					   "route fd01::/64 dev 2 from; route 10.3.0.0/16 dev 2"),
			    "10.3.0.0/16 dev a");
	assert_non_null(strstr(world.notes, "10.1.0.0/16 dev a is left out: it is for one type"));
	assert_non_null(strstr(world.notes, "10.2.0.0/16 dev a is left out: it encapsulates"));
	assert_non_null(strstr(world.notes, "fd01::/64 dev a is left out: it is for some source"));
	world_fini(&world);
}

static void test_multipath(void **state)
{
	const char *scene =
		TWO_LINKS "link 4 c down; route 10.7.0.0/16 via 10.1.0.1 dev 3 weight 2 "
			  "nexthop via 10.0.0.1 dev 2 nexthop via 10.2.0.1 dev 4";
	struct world world;

	(void)state;
	/* The legs that the runtime can have, in an order of our own. */
	assert_string_equal(sent(&world, "plain", scene),
			    "10.7.0.0/16 via 10.0.0.1 dev a via 10.1.0.1 dev b weight 2");
	world_fini(&world);
	/* One leg is a plain route. */
	assert_string_equal(sent(&world, "plain",
				 "link 3 b; link 4 c down; route 10.7.0.0/16 via 10.1.0.1 dev 3 "
				 "weight 2 nexthop via 10.2.0.1 dev 4"),
			    "10.7.0.0/16 via 10.1.0.1 dev b");
	world_fini(&world);
}

static void test_kata1(void **state)
{
	struct world world;

	(void)state;
	/* One per destination, the best; one hop; no gateway that the guest cannot reach. */
	assert_string_equal(
		sent(&world, "kata1",
		     TWO_LINKS "route default via 10.1.0.1 dev 3 metric 20;"
			       "route default via 10.0.0.1 dev 2 metric 10;"
			       "route 10.7.0.0/16 via 10.0.0.1 dev 2 nexthop via 10.1.0.1 dev 3;"
			       "route 10.8.0.0/16 via 172.16.0.1 dev 2 onlink;"
			       "route 10.9.0.0/16 via fd00::1 dev 2;"
			       "route 10.0.0.0/24 dev 2; route default6 dev 2;"
			       "route 172.20.0.1/32 dev 3; route 10.10.0.0/16 via 172.20.0.1 dev 3;"
			       "route fd05::/64 via fe80::1 dev 3"),
		"172.20.0.1/32 dev b; fd05::/64 via fe80::1 dev b; "
		"10.10.0.0/16 via 172.20.0.1 dev b; 0.0.0.0/0 via 10.0.0.1 dev a");
	assert_non_null(strstr(world.notes, "route 10.7.0.0/16 with 2 next hops is left out: the "
					    "runtime takes one next hop only"));
	assert_non_null(strstr(world.notes, "10.8.0.0/16 via 172.16.0.1 dev a is left out: the "
					    "guest cannot reach its gateway"));
	assert_non_null(strstr(world.notes, "10.9.0.0/16 via fd00::1 dev a is left out: the "
					    "runtime takes no gateway of the other family"));
	assert_non_null(strstr(world.notes, "10.0.0.0/24 dev a is left out: the guest has it"));
	assert_non_null(strstr(world.notes, "::/0 dev a is left out"));
	world_fini(&world);
}

static void test_left_out_is_said_once(void **state)
{
	const char *scene = "link 2 a; route 10.1.0.0/16 dev 2 tos";
	struct world world;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, scene);
	assert_non_null(strstr(world.notes, "10.1.0.0/16"));
	world_round(&world, scene);
	assert_string_equal(world.notes, "");
	/* Gone and there again is new. */
	world_round(&world, "link 2 a");
	world_round(&world, scene);
	assert_non_null(strstr(world.notes, "10.1.0.0/16"));
	world_fini(&world);
}

static void test_many_left_out(void **state)
{
	char scene[4096] = "link 2 a;";
	struct world world;
	size_t lines = 0;

	(void)state;
	for (int i = 0; i < 50; i++)
		snprintf(scene + strlen(scene), sizeof(scene) - strlen(scene),
			 "route 10.%d.0.0/16 dev 2 tos;", i);
	world_init(&world, "plain");
	world_round(&world, scene);
	for (const char *at = world.notes; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 17);
	assert_non_null(strstr(world.notes, "34 more routes are left out"));
	world_fini(&world);
}

static void test_pending_interface_keeps_the_route(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, "link 2 a; route default via 10.0.0.1 dev 2");
	/* The default moves to a link whose addition fails: the guest keeps the one it has. */
	world.fails = "add 3";
	assert_string_equal(world_round(&world, "link 2 a; link 3 b; route default dev 3"),
			    "add 3 b mac 03 mtu 1500\n");
	world.fails = NULL;
	world.now_ms += 60000;
	assert_string_equal(world_round(&world, "link 2 a; link 3 b; route default dev 3"),
			    "add 3 b mac 03 mtu 1500\n"
			    "routes 0.0.0.0/0 dev b\n");
	world_fini(&world);
}

static void test_pending_interface_besides_another(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, "link 2 a; route 10.7.0.0/16 via 10.0.0.1 dev 2");
	/* The destination is still reached over a known link: what is there now counts. */
	world.fails = "add 3";
	assert_string_equal(world_round(&world, "link 2 a; link 3 b; route 10.7.0.0/16 dev 3;"
						"route 10.7.0.0/16 via 10.0.0.9 dev 2 metric 5"),
			    "add 3 b mac 03 mtu 1500\n"
			    "routes 10.7.0.0/16 via 10.0.0.9 dev a metric 5\n");
	world_fini(&world);
}

static void test_doubtful_dump(void **state)
{
	const char *both = "link 2 a; route 10.7.0.0/16 dev 2; route 10.8.0.0/16 dev 2";
	const char *one = "link 2 a; route 10.8.0.0/16 dev 2";
	struct world world;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, both);
	/* Missing in one torn dump is not gone, in two it is. */
	world.has_torn_routes = true;
	assert_string_equal(world_round(&world, one), "");
	assert_string_equal(world_round(&world, both), "");
	assert_string_equal(world_round(&world, one), "");
	assert_string_equal(world_round(&world, one), "routes 10.8.0.0/16 dev a\n");
	world.has_torn_routes = false;
	world_round(&world, both);
	/* A dump that was cut never takes anything away, but adds. */
	world.has_cut_routes = true;
	assert_string_equal(world_round(&world, one), "");
	assert_string_equal(world_round(&world, one), "");
	assert_string_equal(world_round(&world, "link 2 a; route 10.9.0.0/16 dev 2"),
			    "routes 10.7.0.0/16 dev a; 10.8.0.0/16 dev a; 10.9.0.0/16 dev a\n");
	world.has_cut_routes = false;
	assert_string_equal(world_round(&world, one), "routes 10.8.0.0/16 dev a\n");
	world_fini(&world);
}

static void test_renamed_device(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, "link 2 a; route 10.7.0.0/16 dev 2");
	/* The name is part of what is sent. */
	assert_string_equal(world_round(&world, "link 2 c; route 10.7.0.0/16 dev 2"),
			    "update 2 c was a mac 02 mtu 1500\n"
			    "routes 10.7.0.0/16 dev c\n");
	world_fini(&world);
}

/* The routes of @scene after its ids were resolved by @table, over devices a and b. */
static const char *resolved(struct nexthop_table *table, struct snapshot *snapshot,
			    const char *scene)
{
	static struct route_device devices[] = {{2, "a"}, {3, "b"}};
	struct route_list *list = &snapshot->routes;
	const char *text;

	scene_add(snapshot, scene);
	assert_int_equal(nexthop_resolve(table, list, 100000), 0);
	list->devices = devices;
	list->device_count = 2;
	text = scene_routes(list);
	list->devices = NULL;
	list->device_count = 0;
	return text;
}

static void test_nexthop_objects(void **state)
{
	const struct nexthop_member members[] = {{1, 1}, {2, 5}, {9, 1}};
	struct nexthop one = {.id = 1, .has_hop = 1, .hop = {.device = 2, .weight = 1}};
	struct nexthop two = {.id = 2, .has_hop = 1, .hop = {.device = 3, .weight = 1}};
	const struct nexthop group = {.id = 7}, blackhole = {.id = 8};
	struct nexthop_table table = {0};
	struct snapshot snapshot = {0};

	(void)state;
	/* In whatever order the kernel has them. */
	assert_int_equal(nexthop_add(&table, &group, members, 3), 0);
	assert_int_equal(nexthop_add(&table, &two, NULL, 0), 0);
	assert_int_equal(nexthop_add(&table, &blackhole, NULL, 0), 0);
	assert_int_equal(nexthop_add(&table, &one, NULL, 0), 0);
	/* A member that is not there, a blackhole, an id that is not there: no hops. */
	assert_string_equal(resolved(&table, &snapshot,
				     "route 10.1.0.0/16 id 7; route 10.2.0.0/16 id 8;"
				     "route 10.3.0.0/16 id 55; route 10.4.0.0/16 id 1;"
				     "route 10.5.0.0/16 dev 2"),
			    "10.1.0.0/16 dev a dev b weight 5; 10.4.0.0/16 dev a; "
			    "10.5.0.0/16 dev a");
	snapshot_fini(&snapshot);
	nexthop_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_which_count),
		cmocka_unit_test(test_multipath),
		cmocka_unit_test(test_kata1),
		cmocka_unit_test(test_left_out_is_said_once),
		cmocka_unit_test(test_many_left_out),
		cmocka_unit_test(test_pending_interface_keeps_the_route),
		cmocka_unit_test(test_pending_interface_besides_another),
		cmocka_unit_test(test_doubtful_dump),
		cmocka_unit_test(test_renamed_device),
		cmocka_unit_test(test_nexthop_objects),
	};

	return cmocka_run_group_tests_name("routes", tests, NULL, NULL);
}
