/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.h - what went wrong, in one line for a person
 *
 * A function that fails says so here and returns a negative errno; main() prints the line. Who
 * knows more of what was being done puts it in front.
 */
#ifndef NETNSMON_QEMU_FAULT_H
#define NETNSMON_QEMU_FAULT_H

#define FAULT_SIZE 512

struct fault {
	char text[FAULT_SIZE]; /* may hold foreign bytes */
};

/* Sets the text and returns @error, a negative errno. */
int fault_set(struct fault *fault, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and the error's own words at the end. */
int fault_set_errno(struct fault *fault, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
