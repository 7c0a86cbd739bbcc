/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ip.h - an IPv4 or IPv6 address as one plain value
 *
 * The family always travels beside the address, never in it, so that a record that
 * holds several addresses of one family says the family once.
 */
#ifndef NETNSMON_IP_H
#define NETNSMON_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Network byte order; an IPv4 address is in the first four bytes, the rest are zero. */
struct ip {
	uint8_t bytes[16];
};

/* Bytes of an address of @family: 4 for AF_INET, 16 for AF_INET6, 0 for any other. */
size_t ip_size(int family);

/* The longest prefix of @family in bits: 32 or 128 (0 for an unknown family). */
unsigned int ip_bits(int family);

/* @ip with all bits after the first @prefix_len cleared; longer than the address is no masking. */
struct ip ip_masked(struct ip ip, unsigned int prefix_len);

/* Whether @a and @b share their first @prefix_len bits. */
bool ip_same_prefix(const struct ip *a, const struct ip *b, unsigned int prefix_len);

/* memcmp order. */
int ip_compare(const struct ip *a, const struct ip *b);

/* Whether @ip, of @family, is in fe80::/64, where the kernel makes its own addresses. */
bool ip_is_link_local(const struct ip *ip, int family);

/* Room for any address as text, and for one with "/128" after it. */
#define IP_TEXT_SIZE	    46
#define IP_PREFIX_TEXT_SIZE (IP_TEXT_SIZE + 4)

/* Writes @ip as text into @text and returns @text. */
const char *ip_format(const struct ip *ip, int family, char text[IP_TEXT_SIZE]);

/* Writes "address/length" into @text and returns @text. */
const char *ip_format_prefix(const struct ip *ip, int family, unsigned int prefix_len,
			     char text[IP_PREFIX_TEXT_SIZE]);

#endif
