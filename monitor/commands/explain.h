/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.h - says of each link and route that is there now whether it counts, and why
 */
#ifndef NETNSMON_EXPLAIN_H
#define NETNSMON_EXPLAIN_H

#include "options.h"

/*
 * Looks once at the namespace of the options and prints what would become of it under them. Returns
 * 0 or a negative errno; then it was logged what is wrong.
 */
int explain_run(const struct options *options);

#endif
