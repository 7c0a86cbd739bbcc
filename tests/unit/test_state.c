/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_state.c - what is applied survives as text, and text by strangers is refused
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "state.h"

static struct state_binding binding(void)
{
	return (struct state_binding){
		.sandbox = "box1",
		.dialect = "plain",
		.netns_cookie = 0xffffffffffffff01ULL,
		.boot_id = "0f0f0f0f-1111-2222-3333-444444444444",
	};
}

/* The world's state as text, which the caller frees. */
static char *print(const struct world *world)
{
	const struct state_binding bound = binding();
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	assert_int_equal(state_print(stream, &bound, &world->applied), 0);
	assert_int_equal(fclose(stream), 0);
	assert_int_equal(strlen(text), size);
	return text;
}

static int parse(const char *text, struct applied *applied)
{
	const struct state_binding bound = binding();

	memset(applied, 0, sizeof(*applied));
	return state_parse(text, strlen(text), &bound, applied);
}

/* The next monitor takes over: what is applied goes through its text. */
static void hand_over(struct world *world)
{
	char *text = print(world);

	applied_fini(&world->applied);
	assert_int_equal(parse(text, &world->applied), 0);
	free(text);
}

static const char scene[] =
	"link 2 eth1 mtu 9000; addr 2 10.0.0.2/24; addr 2 fd00::2/64; addr 2 10.0.0.3/24 secondary;"
	"link 5 wg0 kind wireguard nomac noarp;"
	"route default via 10.0.0.1 dev 2 metric 7 mtu 1400 src 10.0.0.2;"
	"route fd01::/64 via fd00::1 dev 2 weight 3 nexthop dev 5 onlink; route 10.9.0.0/16 via "
	"fd00::9 dev 2";

static void test_survives(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, scene);
	hand_over(&world);
	/* Nothing to be asked for: all of it is as it was. */
	assert_string_equal(world_round(&world, scene), "");
	world_fini(&world);
}

static void test_two_lives(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, "plain");
	world.fails = "del";
	world_round(&world, "link 2 a");
	applied_mark_gone(&world.applied, 2);
	world_round(&world, "link 2 b");
	assert_int_equal(world.applied.count, 2);
	hand_over(&world);
	world.fails = NULL;
	assert_string_equal(world_round(&world, "link 2 b"), "del 2 a mac 02 mtu 1500\n"
							     "add 2 b mac 02 mtu 1500\n");
	world_fini(&world);
}

static void test_names_of_any_bytes(void **state)
{
	struct world world;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, "link 2 \xff\"\\\x01\xc3\xa4");
	hand_over(&world);
	assert_string_equal(world.applied.plugs[0]->iface.name, "\xff\"\\\x01\xc3\xa4");
	world_fini(&world);
}

static void test_calls(void **state)
{
	const struct state_binding bound = binding();
	struct request request = {.verb = VERB_ADD, .iface = {.index = 4, .name = "eth4"}};
	struct world world;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	snprintf(request.iface.kind, sizeof(request.iface.kind), "%s", "veth");
	assert_int_equal(state_print_call(stream, &bound, &request), 0);
	fclose(stream);
	world_init(&world, "plain");
	assert_int_equal(state_parse_call(text, size, &bound, &world.applied), 0);
	/* Nobody knows whether it was added: it is added again, or removed if its link is gone. */
	assert_string_equal(world_round(&world, ""), "del 4 eth4 mtu 0\n");
	free(text);
	world_fini(&world);
	/* An update or routes of which nobody knows are sent again. */
	world_init(&world, "plain");
	world_round(&world, "link 2 a; route 10.9.0.0/16 dev 2");
	request.verb = VERB_ROUTES;
	stream = open_memstream(&text, &size);
	assert_int_equal(state_print_call(stream, &bound, &request), 0);
	fclose(stream);
	assert_int_equal(state_parse_call(text, size, &bound, &world.applied), 0);
	assert_string_equal(world_round(&world, "link 2 a; route 10.9.0.0/16 dev 2"),
			    "routes 10.9.0.0/16 dev a\n");
	free(text);
	world_fini(&world);
}

static void test_foreign(void **state)
{
	struct state_binding other[4];
	struct world world;
	char *text;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, scene);
	text = print(&world);
	applied_fini(&world.applied);
	for (int i = 0; i < 4; i++)
		other[i] = binding();
	other[0].sandbox = "box2";
	other[1].dialect = "kata1";
	other[2].netns_cookie = 0xffffffffffffff00ULL; /* a double could not tell */
	other[3].boot_id[0] = '1';
	for (int i = 0; i < 4; i++) {
		assert_int_equal(state_parse(text, strlen(text), &other[i], &world.applied),
				 -ESTALE);
		assert_int_equal(world.applied.count, 0);
	}
	free(text);
	world_fini(&world);
}

/* Replaces @from in a good state by @to: it must be refused. */
static void refuse(const char *good, const char *from, const char *to)
{
	const char *at = strstr(good, from);
	struct applied applied;
	size_t size = strlen(good) + strlen(to) + 1;
	char *bad = malloc(size);

	assert_non_null(bad);
	if (!at)
		fail_msg("no %s in %s", from, good);
	snprintf(bad, size, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
	if (parse(bad, &applied) != -EBADMSG)
		fail_msg("taken: %s for %s", to, from);
	assert_int_equal(applied.count, 0);
	assert_int_equal(applied.routes.count, 0);
	free(bad);
}

static void test_refused(void **state)
{
	struct applied applied;
	struct world world;
	char *text;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, scene);
	text = print(&world);
	assert_int_equal(parse("", &applied), -EBADMSG);
	assert_int_equal(parse("[]", &applied), -EBADMSG);
	assert_int_equal(parse("null", &applied), -EBADMSG);
	refuse(text, "\"version\":1", "\"version\":2");
	refuse(text, "\"index\":2", "\"index\":0");
	refuse(text, "\"index\":2", "\"index\":-2");
	refuse(text, "\"index\":2", "\"index\":2.5");
	refuse(text, "\"index\":2", "\"index\":1e300");
	refuse(text, "\"index\":2", "\"index\":\"2\"");
	refuse(text, "\"index\":5", "\"index\":2"); /* two living plugs */
	refuse(text, "\"name\":\"eth1\"", "\"name\":\"sixteen-bytes-xx\"");
	refuse(text, "\"name\":\"eth1\"", "\"name\":\"\"");
	refuse(text, "\"mac\":\"02:", "\"mac\":\"2:");
	refuse(text, "\"mac\":\"02:", "\"mac\":\"zz:");
	refuse(text, "\"mtu\":9000", "\"mtu\":4294967296");
	refuse(text, "\"family\":2", "\"family\":3");
	refuse(text, "\"prefix_len\":24", "\"prefix_len\":33");
	refuse(text, "\"ip\":\"10.0.0.2\"", "\"ip\":\"10.0.0\"");
	refuse(text, "\"applied\":true", "\"applied\":1");
	refuse(text, "\"hops\":[", "\"hops\":[5,");
	refuse(text, "\"plugs\":[", "\"plugs\":[null,");
	refuse(text, "\"devices\":[", "\"devices\":[{\"index\":9,\"name\":\"x\"},");
	free(text);
	world_fini(&world);
}

/* Cut anywhere, it is refused. */
static void test_cut(void **state)
{
	struct applied applied;
	struct world world;
	size_t size;
	char *text;

	(void)state;
	world_init(&world, "plain");
	world_round(&world, scene);
	text = print(&world);
	size = strlen(text);
	while (size > 0 && text[size - 1] == '\n')
		size--;
	while (size-- > 0) {
		text[size] = '\0';
		if (parse(text, &applied) == 0)
			fail_msg("taken: %s", text);
	}
	free(text);
	world_fini(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_survives),
		cmocka_unit_test(test_two_lives),
		cmocka_unit_test(test_names_of_any_bytes),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
