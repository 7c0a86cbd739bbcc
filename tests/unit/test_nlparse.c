/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_nlparse.c - what tests/data/record has recorded, and messages that are wrong
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "nlparse.h"
#include "scene.h"

static const struct snapshot_limits limits = {100, 1000};

static void take_link(const struct nlmsghdr *message, void *arg)
{
	struct link link;

	if (message->nlmsg_type != RTM_NEWLINK)
		return;
	assert_int_equal(nlparse_link(message, &link), 0);
	assert_int_equal(snapshot_add_link(arg, &link, &limits), 0);
}

static void take_address(const struct nlmsghdr *message, void *arg)
{
	struct address address;

	if (message->nlmsg_type != RTM_NEWADDR)
		return;
	assert_int_equal(nlparse_address(message, &address), 0);
	assert_int_equal(snapshot_add_address(arg, &address, &limits), 0);
}

static void take_route(const struct nlmsghdr *message, void *arg)
{
	struct snapshot *snapshot = arg;

	if (message->nlmsg_type == RTM_NEWROUTE)
		assert_in_range(nlparse_route(message, &snapshot->routes), 0, 1);
}

static void take_nexthop(const struct nlmsghdr *message, void *arg)
{
	if (message->nlmsg_type == RTM_NEWNEXTHOP)
		assert_int_equal(nlparse_nexthop(message, arg), 0);
}

static void test_links(void **state)
{
	struct snapshot snapshot = {0};
	const struct link *link;

	(void)state;
	for_each_recorded("links", take_link, &snapshot);
	snapshot_complete(&snapshot, &limits);

	/* An alias and an alternative name are no names; the peer's index is of another namespace.
	 */
	link = snapshot_find_link(&snapshot, 11);
	assert_non_null(link);
	assert_string_equal(link->name, "eth1");
	assert_string_equal(link->kind, "veth");
	assert_int_equal(link->mtu, 1400);
	assert_int_equal(link->mac_len, 6);
	assert_memory_equal(link->mac, "\x02\0\0\0\0\x11", 6);
	assert_int_equal(link->parent, 0);
	assert_int_equal(link->master, 0);
	assert_int_equal(link->flags & (IFF_UP | 1 << 16), IFF_UP | 1 << 16);

	link = snapshot_find_link(&snapshot, 13);
	assert_string_equal(link->kind, "bridge");
	assert_int_equal(link->flags & IFF_UP, 0);
	link = snapshot_find_link(&snapshot, 14);
	assert_int_equal(link->master, 13);
	link = snapshot_find_link(&snapshot, 15);
	assert_string_equal(link->kind, "macvtap");
	assert_int_equal(link->parent, 11);
	link = snapshot_find_link(&snapshot, 17);
	assert_string_equal(link->kind, "ifb");
	link = snapshot_find_link(&snapshot, 1);
	assert_string_equal(link->name, "lo");
	assert_string_equal(link->kind, "");
	assert_true(link->flags & IFF_LOOPBACK);
	snapshot_fini(&snapshot);
}

static const struct address *find_address(const struct snapshot *snapshot, const char *text)
{
	struct ip ip = scene_ip(text);

	for (size_t i = 0; i < snapshot->address_count; i++) {
		if (ip_compare(&snapshot->addresses[i].local, &ip) == 0)
			return &snapshot->addresses[i];
	}
	fail_msg("no address %s", text);
	return NULL;
}

static void test_addresses(void **state)
{
	struct snapshot snapshot = {0};
	const struct address *address;
	struct ip ip;

	(void)state;
	for_each_recorded("addresses", take_address, &snapshot);
	snapshot_complete(&snapshot, &limits);

	address = find_address(&snapshot, "10.1.0.2");
	assert_int_equal(address->index, 11);
	assert_int_equal(address->family, AF_INET);
	assert_int_equal(address->prefix_len, 24);
	assert_int_equal(ip_compare(&address->peer, &address->local), 0);
	assert_int_equal(address->flags & IFA_F_SECONDARY, 0);
	assert_true(find_address(&snapshot, "10.1.0.3")->flags & IFA_F_SECONDARY);

	address = find_address(&snapshot, "10.9.0.1");
	ip = scene_ip("10.9.0.2");
	assert_int_equal(ip_compare(&address->peer, &ip), 0);
	assert_int_equal(address->prefix_len, 32);

	address = find_address(&snapshot, "fd00:1::2");
	assert_int_equal(address->family, AF_INET6);
	assert_int_equal(address->prefix_len, 64);
	assert_int_equal(address->flags & IFA_F_TENTATIVE, 0);
	address = find_address(&snapshot, "fd00:9::1");
	ip = scene_ip("fd00:9::2");
	assert_int_equal(ip_compare(&address->peer, &ip), 0);
	assert_int_equal(address->prefix_len, 128);
	/* The kernel's own: fe80::/64 and ::1 (IFAPROT_KERNEL_LO is 1, IFAPROT_KERNEL_LL 3). */
	address = find_address(&snapshot, "::1");
	assert_int_equal(address->proto, 1);
	snapshot_fini(&snapshot);
}

/* Names the devices of the recordings, for scene_routes(). */
static void name_devices(struct route_list *list)
{
	list->devices = calloc(2, sizeof(*list->devices));
	assert_non_null(list->devices);
	list->devices[0] = (struct route_device){11, "eth1"};
	list->devices[1] = (struct route_device){12, "eth2"};
	list->device_count = 2;
}

static size_t count_routes(const struct route_list *list, const char *text)
{
	const char *all = scene_routes(list);
	size_t count = 0;

	for (all = strstr(all, text); all; all = strstr(all + 1, text))
		count++;
	return count;
}

static void test_routes(void **state)
{
	struct snapshot snapshot = {0};
	struct route_list *list = &snapshot.routes;
	uint8_t traits = 0;

	(void)state;
	for_each_recorded("routes", take_route, &snapshot);
	name_devices(list);
	assert_int_equal(count_routes(list, "0.0.0.0/0 via 10.1.0.1 dev eth1"), 1);
	assert_int_equal(count_routes(list, "10.50.0.0/16 via 10.1.0.1 dev eth1 metric 7 mtu 1300 "
					    "src 10.1.0.3"),
			 1);
	assert_int_equal(count_routes(list, "10.51.0.0/16 via 10.1.0.1 dev eth1 weight 3 via "
					    "10.2.0.1 dev eth2"),
			 1);
	assert_int_equal(count_routes(list, "10.52.0.0/16 via 172.16.0.1 dev eth1 onlink"), 1);
	assert_int_equal(count_routes(list, "10.53.0.0/16 via fd00:1::1 dev eth1"), 1);
	assert_int_equal(count_routes(list, "10.54.0.0/16 dev eth1"), 1);
	assert_int_equal(count_routes(list, "10.55.0.0/16"), 1);
	assert_int_equal(count_routes(list, "::/0 via fd00:1::1 dev eth1 metric 1024"), 1);
	assert_int_equal(count_routes(list, "fd00:51::/64 via fd00:1::1 dev eth1 via fd00:2::1 "
					    "dev eth2 weight 2 metric 1024"),
			 1);
	assert_int_equal(count_routes(list, "fd00:52::/64"), 1);
	assert_int_equal(count_routes(list, "fd00:53::/64"), 1);
	/* A nexthop group is resolved by the kernel, as long as it is told to. */
	assert_int_equal(count_routes(list, "10.58.0.0/16 via 10.1.0.1 dev eth1 weight 3 via "
					    "10.2.0.1 dev eth2"),
			 1);
	/* A blackhole, another table, local and multicast routes: not for a guest. */
	assert_int_equal(count_routes(list, "10.56.0.0"), 0);
	assert_int_equal(count_routes(list, "10.57.0.0"), 0);
	assert_int_equal(count_routes(list, "127.0.0.0"), 0);
	assert_int_equal(count_routes(list, "ff00::"), 0);
	for (size_t i = 0; i < list->count; i++)
		traits |= list->routes[i].traits;
	assert_int_equal(traits, ROUTE_KERNEL | ROUTE_TOS | ROUTE_SOURCE_PREFIX);
	snapshot_fini(&snapshot);
}

static void test_routes_by_id(void **state)
{
	struct snapshot snapshot = {0};
	struct route_list *list = &snapshot.routes;
	struct nexthop_table table = {0};

	(void)state;
	for_each_recorded("routes-by-id", take_route, &snapshot);
	for_each_recorded("nexthops", take_nexthop, &table);
	name_devices(list);
	assert_int_equal(count_routes(list, "10.58.0.0/16 via"), 0);
	assert_int_equal(nexthop_resolve(&table, list, 100000), 0);
	assert_int_equal(count_routes(list, "10.58.0.0/16 via 10.1.0.1 dev eth1 weight 3 via "
					    "10.2.0.1 dev eth2"),
			 1);
	nexthop_table_fini(&table);
	snapshot_fini(&snapshot);
}

/* --- messages that are wrong ------------------------------------------------------------------ */

/* A message of @type that is being built. */
static struct nlmsghdr *begin(void *buffer, uint16_t type, const void *header, size_t size)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = type;
	memcpy(mnl_nlmsg_put_extra_header(message, size), header, size);
	return message;
}

static void test_bad_link(void **state)
{
	const struct ifinfomsg header = {.ifi_index = 7}, no_index = {0};
	char buffer[1024];
	struct nlmsghdr *message;
	struct link link;

	(void)state;
	/* No name, a name without room for its NUL, no index, a MAC that is too long. */
	message = begin(buffer, RTM_NEWLINK, &header, sizeof(header));
	assert_int_equal(nlparse_link(message, &link), -EBADMSG);
	mnl_attr_put_str(message, IFLA_IFNAME, "sixteen-bytes-xx");
	assert_int_equal(nlparse_link(message, &link), -EBADMSG);
	message = begin(buffer, RTM_NEWLINK, &no_index, sizeof(no_index));
	mnl_attr_put_strz(message, IFLA_IFNAME, "eth1");
	assert_int_equal(nlparse_link(message, &link), -EBADMSG);
	message = begin(buffer, RTM_NEWLINK, &header, sizeof(header));
	mnl_attr_put_strz(message, IFLA_IFNAME, "eth1");
	assert_int_equal(nlparse_link(message, &link), 0);
	mnl_attr_put(message, IFLA_ADDRESS, 33, "123456789012345678901234567890123");
	assert_int_equal(nlparse_link(message, &link), -EBADMSG);
	/* A number of the wrong size; a header that is cut. */
	message = begin(buffer, RTM_NEWLINK, &header, sizeof(header));
	mnl_attr_put_strz(message, IFLA_IFNAME, "eth1");
	mnl_attr_put_u16(message, IFLA_MTU, 1500);
	assert_int_equal(nlparse_link(message, &link), -EBADMSG);
	message->nlmsg_len = NLMSG_HDRLEN + 3;
	assert_int_equal(nlparse_link(message, &link), -EBADMSG);
	message->nlmsg_len = 3;
	assert_int_equal(nlparse_link(message, &link), -EBADMSG);
}

static void test_parent_elsewhere(void **state)
{
	const struct ifinfomsg header = {.ifi_index = 7};
	char buffer[1024];
	struct nlmsghdr *message = begin(buffer, RTM_NEWLINK, &header, sizeof(header));
	struct link link;

	(void)state;
	mnl_attr_put_strz(message, IFLA_IFNAME, "eth1");
	mnl_attr_put_u32(message, IFLA_LINK, 9);
	assert_int_equal(nlparse_link(message, &link), 0);
	assert_int_equal(link.parent, 9);
	mnl_attr_put_u32(message, IFLA_LINK_NETNSID, 0);
	assert_int_equal(nlparse_link(message, &link), 0);
	assert_int_equal(link.parent, 0);
}

static void test_bad_address(void **state)
{
	struct ifaddrmsg header = {.ifa_family = AF_INET, .ifa_prefixlen = 33, .ifa_index = 2};
	char buffer[1024];
	struct nlmsghdr *message = begin(buffer, RTM_NEWADDR, &header, sizeof(header));
	struct address address;

	(void)state;
	mnl_attr_put_u32(message, IFA_LOCAL, 1);
	assert_int_equal(nlparse_address(message, &address), -EBADMSG);
	header.ifa_prefixlen = 24;
	message = begin(buffer, RTM_NEWADDR, &header, sizeof(header));
	assert_int_equal(nlparse_address(message, &address), -EBADMSG); /* no address */
	mnl_attr_put_u16(message, IFA_LOCAL, 1);
	assert_int_equal(nlparse_address(message, &address), -EBADMSG); /* half of one */
	header.ifa_family = AF_PACKET;
	message = begin(buffer, RTM_NEWADDR, &header, sizeof(header));
	mnl_attr_put_u32(message, IFA_LOCAL, 1);
	assert_int_equal(nlparse_address(message, &address), -EBADMSG);
	/* The attribute's flags count, not the header's eight, which old kernels have alone. */
	header = (struct ifaddrmsg){
		.ifa_family = AF_INET, .ifa_flags = IFA_F_SECONDARY, .ifa_index = 2};
	message = begin(buffer, RTM_NEWADDR, &header, sizeof(header));
	mnl_attr_put_u32(message, IFA_LOCAL, 1);
	assert_int_equal(nlparse_address(message, &address), 0);
	assert_int_equal(address.flags, IFA_F_SECONDARY);
	header = (struct ifaddrmsg){.ifa_family = AF_INET6, .ifa_flags = 0x80, .ifa_index = 2};
	message = begin(buffer, RTM_NEWADDR, &header, sizeof(header));
	mnl_attr_put(message, IFA_ADDRESS, 16, "0123456789abcdef");
	mnl_attr_put_u32(message, IFA_FLAGS, IFA_F_NOPREFIXROUTE | IFA_F_TENTATIVE);
	assert_int_equal(nlparse_address(message, &address), 0);
	assert_int_equal(address.flags, IFA_F_NOPREFIXROUTE | IFA_F_TENTATIVE);
}

static struct rtmsg main_route(void)
{
	return (struct rtmsg){
		.rtm_family = AF_INET,
		.rtm_dst_len = 8,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_type = RTN_UNICAST,
		.rtm_protocol = RTPROT_STATIC,
	};
}

static int parse_one_route(const struct nlmsghdr *message)
{
	struct route_list list = {0};
	int ret = nlparse_route(message, &list);

	assert_int_equal(list.count, ret == 1);
	route_list_fini(&list);
	return ret;
}

static void test_uninteresting_routes(void **state)
{
	struct rtmsg header = main_route();
	const struct rta_cacheinfo expired = {.rta_expires = -5};
	char buffer[1024];
	struct nlmsghdr *message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));

	(void)state;
	mnl_attr_put_u32(message, RTA_DST, 10);
	mnl_attr_put_u32(message, RTA_OIF, 2);
	assert_int_equal(parse_one_route(message), 1);
	/* The table is in the attribute if it does not fit into the header's byte. */
	mnl_attr_put_u32(message, RTA_TABLE, 1000);
	assert_int_equal(parse_one_route(message), 0);
	header.rtm_flags = RTM_F_CLONED;
	message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
	mnl_attr_put_u32(message, RTA_OIF, 2);
	assert_int_equal(parse_one_route(message), 0);
	header.rtm_flags = RTNH_F_DEAD;
	message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
	mnl_attr_put_u32(message, RTA_OIF, 2);
	assert_int_equal(parse_one_route(message), 0);
	header = main_route();
	header.rtm_family = AF_INET6;
	message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
	mnl_attr_put_u32(message, RTA_OIF, 2);
	mnl_attr_put(message, RTA_CACHEINFO, sizeof(expired), &expired);
	assert_int_equal(parse_one_route(message), 0);
}

/* Appends a leg to the multipath attribute that is being built at @leg. */
static struct rtnexthop *put_leg(struct rtnexthop *leg, int device, uint8_t flags)
{
	*leg = (struct rtnexthop){
		.rtnh_len = sizeof(*leg), .rtnh_flags = flags, .rtnh_ifindex = device};
	return leg + 1;
}

static void test_legs(void **state)
{
	const struct rtmsg header = main_route();
	struct rtnexthop legs[3];
	char buffer[1024];
	struct nlmsghdr *message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
	struct route_list list = {0};

	(void)state;
	/* A dead leg does not count, one without carrier does. */
	put_leg(put_leg(put_leg(legs, 2, RTNH_F_DEAD), 3, RTNH_F_LINKDOWN), 4, 0);
	mnl_attr_put(message, RTA_MULTIPATH, sizeof(legs), legs);
	assert_int_equal(nlparse_route(message, &list), 1);
	assert_int_equal(list.routes[0].hop_count, 2);
	assert_int_equal(list.hops[0].device, 3);
	assert_int_equal(list.hops[1].device, 4);
	route_list_fini(&list);
	/* All dead: no route. */
	message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
	put_leg(legs, 2, RTNH_F_DEAD);
	mnl_attr_put(message, RTA_MULTIPATH, sizeof(legs[0]), legs);
	assert_int_equal(parse_one_route(message), 0);
	/* Legs that do not fit, are shorter than their header, or have no device. */
	for (uint16_t length = 0; length < 12; length += 11) {
		message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
		put_leg(legs, 2, 0);
		legs[0].rtnh_len = length;
		mnl_attr_put(message, RTA_MULTIPATH, sizeof(legs[0]), legs);
		assert_int_equal(parse_one_route(message), -EBADMSG);
	}
	message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
	put_leg(legs, 0, 0);
	mnl_attr_put(message, RTA_MULTIPATH, sizeof(legs[0]), legs);
	assert_int_equal(parse_one_route(message), -EBADMSG);
}

static void test_bad_route(void **state)
{
	struct rtmsg header = main_route();
	char buffer[1024];
	struct nlmsghdr *message;

	(void)state;
	header.rtm_dst_len = 33;
	message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
	assert_int_equal(parse_one_route(message), -EBADMSG);
	header = main_route();
	message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
	mnl_attr_put_u32(message, RTA_OIF, 2);
	mnl_attr_put_u16(message, RTA_DST, 10);
	assert_int_equal(parse_one_route(message), -EBADMSG);
	/* A gateway of another family that is cut. */
	message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
	mnl_attr_put_u32(message, RTA_OIF, 2);
	mnl_attr_put(message, RTA_VIA, 4, "\x0a\0\1\2");
	assert_int_equal(parse_one_route(message), -EBADMSG);
}

static void test_cut_route(void **state)
{
	const struct rtmsg header = main_route();
	char buffer[1024];
	struct nlmsghdr *message = begin(buffer, RTM_NEWROUTE, &header, sizeof(header));
	struct route route;

	(void)state;
	mnl_attr_put_u32(message, RTA_DST, 10);
	mnl_attr_put_u32(message, RTA_OIF, 2);
	/* What follows lies beyond the end, whatever nlmsg_len says. */
	message->nlmsg_len = 200000;
	assert_int_equal(nlparse_route_dest(message, NLMSG_HDRLEN + sizeof(header) + 8 + 3, &route),
			 0);
	assert_int_equal(route.dest.bytes[0], 10);
	assert_int_equal(route.prefix_len, 8);
	assert_int_equal(nlparse_route_dest(message, NLMSG_HDRLEN + 4, &route), -EBADMSG);
}

static void test_is_whole(void **state)
{
	struct nlmsghdr message = {.nlmsg_len = sizeof(message)};

	(void)state;
	assert_true(nlparse_is_whole(&message, sizeof(message)));
	assert_false(nlparse_is_whole(&message, sizeof(message) - 1));
	message.nlmsg_len = sizeof(message) - 1;
	assert_false(nlparse_is_whole(&message, sizeof(message)));
	/* As an int this is negative, and so "not too long". */
	message.nlmsg_len = 0x80000010U;
	assert_false(nlparse_is_whole(&message, sizeof(message)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),	    cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_routes),	    cmocka_unit_test(test_routes_by_id),
		cmocka_unit_test(test_bad_link),    cmocka_unit_test(test_parent_elsewhere),
		cmocka_unit_test(test_bad_address), cmocka_unit_test(test_uninteresting_routes),
		cmocka_unit_test(test_legs),	    cmocka_unit_test(test_bad_route),
		cmocka_unit_test(test_cut_route),   cmocka_unit_test(test_is_whole),
	};

	return cmocka_run_group_tests_name("nlparse", tests, NULL, NULL);
}
