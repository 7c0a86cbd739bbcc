/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy.h - what the user wants, out of the options
 */
#ifndef NETNSMON_POLICY_H
#define NETNSMON_POLICY_H

#include "filter.h"
#include "options.h"

/* Fills @policy, which points into @options. */
void options_policy(const struct options *options, struct policy *policy);

#endif
