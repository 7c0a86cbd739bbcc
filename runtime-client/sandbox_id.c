/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox_id.c - what the id of a sandbox may look like
 */
#include "sandbox_id.h"

#include <string.h>

bool sandbox_id_is_valid(const char *id)
{
	static const char alphanumeric[] = "0123456789abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t length = strlen(id);
	size_t valid = 0;

	while (id[valid] && (strchr(alphanumeric, id[valid]) || strchr("_.-", id[valid])))
		valid++;
	return length > 0 && length <= 128 && valid == length && strchr(alphanumeric, id[0]);
}
