/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.c - pure: which links and addresses are the runtime's business, and when a link is ready
 */
#include "filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/if_addr.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if.h>

/* Every device that Kata makes in the namespace is called so. */
#define RUNTIMES_OWN "*_kata"

const char *filter_match(const char *name, const char *const *globs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (fnmatch(globs[i], name, 0) == 0)
			return globs[i];
	}
	return NULL;
}

static bool is_runtimes_own(const struct link *link)
{
	return fnmatch(RUNTIMES_OWN, link->name, 0) == 0 || strcmp(link->kind, "ifb") == 0;
}

static const char *kind_of(const struct link *link)
{
	return link->kind[0] ? link->kind : "device";
}

static bool has_tentative(const struct policy *policy, const struct snapshot *snapshot,
			  const struct link *link)
{
	size_t count;
	const struct address *addresses = snapshot_addresses(snapshot, link->index, &count);

	for (size_t i = 0; i < count; i++) {
		if (filter_address(policy, snapshot, &addresses[i]) == ADDRESS_TENTATIVE)
			return true;
	}
	return false;
}

enum link_verdict filter_link(const struct policy *policy, const struct snapshot *snapshot,
			      const struct link *link)
{
	if (link->flags & IFF_LOOPBACK)
		return LINK_LOOPBACK;
	if (is_runtimes_own(link))
		return LINK_RUNTIMES_OWN;
	if (filter_match(link->name, policy->ignore, policy->ignore_count))
		return LINK_IGNORED;
	if (policy->only_count > 0 && !filter_match(link->name, policy->only, policy->only_count))
		return LINK_NOT_ONLY;
	if (link->master != 0)
		return LINK_ENSLAVED;
	if (!(link->flags & IFF_UP))
		return LINK_DOWN;
	/* Not IFF_RUNNING: linkwatch can delay that by a second (net/core/link_watch.c). */
	if (!(link->flags & IFF_LOWER_UP))
		return LINK_NO_CARRIER;
	if (!dialect_link_type(policy->dialect, kind_of(link), link->mac_len > 0))
		return LINK_WRONG_KIND;
	return has_tentative(policy, snapshot, link) ? LINK_TENTATIVE : LINK_READY;
}

bool filter_counts(enum link_verdict verdict)
{
	return verdict == LINK_DOWN || verdict == LINK_NO_CARRIER || verdict == LINK_TENTATIVE ||
	       verdict == LINK_READY;
}

/*
 * The guest makes its own link-local addresses out of the same MAC. A kernel older than 5.18 does
 * not tell which ones it made: then all of fe80::/64 are taken for such.
 */
static bool is_kernels_link_local(const struct policy *policy, const struct snapshot *snapshot,
				  const struct address *address)
{
	if (address->proto != 0)
		return address->proto == IFAPROT_KERNEL_LL;
	return !policy->tells_proto && !snapshot->tells_proto &&
	       ip_is_link_local(&address->local, address->family);
}

enum address_verdict filter_address(const struct policy *policy, const struct snapshot *snapshot,
				    const struct address *address)
{
	if (is_kernels_link_local(policy, snapshot, address))
		return ADDRESS_LINK_LOCAL;
	/* In IPv4 the same bit says "secondary". */
	if (address->family == AF_INET6 && (address->flags & IFA_F_TEMPORARY) &&
	    !policy->takes_temporary)
		return ADDRESS_TEMPORARY;
	/* A duplicate stays tentative as well: whoever looked at that first would wait in vain. */
	if (address->flags & IFA_F_DADFAILED)
		return ADDRESS_DUPLICATE;
	if ((address->flags & IFA_F_TENTATIVE) && !(address->flags & IFA_F_OPTIMISTIC) &&
	    !policy->takes_tentative)
		return ADDRESS_TENTATIVE;
	return ADDRESS_COUNTS;
}

bool filter_has_far_peer(const struct address *address)
{
	return !ip_same_prefix(&address->local, &address->peer, address->prefix_len);
}

static struct iface_address address_for_runtime(const struct address *address)
{
	struct iface_address sent = {
		.ip = address->local,
		.family = address->family,
		.prefix_len = address->prefix_len,
		.is_secondary = address->family == AF_INET && (address->flags & IFA_F_SECONDARY),
	};

	if (filter_has_far_peer(address))
		sent.prefix_len = (uint8_t)ip_bits(address->family);
	return sent;
}

static int add_addresses(const struct policy *policy, const struct snapshot *snapshot,
			 const struct iface *known, struct iface *iface)
{
	size_t count;
	const struct address *addresses = snapshot_addresses(snapshot, iface->index, &count);

	if (count == 0)
		return 0;
	iface->addresses = calloc(count, sizeof(*iface->addresses));
	if (!iface->addresses)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		enum address_verdict verdict = filter_address(policy, snapshot, &addresses[i]);
		struct iface_address sent = address_for_runtime(&addresses[i]);

		if (verdict == ADDRESS_COUNTS ||
		    (verdict == ADDRESS_TENTATIVE && known && iface_has_address(known, &sent)))
			iface->addresses[iface->address_count++] = sent;
	}
	iface_sort_addresses(iface);
	return 0;
}

int filter_iface(const struct policy *policy, const struct snapshot *snapshot,
		 const struct link *link, const struct iface *known, struct iface *iface)
{
	memset(iface, 0, sizeof(*iface));
	iface->index = link->index;
	iface->mtu = link->mtu;
	iface->is_noarp = link->flags & IFF_NOARP;
	iface->mac_len = link->mac_len;
	memcpy(iface->mac, link->mac, sizeof(iface->mac));
	memcpy(iface->name, link->name, sizeof(iface->name));
	memcpy(iface->kind, kind_of(link), strlen(kind_of(link)) + 1);
	return add_addresses(policy, snapshot, known, iface);
}

/* Kata's removeTCFiltering() gets the link anew, by its name (virtcontainers/network.go). */
const struct link *filter_find_namesake(const struct policy *policy,
					const struct snapshot *snapshot, const struct iface *iface)
{
	for (size_t i = 0; policy->dialect->finds_by_name && i < snapshot->link_count; i++) {
		if (strcmp(snapshot->links[i].name, iface->name) == 0)
			return &snapshot->links[i];
	}
	return NULL;
}

static bool is_runtimes_macvtap(const struct link *link)
{
	return strcmp(link->kind, "macvtap") == 0 && fnmatch(RUNTIMES_OWN, link->name, 0) == 0;
}

bool filter_find_macvtaps(const struct policy *policy, struct snapshot *snapshot)
{
	bool has_any = false;

	for (size_t i = 0; policy->dialect->moves_macvtap && i < snapshot->link_count; i++) {
		const struct link *link = &snapshot->links[i];
		struct link *parent;

		if (!is_runtimes_macvtap(link))
			continue;
		has_any = true;
		parent = snapshot_find_link(snapshot, link->parent);
		if (parent)
			parent->macvtap = link->index;
	}
	return has_any;
}

/* A list of addresses that was cut says nothing of those it lacks: the guest keeps what it has. */
static int keep_addresses(const struct iface *known, struct iface *wanted)
{
	struct iface copy;

	if (iface_copy(&copy, known))
		return -ENOMEM;
	free(wanted->addresses);
	wanted->addresses = copy.addresses;
	wanted->address_count = copy.address_count;
	return 0;
}

/* Gives @wanted the addresses of @known besides its own. */
static int merge_addresses(const struct iface *known, struct iface *wanted)
{
	size_t count = wanted->address_count + known->address_count;
	struct iface_address *both;

	if (count == 0)
		return 0;
	both = realloc(wanted->addresses, count * sizeof(*both));
	if (!both)
		return -ENOMEM;
	for (size_t i = 0; i < known->address_count; i++)
		both[wanted->address_count + i] = known->addresses[i];
	wanted->addresses = both;
	wanted->address_count = count;
	iface_sort_addresses(wanted);
	return 0;
}

int filter_known_iface(const struct policy *policy, const struct snapshot *snapshot,
		       const struct link *link, const struct iface *known, struct iface *wanted)
{
	int ret = filter_iface(policy, snapshot, link, known, wanted);

	if (ret < 0)
		return ret;
	if (snapshot->has_more_addresses)
		ret = keep_addresses(known, wanted);
	/* Under a macvtap of the runtime the link has lost its MAC and addresses to the VM. */
	if (ret == 0 && link->macvtap != 0) {
		wanted->mac_len = known->mac_len;
		memcpy(wanted->mac, known->mac, sizeof(wanted->mac));
		ret = merge_addresses(known, wanted);
	}
	if (ret < 0)
		iface_fini(wanted);
	return ret;
}
