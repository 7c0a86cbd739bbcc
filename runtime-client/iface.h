/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iface.h - a network interface as a runtime is told of it
 */
#ifndef NETNSMON_IFACE_H
#define NETNSMON_IFACE_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ip.h"

#define IFACE_MAC_MAX	32 /* the kernel's MAX_ADDR_LEN */
#define IFACE_KIND_SIZE 24 /* the longest kinds of Linux 6.x have 12 bytes */

/* "02:42:…" of the longest address, and the final NUL. */
#define IFACE_MAC_TEXT_SIZE (IFACE_MAC_MAX * 3)

struct iface_address {
	struct ip ip;
	uint8_t family;	    /* AF_INET or AF_INET6 */
	uint8_t prefix_len; /* bits */
	bool is_secondary;  /* installed after the primary ones; never compared */
};

/*
 * A value: copied and compared as a whole. The addresses are owned by it, sorted by
 * iface_sort_addresses() and without repetition.
 */
struct iface {
	uint32_t index;
	uint32_t mtu; /* bytes */
	bool is_noarp;
	uint8_t mac_len; /* 0 for a link without a hardware address */
	uint8_t mac[IFACE_MAC_MAX];
	char name[IF_NAMESIZE];	    /* any bytes but '/' and NUL */
	char kind[IFACE_KIND_SIZE]; /* netlink kind, "device" for a link without one */
	struct iface_address *addresses;
	size_t address_count;
};

/* What can differ between two states of one interface. */
enum iface_difference {
	IFACE_NAME = 1 << 0,
	IFACE_MAC = 1 << 1,
	IFACE_MTU = 1 << 2,
	IFACE_ADDRESSES = 1 << 3,
};

/* Makes @copy an independent copy of @from. Returns 0 or -ENOMEM, then @copy is empty. */
int iface_copy(struct iface *copy, const struct iface *from);

/* Frees what @iface owns and empties it; an empty one is harmless. */
void iface_fini(struct iface *iface);

/* Gives what @from owns to @to, whose old content is freed; @from is empty afterwards. */
void iface_move(struct iface *to, struct iface *from);

/* Sorts the addresses by family, address, prefix length and drops repeated ones. */
void iface_sort_addresses(struct iface *iface);

/* Whether @iface has @address; the addresses must be sorted. */
bool iface_has_address(const struct iface *iface, const struct iface_address *address);

/* A set of enum iface_difference: what the runtime would have to change. */
unsigned int iface_compare(const struct iface *a, const struct iface *b);

bool iface_same_mac(const struct iface *a, const struct iface *b);

/* A number that tells two different values apart, for "has this been said already". Never 0. */
uint64_t iface_fingerprint(const struct iface *iface);

/* Lower case with colons, as Kata compares it; "" for a link without a MAC. Returns @text. */
const char *iface_format_mac(const struct iface *iface, char text[IFACE_MAC_TEXT_SIZE]);

#endif
