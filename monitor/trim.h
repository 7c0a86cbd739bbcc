/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trim.h - gives memory back before a long sleep
 */
#ifndef NETNSMON_TRIM_H
#define NETNSMON_TRIM_H

/* What was freed on the heap, and the stack below the caller that deeper calls have used. */
void trim_memory(void);

#endif
