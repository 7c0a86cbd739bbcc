/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_values.h - checks what the options of the command line are given
 *
 * Functions that can fail return 0, -EINVAL with one line for people in the reader's error, or
 * -ENOMEM.
 */
#ifndef NETNSMON_OPTION_VALUES_H
#define NETNSMON_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

/* What an option's value is checked with, and where the one line about it goes. */
struct reader {
	struct options *options;
	char *error;
	const char *name; /* of the option */
};

/* Says what was expected instead of @value. Returns -EINVAL. */
int option_fail(const struct reader *reader, const char *value, const char *expected);

/* Whole numbers within bounds. */
int option_u32(const struct reader *reader, const char *value, uint32_t smallest, uint32_t largest,
	       uint32_t *number);
int option_size(const struct reader *reader, const char *value, size_t smallest, size_t largest,
		size_t *number);

/* One of two words: stores whether it is the first. */
int option_choice(const struct reader *reader, const char *value, const char *first,
		  const char *second, bool *is_first);

/* Any text but none. */
int option_string(const struct reader *reader, const char *value, const char **string);

int option_append(struct string_list *list, const char *value);

/* Whether it is an absolute path whose last part can be watched. */
bool option_is_watchable(const char *path);

#endif
