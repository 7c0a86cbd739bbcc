/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.c - asks the kernel for everything that a network namespace holds now
 *
 * The kernel answers at once: the request's sendmsg() fills the first datagram and each recvmsg()
 * the next (netlink_dump()), so a read never waits, and one that finds nothing is a failure. One
 * dump at a time (a second is EBUSY), one family at a time (an AF_UNSPEC route dump can go on for
 * ever), strictly checked (else the kernel ignores the table asked for).
 *
 * The order matters: a "link down" event is sent before the routes are cleaned up, under rtnl; the
 * link dump takes rtnl and so waits for that, the route dump would not.
 */
#include "dump.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "nexthop.h"
#include "nlparse.h"
#include "nlsock.h"

/* A dump that needs more datagrams than this has no end: 32 KiB each, 100 million bytes of links.
 */
#define DATAGRAMS_PER_DUMP 4096

struct dump {
	struct mnl_socket *socket;
	uint32_t sequence;
	size_t forged;
	size_t buffer_size;
	char *buffer;
};

/* What the messages of one dump are put into. */
struct collector {
	struct snapshot *snapshot;
	const struct snapshot_limits *limits;
	struct nexthop_table *nexthops;
	size_t datagrams;      /* of the dump that runs */
	size_t full_datagrams; /* … that held at least one object */
	bool is_full;	       /* the rest need not be read */
};

typedef int (*collect_fn)(struct collector *collector, const struct nlmsghdr *message);

/* Returns 0 or a negative errno; dump->socket may be open either way. */
static int open_socket(struct dump *dump)
{
	int on = 1;

	dump->socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!dump->socket)
		return -errno;
	/* Kernels before 4.20 do not know it: what they send too much, the parser leaves out. */
	mnl_socket_setsockopt(dump->socket, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	if (mnl_socket_bind(dump->socket, 0, MNL_SOCKET_AUTOPID) < 0)
		return -errno;
	return nlsock_connect(mnl_socket_get_fd(dump->socket));
}

static int reopen_socket(struct dump *dump)
{
	mnl_socket_close(dump->socket);
	return open_socket(dump);
}

struct dump *dump_open(void)
{
	struct dump *dump = calloc(1, sizeof(*dump));
	int ret = -ENOMEM;

	if (!dump)
		return NULL;
	/* Anything but 0, so that a forged answer would have to guess it. */
	dump->sequence = (uint32_t)(uintptr_t)dump >> 4 | 1;
	/*
	 * Mapped by malloc(3) and given back as a whole; only what the kernel writes is ever
	 * resident.
	 */
	dump->buffer_size = (size_t)8 * NLSOCK_DATAGRAM_MAX;
	dump->buffer = malloc(dump->buffer_size);
	if (dump->buffer)
		ret = open_socket(dump);
	if (ret < 0) {
		dump_close(dump);
		errno = -ret;
		return NULL;
	}
	return dump;
}

void dump_close(struct dump *dump)
{
	if (!dump)
		return;
	if (dump->socket)
		mnl_socket_close(dump->socket);
	free(dump->buffer);
	free(dump);
}

size_t dump_forged(const struct dump *dump)
{
	return dump->forged;
}

static int collect_link(struct collector *collector, const struct nlmsghdr *message)
{
	struct link link;
	int ret = nlparse_link(message, &link);

	return ret < 0 ? ret : snapshot_add_link(collector->snapshot, &link, collector->limits);
}

static int collect_address(struct collector *collector, const struct nlmsghdr *message)
{
	struct address address;
	int ret = nlparse_address(message, &address);

	return ret < 0 ? ret
		       : snapshot_add_address(collector->snapshot, &address, collector->limits);
}

static int collect_route(struct collector *collector, const struct nlmsghdr *message)
{
	struct route_list *routes = &collector->snapshot->routes;
	int ret = nlparse_route(message, routes);

	/* Over a limit no list is sent at all, so the rest need not be known. */
	if (ret > 0 && (routes->count > collector->limits->max_routes ||
			routes->hop_count > snapshot_max_hops(collector->limits))) {
		collector->snapshot->has_more_routes = true;
		collector->is_full = true;
	}
	return ret < 0 ? ret : 0;
}

static int collect_nexthop(struct collector *collector, const struct nlmsghdr *message)
{
	int ret = nlparse_nexthop(message, collector->nexthops);

	if (ret == 0 &&
	    (collector->nexthops->count > collector->limits->max_routes ||
	     collector->nexthops->member_count > snapshot_max_hops(collector->limits))) {
		collector->snapshot->has_more_routes = true;
		collector->is_full = true;
	}
	return ret;
}

/* The errno in the payload of NLMSG_DONE or NLMSG_ERROR, which is where a dump says that it failed.
 */
static int payload_errno(const struct nlmsghdr *message)
{
	int error = 0;

	if (mnl_nlmsg_get_payload_len(message) >= sizeof(error))
		memcpy(&error, mnl_nlmsg_get_payload(message), sizeof(error));
	return error;
}

/*
 * Handles one datagram of a dump. Returns 1 when the dump has ended, 0 if more follows, or a
 * negative errno.
 */
static int handle_datagram(struct dump *dump, size_t size, collect_fn collect,
			   struct collector *collector)
{
	const struct nlmsghdr *message = (const void *)dump->buffer;
	int left = (int)size;
	bool has_object = false;
	int ret;

	if (!nlparse_is_whole(message, left))
		return -EBADMSG;
	for (; nlparse_is_whole(message, left); message = mnl_nlmsg_next(message, &left)) {
		if (message->nlmsg_seq != dump->sequence)
			continue;
		if (message->nlmsg_flags & NLM_F_DUMP_INTR)
			return -EINTR;
		if (message->nlmsg_type == NLMSG_DONE) {
			ret = payload_errno(message);
			/*
			 * A namespace whose lo was never up has no table: that is how IPv4 says
			 * "empty".
			 */
			return ret < 0 && ret != -ENOENT ? ret : 1;
		}
		if (message->nlmsg_type == NLMSG_ERROR)
			return payload_errno(message) < 0 ? payload_errno(message) : -EPROTO;
		if (message->nlmsg_type < NLMSG_MIN_TYPE || collector->is_full)
			continue;
		collector->full_datagrams += !has_object;
		has_object = true;
		ret = collect(collector, message);
		/* A single message that makes no sense is no reason to know nothing. */
		if (ret < 0 && ret != -EBADMSG)
			return ret;
	}
	return 0;
}

/* Sends @request and collects what it brings. Returns 0 or a negative errno. */
static int run(struct dump *dump, struct nlmsghdr *request, collect_fn collect,
	       struct collector *collector)
{
	int fd = mnl_socket_get_fd(dump->socket);
	int ret = 0;

	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	request->nlmsg_seq = ++dump->sequence;
	collector->datagrams = 0;
	collector->full_datagrams = 0;
	collector->is_full = false;
	if (mnl_socket_sendto(dump->socket, request, request->nlmsg_len) < 0)
		return -errno;
	while (ret == 0 && !collector->is_full) {
		size_t size;

		if (collector->datagrams++ >= DATAGRAMS_PER_DUMP)
			return -ETIMEDOUT;
		ret = nlsock_receive(fd, dump->buffer, dump->buffer_size, &size);
		if (ret == -EPERM) {
			dump->forged++;
			ret = 0;
		} else if (ret == 0) {
			ret = handle_datagram(dump, size, collect, collector);
		}
	}
	/* What is left of a dump that was given up would be taken for the answer to the next one.
	 */
	if (ret == 0 && collector->is_full)
		ret = reopen_socket(dump);
	return ret < 0 ? ret : 0;
}

static int dump_links(struct dump *dump, struct collector *collector)
{
	char buffer[128] = {0};
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *header = mnl_nlmsg_put_extra_header(request, sizeof(*header));

	request->nlmsg_type = RTM_GETLINK;
	header->ifi_family = AF_UNSPEC;
	/* Statistics are a third of each answer. */
	mnl_attr_put_u32(request, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	return run(dump, request, collect_link, collector);
}

static int dump_addresses(struct dump *dump, struct collector *collector, uint8_t family)
{
	char buffer[128] = {0};
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct ifaddrmsg *header = mnl_nlmsg_put_extra_header(request, sizeof(*header));

	request->nlmsg_type = RTM_GETADDR;
	header->ifa_family = family;
	return run(dump, request, collect_address, collector);
}

static int dump_routes(struct dump *dump, struct collector *collector, uint8_t family)
{
	char buffer[128] = {0};
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct rtmsg *header = mnl_nlmsg_put_extra_header(request, sizeof(*header));
	int ret;

	/* Room for the first family was enough, and this one's routes could not be sent either. */
	if (collector->snapshot->has_more_routes)
		return 0;
	request->nlmsg_type = RTM_GETROUTE;
	header->rtm_family = family;
	header->rtm_table = RT_TABLE_MAIN;
	mnl_attr_put_u32(request, RTA_TABLE, RT_TABLE_MAIN);
	ret = run(dump, request, collect_route, collector);
	/* A kernel without IPv6 does not know the family; it has no such routes either. */
	return ret == -EOPNOTSUPP || ret == -EAFNOSUPPORT ? 0 : ret;
}

static int dump_nexthops(struct dump *dump, struct collector *collector)
{
	char buffer[128] = {0};
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct nhmsg *header = mnl_nlmsg_put_extra_header(request, sizeof(*header));

	request->nlmsg_type = RTM_GETNEXTHOP;
	header->nh_family = AF_UNSPEC;
	return run(dump, request, collect_nexthop, collector);
}

/* Only with nexthop_compat_mode=0 is there a route that names its object and nothing else. */
static int resolve_nexthops(struct dump *dump, struct collector *collector)
{
	struct route_list *routes = &collector->snapshot->routes;
	struct nexthop_table nexthops = {0};
	bool needs_nexthops = false;
	int ret;

	for (size_t i = 0; i < routes->count && !needs_nexthops; i++)
		needs_nexthops = routes->routes[i].nexthop_id != 0;
	if (!needs_nexthops)
		return 0;
	collector->nexthops = &nexthops;
	ret = dump_nexthops(dump, collector);
	if (ret == 0)
		ret = nexthop_resolve(&nexthops, routes, snapshot_max_hops(collector->limits));
	if (ret == -EOVERFLOW) {
		collector->snapshot->has_more_routes = true;
		ret = 0;
	}
	nexthop_table_fini(&nexthops);
	collector->nexthops = NULL;
	return ret;
}

static const uint8_t families[] = {AF_INET, AF_INET6};

static int dump_devices(struct dump *dump, struct collector *collector)
{
	int ret = dump_links(dump, collector);

	for (size_t i = 0; ret == 0 && i < sizeof(families); i++)
		ret = dump_addresses(dump, collector, families[i]);
	return ret;
}

int dump_links_only(struct dump *dump, struct snapshot *snapshot,
		    const struct snapshot_limits *limits)
{
	struct collector collector = {.snapshot = snapshot, .limits = limits};
	int ret = dump_devices(dump, &collector);

	snapshot_complete(snapshot, limits);
	return ret;
}

int dump_snapshot(struct dump *dump, struct snapshot *snapshot,
		  const struct snapshot_limits *limits)
{
	struct collector collector = {.snapshot = snapshot, .limits = limits};
	int ret = dump_devices(dump, &collector);

	for (size_t i = 0; ret == 0 && i < sizeof(families); i++) {
		ret = dump_routes(dump, &collector, families[i]);
		if (collector.full_datagrams > 1)
			snapshot->has_route_parts = true;
	}
	if (ret == 0)
		ret = resolve_nexthops(dump, &collector);
	snapshot_complete(snapshot, limits);
	return ret;
}

/*
 * Sends @request, which is no dump, and reads its answer. Returns 0 and points *@answer to it, or a
 * negative errno: the one that the kernel answered, or what went wrong.
 */
static int ask(struct dump *dump, struct nlmsghdr *request, const struct nlmsghdr **answer)
{
	int fd = mnl_socket_get_fd(dump->socket);
	size_t size;
	int ret;

	request->nlmsg_flags = NLM_F_REQUEST;
	request->nlmsg_seq = ++dump->sequence;
	if (mnl_socket_sendto(dump->socket, request, request->nlmsg_len) < 0)
		return -errno;
	while ((ret = nlsock_receive(fd, dump->buffer, dump->buffer_size, &size)) == -EPERM)
		dump->forged++;
	if (ret < 0)
		return ret;
	*answer = (const void *)dump->buffer;
	if (!nlparse_is_whole(*answer, (int)size) || (*answer)->nlmsg_seq != dump->sequence)
		return -EBADMSG;
	if ((*answer)->nlmsg_type != NLMSG_ERROR)
		return 0;
	ret = payload_errno(*answer);
	return ret < 0 ? ret : -EPROTO;
}

int dump_has_link(struct dump *dump, uint32_t index)
{
	char buffer[128] = {0};
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *header = mnl_nlmsg_put_extra_header(request, sizeof(*header));
	const struct nlmsghdr *answer;
	int ret;

	request->nlmsg_type = RTM_GETLINK;
	header->ifi_index = (int)index;
	mnl_attr_put_u32(request, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	ret = ask(dump, request, &answer);
	if (ret == 0)
		return answer->nlmsg_type == RTM_NEWLINK ? 1 : -EPROTO;
	return ret == -ENODEV ? 0 : ret;
}

int dump_fits_route(struct dump *dump, const struct route *route)
{
	char buffer[128] = {0};
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct rtmsg *header = mnl_nlmsg_put_extra_header(request, sizeof(*header));
	const struct nlmsghdr *answer;
	int ret;

	request->nlmsg_type = RTM_GETROUTE;
	header->rtm_family = route->family;
	header->rtm_dst_len = (uint8_t)ip_bits(route->family);
	/* The route itself, not what it comes to for this address. */
	header->rtm_flags = RTM_F_FIB_MATCH;
	mnl_attr_put(request, RTA_DST, ip_size(route->family), route->dest.bytes);
	ret = ask(dump, request, &answer);
	if (ret == -EMSGSIZE)
		return 0;
	return ret == 0 || ret == -ENETUNREACH || ret == -EHOSTUNREACH || ret == -ENOENT ? 1 : ret;
}
