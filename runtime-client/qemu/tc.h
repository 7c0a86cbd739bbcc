/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tc.h - all that one link receives goes out by another
 *
 * A u32 filter that matches everything, with the action mirred, on the ingress qdisc: Kata's
 * default model too. u32, since small kernels lack matchall.
 */
#ifndef NETNSMON_QEMU_TC_H
#define NETNSMON_QEMU_TC_H

#include "rtnl.h"

/*
 * Redirects what the link @from receives to the link @to. One that is there already stays as it
 * is, so that no packet is lost; one to another link is replaced. Returns 0 or a negative errno.
 */
int tc_redirect(struct rtnl *rtnl, unsigned int from, unsigned int to);

/*
 * Undoes tc_redirect(), also half of one; other filters on the link stay, with their qdisc. None,
 * or no link, is harmless.
 */
int tc_clear(struct rtnl *rtnl, unsigned int from);

#endif
