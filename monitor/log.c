/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.c - one line of logfmt for each event
 *
 * The log is the only global of the program. Lines that were lost are counted and
 * said before the next one that gets through.
 */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "logsink.h"
#include "utf8.h"

/* A message: some words, and the last 4 KiB of what a runtime wrote. */
#define MESSAGE_SIZE 4608

static struct {
	struct logsink sink;
	const char *program;
	const char *sandbox;
	enum log_level level;
	bool is_for_people;
	unsigned long lost;
} the_log = {
	.sink = {.program = "netnsmon", .fd = STDERR_FILENO},
	.program = "netnsmon",
	.level = LOG_LEVEL_INFO,
};

static const struct {
	const char *name;
	enum log_level level;
} level_names[] = {
	{"panic", LOG_LEVEL_ERROR}, {"fatal", LOG_LEVEL_ERROR},	 {"error", LOG_LEVEL_ERROR},
	{"warn", LOG_LEVEL_WARN},   {"warning", LOG_LEVEL_WARN}, {"info", LOG_LEVEL_INFO},
	{"debug", LOG_LEVEL_DEBUG}, {"trace", LOG_LEVEL_DEBUG},
};

int log_level_find(const char *name, enum log_level *level)
{
	for (size_t i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++) {
		if (strcmp(level_names[i].name, name) == 0) {
			*level = level_names[i].level;
			return 0;
		}
	}
	return -EINVAL;
}

int log_open(const char *program, const char *sandbox, const char *target, enum log_level level)
{
	the_log.program = program;
	the_log.sandbox = sandbox;
	the_log.level = level;
	return logsink_open(&the_log.sink, program, target);
}

bool log_wants(enum log_level level)
{
	return level <= the_log.level;
}

/* What comes after the message: program, pid, sandbox and the line's end must always fit. */
#define TAIL_SIZE 512

/* A line in the making; what of its message does not fit is dropped, at a whole character. */
struct line {
	char text[UTF8_SANITIZED_SIZE(MESSAGE_SIZE) + TAIL_SIZE];
	size_t len;
};

static void append(struct line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append(struct line *line, const char *format, ...)
{
	size_t room = sizeof(line->text) - line->len;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line->text + line->len, room, format, args);
	va_end(args);
	if (length > 0 && (size_t)length < room)
		line->len += (size_t)length;
}

/* Control characters, DEL, and what terminals or log viewers take for a line's end or a command. */
static bool must_be_escaped(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x2028 ||
	       character == 0x2029;
}

/*
 * Appends what goes between quotes as go-logfmt and JSON read it: \" \\ \n \uHHHH. A byte that is
 * not UTF-8, which neither can express, becomes \\xHH.
 */
static void append_escaped(struct line *line, const char *value, size_t size)
{
	while (size > 0 && line->len < sizeof(line->text) - TAIL_SIZE) {
		uint32_t character = 0;
		size_t length = utf8_decode(value, size, &character);

		if (length == 0) {
			append(line, "\\\\x%02x", (unsigned char)*value);
			length = 1;
		} else if (character == '"' || character == '\\') {
			append(line, "\\%c", (char)character);
		} else if (character == '\n') {
			append(line, "\\n");
		} else if (must_be_escaped(character)) {
			append(line, "\\u%04x", (unsigned int)character);
		} else {
			append(line, "%.*s", (int)length, value);
		}
		value += length;
		size -= length;
	}
}

static const char *const level_words[] = {"error", "warning", "info", "debug"};

static void append_fields(struct line *line, enum log_level level, const struct timespec *now,
			  const char *message, size_t size)
{
	struct tm utc;
	char when[32] = "";

	if (gmtime_r(&now->tv_sec, &utc))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &utc);
	append(line, "time=\"%s.%06ldZ\" level=%s msg=\"", when, now->tv_nsec / 1000,
	       level_words[level]);
	append_escaped(line, message, size);
	append(line, "\" name=%s pid=%d source=netmon", the_log.program, (int)getpid());
	if (the_log.sandbox)
		append(line, " sandbox=%s", the_log.sandbox);
}

/* Looks like the lines of printed requests, between which it stands. */
static void append_for_people(struct line *line, enum log_level level, const struct timespec *now,
			      const char *message, size_t size)
{
	struct tm local;
	char when[16] = "";

	if (localtime_r(&now->tv_sec, &local))
		strftime(when, sizeof(when), "%H:%M:%S", &local);
	append(line, "%s.%03ld  %-9s ", when, now->tv_nsec / 1000000, level_words[level]);
	append_escaped(line, message, size);
}

static void write_line(enum log_level level, const char *message, size_t size)
{
	static const int severities[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};
	struct timespec now;
	struct line line;

	line.len = 0;
	clock_gettime(CLOCK_REALTIME, &now);
	(the_log.is_for_people ? append_for_people : append_fields)(&line, level, &now, message,
								    size);
	if (!the_log.sink.is_syslog)
		append(&line, "\n");
	if (!logsink_write(&the_log.sink, severities[level], line.text, line.len))
		the_log.lost++;
}

static void say_lost(void)
{
	char message[64];
	unsigned long lost = the_log.lost;

	if (lost == 0)
		return;
	the_log.lost = 0;
	snprintf(message, sizeof(message), "%lu log lines were lost", lost);
	write_line(LOG_LEVEL_WARN, message, strlen(message));
	if (the_log.lost > 0)
		the_log.lost = lost;
}

static void log_message(enum log_level level, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void log_message(enum log_level level, const char *format, va_list args)
{
	int saved_errno = errno;
	char message[MESSAGE_SIZE];
	int length;

	if (log_wants(level)) {
		length = vsnprintf(message, sizeof(message), format, args);
		say_lost();
		if (length > 0)
			write_line(level, message, strlen(message));
	}
	errno = saved_errno;
}

void log_for_people(void)
{
	the_log.is_for_people = true;
}

void log_close(void)
{
	say_lost();
	logsink_close(&the_log.sink);
}

void log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_message(LOG_LEVEL_ERROR, format, args);
	va_end(args);
}

void log_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_message(LOG_LEVEL_WARN, format, args);
	va_end(args);
}

void log_info(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_message(LOG_LEVEL_INFO, format, args);
	va_end(args);
}

void log_debug(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_message(LOG_LEVEL_DEBUG, format, args);
	va_end(args);
}

void log_note(void *arg, bool is_warning, const char *text)
{
	(void)arg;
	(is_warning ? log_warn : log_info)("%s", text);
}
