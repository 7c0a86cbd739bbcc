/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * route_simple.c - pure: the part of a list that a runtime without metrics and next hops can take
 *
 * The rules are those of Kata's 1.x agent (network.go, updateRoutes): it removes all routes, adds
 * those without gateway and then those with one, in the order given, and stops at the first that
 * fails. It knows no metric, so that of two routes to one destination the later replaces the
 * earlier.
 */
#include "route_simple.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "prefix_set.h"

/* What the guest has by itself, and what it will have when the next route is added. */
struct guest {
	struct prefix_set connected; /* prefixes of its addresses, on any device */
	struct prefix_set reachable; /* on one device: those, and routes without gateway */
};

static int add_addresses(struct guest *guest, const struct iface *iface)
{
	for (size_t i = 0; i < iface->address_count; i++) {
		struct prefix prefix = {
			.ip = iface->addresses[i].ip,
			.family = iface->addresses[i].family,
			.prefix_len = iface->addresses[i].prefix_len,
		};

		if (prefix_set_add(&guest->connected, &prefix))
			return -ENOMEM;
		prefix.device = iface->index;
		if (prefix_set_add(&guest->reachable, &prefix))
			return -ENOMEM;
	}
	return 0;
}

/* A default route without gateway would be taken for an IPv4 one, whatever it is. */
static bool is_ipv6_default_on_link(const struct route_list *list, const struct route *route)
{
	return route->family == AF_INET6 && route->prefix_len == 0 &&
	       !route_has_gateway(list, route);
}

/* The guest's kernel made it with the address; the list's, without its metric, would collide. */
static bool repeats_connected(const struct guest *guest, const struct route *route)
{
	struct prefix prefix = {
		.ip = route->dest,
		.family = route->family,
		.prefix_len = route->prefix_len,
	};

	return prefix_set_find(&guest->connected, &prefix) != NULL;
}

/* Why the route cannot be told whatever else is in the list, or NULL. */
static const char *inexpressible(const struct guest *guest, const struct route_list *list,
				 const struct route *route)
{
	const struct hop *hop = route_hops(list, route);

	if (route->hop_count > 1)
		return "the runtime takes one next hop only";
	if (hop->gateway_family != 0 && hop->gateway_family != route->family)
		return "the runtime takes no gateway of the other family";
	if (is_ipv6_default_on_link(list, route))
		return "the runtime takes no IPv6 default without a gateway";
	if (repeats_connected(guest, route))
		return "the guest has it already, with its address";
	return NULL;
}

static void leave_out_inexpressible(struct route_list *list, const struct guest *guest,
				    struct route_notes *notes)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const char *why = inexpressible(guest, list, &list->routes[i]);

		if (why)
			route_notes_left_out(notes, list, &list->routes[i], why);
		else
			list->routes[kept++] = list->routes[i];
	}
	list->count = kept;
}

static int compare_by_dest(const void *left, const void *right, void *arg)
{
	const struct route_list *list = arg;
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;
	int order = route_compare_dest(&list->routes[a], &list->routes[b]);

	if (order != 0)
		return order;
	if (list->routes[a].metric != list->routes[b].metric)
		return list->routes[a].metric < list->routes[b].metric ? -1 : 1;
	return a < b ? -1 : a > b;
}

/*
 * Of the routes to one destination only the one with the best metric is kept, of equal ones the
 * first: each further one would replace it. That there are others is no trouble, so nothing is
 * said.
 */
static int keep_best(struct route_list *list, struct route_notes *notes)
{
	uint32_t *by_dest;
	size_t kept = 0;

	if (list->count == 0)
		return 0;
	by_dest = calloc(list->count, sizeof(*by_dest));
	if (!by_dest)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++)
		by_dest[i] = (uint32_t)i;
	qsort_r(by_dest, list->count, sizeof(*by_dest), compare_by_dest, list);
	for (size_t i = 1; i < list->count; i++) {
		struct route *route = &list->routes[by_dest[i]];

		if (route_compare_dest(&list->routes[by_dest[i - 1]], route) == 0)
			route->traits |= ROUTE_SHADOWED;
	}
	free(by_dest);
	for (size_t i = 0; i < list->count; i++) {
		if (list->routes[i].traits & ROUTE_SHADOWED)
			route_notes_pass_over(notes, list, &list->routes[i],
					      "another one to its destination is better");
		else
			list->routes[kept++] = list->routes[i];
	}
	list->count = kept;
	return 0;
}

/*
 * What such a runtime cannot be told is not compared either: each list that is sent makes the guest
 * lose all its routes for a moment. There is one route to each destination by now, so the order
 * stays.
 */
static void forget_the_unsayable(struct route_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		list->routes[i].metric = 0;
		list->routes[i].mtu = 0;
		route_hops(list, &list->routes[i])->is_onlink = false;
	}
}

/* Routes without gateway come first in the list, so all that can reach a gateway is known by then.
 */
static int add_link_routes(struct guest *guest, const struct route_list *list)
{
	for (size_t i = 0; i < list->count && !route_has_gateway(list, &list->routes[i]); i++) {
		const struct route *route = &list->routes[i];
		struct prefix prefix = {
			.ip = route->dest,
			.device = route_hops(list, route)->device,
			.family = route->family,
			.prefix_len = route->prefix_len,
		};

		if (prefix_set_add(&guest->reachable, &prefix))
			return -ENOMEM;
	}
	prefix_set_sort(&guest->reachable);
	return 0;
}

static void leave_out_unreachable(struct route_list *list, const struct guest *guest,
				  struct route_notes *notes)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct route *route = &list->routes[i];
		const struct hop *hop = route_hops(list, route);

		/* The guest makes a link-local address, and so fe80::/64, on each of its devices.
		 */
		if (hop->gateway_family == 0 ||
		    ip_is_link_local(&hop->gateway, hop->gateway_family) ||
		    prefix_set_covers(&guest->reachable, hop->device, route->family, &hop->gateway))
			list->routes[kept++] = *route;
		else
			route_notes_left_out(notes, list, route,
					     "the guest cannot reach its gateway");
	}
	list->count = kept;
}

int route_simplify(struct route_list *list, const struct applied *applied,
		   struct route_notes *notes)
{
	struct guest guest = {0};
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < applied->count; i++) {
		if (applied->plugs[i]->state == PLUG_APPLIED && !applied->plugs[i]->is_gone)
			ret = add_addresses(&guest, &applied->plugs[i]->iface);
	}
	prefix_set_sort(&guest.connected);
	if (ret == 0)
		leave_out_inexpressible(list, &guest, notes);
	if (ret == 0)
		ret = keep_best(list, notes);
	if (ret == 0)
		ret = add_link_routes(&guest, list);
	if (ret == 0) {
		leave_out_unreachable(list, &guest, notes);
		forget_the_unsayable(list);
	}
	prefix_set_fini(&guest.connected);
	prefix_set_fini(&guest.reachable);
	return ret;
}
