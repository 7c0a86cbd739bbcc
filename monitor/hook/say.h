/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * say.h - the one line that the hook writes
 */
#ifndef NETNSMON_HOOK_SAY_H
#define NETNSMON_HOOK_SAY_H

/* Writes one line to stderr and syslog, whatever is in the words, and returns -EINVAL for the
 * caller to return. */
int say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
