/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logsink.h - where log lines go, without ever waiting for it
 */
#ifndef NETNSMON_LOGSINK_H
#define NETNSMON_LOGSINK_H

#include <stdbool.h>
#include <stddef.h>

struct logsink {
	const char *program; /* syslog's ident; not owned */
	int fd;		     /* -1: a syslog that is not connected */
	bool is_syslog;
	bool is_ours;	  /* opened here, so closed here */
	bool is_mid_line; /* the end of the last line did not fit */
};

/* Opens "stderr", "syslog" or a file to append to. Returns 0 or a negative errno (files only). */
int logsink_open(struct logsink *sink, const char *program, const char *target);

void logsink_close(struct logsink *sink);

/*
 * Writes one line, @text of @size bytes, with its newline but for syslog; @severity is syslog(3)'s.
 * Returns whether it was taken whole: a full pipe, a full disk, a syslog that is stuck or gone lose
 * it, and nothing waits.
 */
bool logsink_write(struct logsink *sink, int severity, const char *text, size_t size);

#endif
