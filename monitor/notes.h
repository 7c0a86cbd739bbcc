/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h - what the pure parts have to say to people
 *
 * Filter and reconcile do not log: they tell whoever called them, who does.
 */
#ifndef NETNSMON_NOTES_H
#define NETNSMON_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct notes {
	void (*say)(void *arg, bool is_warning, const char *text);
	void *arg;
};

/* Says one formatted line. */
void notes_warn(const struct notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void notes_info(const struct notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Things that are said once for as long as they stay true: fingerprints of what was true in the
 * last pass, and of what is true in this one.
 */
struct once {
	uint64_t *said; /* sorted */
	size_t said_count;
	uint64_t *now;
	size_t now_count;
	size_t now_capacity;
};

void once_fini(struct once *once);

/*
 * Notes that the thing is true in this pass. Returns whether it is new. Without memory it is said
 * again.
 */
bool once_is_new(struct once *once, uint64_t fingerprint);

/* Ends a pass: what was true in it is what has been said. */
void once_next_pass(struct once *once);

#endif
