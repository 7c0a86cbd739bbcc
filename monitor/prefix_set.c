/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefix_set.c - pure: sets of prefixes, to ask in O(log n) whether one is there or covers an
 * address
 */
#include "prefix_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

void prefix_set_fini(struct prefix_set *set)
{
	free(set->prefixes);
	memset(set, 0, sizeof(*set));
}

int prefix_set_add(struct prefix_set *set, const struct prefix *prefix)
{
	struct prefix *added;

	if (array_reserve(&set->prefixes, &set->capacity, set->count + 1, sizeof(*added)))
		return -ENOMEM;
	added = &set->prefixes[set->count++];
	*added = *prefix;
	added->ip = ip_masked(prefix->ip, prefix->prefix_len);
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct prefix *a = left;
	const struct prefix *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	if (a->prefix_len != b->prefix_len)
		return a->prefix_len < b->prefix_len ? -1 : 1;
	return ip_compare(&a->ip, &b->ip);
}

void prefix_set_sort(struct prefix_set *set)
{
	size_t kept = 0;

	if (set->count == 0)
		return;
	qsort(set->prefixes, set->count, sizeof(*set->prefixes), compare);
	for (size_t i = 1; i < set->count; i++) {
		if (compare(&set->prefixes[kept], &set->prefixes[i]) != 0)
			set->prefixes[++kept] = set->prefixes[i];
	}
	set->count = kept + 1;
}

struct prefix *prefix_set_find(const struct prefix_set *set, const struct prefix *prefix)
{
	struct prefix key = *prefix;

	if (set->count == 0)
		return NULL;
	key.ip = ip_masked(prefix->ip, prefix->prefix_len);
	return bsearch(&key, set->prefixes, set->count, sizeof(key), compare);
}

bool prefix_set_covers(const struct prefix_set *set, uint32_t device, uint8_t family,
		       const struct ip *ip)
{
	struct prefix key = {.ip = *ip, .device = device, .family = family};

	for (unsigned int length = 0; set->count > 0 && length <= ip_bits(family); length++) {
		key.prefix_len = (uint8_t)length;
		if (prefix_set_find(set, &key))
			return true;
	}
	return false;
}
