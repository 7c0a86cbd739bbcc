/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_words.c - pure: one message of the kernel in words
 */
#include "kernel_words.h"

#include <stdio.h>
#include <string.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>

#include "nlparse.h"

static const char *state_of(const struct link *link)
{
	if (!(link->flags & IFF_UP))
		return "down";
	return link->flags & IFF_LOWER_UP ? "up" : "up, no carrier";
}

static void describe_link(const struct nlmsghdr *message, struct kernel_words *words)
{
	struct link link;

	if (nlparse_link(message, &link) < 0)
		return;
	words->index = link.index;
	memcpy(words->name, link.name, sizeof(words->name));
	if (message->nlmsg_type == RTM_DELLINK)
		snprintf(words->text, sizeof(words->text), "link %s (index %u) is gone", link.name,
			 link.index);
	else
		snprintf(words->text, sizeof(words->text), "link %s (index %u) is %s, mtu %u",
			 link.name, link.index, state_of(&link), link.mtu);
}

static void describe_address(const struct nlmsghdr *message, struct kernel_words *words)
{
	char ip[IP_PREFIX_TEXT_SIZE];
	struct address address;

	if (nlparse_address(message, &address) < 0)
		return;
	words->index = address.index;
	snprintf(words->text, sizeof(words->text), "address %s of index %u is %s",
		 ip_format_prefix(&address.local, address.family, address.prefix_len, ip),
		 address.index, message->nlmsg_type == RTM_DELADDR ? "gone" : "there");
}

static void describe_route(const struct nlmsghdr *message, struct kernel_words *words)
{
	char ip[IP_PREFIX_TEXT_SIZE];
	struct route route;

	if (nlparse_route_dest(message, message->nlmsg_len, &route) < 0)
		return;
	snprintf(words->text, sizeof(words->text), "route %s is %s",
		 ip_format_prefix(&route.dest, route.family, route.prefix_len, ip),
		 message->nlmsg_type == RTM_DELROUTE ? "gone" : "there");
}

void kernel_words(const struct nlmsghdr *message, struct kernel_words *words)
{
	memset(words, 0, sizeof(*words));
	switch (message->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		describe_link(message, words);
		break;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		describe_address(message, words);
		break;
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		describe_route(message, words);
		break;
	default:
		break;
	}
	if (!words->text[0])
		snprintf(words->text, sizeof(words->text), "message of type %u",
			 message->nlmsg_type);
}
