/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * routes.c - a list of routes: what the kernel has, and what a runtime is sent
 *
 * Routes are never looked up by destination and metric: the kernel holds several with the same
 * (other gateway, source or protocol), and "replace" hits the first. Lists are sorted by all that
 * a runtime can be told and compared as wholes.
 */
#include "routes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "fingerprint.h"

void route_list_fini(struct route_list *list)
{
	free(list->routes);
	free(list->hops);
	free(list->devices);
	memset(list, 0, sizeof(*list));
}

void route_list_move(struct route_list *to, struct route_list *from)
{
	struct route_list moved = *from;

	memset(from, 0, sizeof(*from));
	route_list_fini(to);
	*to = moved;
}

int route_list_add(struct route_list *list, const struct route *route, const struct hop *hops,
		   size_t hop_count)
{
	struct route *added;

	if (hop_count > UINT32_MAX - list->hop_count)
		return -ENOMEM;
	if (array_reserve(&list->routes, &list->capacity, list->count + 1, sizeof(*list->routes)) ||
	    array_reserve(&list->hops, &list->hop_capacity, list->hop_count + hop_count,
			  sizeof(*list->hops)))
		return -ENOMEM;
	added = &list->routes[list->count++];
	*added = *route;
	added->first_hop = (uint32_t)list->hop_count;
	added->hop_count = (uint32_t)hop_count;
	if (hop_count > 0)
		memcpy(&list->hops[list->hop_count], hops, hop_count * sizeof(*hops));
	list->hop_count += hop_count;
	return 0;
}

static int compare_device(const void *key, const void *element)
{
	uint32_t index = *(const uint32_t *)key;
	const struct route_device *device = element;

	return index < device->index ? -1 : index > device->index;
}

static struct route_device *find_device(const struct route_list *list, uint32_t index)
{
	if (list->device_count == 0)
		return NULL;
	return bsearch(&index, list->devices, list->device_count, sizeof(*list->devices),
		       compare_device);
}

const char *route_list_device(const struct route_list *list, uint32_t index)
{
	const struct route_device *device = find_device(list, index);

	return device ? device->name : "";
}

void route_list_forget_device(struct route_list *list, uint32_t index)
{
	struct route_device *device = find_device(list, index);

	if (device)
		device->name[0] = '\0';
}

bool route_has_gateway(const struct route_list *list, const struct route *route)
{
	const struct hop *hops = route_hops(list, route);

	for (size_t i = 0; i < route->hop_count; i++) {
		if (hops[i].gateway_family != 0)
			return true;
	}
	return false;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int route_compare_dest(const struct route *a, const struct route *b)
{
	int order = compare_numbers(a->family, b->family);

	if (order == 0)
		order = ip_compare(&a->dest, &b->dest);
	if (order == 0)
		order = compare_numbers(a->prefix_len, b->prefix_len);
	return order;
}

static int compare_hops(const struct route_list *list_a, const struct hop *a,
			const struct route_list *list_b, const struct hop *b)
{
	int order =
		strcmp(route_list_device(list_a, a->device), route_list_device(list_b, b->device));

	if (order == 0)
		order = compare_numbers(a->gateway_family, b->gateway_family);
	if (order == 0)
		order = ip_compare(&a->gateway, &b->gateway);
	if (order == 0)
		order = compare_numbers(a->weight, b->weight);
	if (order == 0)
		order = compare_numbers(a->is_onlink, b->is_onlink);
	return order;
}

int route_compare(const struct route_list *list_a, const struct route *a,
		  const struct route_list *list_b, const struct route *b)
{
	const struct hop *hops_a = route_hops(list_a, a);
	const struct hop *hops_b = route_hops(list_b, b);
	int order;

	order = compare_numbers(route_has_gateway(list_a, a), route_has_gateway(list_b, b));
	if (order == 0)
		order = compare_numbers(b->prefix_len, a->prefix_len);
	if (order == 0)
		order = route_compare_dest(a, b);
	if (order == 0)
		order = compare_numbers(a->metric, b->metric);
	for (size_t i = 0; order == 0 && i < a->hop_count && i < b->hop_count; i++)
		order = compare_hops(list_a, &hops_a[i], list_b, &hops_b[i]);
	if (order == 0)
		order = compare_numbers(a->hop_count, b->hop_count);
	if (order == 0)
		order = compare_numbers(a->has_source, b->has_source);
	if (order == 0)
		order = ip_compare(&a->source, &b->source);
	if (order == 0)
		order = compare_numbers(a->scope, b->scope);
	if (order == 0)
		order = compare_numbers(a->mtu, b->mtu);
	return order;
}

static int compare_in_list(const void *a, const void *b, void *list)
{
	return route_compare(list, a, list, b);
}

/* Compares the hops of one route, whose order in the kernel says nothing. */
static int compare_hops_in_list(const void *a, const void *b, void *list)
{
	return compare_hops(list, a, list, b);
}

void route_list_sort(struct route_list *list)
{
	size_t kept = 0;

	if (list->count == 0)
		return;
	for (size_t i = 0; i < list->count; i++) {
		struct route *route = &list->routes[i];

		if (route->hop_count > 1)
			qsort_r(route_hops(list, route), route->hop_count, sizeof(struct hop),
				compare_hops_in_list, list);
	}
	qsort_r(list->routes, list->count, sizeof(*list->routes), compare_in_list, list);
	for (size_t i = 1; i < list->count; i++) {
		if (compare_in_list(&list->routes[kept], &list->routes[i], list) != 0)
			list->routes[++kept] = list->routes[i];
	}
	list->count = kept + 1;
}

static uint64_t add_hop(uint64_t print, const struct route_list *list, const struct hop *hop)
{
	const char *device = route_list_device(list, hop->device);

	print = fingerprint_add(print, device, strlen(device));
	print = fingerprint_add(print, hop->gateway.bytes, sizeof(hop->gateway.bytes));
	print = fingerprint_add(print, &hop->weight, sizeof(hop->weight));
	return fingerprint_add(print, &hop->is_onlink, sizeof(hop->is_onlink));
}

uint64_t route_list_fingerprint(const struct route_list *list)
{
	uint64_t print = FINGERPRINT_START;

	for (size_t i = 0; i < list->count; i++) {
		const struct route *route = &list->routes[i];

		print = fingerprint_add(print, route->dest.bytes, sizeof(route->dest.bytes));
		print = fingerprint_add(print, &route->prefix_len, sizeof(route->prefix_len));
		print = fingerprint_add(print, &route->metric, sizeof(route->metric));
		print = fingerprint_add(print, &route->mtu, sizeof(route->mtu));
		print = fingerprint_add(print, route->source.bytes, sizeof(route->source.bytes));
		for (size_t j = 0; j < route->hop_count; j++)
			print = add_hop(print, list, &route_hops(list, route)[j]);
	}
	return fingerprint_add(print, &list->count, sizeof(list->count));
}

bool route_list_equal(const struct route_list *a, const struct route_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (route_compare(a, &a->routes[i], b, &b->routes[i]) != 0)
			return false;
	}
	return true;
}
