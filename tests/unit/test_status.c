/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_status.c - what a monitor says of itself: verdicts in words, JSON, and all of it or nothing
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "feed.h"
#include "kernel_words.h"
#include "scene.h"
#include "status.h"
#include "verdict.h"

#define NOW 1000000

/* The verdict on link @index of @scene, as "verdict: reason". The text is static. */
static const char *judge(struct world *world, const char *scene, uint32_t index)
{
	static char text[VERDICT_REASON_SIZE + 32];
	char reason[VERDICT_REASON_SIZE];
	struct snapshot snapshot = {0};
	enum verdict verdict;

	scene_add(&snapshot, scene);
	verdict = verdict_of_link(&world->policy, &snapshot, snapshot_find_link(&snapshot, index),
				  applied_find(&world->applied, index), reason);
	snprintf(text, sizeof(text), "%s: %s", verdict_name(verdict), reason);
	snapshot_fini(&snapshot);
	return text;
}

static void test_verdicts(void **state)
{
	static const struct {
		const char *scene;
		const char *verdict;
	} cases[] = {
		{"link 2 lo loopback", "ignored: loopback"},
		{"link 2 x_kata",
		 "ignored: a device that a runtime makes for itself (*_kata, ifb)"},
		{"link 2 ign1", "ignored: --ignore ign*"},
		{"link 2 a master 9; link 9 br0", "ignored: it belongs to br0 (index 9)"},
		{"link 2 a master 9", "ignored: it belongs to the link with index 9"},
		{"link 2 a down", "not_ready: the link is down"},
		{"link 2 a nocarrier", "not_ready: no carrier: the other end is down"},
		{"link 2 a; addr 2 2001:db8::1/64 tentative",
		 "pending: an address is still being checked for duplicates"},
		{"link 2 a", "pending: up: to be plugged next"},
	};
	static const char *const ignore[] = {"ign*"};
	struct world world;

	(void)state;
	world_init(&world, "plain");
	world.policy.ignore = ignore;
	world.policy.ignore_count = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(judge(&world, cases[i].scene, 2), cases[i].verdict);
	world_fini(&world);
	world_init(&world, "kata1");
	assert_string_equal(judge(&world, "link 2 a kind vlan", 2),
			    "ignored: a runtime of dialect kata1 cannot plug kind vlan");
	world_fini(&world);
}

static void test_known(void **state)
{
	struct world world;
	struct plug *plug;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, "link 2 a");
	plug = applied_find(&world.applied, 2);
	assert_string_equal(judge(&world, "link 2 a", 2), "applied: the runtime has it");
	assert_string_equal(
		judge(&world, "link 2 a down", 2),
		"applied: the runtime has it; its link is down now, which changes nothing");
	retry_failed(&plug->retry, NOW, 0);
	assert_string_equal(judge(&world, "link 2 a", 2),
			    "pending: the runtime has it; an update failed");
	plug->state = PLUG_PENDING;
	assert_string_equal(judge(&world, "link 2 a", 2), "pending: the call failed");
	plug->retry.is_resting = true;
	assert_non_null(strstr(judge(&world, "link 2 a", 2), "given_up: "));
	world_fini(&world);
}

static struct status_view view_of(const struct world *world, const struct calls *calls)
{
	return (struct status_view){
		.sandbox = "s1",
		.netns_inode = 4026532180,
		.pid = 4711,
		.version = "1.2.3",
		.runtime = "/bin/rt",
		.policy = &world->policy,
		.applied = &world->applied,
		.calls = calls,
		.state = STATUS_WATCHING,
		.started_ms = NOW - 60000,
		.now_ms = NOW,
		.now_realtime = 1700000000,
	};
}

static const cJSON *find(const cJSON *json, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);

	if (!item)
		fail_msg("no %s", key);
	return item;
}

static void assert_text(const cJSON *json, const char *key, const char *text)
{
	assert_string_equal(cJSON_GetStringValue(find(json, key)), text);
}

static void assert_number(const cJSON *json, const char *key, int number)
{
	assert_int_equal(find(json, key)->valueint, number);
}

static void test_monitor(void **state)
{
	struct calls calls = {.dialect = dialect_find("plain"), .last_error_ms = NOW - 5000};
	struct status_view view;
	struct world world;
	cJSON *json;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, "link 2 a; addr 2 10.0.0.1/24; route 10.9.0.0/16 via 10.0.0.2 dev 2");
	world.fails = "add 3";
	world_round(&world, "link 2 a; addr 2 10.0.0.1/24; link 3 b; link 4 c down;"
			    "route 10.9.0.0/16 via 10.0.0.2 dev 2");
	retry_failed(&applied_find(&world.applied, 3)->retry, NOW, 0);
	calls.last_error = "no\xff\n";
	calls.by_verb[VERB_ADD] = (struct call_counters){.done = 1, .failed = 2, .runtime_ms = 30};
	view = view_of(&world, &calls);
	json = status_monitor(&view);
	assert_text(json, "netns", "net:[4026532180]");
	assert_text(json, "started", "2023-11-14T22:12:20Z");
	assert_text(json, "state", "watching");
	assert_number(json, "interfaces_applied", 1);
	assert_number(json, "interfaces_pending", 1);
	assert_number(json, "routes_applied", 1);
	assert_text(find(json, "last_error"), "text", "no\\xff\n");
	assert_text(find(json, "last_error"), "time", "2023-11-14T22:13:15Z");
	assert_null(cJSON_GetObjectItemCaseSensitive(json, "call"));
	assert_number(find(find(json, "counters"), "requests")->child, "failed", 2);
	cJSON_Delete(json);
	world_fini(&world);
}

static void test_links_and_routes(void **state)
{
	static const char scene[] = "link 2 a; addr 2 10.0.0.1/24; link 3 b; link 9 lo loopback;"
				    "route 10.9.0.0/16 via 10.0.0.2 dev 2;"
				    "route 10.8.0.0/16 dev 2 tos; route 10.7.0.0/16 dev 2 tos;"
				    "route 10.0.0.0/24 dev 2 kernel; route 10.6.0.0/16 dev 9";
	struct calls calls = {.dialect = dialect_find("plain")};
	struct snapshot snapshot = {0};
	const cJSON *link, *left_out;
	struct status_view view;
	struct world world;
	struct plug *plug;
	cJSON *json;

	(void)state;
	world_init(&world, "plain");
	world.fails = "add 3";
	world_round(&world, scene);
	plug = applied_find(&world.applied, 3);
	retry_reset(&plug->retry);
	retry_failed(&plug->retry, NOW - 100, 0);
	applied_set_error(&world.applied, plug, "exit status 3: no");
	scene_add(&snapshot, scene);
	view = view_of(&world, &calls);
	json = status_all(&view, &snapshot);
	assert_int_equal(cJSON_GetArraySize(find(json, "links")), 3);
	link = cJSON_GetArrayItem(find(json, "links"), 0);
	assert_text(link, "verdict", "applied");
	assert_string_equal(find(link, "addresses")->child->valuestring, "10.0.0.1/24");
	link = cJSON_GetArrayItem(find(json, "links"), 1);
	assert_text(link, "verdict", "pending");
	assert_number(link, "failures", 1);
	assert_number(link, "next_try_ms", (int)(plug->retry.next_ms - NOW));
	assert_text(link, "last_error", "exit status 3: no");
	left_out = find(find(json, "routes"), "left_out");
	assert_int_equal(cJSON_GetArraySize(left_out), 3);
	assert_text(left_out->child, "reason", "it is for one type of service only");
	assert_number(left_out->child, "count", 2);
	assert_text(left_out->child, "example", "10.8.0.0/16");
	cJSON_Delete(json);
	/* It goes, and the runtime does not let go of it. */
	applied_mark_gone(&world.applied, 2);
	snapshot_drop_link(&snapshot, 2);
	json = status_all(&view, &snapshot);
	assert_text(cJSON_GetArrayItem(find(json, "links"), 2), "verdict", "removing");
	cJSON_Delete(json);
	snapshot_fini(&snapshot);
	world_fini(&world);
}

static void test_many_links(void **state)
{
	const struct snapshot_limits limits = {1 << 20, 1};
	struct calls calls = {.dialect = dialect_find("plain")};
	struct snapshot snapshot = {0};
	struct status_view view;
	struct world world;
	cJSON *json;

	(void)state;
	world_init(&world, "plain");
	for (uint32_t i = 1; i <= STATUS_LINKS_MAX + 7; i++)
		assert_int_equal(snapshot_add_link(&snapshot, &(struct link){.index = i}, &limits),
				 0);
	snapshot_complete(&snapshot, &limits);
	view = view_of(&world, &calls);
	json = status_all(&view, &snapshot);
	assert_int_equal(cJSON_GetArraySize(find(json, "links")), STATUS_LINKS_MAX);
	assert_number(json, "links_left_out", 7);
	cJSON_Delete(json);
	snapshot_fini(&snapshot);
	world_fini(&world);
}

/* --- memory that is not there ----------------------------------------------------------------- */

static size_t allocations_left;

static void *scarce_malloc(size_t size)
{
	return allocations_left > 0 && allocations_left-- > 0 ? malloc(size) : NULL;
}

static void test_no_memory(void **state)
{
	static const char scene[] = "link 2 a; addr 2 10.0.0.1/24; route 10.8.0.0/16 dev 2 tos";
	cJSON_Hooks scarce = {scarce_malloc, free};
	struct calls calls = {.dialect = dialect_find("plain")};
	struct snapshot snapshot = {0};
	struct status_view view;
	struct world world;
	cJSON *json = NULL;
	size_t tries = 0;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, scene);
	calls.last_error = "x";
	scene_add(&snapshot, scene);
	view = view_of(&world, &calls);
	cJSON_InitHooks(&scarce);
	for (; !json && tries < 10000; tries++) {
		allocations_left = tries;
		json = status_all(&view, &snapshot);
	}
	cJSON_InitHooks(NULL);
	/* Whatever it got along with was whole. */
	assert_true(tries > 50);
	assert_non_null(json);
	assert_text(find(json, "monitor"), "sandbox", "s1");
	assert_int_equal(cJSON_GetArraySize(find(find(json, "routes"), "left_out")), 1);
	cJSON_Delete(json);
	snapshot_fini(&snapshot);
	world_fini(&world);
}

/* --- the feed --------------------------------------------------------------------------------- */

static char fed[8192];
static size_t fed_count;

static void on_item(void *arg, const struct feed_item *item)
{
	size_t length = strlen(fed);

	(void)arg;
	fed_count++;
	snprintf(fed + length, sizeof(fed) - length, "%s: %s\n", feed_kind_name(item->kind),
		 item->text);
}

static void give(const struct nlmsghdr *message, void *arg)
{
	feed_kernel(arg, message);
}

static void test_feed(void **state)
{
	struct feed feed = {.publish = on_item};

	(void)state;
	/* Nobody looks: nothing is made. */
	for_each_recorded("connect", give, &feed);
	feed_say(NULL, FEED_NOTE, "x");
	assert_int_equal(fed_count, 0);
	feed.is_watched = true;
	for_each_recorded("connect", give, &feed);
	assert_non_null(strstr(fed, "kernel: link "));
	assert_non_null(strstr(fed, "kernel: address "));
	/* Of a storm only the beginning is told, and how much more there was. */
	for (int i = 0; i < 100; i++)
		for_each_recorded("connect", give, &feed);
	assert_true(fed_count <= 64);
	feed_snapshot(&feed, 1, 2, 3);
	assert_non_null(strstr(fed, " more messages\n"));
	assert_non_null(strstr(fed, "snapshot: looked: 1 links, 2 addresses, 3 routes\n"));
	for_each_recorded("connect", give, &feed);
	assert_true(fed_count > 66);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),   cmocka_unit_test(test_known),
		cmocka_unit_test(test_monitor),	   cmocka_unit_test(test_links_and_routes),
		cmocka_unit_test(test_many_links), cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_feed),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
