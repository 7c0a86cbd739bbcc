/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_routes.c - makes a list of routes the guest's
 *
 * Mark and sweep. Our routes in the guest have one of four protocol numbers (as
 * /etc/iproute2/rt_protos has them; none of these is anybody's). A list is set under a number that
 * no route has at present: "replace" swaps a route's old number for the new one within the kernel,
 * so that it is never missing. Then all routes under the other numbers go. If that is interrupted,
 * the next list does it, under a third number.
 */
#include "guest_routes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Exit status for a guest with another ip(8), such as busybox's, which knows no protocols. */
#define STATUS_NO_IPROUTE 90

/*
 * If all numbers are in use, after some interruptions in a row, the last one gets free the hard
 * way.
 */
static const char script[] =
	"PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin\n"
	"case $(ip -V 2>&1) in *iproute2*) ;; *) exit 90 ;; esac\n"
	"flush() {\n"
	"	ip -4 route flush table main proto $1 2>/dev/null\n"
	"	ip -6 route flush table main proto $1 2>/dev/null\n"
	"}\n"
	"old=$({ ip -4 route show table main; ip -6 route show table main; } |\n"
	"	sed -n 's/.* proto \\(11[0-3]\\)\\( .*\\)*$/\\1/p' | sort -u)\n"
	"new=\n"
	"for p in 110 111 112 113; do\n"
	"	case $old in *$p*) ;; *) new=${new:-$p} ;; esac\n"
	"done\n"
	"[ -n \"$new\" ] || { new=113; flush 113; }\n"
	"sed \"s/@/proto $new/\" | ip -force -batch -\n"
	"status=$?\n"
	"for p in $old; do\n"
	"	[ $p = $new ] || flush $p\n"
	"done\n"
	"exit $status\n";

static void print_hop(FILE *stream, const struct route_list *list, const struct hop *hop,
		      int family)
{
	char text[IP_TEXT_SIZE];

	if (hop->gateway_family != 0)
		fprintf(stream, " via %s%s", hop->gateway_family == family ? "" : "inet6 ",
			ip_format(&hop->gateway, hop->gateway_family, text));
	fprintf(stream, " dev %s", route_list_device(list, hop->device));
}

/* For qsort_r(): by what "replace" knows a route by, and then as they stand in the list. */
static int compare_keys(const void *left, const void *right, void *arg)
{
	const struct route_list *list = *(const struct route_list *const *)arg;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const struct route *route_a = &list->routes[a], *route_b = &list->routes[b];
	int order = route_compare_dest(route_a, route_b);

	if (order != 0)
		return order;
	if (route_a->metric != route_b->metric)
		return route_a->metric < route_b->metric ? -1 : 1;
	return a < b ? -1 : a > b;
}

static bool is_same_key(const struct route *a, const struct route *b)
{
	return route_compare_dest(a, b) == 0 && a->metric == b->metric;
}

/*
 * Which routes share destination and metric with one before them: those are added to it, not put in
 * its place. The caller frees the array; NULL: no memory.
 */
static bool *find_repeated(const struct route_list *list)
{
	size_t *order = calloc(list->count + 1, sizeof(*order));
	bool *is_repeated = calloc(list->count + 1, sizeof(*is_repeated));

	if (!order || !is_repeated) {
		free(order);
		free(is_repeated);
		return NULL;
	}
	for (size_t i = 0; i < list->count; i++)
		order[i] = i;
	qsort_r(order, list->count, sizeof(*order), compare_keys, &list);
	for (size_t i = 1; i < list->count; i++)
		is_repeated[order[i]] =
			is_same_key(&list->routes[order[i - 1]], &list->routes[order[i]]);
	free(order);
	return is_repeated;
}

static void print_route(FILE *stream, const struct route_list *list, const struct route *route,
			bool is_repeated)
{
	const struct hop *hops = route_hops(list, route);
	char text[IP_PREFIX_TEXT_SIZE];

	fprintf(stream, "route %s %s @", is_repeated ? "append" : "replace",
		ip_format_prefix(&route->dest, route->family, route->prefix_len, text));
	if (route->metric != 0)
		fprintf(stream, " metric %" PRIu32, route->metric);
	if (route->mtu != 0)
		fprintf(stream, " mtu %" PRIu32, route->mtu);
	if (route->has_source)
		fprintf(stream, " src %s", ip_format(&route->source, route->family, text));
	/* IPv6 has no scopes of routes. */
	if (route->family == AF_INET)
		fprintf(stream, " scope %u", route->scope & 0xffU);
	if (route->hop_count == 1) {
		print_hop(stream, list, hops, route->family);
		if (hops->is_onlink)
			fprintf(stream, " onlink");
	}
	for (size_t i = 0; route->hop_count > 1 && i < route->hop_count; i++) {
		fprintf(stream, " nexthop");
		print_hop(stream, list, &hops[i], route->family);
		fprintf(stream, " weight %" PRIu32 "%s", hops[i].weight,
			hops[i].is_onlink ? " onlink" : "");
	}
	fputc('\n', stream);
}

char *guest_print_routes(const struct route_list *list)
{
	bool *is_repeated = find_repeated(list);
	char *text = NULL;
	size_t size;
	FILE *stream = is_repeated ? open_memstream(&text, &size) : NULL;
	bool is_whole = false;

	if (stream) {
		for (size_t i = 0; i < list->count; i++)
			print_route(stream, list, &list->routes[i], is_repeated[i]);
		is_whole = !ferror(stream);
		is_whole = fclose(stream) == 0 && is_whole;
	}
	free(is_repeated);
	if (is_whole)
		return text;
	free(text);
	return NULL;
}

/* The route in the line @number of @text, from 1, as a person would write it. */
static void copy_route(const char *text, unsigned int number, char *route, size_t size)
{
	static const char mark[] = "@ ";
	const char *end, *at;

	while (--number > 0 && *text) {
		text = strchrnul(text, '\n');
		text += *text == '\n';
	}
	end = strchrnul(text, '\n');
	at = strstr(text, mark);
	/* "route replace DESTINATION @ …" */
	text += strcspn(text, " ") + 1;
	text += strcspn(text, " ") + 1;
	if (at && at < end)
		snprintf(route, size, "%.*s%.*s", (int)(at - text), text,
			 (int)(end - at - (int)strlen(mark)), at + strlen(mark));
	else
		snprintf(route, size, "?");
}

/* ip -force -batch writes an error, then "Command failed -:LINE", for each route not set. */
static int explain(struct agent *agent, const struct agent_exit *exit, const char *routes)
{
	const char *at = strstr(exit->output, "Command failed -:");
	unsigned int number = 0, failed = 0;
	char route[160];

	if (exit->status == STATUS_NO_IPROUTE)
		return fault_set(agent->fault, -ENOSYS,
				 "the guest has no iproute2: its routes cannot be set");
	if (!at || sscanf(at, "Command failed -:%u", &number) != 1 || number == 0)
		return fault_set(agent->fault, -EREMOTEIO, "the guest does not set routes: %.200s",
				 exit->output);
	for (const char *next = at; next; next = strstr(next + 1, "Command failed -:"))
		failed++;
	copy_route(routes, number, route, sizeof(route));
	return fault_set(agent->fault, -EREMOTEIO,
			 "the guest does not take %u of the routes; the first: %s (%.*s)", failed,
			 route, (int)strcspn(exit->output, "\n"), exit->output);
}

int guest_set_routes(struct agent *agent, const struct route_list *list)
{
	char *routes = guest_print_routes(list);
	struct agent_exit exit = {0};
	int ret;

	if (!routes)
		return fault_set_errno(agent->fault, -ENOMEM, "routes");
	ret = agent_run(agent, script, NULL, 0, routes, &exit);
	if (ret == 0 && exit.status != 0)
		ret = explain(agent, &exit, routes);
	free(exit.output);
	free(routes);
	return ret;
}
