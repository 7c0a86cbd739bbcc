/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox_id.h - what the id of a sandbox may look like
 */
#ifndef NETNSMON_SANDBOX_ID_H
#define NETNSMON_SANDBOX_ID_H

#include <stdbool.h>

/*
 * Whether @id is [A-Za-z0-9][A-Za-z0-9_.-]{0,127}. An id becomes part of paths and of an argument
 * vector: it never starts with a dash or a dot.
 */
bool sandbox_id_is_valid(const char *id);

#endif
