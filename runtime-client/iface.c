/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iface.c - a network interface as a runtime is told of it
 */
#include "iface.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fingerprint.h"

int iface_copy(struct iface *copy, const struct iface *from)
{
	*copy = *from;
	copy->addresses = NULL;
	copy->address_count = 0;
	if (from->address_count == 0)
		return 0;
	copy->addresses = calloc(from->address_count, sizeof(*copy->addresses));
	if (!copy->addresses) {
		memset(copy, 0, sizeof(*copy));
		return -ENOMEM;
	}
	memcpy(copy->addresses, from->addresses, from->address_count * sizeof(*copy->addresses));
	copy->address_count = from->address_count;
	return 0;
}

void iface_fini(struct iface *iface)
{
	free(iface->addresses);
	memset(iface, 0, sizeof(*iface));
}

void iface_move(struct iface *to, struct iface *from)
{
	struct iface moved = *from;

	memset(from, 0, sizeof(*from));
	iface_fini(to);
	*to = moved;
}

static int compare_addresses(const void *left, const void *right)
{
	const struct iface_address *a = left;
	const struct iface_address *b = right;
	int order;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	order = ip_compare(&a->ip, &b->ip);
	if (order != 0)
		return order;
	return (int)a->prefix_len - (int)b->prefix_len;
}

void iface_sort_addresses(struct iface *iface)
{
	size_t kept = 0;

	if (iface->address_count == 0)
		return;
	qsort(iface->addresses, iface->address_count, sizeof(*iface->addresses), compare_addresses);
	for (size_t i = 1; i < iface->address_count; i++) {
		if (compare_addresses(&iface->addresses[kept], &iface->addresses[i]) != 0)
			iface->addresses[++kept] = iface->addresses[i];
	}
	iface->address_count = kept + 1;
}

bool iface_has_address(const struct iface *iface, const struct iface_address *address)
{
	return iface->address_count > 0 && bsearch(address, iface->addresses, iface->address_count,
						   sizeof(*address), compare_addresses) != NULL;
}

static bool same_addresses(const struct iface *a, const struct iface *b)
{
	if (a->address_count != b->address_count)
		return false;
	for (size_t i = 0; i < a->address_count; i++) {
		if (compare_addresses(&a->addresses[i], &b->addresses[i]) != 0)
			return false;
	}
	return true;
}

bool iface_same_mac(const struct iface *a, const struct iface *b)
{
	return a->mac_len == b->mac_len && memcmp(a->mac, b->mac, a->mac_len) == 0;
}

unsigned int iface_compare(const struct iface *a, const struct iface *b)
{
	unsigned int difference = 0;

	if (strcmp(a->name, b->name) != 0)
		difference |= IFACE_NAME;
	if (!iface_same_mac(a, b))
		difference |= IFACE_MAC;
	if (a->mtu != b->mtu)
		difference |= IFACE_MTU;
	if (!same_addresses(a, b))
		difference |= IFACE_ADDRESSES;
	return difference;
}

uint64_t iface_fingerprint(const struct iface *iface)
{
	uint64_t print = FINGERPRINT_START;

	print = fingerprint_add(print, iface->name, strlen(iface->name));
	print = fingerprint_add(print, iface->mac, iface->mac_len);
	print = fingerprint_add(print, &iface->mtu, sizeof(iface->mtu));
	for (size_t i = 0; i < iface->address_count; i++) {
		const struct iface_address *address = &iface->addresses[i];

		print = fingerprint_add(print, address->ip.bytes, sizeof(address->ip.bytes));
		print = fingerprint_add(print, &address->prefix_len, sizeof(address->prefix_len));
	}
	return print;
}

const char *iface_format_mac(const struct iface *iface, char text[IFACE_MAC_TEXT_SIZE])
{
	char *end = text;

	text[0] = '\0';
	for (size_t i = 0; i < iface->mac_len && i < IFACE_MAC_MAX; i++)
		end += sprintf(end, "%s%02x", i ? ":" : "", iface->mac[i]);
	return text;
}
