/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array.c - room in an array that grows
 */
#include "array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int array_reserve(void *array_pointer, size_t *capacity, size_t needed, size_t element_size)
{
	void *array, *moved;
	size_t grown = *capacity + *capacity / 2;

	if (needed <= *capacity)
		return 0;
	if (grown < needed)
		grown = needed < 4 ? 4 : needed;
	if (grown > SIZE_MAX / element_size)
		return -ENOMEM;
	/* The caller's pointer has a type of its own: copied as bytes, it is never aliased. */
	memcpy(&array, array_pointer, sizeof(array));
	moved = realloc(array, grown * element_size);
	if (!moved)
		return -ENOMEM;
	memcpy(array_pointer, &moved, sizeof(moved));
	*capacity = grown;
	/* cppcheck-suppress memleak ; the caller has it now */
	return 0;
}
