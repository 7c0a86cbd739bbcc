/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array.h - room in an array that grows
 */
#ifndef NETNSMON_ARRAY_H
#define NETNSMON_ARRAY_H

#include <stddef.h>

/*
 * Makes room for @needed elements of @element_size bytes in the array that *@array_pointer points
 * to, whose room is *@capacity elements; grows by half, so that appending n elements copies O(n).
 * @array_pointer is the address of the pointer. Returns 0 or -ENOMEM, then nothing has changed.
 */
int array_reserve(void *array_pointer, size_t *capacity, size_t needed, size_t element_size);

#endif
