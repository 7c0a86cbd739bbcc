/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tc.c - all that one link receives goes out by another
 *
 *     link ── ingress qdisc ── filter u32 "match u8 0 0" ── action mirred "egress redirect dev" ──▶
 * link
 *
 * If the other link goes, the filter stays and drops all packets: such a one is replaced. Filters
 * of other priorities, and a clsact qdisc in place of the ingress one, are somebody else's.
 */
#include "tc.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_mirred.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The priority that marks a filter as ours ("nm"): before those that the kernel gives, 0xc000. */
#define PRIORITY 0x6e6d

/* What a dump of a link's ingress filters has found. */
struct found {
	unsigned int target; /* of our filter, 0: none */
	bool has_ours;
	bool has_others;
};

static struct nlmsghdr *begin(void *buffer, uint16_t type, uint16_t flags, unsigned int index,
			      uint32_t parent)
{
	struct nlmsghdr *request = rtnl_begin(buffer, type, flags);
	struct tcmsg *message = mnl_nlmsg_put_extra_header(request, sizeof(*message));

	message->tcm_family = AF_UNSPEC;
	message->tcm_ifindex = (int)index;
	message->tcm_parent = parent;
	return request;
}

static struct nlmsghdr *begin_qdisc(void *buffer, uint16_t type, uint16_t flags, unsigned int index)
{
	struct nlmsghdr *request = begin(buffer, type, flags, index, TC_H_INGRESS);
	struct tcmsg *message = mnl_nlmsg_get_payload(request);

	message->tcm_handle = TC_H_MAKE(TC_H_INGRESS, 0);
	mnl_attr_put_strz(request, TCA_KIND, "ingress");
	return request;
}

/* The parent that means ingress with both kinds of qdisc. */
static struct nlmsghdr *begin_filter(void *buffer, uint16_t type, uint16_t flags,
				     unsigned int index, bool is_ours)
{
	struct nlmsghdr *request =
		begin(buffer, type, flags, index, TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS));
	struct tcmsg *message = mnl_nlmsg_get_payload(request);

	if (is_ours)
		message->tcm_info = TC_H_MAKE(PRIORITY << 16, htons(ETH_P_ALL));
	return request;
}

static void put_action(struct nlmsghdr *request, unsigned int target)
{
	struct tc_mirred parameters = {
		.action = TC_ACT_STOLEN,
		.eaction = TCA_EGRESS_REDIR,
		.ifindex = target,
	};
	struct nlattr *actions = mnl_attr_nest_start(request, TCA_U32_ACT);
	struct nlattr *first = mnl_attr_nest_start(request, 1);
	struct nlattr *options;

	mnl_attr_put_strz(request, TCA_ACT_KIND, "mirred");
	options = mnl_attr_nest_start(request, TCA_ACT_OPTIONS);
	mnl_attr_put(request, TCA_MIRRED_PARMS, sizeof(parameters), &parameters);
	mnl_attr_nest_end(request, options);
	mnl_attr_nest_end(request, first);
	mnl_attr_nest_end(request, actions);
}

static int add_filter(struct rtnl *rtnl, unsigned int from, unsigned int to)
{
	/* A selector and its one key, all zero: no bit of the packet is looked at. */
	struct tc_u32_sel sel = {.flags = TC_U32_TERMINAL, .nkeys = 1};
	char match[sizeof(struct tc_u32_sel) + sizeof(struct tc_u32_key)] = {0};
	_Alignas(struct nlmsghdr) char buffer[RTNL_REQUEST_SIZE];
	struct nlmsghdr *request =
		begin_filter(buffer, RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, from, true);
	struct nlattr *options;

	mnl_attr_put_strz(request, TCA_KIND, "u32");
	options = mnl_attr_nest_start(request, TCA_OPTIONS);
	memcpy(match, &sel, sizeof(sel));
	mnl_attr_put(request, TCA_U32_SEL, sizeof(match), match);
	put_action(request, to);
	mnl_attr_nest_end(request, options);
	return rtnl_change(rtnl, request);
}

/* The attribute that is looked for, and where it was. */
struct search {
	uint16_t type;
	const struct nlattr *found;
};

static int on_attribute(const struct nlattr *attribute, void *arg)
{
	struct search *search = arg;

	if (mnl_attr_get_type(attribute) == search->type)
		search->found = attribute;
	return MNL_CB_OK;
}

/* The attribute @type of those nested in @nest, or NULL. */
static const struct nlattr *find_nested(const struct nlattr *nest, uint16_t type)
{
	struct search search = {.type = type};

	if (nest)
		mnl_attr_parse_nested(nest, on_attribute, &search);
	return search.found;
}

/* Where a filter's first action redirects to, 0: nowhere. */
static unsigned int target_of(const struct nlattr *options)
{
	const struct nlattr *attribute = find_nested(options, TCA_U32_ACT);
	struct tc_mirred parameters;

	attribute = find_nested(find_nested(attribute, 1), TCA_ACT_OPTIONS);
	attribute = find_nested(attribute, TCA_MIRRED_PARMS);
	if (!attribute || mnl_attr_get_payload_len(attribute) < sizeof(parameters))
		return 0;
	memcpy(&parameters, mnl_attr_get_payload(attribute), sizeof(parameters));
	return parameters.ifindex;
}

static int on_filter(const struct nlmsghdr *header, void *arg)
{
	const struct tcmsg *message = mnl_nlmsg_get_payload(header);
	struct found *found = arg;
	struct search search = {.type = TCA_OPTIONS};
	unsigned int target;

	if (header->nlmsg_type != RTM_NEWTFILTER ||
	    mnl_nlmsg_get_payload_len(header) < sizeof(*message))
		return MNL_CB_OK;
	if (TC_H_MAJ(message->tcm_info) >> 16 != PRIORITY) {
		found->has_others = true;
		return MNL_CB_OK;
	}
	found->has_ours = true;
	mnl_attr_parse(header, sizeof(*message), on_attribute, &search);
	target = target_of(search.found);
	/* u32 also dumps its hash table, which has no action. */
	if (target != 0)
		found->target = target;
	return MNL_CB_OK;
}

static int find_filters(struct rtnl *rtnl, unsigned int index, struct found *found)
{
	_Alignas(struct nlmsghdr) char buffer[RTNL_REQUEST_SIZE];
	struct nlmsghdr *request = begin_filter(buffer, RTM_GETTFILTER, 0, index, false);

	memset(found, 0, sizeof(*found));
	return rtnl_dump(rtnl, request, on_filter, found);
}

static int delete_filter(struct rtnl *rtnl, unsigned int index)
{
	_Alignas(struct nlmsghdr) char buffer[RTNL_REQUEST_SIZE];

	return rtnl_change(rtnl, begin_filter(buffer, RTM_DELTFILTER, 0, index, true));
}

int tc_redirect(struct rtnl *rtnl, unsigned int from, unsigned int to)
{
	_Alignas(struct nlmsghdr) char buffer[RTNL_REQUEST_SIZE];
	struct found found;
	int ret = rtnl_change(rtnl,
			      begin_qdisc(buffer, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, from));

	/* There already: ours, or another's ingress or clsact. */
	if (ret < 0 && ret != -EEXIST)
		return ret;
	ret = find_filters(rtnl, from, &found);
	if (ret == 0 && found.has_ours) {
		if (found.target == to)
			return 0;
		ret = delete_filter(rtnl, from);
	}
	return ret < 0 ? ret : add_filter(rtnl, from, to);
}

int tc_clear(struct rtnl *rtnl, unsigned int from)
{
	_Alignas(struct nlmsghdr) char buffer[RTNL_REQUEST_SIZE];
	struct found found;
	int ret = find_filters(rtnl, from, &found);

	/* No such link. */
	if (ret < 0)
		return ret == -ENODEV || ret == -EINVAL || ret == -ENOENT ? 0 : ret;
	if (found.has_ours)
		ret = delete_filter(rtnl, from);
	if (ret < 0 || found.has_others)
		return ret;
	/*
	 * Also where we were interrupted between the two. Fails with a clsact qdisc, which is not
	 * ours, and where there is none.
	 */
	rtnl_change(rtnl, begin_qdisc(buffer, RTM_DELQDISC, 0, from));
	return 0;
}
