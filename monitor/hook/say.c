/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * say.c - the one line that the hook writes
 */
#include "say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

int say(const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	}
	/* Some OCI runtimes have a hook's stderr go nowhere. Without a syslog no harm is done. */
	syslog(LOG_USER | LOG_ERR, "%s", text);
	fprintf(stderr, "netnsmon-hook: %s\n", text);
	return -EINVAL;
}
