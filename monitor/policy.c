/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy.c - what the user wants, out of the options
 */
#include "policy.h"

#include <stdio.h>
#include <sys/utsname.h>

/* IFA_PROTO came with Linux 5.18. */
static bool kernel_tells_proto(void)
{
	struct utsname name;
	int major = 0, minor = 0;

	return uname(&name) == 0 && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 18));
}

void options_policy(const struct options *options, struct policy *policy)
{
	*policy = (struct policy){
		.dialect = options->dialect,
		.ignore = options->ignore.items,
		.ignore_count = options->ignore.count,
		.only = options->only.items,
		.only_count = options->only.count,
		.takes_temporary = options->takes_temporary,
		.tells_proto = kernel_tells_proto(),
		.waits_for_dad = !options->is_once,
	};
}
