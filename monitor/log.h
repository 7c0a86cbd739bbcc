/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - one line of logfmt for each event
 *
 * The fields are those that Kata's log tools expect: time, level, msg, name, pid, source, sandbox.
 * Whatever is in a message, it stays one line: quotes, control bytes and bytes that are not UTF-8
 * are escaped here and nowhere else. errno survives each call.
 */
#ifndef NETNSMON_LOG_H
#define NETNSMON_LOG_H

#include <stdbool.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Finds the level that logrus calls @name (panic … trace). Returns 0 or -EINVAL. */
int log_level_find(const char *name, enum log_level *level);

/*
 * Before this is called lines go to stderr at level info. @program and @sandbox (or NULL) are kept,
 * not copied. @target is "stderr", "syslog" or a file's path; a syslog that is not there (yet) is
 * no error. Returns 0 or a negative errno for a file that cannot be opened; then stderr stays the
 * target.
 */
int log_open(const char *program, const char *sandbox, const char *target, enum log_level level);

/* Lines are for a person at a terminal from now on: the time of day, the level and the message. */
void log_for_people(void);

/* Says what is still to be said of lost lines and closes the target. */
void log_close(void);

/* Whether a line of @level would be written: to save the work of making one. */
bool log_wants(enum log_level level);

/* One line of what the pure parts have to say: for struct notes. @arg is not used. */
void log_note(void *arg, bool is_warning, const char *text);

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
