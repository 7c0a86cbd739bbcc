/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fingerprint.h - a 64-bit number for "is this the same as last time"
 *
 * FNV-1a, whose only merit is that it is short. A collision costs a warning that is not
 * repeated, never a request: what decides about requests is compared byte by byte.
 */
#ifndef NETNSMON_FINGERPRINT_H
#define NETNSMON_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#define FINGERPRINT_START 0xcbf29ce484222325ULL

/* @print with @size more bytes mixed in; never 0, so that 0 can stand for "none yet". */
uint64_t fingerprint_add(uint64_t print, const void *bytes, size_t size);

#endif
