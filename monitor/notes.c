/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.c - what the pure parts have to say to people
 */
#include "notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define NOTE_SIZE 512

static void say(const struct notes *notes, bool is_warning, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

static void say(const struct notes *notes, bool is_warning, const char *format, va_list args)
{
	char text[NOTE_SIZE];

	vsnprintf(text, sizeof(text), format, args);
	notes->say(notes->arg, is_warning, text);
}

void notes_warn(const struct notes *notes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(notes, true, format, args);
	va_end(args);
}

void notes_info(const struct notes *notes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(notes, false, format, args);
	va_end(args);
}

void once_fini(struct once *once)
{
	free(once->said);
	free(once->now);
	memset(once, 0, sizeof(*once));
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

bool once_is_new(struct once *once, uint64_t fingerprint)
{
	if (array_reserve(&once->now, &once->now_capacity, once->now_count + 1,
			  sizeof(*once->now)) == 0)
		once->now[once->now_count++] = fingerprint;
	return once->said_count == 0 ||
	       !bsearch(&fingerprint, once->said, once->said_count, sizeof(*once->said), compare);
}

void once_next_pass(struct once *once)
{
	free(once->said);
	if (once->now_count > 0)
		qsort(once->now, once->now_count, sizeof(*once->now), compare);
	else
		free(once->now);
	once->said = once->now_count > 0 ? once->now : NULL;
	once->said_count = once->now_count;
	once->now = NULL;
	once->now_count = 0;
	once->now_capacity = 0;
}
