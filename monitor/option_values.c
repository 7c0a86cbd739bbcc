/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_values.c - checks what the options of the command line are given
 */
#include "option_values.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

int option_fail(const struct reader *reader, const char *value, const char *expected)
{
	snprintf(reader->error, OPTIONS_ERROR_SIZE, "--%s %.80s: expected %s", reader->name, value,
		 expected);
	return -EINVAL;
}

static int read_number(const struct reader *reader, const char *value, uint64_t smallest,
		       uint64_t largest, uint64_t *number)
{
	char expected[64];
	char *end;

	errno = 0;
	*number = strtoull(value, &end, 10);
	if (errno == 0 && *end == '\0' && value[0] >= '0' && value[0] <= '9' &&
	    *number >= smallest && *number <= largest)
		return 0;
	snprintf(expected, sizeof(expected), "a whole number from %ju to %ju", (uintmax_t)smallest,
		 (uintmax_t)largest);
	return option_fail(reader, value, expected);
}

int option_u32(const struct reader *reader, const char *value, uint32_t smallest, uint32_t largest,
	       uint32_t *number)
{
	uint64_t read;
	int ret = read_number(reader, value, smallest, largest, &read);

	if (ret == 0)
		*number = (uint32_t)read;
	return ret;
}

int option_size(const struct reader *reader, const char *value, size_t smallest, size_t largest,
		size_t *number)
{
	uint64_t read;
	int ret = read_number(reader, value, smallest, largest, &read);

	if (ret == 0)
		*number = (size_t)read;
	return ret;
}

int option_choice(const struct reader *reader, const char *value, const char *first,
		  const char *second, bool *is_first)
{
	char expected[64];

	*is_first = strcmp(value, first) == 0;
	if (*is_first || strcmp(value, second) == 0)
		return 0;
	snprintf(expected, sizeof(expected), "%s or %s", first, second);
	return option_fail(reader, value, expected);
}

int option_string(const struct reader *reader, const char *value, const char **string)
{
	if (!*value)
		return option_fail(reader, value, "a value that is not empty");
	*string = value;
	return 0;
}

int option_append(struct string_list *list, const char *value)
{
	if (array_reserve(&list->items, &list->capacity, list->count + 1, sizeof(*list->items)))
		return -ENOMEM;
	list->items[list->count++] = value;
	return 0;
}

bool option_is_watchable(const char *path)
{
	size_t length = strlen(path);

	return path[0] == '/' && length > 1 && length < PATH_MAX && path[length - 1] != '/';
}
