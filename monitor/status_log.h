/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status_log.h - what a monitor knows, in the log
 */
#ifndef NETNSMON_STATUS_LOG_H
#define NETNSMON_STATUS_LOG_H

#include <stdint.h>

#include "applied.h"

/*
 * Logs one line for each interface that the runtime has or is to be told of, and one for the
 * routes.
 */
void status_log(const struct applied *applied, uint64_t now_ms);

#endif
