/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.c - what the kernel says a network namespace holds now
 */
#include "snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

void snapshot_fini(struct snapshot *snapshot)
{
	free(snapshot->links);
	free(snapshot->addresses);
	route_list_fini(&snapshot->routes);
	memset(snapshot, 0, sizeof(*snapshot));
}

static int compare_indexes(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_links(const void *a, const void *b)
{
	return compare_indexes(((const struct link *)a)->index, ((const struct link *)b)->index);
}

static int compare_addresses(const void *left, const void *right)
{
	const struct address *a = left;
	const struct address *b = right;

	return compare_indexes(a->index, b->index);
}

/* Sorts by index and cuts what is over the limit. */
static void sort_links(struct snapshot *snapshot, size_t max_links)
{
	if (snapshot->link_count == 0)
		return;
	qsort(snapshot->links, snapshot->link_count, sizeof(*snapshot->links), compare_links);
	if (snapshot->link_count > max_links) {
		snapshot->link_count = max_links;
		snapshot->has_more_links = true;
	}
}

int snapshot_add_link(struct snapshot *snapshot, const struct link *link,
		      const struct snapshot_limits *limits)
{
	/* Cut when it is twice too long: each link is then sorted a constant number of times. */
	if (snapshot->link_count / 2 >= limits->max_links)
		sort_links(snapshot, limits->max_links);
	if (array_reserve(&snapshot->links, &snapshot->link_capacity, snapshot->link_count + 1,
			  sizeof(*snapshot->links)))
		return -ENOMEM;
	snapshot->links[snapshot->link_count++] = *link;
	return 0;
}

int snapshot_add_address(struct snapshot *snapshot, const struct address *address,
			 const struct snapshot_limits *limits)
{
	if (address->proto != 0)
		snapshot->tells_proto = true;
	if (snapshot->address_count >= limits->max_routes) {
		snapshot->has_more_addresses = true;
		return 0;
	}
	if (array_reserve(&snapshot->addresses, &snapshot->address_capacity,
			  snapshot->address_count + 1, sizeof(*snapshot->addresses)))
		return -ENOMEM;
	snapshot->addresses[snapshot->address_count++] = *address;
	return 0;
}

void snapshot_complete(struct snapshot *snapshot, const struct snapshot_limits *limits)
{
	sort_links(snapshot, limits->max_links);
	if (snapshot->address_count > 0)
		qsort(snapshot->addresses, snapshot->address_count, sizeof(*snapshot->addresses),
		      compare_addresses);
}

struct link *snapshot_find_link(const struct snapshot *snapshot, uint32_t index)
{
	struct link key = {.index = index};

	if (snapshot->link_count == 0)
		return NULL;
	return bsearch(&key, snapshot->links, snapshot->link_count, sizeof(key), compare_links);
}

const struct link *snapshot_next_link(const struct snapshot *snapshot, uint32_t index)
{
	size_t low = 0, high = snapshot->link_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (snapshot->links[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low < snapshot->link_count ? &snapshot->links[low] : NULL;
}

const struct address *snapshot_addresses(const struct snapshot *snapshot, uint32_t index,
					 size_t *count)
{
	size_t low = 0, high = snapshot->address_count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (snapshot->addresses[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	end = low;
	while (end < snapshot->address_count && snapshot->addresses[end].index == index)
		end++;
	*count = end - low;
	return *count > 0 ? &snapshot->addresses[low] : NULL;
}

void snapshot_drop_link(struct snapshot *snapshot, uint32_t index)
{
	struct link *link = snapshot_find_link(snapshot, index);

	if (!link)
		return;
	snapshot->link_count--;
	memmove(link, link + 1,
		(size_t)(&snapshot->links[snapshot->link_count] - link) * sizeof(*link));
}
