/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nlparse.h - pure: one rtnetlink message into one typed value
 *
 * The only door for bytes from the kernel: every length is checked here. Unknown attributes are
 * skipped. The caller vouches that the message's nlmsg_len lies within its buffer
 * (nlparse_is_whole()).
 */
#ifndef NETNSMON_NLPARSE_H
#define NETNSMON_NLPARSE_H

#include <linux/netlink.h>
#include <stdbool.h>

#include "nexthop.h"
#include "routes.h"
#include "snapshot.h"

/*
 * Whether a whole message begins at @message, with @left bytes to the end of its datagram.
 * mnl_nlmsg_ok() alone takes a length of 2^31 or more for a negative one, which is never too long.
 */
bool nlparse_is_whole(const struct nlmsghdr *message, int left);

/* RTM_NEWLINK or RTM_DELLINK. Returns 0, or -EBADMSG: malformed. */
int nlparse_link(const struct nlmsghdr *message, struct link *link);

/*
 * RTM_NEWADDR or RTM_DELADDR. Returns 0, or -EBADMSG: malformed or of another family than IPv4,
 * IPv6.
 */
int nlparse_address(const struct nlmsghdr *message, struct address *address);

/*
 * RTM_NEWROUTE: appends the route to @list if it could matter: unicast, main table, not cloned, not
 * past its lifetime, with at least one living leg. Returns 1 if it was appended, 0 if not, -EBADMSG
 * or -ENOMEM. With nexthop_compat_mode=0 the kernel names only a nexthop object: nexthop_id is set
 * and there are no hops.
 */
int nlparse_route(const struct nlmsghdr *message, struct route_list *list);

/*
 * A route whose message was cut after @size bytes, so that only its destination can be read.
 * Returns 0, or -EBADMSG: malformed or no route of the main table.
 */
int nlparse_route_dest(const struct nlmsghdr *head, size_t size, struct route *route);

/* RTM_NEWNEXTHOP: appends the object to @table. Returns 0, -EBADMSG or -ENOMEM. */
int nlparse_nexthop(const struct nlmsghdr *message, struct nexthop_table *table);

#endif
