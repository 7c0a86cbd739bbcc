/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fingerprint.c - a 64-bit number for "is this the same as last time"
 */
#include "fingerprint.h"

uint64_t fingerprint_add(uint64_t print, const void *bytes, size_t size)
{
	const uint8_t *byte = bytes;

	while (size-- > 0)
		print = (print ^ *byte++) * 0x100000001b3ULL;
	return print ? print : 1;
}
