/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hint.c - pure: does this event matter, and did it take a link away
 *
 * A loss is what the kernel follows up silently: with a link that goes, loses its carrier or its
 * last address, or with a nexthop object, routes vanish that no event ever names, some of them
 * later than the event (fib_disable_ip() runs after the notification).
 */
#include "hint.h"

#include <libmnl/libmnl.h>
#include <net/if.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <sys/socket.h>

static bool has_header(const struct nlmsghdr *message, size_t size)
{
	return message->nlmsg_len >= sizeof(*message) && mnl_nlmsg_get_payload_len(message) >= size;
}

/* A bridge port that leaves sends a DELLINK of family AF_BRIDGE with the port's index: it lives on.
 */
static struct hint link_hint(const struct nlmsghdr *message)
{
	const struct ifinfomsg *header = mnl_nlmsg_get_payload(message);
	const unsigned int ready = IFF_UP | IFF_LOWER_UP;
	struct hint hint = {.flags = HINT_CHANGE};

	if (!has_header(message, sizeof(*header)) || header->ifi_family != AF_UNSPEC ||
	    header->ifi_index <= 0)
		return (struct hint){0};
	hint.index = (uint32_t)header->ifi_index;
	if (message->nlmsg_type == RTM_DELLINK)
		hint.flags |= HINT_LOSS | HINT_GONE;
	else if ((header->ifi_flags & ready) != ready)
		hint.flags |= HINT_LOSS;
	return hint;
}

/*
 * The kernel's own routes come and go with addresses, whose events are hints already. The type is
 * not looked at: a unicast route that is replaced by a blackhole is announced as one.
 */
static struct hint route_hint(const struct nlmsghdr *message)
{
	const struct rtmsg *header = mnl_nlmsg_get_payload(message);

	if (!has_header(message, sizeof(*header)) || header->rtm_table != RT_TABLE_MAIN ||
	    header->rtm_protocol == RTPROT_KERNEL || (header->rtm_flags & RTM_F_CLONED))
		return (struct hint){0};
	return (struct hint){.flags = HINT_CHANGE};
}

struct hint hint_of(const struct nlmsghdr *message)
{
	switch (message->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return link_hint(message);
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return route_hint(message);
	case RTM_NEWADDR:
		return (struct hint){.flags = HINT_CHANGE};
	case RTM_DELADDR:
	case RTM_NEWNEXTHOP: /* a group that got smaller takes routes along */
	case RTM_DELNEXTHOP:
		return (struct hint){.flags = HINT_CHANGE | HINT_LOSS};
	default:
		return (struct hint){0};
	}
}
