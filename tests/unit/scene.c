/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene.c - namespaces and requests as lines of text
 */
#include "scene.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if.h>

#include "baseline.h"
#include "nlparse.h"

#define WORDS_MAX 64
#define HOPS_MAX  8

static const struct snapshot_limits limits = {4096, 100000};

/* A line's words, taken one by one. */
struct words {
	char *words[WORDS_MAX];
	size_t count;
	size_t next;
};

static const char *take(struct words *words)
{
	if (words->next >= words->count)
		fail_msg("a word is missing after \"%s\"", words->words[words->count - 1]);
	return words->words[words->next++];
}

/* Takes the next word if it is @word. */
static bool take_if(struct words *words, const char *word)
{
	if (words->next >= words->count || strcmp(words->words[words->next], word) != 0)
		return false;
	words->next++;
	return true;
}

static uint32_t take_number(struct words *words)
{
	return (uint32_t)strtoul(take(words), NULL, 0);
}

static uint8_t family_of(const char *text)
{
	return strchr(text, ':') ? AF_INET6 : AF_INET;
}

struct ip scene_ip(const char *text)
{
	struct ip ip = {0};

	assert_int_equal(inet_pton(family_of(text), text, ip.bytes), 1);
	return ip;
}

static void take_prefix(struct words *words, uint8_t *family, struct ip *ip, uint8_t *prefix_len)
{
	char text[IP_PREFIX_TEXT_SIZE];
	char *slash;

	snprintf(text, sizeof(text), "%s", take(words));
	slash = strchr(text, '/');
	*family = family_of(text);
	*prefix_len = (uint8_t)(slash ? strtoul(slash + 1, NULL, 10) : ip_bits(*family));
	if (slash)
		*slash = '\0';
	*ip = scene_ip(text);
}

static void add_link(struct snapshot *snapshot, struct words *words)
{
	struct link link = {
		.index = take_number(words),
		.flags = IFF_UP | IFF_LOWER_UP | IFF_BROADCAST,
		.mtu = 1500,
		.mac_len = 6,
		.mac = {2},
		.kind = "veth",
	};

	link.mac[5] = (uint8_t)link.index;
	snprintf(link.name, sizeof(link.name), "%s", take(words));
	while (words->next < words->count) {
		if (take_if(words, "kind"))
			snprintf(link.kind, sizeof(link.kind), "%s", take(words));
		else if (take_if(words, "mac"))
			link.mac[5] = (uint8_t)take_number(words);
		else if (take_if(words, "nomac"))
			link.mac_len = 0;
		else if (take_if(words, "mtu"))
			link.mtu = take_number(words);
		else if (take_if(words, "master"))
			link.master = take_number(words);
		else if (take_if(words, "parent"))
			link.parent = take_number(words);
		else if (take_if(words, "down"))
			link.flags &= ~(uint32_t)(IFF_UP | IFF_LOWER_UP);
		else if (take_if(words, "nocarrier"))
			link.flags &= ~(uint32_t)IFF_LOWER_UP;
		else if (take_if(words, "loopback"))
			link.flags |= IFF_LOOPBACK;
		else if (take_if(words, "noarp"))
			link.flags |= IFF_NOARP;
		else
			fail_msg("no word of a link: %s", take(words));
	}
	assert_int_equal(snapshot_add_link(snapshot, &link, &limits), 0);
}

static void add_address(struct snapshot *snapshot, struct words *words)
{
	struct address address = {.index = take_number(words), .flags = IFA_F_PERMANENT};

	take_prefix(words, &address.family, &address.local, &address.prefix_len);
	address.peer = address.local;
	while (words->next < words->count) {
		if (take_if(words, "peer"))
			address.peer = scene_ip(take(words));
		else if (take_if(words, "tentative"))
			address.flags |= IFA_F_TENTATIVE;
		else if (take_if(words, "dadfailed"))
			address.flags |= IFA_F_DADFAILED;
		else if (take_if(words, "optimistic"))
			address.flags |= IFA_F_OPTIMISTIC;
		else if (take_if(words, "temporary") || take_if(words, "secondary"))
			address.flags |= IFA_F_TEMPORARY; /* the same bit */
		else if (take_if(words, "proto"))
			address.proto = (uint8_t)take_number(words);
		else
			fail_msg("no word of an address: %s", take(words));
	}
	assert_int_equal(snapshot_add_address(snapshot, &address, &limits), 0);
}

/* Takes a word of the hop @hop, if the next one is. */
static bool take_hop_word(struct words *words, struct hop *hop)
{
	if (take_if(words, "via")) {
		const char *gateway = take(words);

		hop->gateway = scene_ip(gateway);
		hop->gateway_family = family_of(gateway);
	} else if (take_if(words, "dev")) {
		hop->device = take_number(words);
	} else if (take_if(words, "weight")) {
		hop->weight = take_number(words);
	} else if (take_if(words, "onlink")) {
		hop->is_onlink = true;
	} else {
		return false;
	}
	return true;
}

static void add_route(struct snapshot *snapshot, struct words *words)
{
	struct hop hops[HOPS_MAX] = {{.weight = 1}};
	struct route route = {.family = AF_INET};
	size_t last = 0;

	if (take_if(words, "default6"))
		route.family = AF_INET6;
	else if (!take_if(words, "default"))
		take_prefix(words, &route.family, &route.dest, &route.prefix_len);
	while (words->next < words->count) {
		if (take_hop_word(words, &hops[last]))
			continue;
		if (take_if(words, "nexthop"))
			hops[++last] = (struct hop){.weight = 1};
		else if (take_if(words, "metric"))
			route.metric = take_number(words);
		else if (take_if(words, "mtu"))
			route.mtu = take_number(words);
		else if (take_if(words, "kernel"))
			route.traits |= ROUTE_KERNEL;
		else if (take_if(words, "tos"))
			route.traits |= ROUTE_TOS;
		else if (take_if(words, "encap"))
			route.traits |= ROUTE_ENCAP;
		else if (take_if(words, "from"))
			route.traits |= ROUTE_SOURCE_PREFIX;
		else if (take_if(words, "id"))
			route.nexthop_id = take_number(words);
		else if (take_if(words, "src")) {
			route.source = scene_ip(take(words));
			route.has_source = true;
		} else {
			fail_msg("no word of a route: %s", take(words));
		}
	}
	assert_int_equal(
		route_list_add(&snapshot->routes, &route, hops, route.nexthop_id ? 0 : last + 1),
		0);
}

static void add_line(struct snapshot *snapshot, char *line)
{
	struct words words = {0};
	char *state;

	for (char *word = strtok_r(line, " \t\n", &state); word && words.count < WORDS_MAX;
	     word = strtok_r(NULL, " \t\n", &state))
		words.words[words.count++] = word;
	if (words.count == 0)
		return;
	if (take_if(&words, "link"))
		add_link(snapshot, &words);
	else if (take_if(&words, "addr"))
		add_address(snapshot, &words);
	else if (take_if(&words, "route"))
		add_route(snapshot, &words);
	else
		fail_msg("no such line: %s", words.words[0]);
}

void scene_add(struct snapshot *snapshot, const char *text)
{
	char *copy = strdup(text);
	char *state;

	assert_non_null(copy);
	for (char *line = strtok_r(copy, ";", &state); line; line = strtok_r(NULL, ";", &state))
		add_line(snapshot, line);
	free(copy);
	snapshot_complete(snapshot, &limits);
}

/* Appends to @text, which has @size bytes. */
static void append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
	size_t length = strlen(text);
	va_list args;
	int added;

	va_start(args, format);
	added = vsnprintf(text + length, size - length, format, args);
	va_end(args);
	assert_true(added >= 0 && (size_t)added < size - length);
}

const char *scene_routes(const struct route_list *list)
{
	static char text[8192];
	char ip[IP_PREFIX_TEXT_SIZE];

	text[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		const struct route *route = &list->routes[i];
		const struct hop *hops = route_hops(list, route);

		append(text, sizeof(text), "%s%s", i > 0 ? "; " : "",
		       ip_format_prefix(&route->dest, route->family, route->prefix_len, ip));
		for (size_t k = 0; k < route->hop_count; k++) {
			if (hops[k].gateway_family)
				append(text, sizeof(text), " via %s",
				       ip_format(&hops[k].gateway, hops[k].gateway_family, ip));
			append(text, sizeof(text), " dev %s",
			       route_list_device(list, hops[k].device));
			if (hops[k].weight != 1)
				append(text, sizeof(text), " weight %u", hops[k].weight);
			if (hops[k].is_onlink)
				append(text, sizeof(text), " onlink");
		}
		if (route->metric)
			append(text, sizeof(text), " metric %u", route->metric);
		if (route->mtu)
			append(text, sizeof(text), " mtu %u", route->mtu);
		if (route->has_source)
			append(text, sizeof(text), " src %s",
			       ip_format(&route->source, route->family, ip));
	}
	return text;
}

const char *scene_request(const struct request *request)
{
	static const char *const verbs[] = {
		[VERB_ADD] = "add",
		[VERB_DEL] = "del",
		[VERB_UPDATE] = "update",
		[VERB_ROUTES] = "routes",
	};
	static char text[8300];
	char part[IFACE_MAC_TEXT_SIZE + IP_PREFIX_TEXT_SIZE];

	snprintf(text, sizeof(text), "%s", verbs[request->verb]);
	if (request->verb == VERB_ROUTES) {
		append(text, sizeof(text), " %s", scene_routes(&request->routes));
		return text;
	}
	append(text, sizeof(text), " %u %s", request->iface.index, request->iface.name);
	if (request->previous_name[0])
		append(text, sizeof(text), " was %s", request->previous_name);
	/* The first five bytes are the same for all. */
	if (request->iface.mac_len > 0)
		append(text, sizeof(text), " mac %s", iface_format_mac(&request->iface, part) + 15);
	append(text, sizeof(text), " mtu %u", request->iface.mtu);
	for (size_t i = 0; i < request->iface.address_count; i++) {
		const struct iface_address *address = &request->iface.addresses[i];

		append(text, sizeof(text), " %s",
		       ip_format_prefix(&address->ip, address->family, address->prefix_len, part));
	}
	return text;
}

static void say(void *arg, bool is_warning, const char *text)
{
	struct world *world = arg;

	append(world->notes, sizeof(world->notes), "%s%s\n", is_warning ? "" : "(info) ", text);
}

void world_init(struct world *world, const char *dialect)
{
	memset(world, 0, sizeof(*world));
	world->policy = (struct policy){
		.dialect = dialect_find(dialect),
		.tells_proto = true,
		.waits_for_dad = true,
	};
	assert_non_null(world->policy.dialect);
	world->now_ms = 1000000;
}

void world_fini(struct world *world)
{
	applied_fini(&world->applied);
}

void world_baseline(struct world *world, const char *scene)
{
	const struct notes notes = {.say = say, .arg = world};
	struct snapshot snapshot = {0};

	scene_add(&snapshot, scene);
	assert_int_equal(baseline_take(&world->policy, &snapshot, &world->applied, &notes), 0);
	snapshot_fini(&snapshot);
}

/* The call of @request ends, well or badly. */
static void answer(struct world *world, struct plug *plug, struct request *request)
{
	const char *line = scene_request(request);

	append(world->told, sizeof(world->told), "%s\n", line);
	if (!world->fails || !strstr(line, world->fails)) {
		applied_acknowledge(&world->applied, plug, request);
		return;
	}
	retry_failed(plug ? &plug->retry : &world->applied.routes_retry, world->now_ms, 0);
	applied_fail(&world->applied, plug, request, world->fails_unsure);
}

const char *world_round(struct world *world, const char *scene)
{
	const struct notes notes = {.say = say, .arg = world};
	struct snapshot snapshot = {0};
	struct request request;
	struct plug *plug = NULL;
	struct round round;

	world->told[0] = '\0';
	world->notes[0] = '\0';
	scene_add(&snapshot, scene);
	snapshot.has_torn_routes = world->has_torn_routes;
	snapshot.has_cut_routes = world->has_cut_routes;
	/* What observe() would do. */
	for (size_t i = 0; i < world->applied.count; i++) {
		plug = world->applied.plugs[i];
		if (!plug->is_gone && !snapshot_find_link(&snapshot, plug->iface.index))
			plug_mark_gone(plug);
	}
	round_begin(&round, &world->policy, &snapshot, &world->applied, &notes,
		    world->has_lost_events);
	while (round_next(&round, world->now_ms, &request, &plug) > 0)
		answer(world, plug, &request);
	world->wake_ms = round.wake_ms;
	round_end(&round);
	snapshot_fini(&snapshot);
	world->has_lost_events = false;
	return world->told;
}

/* Calls @fn with each message of one datagram. */
static size_t read_datagram(const unsigned char *bytes, uint32_t size,
			    void (*fn)(const struct nlmsghdr *, void *), void *arg)
{
	/* As in a receive buffer: aligned, and with nothing behind it. */
	void *copy = malloc(size);
	const struct nlmsghdr *message = copy;
	int left = (int)size;
	size_t count = 0;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	for (; nlparse_is_whole(message, left); message = mnl_nlmsg_next(message, &left)) {
		fn(message, arg);
		count++;
	}
	assert_int_equal(left, 0);
	free(copy);
	return count;
}

size_t for_each_recorded(const char *name, void (*fn)(const struct nlmsghdr *, void *), void *arg)
{
	static unsigned char bytes[1 << 20];
	char path[4096];
	size_t size, at = 0, count = 0;
	uint32_t length;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.nl", TEST_DATA, name);
	file = fopen(path, "rb");
	if (!file)
		fail_msg("no recording %s", path);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	while (size - at >= sizeof(length)) {
		memcpy(&length, &bytes[at], sizeof(length));
		at += sizeof(length);
		assert_true(length <= size - at);
		count += read_datagram(&bytes[at], length, fn, arg);
		at += length;
	}
	assert_int_equal(at, size);
	return count;
}
