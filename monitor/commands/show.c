/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show.c - what monitors have answered, for people
 */
#include "show.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *text_of(const cJSON *json, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));

	return text ? text : "";
}

static const cJSON *item_of(const cJSON *json, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(json, key);
}

static double number_of(const cJSON *json, const char *key)
{
	const cJSON *item = item_of(json, key);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* --- list ------------------------------------------------------------------------------------ */

static void add_heads(struct table *table, const char *const *heads)
{
	for (size_t i = 0; i < table->columns; i++)
		table_add(table, PAINT_BOLD, heads[i]);
}

static void add_silent(struct table *table, const struct monitor_entry *entry)
{
	char text[128];

	snprintf(text, sizeof(text), "does not answer: %s", strerror(-entry->error));
	table_add(table, PAINT_BAD, "?");
	table_add(table, PAINT_PLAIN, entry->socket);
	table_add_number(table, entry->pid);
	for (size_t i = 3; i < table->columns - 1; i++)
		table_add(table, PAINT_PLAIN, "-");
	table_add(table, PAINT_BAD, text);
}

static void add_monitor(struct table *table, const cJSON *monitor)
{
	const cJSON *error = item_of(monitor, "last_error");
	double pending = number_of(monitor, "interfaces_pending");
	char text[DURATION_SIZE], said[512] = "-";

	table_add(table, PAINT_PLAIN, text_of(monitor, "sandbox"));
	table_add(table, PAINT_PLAIN, text_of(monitor, "netns"));
	table_add_number(table, number_of(monitor, "pid"));
	table_add(table, PAINT_PLAIN, text_of(monitor, "dialect"));
	table_add(table, PAINT_PLAIN, text_of(monitor, "state"));
	table_add_number(table, number_of(monitor, "interfaces_applied"));
	snprintf(text, sizeof(text), "%.0f", pending);
	table_add(table, pending > 0 ? PAINT_WAITING : PAINT_PLAIN, text);
	table_add_number(table, number_of(monitor, "routes_applied"));
	table_add(table, PAINT_PLAIN, format_bytes(number_of(monitor, "memory_bytes"), text));
	if (error)
		snprintf(said, sizeof(said), "%s %s", text_of(error, "time"),
			 text_of(error, "text"));
	table_add(table, error ? PAINT_BAD : PAINT_PLAIN, said);
}

void show_list(const struct canvas *canvas, const struct monitors *monitors)
{
	static const char *const heads[] = {"SANDBOX", "NETNS",	    "PID",     "DIALECT",
					    "STATE",   "APPLIED",   "PENDING", "ROUTES",
					    "MEMORY",  "LAST ERROR"};
	struct table table = {.columns = sizeof(heads) / sizeof(heads[0])};

	add_heads(&table, heads);
	for (size_t i = 0; i < monitors->count; i++) {
		if (monitors->entries[i].error != 0)
			add_silent(&table, &monitors->entries[i]);
		else
			add_monitor(&table, monitors->entries[i].summary);
	}
	table_print(&table, canvas, "");
}

/* --- status ---------------------------------------------------------------------------------- */

static enum paint color_of(const char *verdict)
{
	if (strcmp(verdict, "applied") == 0)
		return PAINT_GOOD;
	if (strcmp(verdict, "pending") == 0 || strcmp(verdict, "removing") == 0)
		return PAINT_WAITING;
	return strcmp(verdict, "given_up") == 0 ? PAINT_BAD : PAINT_FAINT;
}

/* Appends to a text of @size bytes; what does not fit is dropped. */
static void append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
	size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, size - length, format, args);
	va_end(args);
}

/* "; failed 3 times, next try in 1.2 s; last error: …" */
static void append_retry(char *text, size_t size, const cJSON *json)
{
	const cJSON *next = item_of(json, "next_try_ms");
	char duration[DURATION_SIZE];

	if (item_of(json, "failures"))
		append(text, size, "; failed %.0f times", number_of(json, "failures"));
	if (next && next->valuedouble > 0)
		append(text, size, ", next try in %s",
		       format_duration(next->valuedouble, duration));
	else if (next)
		append(text, size, ", next try now");
	if (item_of(json, "last_error"))
		append(text, size, "; last error: %s", text_of(json, "last_error"));
}

static void add_link(struct table *table, const cJSON *link)
{
	const char *verdict = text_of(link, "verdict");
	const cJSON *address;
	char why[768] = "", addresses[512] = "";

	append(why, sizeof(why), "%s", text_of(link, "reason"));
	if (item_of(link, "since"))
		append(why, sizeof(why), " (since %s)", text_of(link, "since"));
	append_retry(why, sizeof(why), link);
	cJSON_ArrayForEach(address, item_of(link, "addresses"))
		append(addresses, sizeof(addresses), "%s%s", addresses[0] ? " " : "",
		       cJSON_IsString(address) ? address->valuestring : "");
	table_add_number(table, number_of(link, "index"));
	table_add(table, PAINT_PLAIN, text_of(link, "name"));
	table_add(table, PAINT_PLAIN, text_of(link, "kind"));
	/* One word in text, too. */
	table_add(table, color_of(verdict),
		  strcmp(verdict, "not_ready") == 0  ? "not ready"
		  : strcmp(verdict, "given_up") == 0 ? "given up"
						     : verdict);
	table_add(table, PAINT_PLAIN, addresses[0] ? addresses : "-");
	table_add(table, PAINT_PLAIN, why);
}

static void show_monitor(const struct canvas *canvas, const cJSON *monitor)
{
	const cJSON *error = item_of(monitor, "last_error");
	const cJSON *call = item_of(monitor, "call");
	char text[1024] = "", duration[DURATION_SIZE];

	paint(canvas, PAINT_BOLD, text_of(monitor, "sandbox"));
	append(text, sizeof(text), "  %s, namespace %s (net:[%.0f]), pid %.0f, since %s, %s",
	       text_of(monitor, "state"), text_of(monitor, "netns"),
	       number_of(monitor, "netns_inode"), number_of(monitor, "pid"),
	       text_of(monitor, "started"),
	       format_bytes(number_of(monitor, "memory_bytes"), duration));
	paint(canvas, PAINT_PLAIN, text);
	text[0] = '\0';
	append(text, sizeof(text), "  runtime %s, dialect %s", text_of(monitor, "runtime"),
	       text_of(monitor, "dialect"));
	fputc('\n', canvas->stream);
	paint(canvas, PAINT_PLAIN, text);
	text[0] = '\0';
	if (call)
		append(text, sizeof(text), "; %s %s runs for %s", text_of(call, "verb"),
		       text_of(call, "name"),
		       format_duration(number_of(call, "running_ms"), duration));
	paint(canvas, PAINT_WAITING, text);
	fputc('\n', canvas->stream);
	if (!error)
		return;
	text[0] = '\0';
	append(text, sizeof(text), "  last error %s: %s", text_of(error, "time"),
	       text_of(error, "text"));
	paint(canvas, PAINT_BAD, text);
	fputc('\n', canvas->stream);
}

static void show_routes(const struct canvas *canvas, const cJSON *routes)
{
	struct table table = {.columns = 2};
	const cJSON *row;
	char text[768] = "";

	append(text, sizeof(text), "  %.0f %s: %s", number_of(routes, "applied"),
	       number_of(routes, "applied") == 1 ? "route" : "routes", text_of(routes, "reason"));
	append_retry(text, sizeof(text), routes);
	fputc('\n', canvas->stream);
	paint(canvas, cJSON_IsTrue(item_of(routes, "pending")) ? PAINT_WAITING : PAINT_PLAIN, text);
	fputc('\n', canvas->stream);
	cJSON_ArrayForEach(row, item_of(routes, "left_out"))
	{
		text[0] = '\0';
		append(text, sizeof(text), "%.0f left out:", number_of(row, "count"));
		table_add(&table, PAINT_FAINT, text);
		text[0] = '\0';
		append(text, sizeof(text), "%s (as %s)", text_of(row, "reason"),
		       text_of(row, "example"));
		table_add(&table, PAINT_FAINT, text);
	}
	table_print(&table, canvas, "  ");
}

void show_status(const struct canvas *canvas, const cJSON *status)
{
	static const char *const heads[] = {"INDEX", "NAME", "KIND", "VERDICT", "ADDRESSES", "WHY"};
	struct table table = {.columns = sizeof(heads) / sizeof(heads[0])};
	const cJSON *link;

	show_monitor(canvas, item_of(status, "monitor"));
	fputc('\n', canvas->stream);
	add_heads(&table, heads);
	cJSON_ArrayForEach(link, item_of(status, "links")) add_link(&table, link);
	table_print(&table, canvas, "  ");
	if (number_of(status, "links_left_out") > 0)
		fprintf(canvas->stream, "  and %.0f more links\n",
			number_of(status, "links_left_out"));
	show_routes(canvas, item_of(status, "routes"));
}

/* --- watch ----------------------------------------------------------------------------------- */

static enum paint color_of_event(const cJSON *event)
{
	const char *kind = text_of(event, "kind");

	if (strcmp(kind, "result") == 0)
		return cJSON_IsTrue(item_of(event, "done")) ? PAINT_GOOD : PAINT_BAD;
	if (strcmp(kind, "request") == 0 || strcmp(kind, "note") == 0)
		return PAINT_WAITING;
	if (strcmp(kind, "kernel") == 0 || strcmp(kind, "snapshot") == 0)
		return PAINT_FAINT;
	return PAINT_BOLD;
}

#define CLOCK_SIZE 24

/* The clock time of where we are, out of RFC 3339 in UTC: "14:02:11.120". */
static void format_clock(const char *when, char text[CLOCK_SIZE])
{
	char whole[16];
	int milliseconds = 0;
	struct tm utc = {0};
	struct tm local;
	const char *rest = strptime(when, "%Y-%m-%dT%H:%M:%S", &utc);
	time_t seconds = timegm(&utc);

	if (!rest || !localtime_r(&seconds, &local)) {
		snprintf(text, CLOCK_SIZE, "?");
		return;
	}
	if (*rest == '.')
		sscanf(rest + 1, "%3d", &milliseconds);
	strftime(whole, sizeof(whole), "%H:%M:%S", &local);
	snprintf(text, CLOCK_SIZE, "%s.%03d", whole, milliseconds % 1000);
}

void show_event(const struct canvas *canvas, const char *sandbox, const cJSON *event)
{
	char line[192], clock[CLOCK_SIZE], duration[DURATION_SIZE];

	format_clock(text_of(event, "time"), clock);
	snprintf(line, sizeof(line), "%s%s%s  %-8s  ", clock, sandbox ? "  " : "",
		 sandbox ? sandbox : "", text_of(event, "kind"));
	paint(canvas, PAINT_PLAIN, line);
	paint(canvas, color_of_event(event), text_of(event, "text"));
	if (item_of(event, "next_try_ms"))
		fprintf(canvas->stream, "; next try in %s",
			format_duration(number_of(event, "next_try_ms"), duration));
	fputc('\n', canvas->stream);
}
