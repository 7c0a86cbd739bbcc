/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ip.c - an IPv4 or IPv6 address as one plain value
 */
#include "ip.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

size_t ip_size(int family)
{
	switch (family) {
	case AF_INET:
		return 4;
	case AF_INET6:
		return 16;
	default:
		return 0;
	}
}

unsigned int ip_bits(int family)
{
	return (unsigned int)ip_size(family) * 8;
}

struct ip ip_masked(struct ip ip, unsigned int prefix_len)
{
	size_t whole = prefix_len / 8;

	if (whole >= sizeof(ip.bytes))
		return ip;
	ip.bytes[whole] &= (uint8_t)(0xff00U >> prefix_len % 8);
	memset(ip.bytes + whole + 1, 0, sizeof(ip.bytes) - whole - 1);
	return ip;
}

bool ip_same_prefix(const struct ip *a, const struct ip *b, unsigned int prefix_len)
{
	struct ip masked_a = ip_masked(*a, prefix_len);
	struct ip masked_b = ip_masked(*b, prefix_len);

	return ip_compare(&masked_a, &masked_b) == 0;
}

int ip_compare(const struct ip *a, const struct ip *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

bool ip_is_link_local(const struct ip *ip, int family)
{
	static const struct ip fe80 = {{0xfe, 0x80}};

	return family == AF_INET6 && ip_same_prefix(ip, &fe80, 64);
}

const char *ip_format(const struct ip *ip, int family, char text[IP_TEXT_SIZE])
{
	if (!inet_ntop(family, ip->bytes, text, IP_TEXT_SIZE))
		text[0] = '\0';
	return text;
}

const char *ip_format_prefix(const struct ip *ip, int family, unsigned int prefix_len,
			     char text[IP_PREFIX_TEXT_SIZE])
{
	char address[IP_TEXT_SIZE];

	snprintf(text, IP_PREFIX_TEXT_SIZE, "%s/%u", ip_format(ip, family, address),
		 prefix_len & 0xff);
	return text;
}
