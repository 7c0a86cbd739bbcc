/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_memory.h - how much memory this process costs
 */
#ifndef NETNSMON_OWN_MEMORY_H
#define NETNSMON_OWN_MEMORY_H

#include <stdint.h>

/*
 * Bytes that are resident and shared with nobody, or 0 where the kernel does not tell. Takes some
 * 50 us.
 */
uint64_t own_memory(void);

#endif
