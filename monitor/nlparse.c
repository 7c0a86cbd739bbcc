/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nlparse.c - pure: one rtnetlink message into one typed value
 *
 * Each message's attributes are first put into a table by their number, and only then read, with
 * their size checked at that moment. rtnetlink(7) and linux/rtnetlink.h name them.
 */
#include "nlparse.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/lwtunnel.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

/* More than any attribute number that is read here (IFLA_LINKINFO is 18, RTA_NH_ID is 30). */
#define ATTRIBUTE_MAX 64

bool nlparse_is_whole(const struct nlmsghdr *message, int left)
{
	return mnl_nlmsg_ok(message, left) && message->nlmsg_len <= (uint32_t)left;
}

struct attributes {
	const struct nlattr *by_type[ATTRIBUTE_MAX];
};

static int on_attribute(const struct nlattr *attribute, void *arg)
{
	struct attributes *attributes = arg;
	uint16_t type = mnl_attr_get_type(attribute);

	if (type < ATTRIBUTE_MAX)
		attributes->by_type[type] = attribute;
	return MNL_CB_OK;
}

/* Fills the table from a message whose family header has @header_size bytes. */
static int parse_message(const struct nlmsghdr *message, size_t header_size,
			 struct attributes *attributes)
{
	memset(attributes, 0, sizeof(*attributes));
	if (mnl_nlmsg_get_payload_len(message) < header_size ||
	    message->nlmsg_len < sizeof(*message))
		return -EBADMSG;
	if (mnl_attr_parse(message, (unsigned int)header_size, on_attribute, attributes) < 0)
		return -EBADMSG;
	return 0;
}

static void parse_nested(const struct nlattr *nest, struct attributes *attributes)
{
	memset(attributes, 0, sizeof(*attributes));
	if (nest)
		mnl_attr_parse_nested(nest, on_attribute, attributes);
}

static void parse_bytes(const void *payload, size_t size, struct attributes *attributes)
{
	memset(attributes, 0, sizeof(*attributes));
	mnl_attr_parse_payload(payload, size, on_attribute, attributes);
}

/* Stores the number if the attribute is there. Returns 0, or -EBADMSG for a wrong size. */
static int get_u32(const struct attributes *attributes, int type, uint32_t *value)
{
	const struct nlattr *attribute = attributes->by_type[type];

	if (!attribute)
		return 0;
	if (mnl_attr_get_payload_len(attribute) != sizeof(*value))
		return -EBADMSG;
	*value = mnl_attr_get_u32(attribute);
	return 0;
}

/* Copies a string into @size bytes if the attribute is there; it must fit with its NUL. */
static int get_string(const struct attributes *attributes, int type, char *text, size_t size)
{
	const struct nlattr *attribute = attributes->by_type[type];
	const char *payload;
	size_t length;

	if (!attribute)
		return 0;
	payload = mnl_attr_get_payload(attribute);
	length = strnlen(payload, mnl_attr_get_payload_len(attribute));
	if (length >= size)
		return -EBADMSG;
	memcpy(text, payload, length);
	text[length] = '\0';
	return 0;
}

/* Copies an address of @family. Returns 1 if the attribute is there, 0 if not, -EBADMSG. */
static int get_ip(const struct attributes *attributes, int type, int family, struct ip *ip)
{
	const struct nlattr *attribute = attributes->by_type[type];

	memset(ip, 0, sizeof(*ip));
	if (!attribute)
		return 0;
	if (mnl_attr_get_payload_len(attribute) != ip_size(family))
		return -EBADMSG;
	memcpy(ip->bytes, mnl_attr_get_payload(attribute), ip_size(family));
	return 1;
}

int nlparse_link(const struct nlmsghdr *message, struct link *link)
{
	const struct ifinfomsg *header = mnl_nlmsg_get_payload(message);
	struct attributes attributes, info;
	const struct nlattr *mac;

	memset(link, 0, sizeof(*link));
	if (parse_message(message, sizeof(*header), &attributes) || header->ifi_index <= 0)
		return -EBADMSG;
	link->index = (uint32_t)header->ifi_index;
	link->flags = header->ifi_flags;
	if (!attributes.by_type[IFLA_IFNAME] ||
	    get_string(&attributes, IFLA_IFNAME, link->name, sizeof(link->name)) ||
	    get_u32(&attributes, IFLA_MTU, &link->mtu) ||
	    get_u32(&attributes, IFLA_MASTER, &link->master))
		return -EBADMSG;
	/* A parent in another namespace (IFLA_LINK_NETNSID) has an index of that namespace. */
	if (!attributes.by_type[IFLA_LINK_NETNSID] &&
	    get_u32(&attributes, IFLA_LINK, &link->parent))
		return -EBADMSG;
	mac = attributes.by_type[IFLA_ADDRESS];
	if (mac) {
		if (mnl_attr_get_payload_len(mac) > sizeof(link->mac))
			return -EBADMSG;
		link->mac_len = (uint8_t)mnl_attr_get_payload_len(mac);
		memcpy(link->mac, mnl_attr_get_payload(mac), link->mac_len);
	}
	parse_nested(attributes.by_type[IFLA_LINKINFO], &info);
	return get_string(&info, IFLA_INFO_KIND, link->kind, sizeof(link->kind));
}

int nlparse_address(const struct nlmsghdr *message, struct address *address)
{
	const struct ifaddrmsg *header = mnl_nlmsg_get_payload(message);
	struct attributes attributes;
	int has_local, has_peer;

	memset(address, 0, sizeof(*address));
	if (parse_message(message, sizeof(*header), &attributes) || header->ifa_index == 0 ||
	    header->ifa_prefixlen > ip_bits(header->ifa_family))
		return -EBADMSG;
	address->index = header->ifa_index;
	address->family = header->ifa_family;
	address->prefix_len = header->ifa_prefixlen;
	/* The header has eight of the flags, the attribute all 32. */
	address->flags = header->ifa_flags;
	/* IFA_ADDRESS is the peer where there is one; IPv6 without peer has nothing else. */
	has_local = get_ip(&attributes, IFA_LOCAL, address->family, &address->local);
	has_peer = get_ip(&attributes, IFA_ADDRESS, address->family, &address->peer);
	if (get_u32(&attributes, IFA_FLAGS, &address->flags) || has_local < 0 || has_peer < 0 ||
	    (!has_local && !has_peer))
		return -EBADMSG;
	if (!has_local)
		address->local = address->peer;
	if (!has_peer)
		address->peer = address->local;
	if (attributes.by_type[IFA_PROTO] &&
	    mnl_attr_get_payload_len(attributes.by_type[IFA_PROTO]) == sizeof(uint8_t))
		address->proto = mnl_attr_get_u8(attributes.by_type[IFA_PROTO]);
	return 0;
}

static bool has_encap(const struct attributes *attributes)
{
	const struct nlattr *type = attributes->by_type[RTA_ENCAP_TYPE];

	if (!type || mnl_attr_get_payload_len(type) != sizeof(uint16_t))
		return attributes->by_type[RTA_ENCAP] != NULL;
	return mnl_attr_get_u16(type) != LWTUNNEL_ENCAP_NONE;
}

/* The gateway of a route of @family: in RTA_GATEWAY, or with its own family in RTA_VIA. */
static int get_gateway(const struct attributes *attributes, int family, struct hop *hop)
{
	const struct nlattr *via = attributes->by_type[RTA_VIA];
	const struct rtvia *other;
	int ret = get_ip(attributes, RTA_GATEWAY, family, &hop->gateway);

	if (ret < 0)
		return ret;
	if (ret > 0) {
		hop->gateway_family = (uint8_t)family;
	} else if (via) {
		uint16_t size = mnl_attr_get_payload_len(via);

		other = mnl_attr_get_payload(via);
		if (size < sizeof(*other) || ip_size(other->rtvia_family) == 0 ||
		    size != sizeof(*other) + ip_size(other->rtvia_family))
			return -EBADMSG;
		hop->gateway_family = (uint8_t)other->rtvia_family;
		memcpy(hop->gateway.bytes, other->rtvia_addr, ip_size(other->rtvia_family));
	}
	return 0;
}

/*
 * Reads the living legs of RTA_MULTIPATH into *@hops, which is allocated. A leg that is dead does
 * not route; "linkdown" alone says nothing, since it comes and goes without a word.
 */
static int get_legs(const struct nlattr *multipath, struct route *route, struct hop **hops)
{
	const char *at = mnl_attr_get_payload(multipath);
	size_t left = mnl_attr_get_payload_len(multipath);
	size_t count = 0;

	*hops = calloc(left / sizeof(struct rtnexthop) + 1, sizeof(**hops));
	if (!*hops)
		return -ENOMEM;
	while (left >= sizeof(struct rtnexthop)) {
		const struct rtnexthop *leg = (const void *)at;
		struct hop *hop = &(*hops)[count];
		size_t step = RTNH_ALIGN(leg->rtnh_len);
		struct attributes attributes;

		if (leg->rtnh_len < sizeof(*leg) || leg->rtnh_len > left)
			return -EBADMSG;
		parse_bytes(at + sizeof(*leg), leg->rtnh_len - sizeof(*leg), &attributes);
		memset(hop, 0, sizeof(*hop));
		if (leg->rtnh_ifindex <= 0 || get_gateway(&attributes, route->family, hop))
			return -EBADMSG;
		hop->device = (uint32_t)leg->rtnh_ifindex;
		hop->weight = leg->rtnh_hops + 1U;
		hop->is_onlink = leg->rtnh_flags & RTNH_F_ONLINK;
		if (!(leg->rtnh_flags & RTNH_F_DEAD)) {
			route->traits |= has_encap(&attributes) ? ROUTE_ENCAP : 0;
			count++;
		}
		at += step;
		left -= step < left ? step : left;
	}
	route->hop_count = (uint32_t)count;
	return 0;
}

/* An IPv6 route past its lifetime stays in the dump until the garbage collector comes. */
static bool is_expired(const struct attributes *attributes)
{
	const struct nlattr *info = attributes->by_type[RTA_CACHEINFO];
	struct rta_cacheinfo cacheinfo;

	if (!info || mnl_attr_get_payload_len(info) < sizeof(cacheinfo))
		return false;
	memcpy(&cacheinfo, mnl_attr_get_payload(info), sizeof(cacheinfo));
	return cacheinfo.rta_expires < 0;
}

/* Reads what the route is, without its hops. */
static int get_route(const struct rtmsg *header, const struct attributes *attributes,
		     struct route *route)
{
	struct attributes metrics;
	struct ip from;
	int has_source;

	memset(route, 0, sizeof(*route));
	route->family = header->rtm_family;
	route->prefix_len = header->rtm_dst_len;
	route->scope = header->rtm_scope;
	if (header->rtm_protocol == RTPROT_KERNEL)
		route->traits |= ROUTE_KERNEL;
	if (header->rtm_tos != 0)
		route->traits |= ROUTE_TOS;
	if (header->rtm_src_len != 0)
		route->traits |= ROUTE_SOURCE_PREFIX;
	if (has_encap(attributes))
		route->traits |= ROUTE_ENCAP;
	has_source = get_ip(attributes, RTA_PREFSRC, route->family, &route->source);
	parse_nested(attributes->by_type[RTA_METRICS], &metrics);
	if (has_source < 0 || get_ip(attributes, RTA_DST, route->family, &route->dest) < 0 ||
	    get_ip(attributes, RTA_SRC, route->family, &from) < 0 ||
	    get_u32(attributes, RTA_PRIORITY, &route->metric) ||
	    get_u32(&metrics, RTAX_MTU, &route->mtu))
		return -EBADMSG;
	route->has_source = has_source > 0;
	return 0;
}

/* Whether the header alone says that the route is of no interest. */
static bool is_of_no_interest(const struct rtmsg *header, uint32_t table)
{
	return header->rtm_type != RTN_UNICAST || table != RT_TABLE_MAIN ||
	       (header->rtm_flags & RTM_F_CLONED);
}

/* route_list_add() as our callers count: 1 for a route that was appended. */
static int add_route(struct route_list *list, const struct route *route, const struct hop *hops)
{
	int ret = route_list_add(list, route, hops, route->hop_count);

	return ret < 0 ? ret : 1;
}

static int append_route(const struct rtmsg *header, const struct attributes *attributes,
			struct route *route, struct route_list *list)
{
	const struct nlattr *multipath = attributes->by_type[RTA_MULTIPATH];
	struct hop only = {.weight = 1, .is_onlink = header->rtm_flags & RTNH_F_ONLINK};
	struct hop *hops = NULL;
	int ret;

	if (multipath) {
		ret = get_legs(multipath, route, &hops);
		if (ret == 0 && route->hop_count > 0)
			ret = add_route(list, route, hops);
		free(hops);
		return ret;
	}
	if (header->rtm_flags & RTNH_F_DEAD)
		return 0;
	if (get_u32(attributes, RTA_OIF, &only.device) ||
	    get_gateway(attributes, route->family, &only))
		return -EBADMSG;
	if (only.device == 0) {
		if (get_u32(attributes, RTA_NH_ID, &route->nexthop_id))
			return -EBADMSG;
		return route->nexthop_id == 0 ? 0 : add_route(list, route, NULL);
	}
	route->hop_count = 1;
	return add_route(list, route, &only);
}

int nlparse_route(const struct nlmsghdr *message, struct route_list *list)
{
	const struct rtmsg *header = mnl_nlmsg_get_payload(message);
	struct attributes attributes;
	struct route route;
	uint32_t table;

	if (parse_message(message, sizeof(*header), &attributes) ||
	    ip_size(header->rtm_family) == 0 || header->rtm_dst_len > ip_bits(header->rtm_family))
		return -EBADMSG;
	table = header->rtm_table;
	if (get_u32(&attributes, RTA_TABLE, &table))
		return -EBADMSG;
	if (is_of_no_interest(header, table) || is_expired(&attributes))
		return 0;
	if (get_route(header, &attributes, &route))
		return -EBADMSG;
	return append_route(header, &attributes, &route, list);
}

int nlparse_route_dest(const struct nlmsghdr *head, size_t size, struct route *route)
{
	const struct rtmsg *header = mnl_nlmsg_get_payload(head);
	size_t offset = sizeof(*head) + sizeof(*header); /* both are aligned */
	struct attributes attributes;

	memset(route, 0, sizeof(*route));
	if (size < offset ||
	    (head->nlmsg_type != RTM_NEWROUTE && head->nlmsg_type != RTM_DELROUTE) ||
	    header->rtm_table != RT_TABLE_MAIN || header->rtm_dst_len > ip_bits(header->rtm_family))
		return -EBADMSG;
	/* The attribute that was cut, and what would have followed it, are not looked at. */
	parse_bytes((const char *)head + offset, size - offset, &attributes);
	route->family = header->rtm_family;
	route->prefix_len = header->rtm_dst_len;
	return get_ip(&attributes, RTA_DST, route->family, &route->dest) < 0 ? -EBADMSG : 0;
}

static int add_group(struct nexthop_table *table, const struct nexthop *nexthop,
		     const struct nlattr *group)
{
	size_t count = mnl_attr_get_payload_len(group) / sizeof(struct nexthop_grp);
	const char *payload = mnl_attr_get_payload(group);
	struct nexthop_member *members = calloc(count + 1, sizeof(*members));
	int ret;

	if (!members)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct nexthop_grp member;

		memcpy(&member, payload + i * sizeof(member), sizeof(member));
		members[i].id = member.id;
		members[i].weight = member.weight + 1U;
	}
	ret = nexthop_add(table, nexthop, members, count);
	free(members);
	return ret;
}

int nlparse_nexthop(const struct nlmsghdr *message, struct nexthop_table *table)
{
	const struct nhmsg *header = mnl_nlmsg_get_payload(message);
	struct attributes attributes;
	struct nexthop nexthop;
	int has_gateway;

	memset(&nexthop, 0, sizeof(nexthop));
	if (parse_message(message, sizeof(*header), &attributes) ||
	    get_u32(&attributes, NHA_ID, &nexthop.id) || nexthop.id == 0)
		return -EBADMSG;
	if (attributes.by_type[NHA_GROUP])
		return add_group(table, &nexthop, attributes.by_type[NHA_GROUP]);
	has_gateway = get_ip(&attributes, NHA_GATEWAY, header->nh_family, &nexthop.hop.gateway);
	if (has_gateway < 0 || get_u32(&attributes, NHA_OIF, &nexthop.hop.device))
		return -EBADMSG;
	nexthop.hop.gateway_family = has_gateway > 0 ? header->nh_family : 0;
	nexthop.hop.weight = 1;
	nexthop.hop.is_onlink = header->nh_flags & RTNH_F_ONLINK;
	nexthop.has_hop = nexthop.hop.device != 0 && !(header->nh_flags & RTNH_F_DEAD);
	if (attributes.by_type[NHA_ENCAP] || attributes.by_type[NHA_ENCAP_TYPE])
		nexthop.traits |= ROUTE_ENCAP;
	return nexthop_add(table, &nexthop, NULL, 0);
}
