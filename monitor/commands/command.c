/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.c - list, status, watch, resync: commands to running monitors
 */
#include "command.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "monitors.h"
#include "paint.h"
#include "prometheus.h"
#include "show.h"
#include "utf8.h"

#define INTERFACE "org.netnsmon.Monitor"

static int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line on stderr, whatever is in it. Returns 1, the exit status. */
static int complain(const char *format, ...)
{
	char message[512], text[UTF8_SANITIZED_SIZE(sizeof(message))];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fprintf(stderr, "netnsmon: %s\n", utf8_printable(message, text));
	return 1;
}

/* What is wrong with those that do not answer. Returns the exit status. */
static int complain_of_silent(const struct monitors *monitors)
{
	int status = 0;

	for (size_t i = 0; i < monitors->count; i++) {
		const struct monitor_entry *entry = &monitors->entries[i];

		if (entry->error != 0)
			status = complain("the monitor at %s (pid %d) does not answer: %s",
					  entry->summary ? monitor_text(entry, "sandbox")
							 : entry->socket,
					  (int)entry->pid, strerror(-entry->error));
	}
	return status;
}

static void print_json(const cJSON *json)
{
	char *text = json ? cJSON_PrintUnformatted(json) : NULL;

	if (text)
		puts(text);
	cJSON_free(text);
}

/* --- list ------------------------------------------------------------------------------------ */

static void print_silent_json(const struct monitor_entry *entry)
{
	cJSON *json = cJSON_CreateObject();

	cJSON_AddStringToObject(json, "socket", entry->socket);
	cJSON_AddNumberToObject(json, "pid", entry->pid);
	cJSON_AddStringToObject(json, "error", strerror(-entry->error));
	print_json(json);
	cJSON_Delete(json);
}

static int list(const struct command_options *options, struct monitors *monitors)
{
	const struct canvas canvas = canvas_stdout();

	switch (options->format) {
	case COMMAND_TEXT:
		show_list(&canvas, monitors);
		break;
	case COMMAND_JSON:
		for (size_t i = 0; i < monitors->count; i++) {
			if (monitors->entries[i].error != 0)
				print_silent_json(&monitors->entries[i]);
			else
				print_json(monitors->entries[i].summary);
		}
		break;
	case COMMAND_PROMETHEUS:
		prometheus_print(stdout, monitors);
		break;
	}
	return complain_of_silent(monitors);
}

/* --- status, resync -------------------------------------------------------------------------- */

static int status(const struct command_options *options, struct monitors *monitors)
{
	const struct canvas canvas = canvas_stdout();
	bool is_first = true;

	monitors_ask(monitors, INTERFACE ".Status");
	for (size_t i = 0; i < monitors->count; i++) {
		if (monitors->entries[i].error != 0)
			continue;
		if (options->format == COMMAND_JSON) {
			print_json(monitors->entries[i].reply);
			continue;
		}
		if (!is_first)
			putchar('\n');
		show_status(&canvas, monitors->entries[i].reply);
		is_first = false;
	}
	return complain_of_silent(monitors);
}

static int resync(const struct command_options *options, struct monitors *monitors)
{
	monitors_ask(monitors, INTERFACE ".Resync");
	for (size_t i = 0; i < monitors->count; i++) {
		const struct monitor_entry *entry = &monitors->entries[i];

		if (entry->error != 0)
			continue;
		if (options->format == COMMAND_JSON)
			print_json(entry->summary);
		else
			printf("%s: everything is taken anew\n", monitor_text(entry, "sandbox"));
	}
	return complain_of_silent(monitors);
}

/* --- watch ----------------------------------------------------------------------------------- */

static void print_event(const struct command_options *options, const struct canvas *canvas,
			const struct monitor_entry *entry, bool has_several, cJSON *event)
{
	if (options->format == COMMAND_JSON) {
		cJSON_AddStringToObject(event, "sandbox", monitor_text(entry, "sandbox"));
		print_json(event);
	} else {
		show_event(canvas, has_several ? monitor_text(entry, "sandbox") : NULL, event);
	}
}

/*
 * Prints the events that are there. Stores in the entry's error that no more will come: -ENODATA if
 * the monitor has said so.
 */
static void read_events(const struct command_options *options, const struct canvas *canvas,
			struct monitor_entry *entry, bool has_several)
{
	int ret;

	do {
		cJSON *parameters, *event;
		bool continues = false;

		ret = varlink_client_reply(&entry->client, 0, &parameters, &continues);
		event = cJSON_GetObjectItemCaseSensitive(parameters, "event");
		if (ret == 0 && event)
			print_event(options, canvas, entry, has_several, event);
		cJSON_Delete(parameters);
		if (ret == 0 && !continues) {
			entry->error = -ENODATA;
			return;
		}
	} while (ret == 0);
	if (ret != -ETIMEDOUT)
		entry->error = ret == -ENODATA ? -ECONNRESET : ret;
}

static size_t fill_polls(const struct monitors *monitors, struct pollfd *polls)
{
	size_t open = 0;

	for (size_t i = 0; i < monitors->count; i++) {
		bool is_open = monitors->entries[i].error == 0;

		polls[i] = (struct pollfd){
			.fd = is_open ? monitors->entries[i].client.fd : -1,
			.events = POLLIN,
		};
		open += is_open;
	}
	return open;
}

static int watch(const struct command_options *options, struct monitors *monitors)
{
	const struct canvas canvas = canvas_stdout();
	struct pollfd *polls = calloc(monitors->count, sizeof(*polls));

	if (!polls)
		return complain("out of memory");
	for (size_t i = 0; i < monitors->count; i++)
		monitors->entries[i].error =
			varlink_client_call(&monitors->entries[i].client, INTERFACE ".Watch", true);
	while (fill_polls(monitors, polls) > 0) {
		if (poll(polls, monitors->count, -1) < 0 && errno != EINTR)
			break;
		for (size_t i = 0; i < monitors->count; i++) {
			if (polls[i].fd >= 0 && polls[i].revents != 0)
				read_events(options, &canvas, &monitors->entries[i],
					    monitors->count > 1);
		}
		/* Who reads it may be gone. */
		if (fflush(stdout) == EOF)
			break;
	}
	free(polls);
	for (size_t i = 0; i < monitors->count; i++) {
		if (monitors->entries[i].error == -ENODATA)
			monitors->entries[i].error = 0;
	}
	return complain_of_silent(monitors);
}

/* --- all of them ----------------------------------------------------------------------------- */

/* Returns 0, or the exit status of a command that finds nobody to talk to. */
static int select_monitors(const struct command_options *options, struct monitors *monitors)
{
	const char *sandbox = options->sandbox;
	int count = monitors_select(monitors, sandbox);

	if (count == -ENOTUNIQ)
		return complain("%s: several sandboxes have an id that begins so", sandbox);
	if (count == 0 && sandbox)
		return complain("no monitor of sandbox %s answers in %s", sandbox,
				options->run_dir);
	if (count == 0)
		return complain("no monitor answers in %s", options->run_dir);
	return 0;
}

int command_run(const struct command_options *options)
{
	static int (*const commands[])(const struct command_options *, struct monitors *) = {
		[COMMAND_LIST] = list,
		[COMMAND_STATUS] = status,
		[COMMAND_WATCH] = watch,
		[COMMAND_RESYNC] = resync,
	};
	struct monitors monitors;
	int ret = monitors_find(&monitors, options->run_dir);

	/* Where no monitor ever ran there is no directory, which is nothing wrong. */
	if (ret == -ENOENT && !options->has_run_dir)
		ret = 0;
	if (ret < 0)
		ret = complain("cannot read run directory %s: %s", options->run_dir,
			       strerror(-ret));
	else if (options->command != COMMAND_LIST)
		ret = select_monitors(options, &monitors);
	if (ret == 0)
		ret = commands[options->command](options, &monitors);
	monitors_fini(&monitors);
	if (fflush(stdout) == EOF)
		ret = 1;
	return ret;
}
