/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefix_set.h - pure: sets of prefixes, to ask in O(log n) whether one is there or covers an
 * address
 */
#ifndef NETNSMON_PREFIX_SET_H
#define NETNSMON_PREFIX_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ip.h"

/* A prefix on a device; device 0 where it is meant on any. */
struct prefix {
	struct ip ip; /* masked by prefix_set_add() */
	uint32_t device;
	uint8_t family;
	uint8_t prefix_len;
	bool is_marked; /* the user's own */
};

struct prefix_set {
	struct prefix *prefixes;
	size_t count;
	size_t capacity;
};

void prefix_set_fini(struct prefix_set *set);

/* Adds a copy; once is enough for equal ones after prefix_set_sort(). Returns 0 or -ENOMEM. */
int prefix_set_add(struct prefix_set *set, const struct prefix *prefix);

/* Must come between the last add and the first question. */
void prefix_set_sort(struct prefix_set *set);

/* The element equal to @prefix (its mark apart), or NULL. */
struct prefix *prefix_set_find(const struct prefix_set *set, const struct prefix *prefix);

/* Whether any prefix on @device covers @ip. At most 129 look-ups. */
bool prefix_set_covers(const struct prefix_set *set, uint32_t device, uint8_t family,
		       const struct ip *ip);

#endif
