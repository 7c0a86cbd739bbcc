/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.c - says of each link and route that is there now whether it counts, and why
 *
 * Routes count over interfaces that the runtime has, so each link that counts and is ready is taken
 * for one that was plugged.
 */
#include "explain.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "applied.h"
#include "log.h"
#include "netns.h"
#include "observe.h"
#include "paint.h"
#include "policy.h"
#include "route_filter.h"
#include "utf8.h"
#include "verdict.h"

struct explanation {
	const struct policy *policy;
	struct snapshot snapshot;
	struct applied applied;
	struct table links;
	struct table routes;
	cJSON *json; /* NULL: text */
	cJSON *json_links;
	cJSON *json_routes;
};

static void add_text(cJSON *json, const char *key, const char *bytes)
{
	char *text = malloc(UTF8_SANITIZED_SIZE(strlen(bytes)));

	if (text)
		cJSON_AddStringToObject(json, key, utf8_sanitize(bytes, text));
	free(text);
}

/* --- links ----------------------------------------------------------------------------------- */

static void add_link(struct explanation *explanation, const struct link *link, const char *verdict,
		     enum paint color, const char *reason)
{
	cJSON *json;

	if (!explanation->json) {
		table_add_number(&explanation->links, link->index);
		table_add(&explanation->links, PAINT_PLAIN, link->name);
		table_add(&explanation->links, PAINT_PLAIN, link->kind[0] ? link->kind : "device");
		table_add(&explanation->links, color, verdict);
		table_add(&explanation->links, PAINT_PLAIN, reason);
		return;
	}
	json = cJSON_CreateObject();
	cJSON_AddItemToArray(explanation->json_links, json);
	cJSON_AddNumberToObject(json, "index", link->index);
	add_text(json, "name", link->name);
	add_text(json, "kind", link->kind[0] ? link->kind : "device");
	cJSON_AddStringToObject(json, "verdict", verdict);
	add_text(json, "reason", reason);
}

static int explain_link(struct explanation *explanation, const struct link *link)
{
	char reason[VERDICT_REASON_SIZE];
	enum verdict verdict =
		verdict_of_link(explanation->policy, &explanation->snapshot, link, NULL, reason);
	struct plug *plug;

	if (verdict != VERDICT_PENDING) {
		add_link(explanation, link, verdict_name(verdict), PAINT_FAINT, reason);
		return 0;
	}
	if (filter_link(explanation->policy, &explanation->snapshot, link) == LINK_TENTATIVE)
		add_link(explanation, link, "counts", PAINT_WAITING,
			 "up, but an address is still being checked for duplicates");
	else
		add_link(explanation, link, "counts", PAINT_GOOD, "up, with a carrier");
	plug = applied_ensure(&explanation->applied, link->index);
	if (!plug)
		return -ENOMEM;
	plug->state = PLUG_APPLIED;
	return filter_iface(explanation->policy, &explanation->snapshot, link, NULL, &plug->iface);
}

/* --- routes ---------------------------------------------------------------------------------- */

/* The kernel's name of a hop's device, or the number that it has. */
static const char *device_of(const struct explanation *explanation, const struct hop *hop,
			     char text[16])
{
	const struct link *link = snapshot_find_link(&explanation->snapshot, hop->device);

	snprintf(text, 16, "%u", hop->device);
	return link ? link->name : text;
}

static void add_route(struct explanation *explanation, const struct route_list *list,
		      const struct route *route, bool counts, const char *reason)
{
	bool has_hop = route->first_hop < list->hop_count;
	const struct hop *hop = has_hop ? route_hops(list, route) : &(struct hop){0};
	bool has_gateway = hop->gateway_family != 0;
	char dest[IP_PREFIX_TEXT_SIZE], gateway[IP_TEXT_SIZE] = "", number[16];
	const char *device = device_of(explanation, hop, number);
	cJSON *json;

	ip_format_prefix(&route->dest, route->family, route->prefix_len, dest);
	if (has_gateway)
		ip_format(&hop->gateway, hop->gateway_family, gateway);
	if (!explanation->json) {
		table_add(&explanation->routes, PAINT_PLAIN, dest);
		table_add(&explanation->routes, PAINT_PLAIN, has_gateway ? gateway : "-");
		table_add(&explanation->routes, PAINT_PLAIN, device);
		table_add_number(&explanation->routes, route->metric);
		table_add(&explanation->routes, counts ? PAINT_GOOD : PAINT_FAINT,
			  counts ? "counts" : "left out");
		table_add(&explanation->routes, PAINT_PLAIN, reason);
		return;
	}
	json = cJSON_CreateObject();
	cJSON_AddItemToArray(explanation->json_routes, json);
	cJSON_AddStringToObject(json, "dest", dest);
	cJSON_AddStringToObject(json, "gateway", gateway);
	add_text(json, "device", device);
	cJSON_AddNumberToObject(json, "metric", route->metric);
	cJSON_AddStringToObject(json, "verdict", counts ? "counts" : "left_out");
	cJSON_AddStringToObject(json, "reason", reason);
}

static void on_left_out(void *arg, const struct route_list *list, const struct route *route,
			const char *why)
{
	add_route(arg, list, route, false, why);
}

/* What is left out is in the tables already. */
static void say_nothing(void *arg, bool is_warning, const char *text)
{
	(void)arg;
	(void)is_warning;
	(void)text;
}

static int explain_routes(struct explanation *explanation)
{
	const struct notes notes = {.say = say_nothing};
	struct route_list kept = {0};
	int ret;

	explanation->applied.census.on_route = on_left_out;
	explanation->applied.census.arg = explanation;
	ret = route_filter(explanation->policy, &explanation->applied, &explanation->snapshot,
			   &notes, &kept);
	for (size_t i = 0; ret == 0 && i < kept.count; i++)
		add_route(explanation, &kept, &kept.routes[i], true,
			  "its interface counts, and the runtime can be told of it");
	route_list_fini(&kept);
	return ret;
}

/* --- all ------------------------------------------------------------------------------------- */

static void add_heads(struct table *table, const char *const *heads)
{
	for (size_t i = 0; i < table->columns; i++)
		table_add(table, PAINT_BOLD, heads[i]);
}

static void print(struct explanation *explanation)
{
	const struct canvas canvas = canvas_stdout();
	char *text;

	if (explanation->json) {
		text = cJSON_PrintUnformatted(explanation->json);
		if (text)
			puts(text);
		cJSON_free(text);
		return;
	}
	table_print(&explanation->links, &canvas, "");
	putchar('\n');
	table_print(&explanation->routes, &canvas, "");
	puts("\nOf other tables than main, and of other types than unicast, no route counts.");
}

static int explain(struct explanation *explanation, const struct snapshot_limits *limits)
{
	static const char *const link_heads[] = {"INDEX", "LINK", "KIND", "VERDICT", "WHY"};
	static const char *const route_heads[] = {"ROUTE",  "VIA",     "LINK",
						  "METRIC", "VERDICT", "WHY"};
	struct oversized oversized = {0};
	struct observation seen;
	int ret = observe(&explanation->snapshot, limits, &explanation->applied, &oversized, &seen);

	if (!explanation->json) {
		add_heads(&explanation->links, link_heads);
		add_heads(&explanation->routes, route_heads);
	}
	filter_find_macvtaps(explanation->policy, &explanation->snapshot);
	for (size_t i = 0; ret == 0 && i < explanation->snapshot.link_count; i++)
		ret = explain_link(explanation, &explanation->snapshot.links[i]);
	if (ret == 0)
		ret = explain_routes(explanation);
	if (ret == 0)
		print(explanation);
	return ret;
}

static int enter(const char *netns)
{
	char path[PATH_MAX];
	int origin_fd = -1;
	int ret = netns_path(netns, path);

	if (ret == 0)
		ret = netns_enter(path, &origin_fd);
	if (origin_fd >= 0)
		close(origin_fd);
	if (ret < 0)
		log_error("cannot enter network namespace %s: %s", netns,
			  ret == -EINVAL ? "it is none" : strerror(-ret));
	return ret;
}

int explain_run(const struct options *options)
{
	const struct snapshot_limits limits = {options->max_links, options->max_routes};
	struct policy policy;
	struct explanation explanation = {
		.policy = &policy,
		.links = {.columns = 5},
		.routes = {.columns = 6},
	};
	int ret = options->netns ? enter(options->netns) : 0;

	if (ret < 0)
		return ret;
	options_policy(options, &policy);
	if (!options_is_text(options)) {
		explanation.json = cJSON_CreateObject();
		explanation.json_links = cJSON_AddArrayToObject(explanation.json, "links");
		explanation.json_routes = cJSON_AddArrayToObject(explanation.json, "routes");
	}
	ret = explain(&explanation, &limits);
	if (ret < 0)
		log_error("cannot look at the namespace: %s", strerror(-ret));
	cJSON_Delete(explanation.json);
	applied_fini(&explanation.applied);
	snapshot_fini(&explanation.snapshot);
	return ret == 0 && fflush(stdout) == EOF ? -EIO : ret;
}
