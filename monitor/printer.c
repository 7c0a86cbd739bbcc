/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printer.c - without a runtime: prints each request that would be made
 *
 * JSON: {"time","reason","verb","sandbox","data"}, where data is what the runtime would read. Text:
 * what happened, what it means, what would be run, with what. All names are foreign bytes, also to
 * a terminal.
 */
#include "printer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "encode.h"
#include "nowait.h"
#include "utf8.h"

static int print_json(const struct printer *printer, FILE *stream, const struct request *request)
{
	struct encoder encoder;
	struct timespec now;
	struct tm utc;
	char when[32] = "";
	int ret;

	clock_gettime(CLOCK_REALTIME, &now);
	if (gmtime_r(&now.tv_sec, &utc))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &utc);
	/* Reason, verb and sandbox are ours: nothing in them needs an escape. */
	fprintf(stream,
		"{\"time\":\"%s.%06ldZ\",\"reason\":\"%s\",\"verb\":\"%s\",\"sandbox\":\"%s\","
		"\"data\":",
		when, now.tv_nsec / 1000, request->reason,
		dialect_verb_name(printer->dialect, request->verb),
		printer->sandbox ? printer->sandbox : "-");
	encode_init(&encoder, request, printer->dialect);
	do {
		ret = encode_more(&encoder);
		fwrite(encoder.text, 1, encoder.text_len, stream);
		encode_consume(&encoder, encoder.text_len);
	} while (ret == 0 && !encoder.is_complete);
	encode_fini(&encoder);
	fputs("}\n", stream);
	return ret;
}

/* As wide as the time. */
#define INDENT "              "

#define NAME_TEXT_SIZE UTF8_SANITIZED_SIZE(IF_NAMESIZE)

static void print_iface(FILE *stream, const struct request *request)
{
	const struct iface *iface = &request->iface;
	char name[NAME_TEXT_SIZE], mac[IFACE_MAC_TEXT_SIZE], ip[IP_PREFIX_TEXT_SIZE];

	fprintf(stream, "%s index %u", utf8_printable(iface->name, name), iface->index);
	if (request->previous_name[0])
		fprintf(stream, " (was %s)", utf8_printable(request->previous_name, name));
	if (request->verb != VERB_DEL) {
		fprintf(stream, " %s %s mtu %u", iface->kind, iface_format_mac(iface, mac),
			iface->mtu);
		for (size_t i = 0; i < iface->address_count; i++)
			fprintf(stream, " %s",
				ip_format_prefix(&iface->addresses[i].ip,
						 iface->addresses[i].family,
						 iface->addresses[i].prefix_len, ip));
	}
	fputc('\n', stream);
}

static void print_hop(FILE *stream, const struct route_list *list, const struct hop *hop)
{
	char name[NAME_TEXT_SIZE], ip[IP_TEXT_SIZE];

	if (hop->gateway_family != 0)
		fprintf(stream, " via %s", ip_format(&hop->gateway, hop->gateway_family, ip));
	fprintf(stream, " dev %s", utf8_printable(route_list_device(list, hop->device), name));
}

static void print_routes(FILE *stream, const struct route_list *list)
{
	char ip[IP_PREFIX_TEXT_SIZE];

	fprintf(stream, "%zu %s\n", list->count, list->count == 1 ? "route" : "routes");
	for (size_t i = 0; i < list->count; i++) {
		const struct route *route = &list->routes[i];
		const struct hop *hops = route_hops(list, route);

		fprintf(stream, INDENT "          %s",
			ip_format_prefix(&route->dest, route->family, route->prefix_len, ip));
		for (size_t j = 0; j < route->hop_count; j++)
			print_hop(stream, list, &hops[j]);
		if (route->metric != 0)
			fprintf(stream, " metric %u", route->metric);
		fputc('\n', stream);
	}
}

/* What a line starts with: the time of day and a word. */
static void print_start(FILE *stream, const char *word)
{
	struct timespec now;
	struct tm local;
	char when[16] = "";

	clock_gettime(CLOCK_REALTIME, &now);
	if (localtime_r(&now.tv_sec, &local))
		strftime(when, sizeof(when), "%H:%M:%S", &local);
	fprintf(stream, "%s.%03ld  %-9s ", when, now.tv_nsec / 1000000, word);
}

static void print_call(const struct printer *printer, FILE *stream, enum verb verb)
{
	static const char *const colors[] = {
		[VERB_ADD] = "\033[32m",
		[VERB_DEL] = "\033[31m",
		[VERB_UPDATE] = "\033[33m",
		[VERB_ROUTES] = "\033[36m",
	};
	const char *const *words = printer->dialect->verbs[verb];

	fprintf(stream, INDENT "%-9s %sRUNTIME", "would run",
		printer->has_color ? colors[verb] : "");
	for (size_t i = 0; i < DIALECT_VERB_WORDS && words[i]; i++)
		fprintf(stream, " %s", words[i]);
	fprintf(stream, " %s -%s\n", printer->sandbox ? printer->sandbox : "SANDBOX",
		printer->has_color ? "\033[0m" : "");
}

static void print_text(const struct printer *printer, FILE *stream, const struct request *request)
{
	char name[NAME_TEXT_SIZE];

	print_start(stream, "means");
	if (request->verb != VERB_ROUTES)
		fprintf(stream, "%s: ", utf8_printable(request->iface.name, name));
	fprintf(stream, "%s\n", request->reason);
	print_call(printer, stream, request->verb);
	fprintf(stream, INDENT "%-9s ", "with");
	if (request->verb == VERB_ROUTES)
		print_routes(stream, &request->routes);
	else
		print_iface(stream, request);
}

bool printer_wants(enum feed_kind kind)
{
	return kind == FEED_KERNEL;
}

static int print_event(const struct printer *printer, FILE *stream, const struct feed_item *item)
{
	char *text = malloc(UTF8_SANITIZED_SIZE(strlen(item->text)));

	if (!text)
		return -ENOMEM;
	print_start(stream, feed_kind_name(item->kind));
	fprintf(stream, "%s%s%s\n", printer->has_color ? "\033[2m" : "",
		utf8_printable(item->text, text), printer->has_color ? "\033[0m" : "");
	free(text);
	return 0;
}

/* Writes what print functions have made on @stream, as far as it can be written now. */
static int start_writing(struct printer *printer, FILE *stream, int ret)
{
	if (ferror(stream))
		ret = -ENOMEM;
	if (fclose(stream) == EOF || ret < 0) {
		printer_stop(printer);
		return -ENOMEM;
	}
	printer->written = 0;
	return printer_continue(printer);
}

int printer_start(struct printer *printer, const struct request *request)
{
	FILE *stream = open_memstream(&printer->text, &printer->size);
	int ret = 0;

	if (!stream)
		return -ENOMEM;
	if (printer->is_text)
		print_text(printer, stream, request);
	else
		ret = print_json(printer, stream, request);
	return start_writing(printer, stream, ret);
}

int printer_start_event(struct printer *printer, const struct feed_item *item)
{
	FILE *stream = open_memstream(&printer->text, &printer->size);

	if (!stream)
		return -ENOMEM;
	return start_writing(printer, stream, print_event(printer, stream, item));
}

int printer_continue(struct printer *printer)
{
	ssize_t written = nowait_write(printer->fd, printer->text + printer->written,
				       printer->size - printer->written);

	if (written >= 0) {
		printer->written += (size_t)written;
		if (printer->written < printer->size)
			return 0;
	}
	printer_stop(printer);
	return written < 0 ? (int)written : 1;
}

void printer_stop(struct printer *printer)
{
	free(printer->text);
	printer->text = NULL;
}

bool printer_is_busy(const struct printer *printer)
{
	return printer->text != NULL;
}
