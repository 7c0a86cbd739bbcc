/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.c - what went wrong, in one line for a person
 */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fault_set(struct fault *fault, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fault->text, sizeof(fault->text), format, arguments);
	va_end(arguments);
	return error;
}

int fault_set_errno(struct fault *fault, int error, const char *format, ...)
{
	size_t length;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fault->text, sizeof(fault->text), format, arguments);
	va_end(arguments);
	length = strlen(fault->text);
	snprintf(fault->text + length, sizeof(fault->text) - length, ": %s", strerror(-error));
	return error;
}
