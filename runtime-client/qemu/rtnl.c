/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtnl.c - asks the kernel to change something by rtnetlink, and hears whether it did
 */
#include "rtnl.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "nlsock.h"

/* The kernel answers within a system call; this is only so that nothing waits for ever. */
#define ANSWER_SECONDS 10

int rtnl_open(struct rtnl *rtnl)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK};
	struct timeval timeout = {.tv_sec = ANSWER_SECONDS};
	int ret = 0;

	memset(rtnl, 0, sizeof(*rtnl));
	rtnl->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (rtnl->fd < 0)
		return -errno;
	if (bind(rtnl->fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    setsockopt(rtnl->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		ret = -errno;
	if (ret == 0)
		ret = nlsock_connect(rtnl->fd);
	if (ret < 0)
		rtnl_close(rtnl);
	return ret;
}

void rtnl_close(struct rtnl *rtnl)
{
	if (rtnl->fd >= 0)
		close(rtnl->fd);
	rtnl->fd = -1;
}

struct nlmsghdr *rtnl_begin(void *buffer, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *request;

	memset(buffer, 0, RTNL_REQUEST_SIZE);
	request = mnl_nlmsg_put_header(buffer);
	request->nlmsg_type = type;
	request->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	return request;
}

/* Reads answers until the last one has been seen. */
static int receive(struct rtnl *rtnl, mnl_cb_t on_message, void *arg)
{
	_Alignas(struct nlmsghdr) char buffer[NLSOCK_DATAGRAM_MAX];
	size_t length;
	int ret;

	do {
		ret = nlsock_receive(rtnl->fd, buffer, sizeof(buffer), &length);
		if (ret == -EPERM || ret == -EINTR) {
			ret = MNL_CB_OK;
			continue;
		}
		if (ret < 0)
			return ret == -EAGAIN ? -ETIMEDOUT : ret;
		ret = mnl_cb_run(buffer, length, rtnl->sequence, 0, on_message, arg);
		if (ret < 0)
			return -errno;
	} while (ret > MNL_CB_STOP);
	return 0;
}

static int send_request(struct rtnl *rtnl, struct nlmsghdr *request)
{
	request->nlmsg_seq = ++rtnl->sequence;
	return send(rtnl->fd, request, request->nlmsg_len, 0) < 0 ? -errno : 0;
}

int rtnl_change(struct rtnl *rtnl, struct nlmsghdr *request)
{
	int ret;

	request->nlmsg_flags |= NLM_F_ACK;
	ret = send_request(rtnl, request);
	return ret < 0 ? ret : receive(rtnl, NULL, NULL);
}

int rtnl_dump(struct rtnl *rtnl, struct nlmsghdr *request, mnl_cb_t on_message, void *arg)
{
	int ret;

	request->nlmsg_flags |= NLM_F_DUMP;
	ret = send_request(rtnl, request);
	return ret < 0 ? ret : receive(rtnl, on_message, arg);
}

/* A request about the link @index. */
static struct nlmsghdr *begin_link(void *buffer, unsigned int index)
{
	struct nlmsghdr *request = rtnl_begin(buffer, RTM_NEWLINK, 0);
	struct ifinfomsg *info = mnl_nlmsg_put_extra_header(request, sizeof(*info));

	info->ifi_index = (int)index;
	return request;
}

int rtnl_set_link(struct rtnl *rtnl, unsigned int index, uint32_t mtu)
{
	_Alignas(struct nlmsghdr) char buffer[RTNL_REQUEST_SIZE];
	struct nlmsghdr *request = begin_link(buffer, index);
	struct nlattr *spec = mnl_attr_nest_start(request, IFLA_AF_SPEC);
	struct nlattr *inet6 = mnl_attr_nest_start(request, AF_INET6);
	struct ifinfomsg *info;

	mnl_attr_put_u8(request, IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE);
	mnl_attr_nest_end(request, inet6);
	mnl_attr_nest_end(request, spec);
	/* Fails where there is no IPv6, and then there is nothing to be set. */
	rtnl_change(rtnl, request);
	request = begin_link(buffer, index);
	info = mnl_nlmsg_get_payload(request);
	info->ifi_flags = info->ifi_change = IFF_UP;
	mnl_attr_put_u32(request, IFLA_MTU, mtu);
	return rtnl_change(rtnl, request);
}
