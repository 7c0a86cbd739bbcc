/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_encode.c - requests as JSON: the exact text, and how little of it exists at a time
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "scene.h"

/* The whole text, read in pieces of @step bytes. Static. */
static const char *encode(const struct request *request, const char *dialect, size_t step)
{
	static char text[1 << 24];
	struct encoder encoder;
	size_t length = 0, largest = 0;

	encode_init(&encoder, request, dialect_find(dialect));
	do {
		size_t count;

		assert_int_equal(encode_more(&encoder), 0);
		if (encoder.text_len > largest)
			largest = encoder.text_len;
		count = encoder.text_len < step ? encoder.text_len : step;
		assert_true(length + count < sizeof(text));
		memcpy(text + length, encoder.text, count);
		length += count;
		encode_consume(&encoder, count);
	} while (!encoder.is_complete || encoder.text_len > 0);
	encode_fini(&encoder);
	text[length] = '\0';
	assert_in_range(largest, 1, 16384);
	return text;
}

/* Link 2 of @scene as a request. */
static struct request request_for(enum verb verb, const char *scene, const char *dialect)
{
	const struct policy policy = {.dialect = dialect_find(dialect), .tells_proto = true};
	struct request request = {.verb = verb};
	struct snapshot snapshot = {0};

	scene_add(&snapshot, scene);
	assert_int_equal(filter_iface(&policy, &snapshot, snapshot_find_link(&snapshot, 2), NULL,
				      &request.iface),
			 0);
	snapshot_fini(&snapshot);
	return request;
}

static void test_interface(void **state)
{
	struct request request = request_for(
		VERB_UPDATE,
		"link 2 eth1 mtu 9000; addr 2 10.0.0.1/24 secondary; addr 2 10.0.0.2/24;"
		"addr 2 fd00::2/64",
		"plain");

	(void)state;
	snprintf(request.previous_name, sizeof(request.previous_name), "%s", "eth0");
	/* Secondary addresses last. */
	assert_string_equal(
		encode(&request, "plain", 8192),
		"{\"Device\":\"eth1\",\"Name\":\"eth1\",\"PreviousName\":\"eth0\","
		"\"IPAddresses\":["
		"{\"Family\":2,\"Address\":\"10.0.0.2\",\"Mask\":\"24\"},"
		"{\"Family\":10,\"Address\":\"fd00::2\",\"Mask\":\"64\"},"
		"{\"Family\":2,\"Address\":\"10.0.0.1\",\"Mask\":\"24\"}],"
		"\"Mtu\":9000,\"HwAddr\":\"02:00:00:00:00:02\",\"LinkType\":\"veth\",\"Index\":2}");
	request_fini(&request);
}

static void test_empty_interface(void **state)
{
	struct request request = request_for(VERB_ADD, "link 2 wg0 kind wireguard nomac", "plain");
	cJSON *tree;

	(void)state;
	tree = cJSON_Parse(encode(&request, "plain", 1));
	assert_non_null(tree);
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(tree, "HwAddr")), "");
	/* Never null: Go and Rust tell the two apart. */
	assert_true(cJSON_IsArray(cJSON_GetObjectItem(tree, "IPAddresses")));
	cJSON_Delete(tree);
	request_fini(&request);
}

static void test_kata1_interface(void **state)
{
	struct request request =
		request_for(VERB_ADD, "link 2 tap1 kind tun noarp; addr 2 10.0.0.2/24", "kata1");
	cJSON *tree = cJSON_Parse(encode(&request, "kata1", 8192));

	(void)state;
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(tree, "LinkType")), "tap");
	assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(tree, "RawFlags")), 0x80);
	/* Kata's Go types do not have it, and its decoder is strict about nothing, but still. */
	assert_null(cJSON_GetObjectItem(tree, "Index"));
	cJSON_Delete(tree);
	request_fini(&request);
}

static void test_name_of_any_bytes(void **state)
{
	struct request request = request_for(VERB_ADD, "link 2 x; addr 2 10.0.0.2/24", "plain");
	cJSON *tree;

	(void)state;
	snprintf(request.iface.name, sizeof(request.iface.name), "%s", "a\"\\\x01\xff\xc3\xa4");
	tree = cJSON_Parse(encode(&request, "plain", 3));
	assert_non_null(tree);
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(tree, "Name")),
			    "a\"\\\x01\\xff\xc3\xa4");
	cJSON_Delete(tree);
	request_fini(&request);
}

/* The request that makes the routes of @scene known, all its links being acknowledged. */
static struct request routes_of(struct world *world, const char *dialect, const char *scene)
{
	struct request request = {.verb = VERB_ROUTES};

	world_init(world, dialect);
	world_baseline(world, scene);
	route_list_move(&request.routes, &world->applied.routes);
	return request;
}

static void test_routes(void **state)
{
	struct world world;
	struct request request =
		routes_of(&world, "plain",
			  "link 2 a; link 3 b; route 10.7.0.0/16 via 10.0.0.1 dev 2 metric 5 mtu "
			  "1300 src 10.0.0.2; route default6 via fd00::1 dev 2 nexthop via fd00::2 "
			  "dev 3 weight 2; route default via 10.0.0.1 dev 2 onlink");
	cJSON *tree = cJSON_Parse(encode(&request, "plain", 8192)), *route;

	(void)state;
	assert_int_equal(cJSON_GetArraySize(tree), 3);
	route = cJSON_GetArrayItem(tree, 0);
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(route, "Dest")),
			    "10.7.0.0/16");
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(route, "Gateway")),
			    "10.0.0.1");
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(route, "Device")), "a");
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(route, "Source")), "10.0.0.2");
	assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(route, "Metric")), 5);
	route = cJSON_GetArrayItem(tree, 2);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(route, "NextHops")), 2);
	cJSON_Delete(tree);
	request_fini(&request);
	world_fini(&world);
}

static void test_no_routes(void **state)
{
	const struct request request = {.verb = VERB_ROUTES};

	(void)state;
	assert_string_equal(encode(&request, "plain", 8192), "[]");
}

static void test_many_routes(void **state)
{
	const struct hop hop = {.device = 2, .weight = 1};
	struct request request = {.verb = VERB_ROUTES};
	const size_t count = 65536;
	const char *text;
	size_t objects = 0;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		struct route route = {.family = AF_INET, .prefix_len = 32};

		route.dest = (struct ip){{10, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i}};
		assert_int_equal(route_list_add(&request.routes, &route, &hop, 1), 0);
	}
	/* encode() has checked that only some kilobytes of it ever waited. */
	text = encode(&request, "plain", 65536);
	for (const char *at = text; (at = strstr(at, "\"Dest\"")); at++)
		objects++;
	assert_int_equal(objects, count);
	request_fini(&request);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interface),	cmocka_unit_test(test_empty_interface),
		cmocka_unit_test(test_kata1_interface), cmocka_unit_test(test_name_of_any_bytes),
		cmocka_unit_test(test_routes),		cmocka_unit_test(test_no_routes),
		cmocka_unit_test(test_many_routes),
	};

	return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}
