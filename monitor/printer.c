/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printer.c - without a runtime: prints each request that would be made
 *
 * JSON: {"time","reason","verb","sandbox","data"}, where data is what the runtime would read. Text:
 * a line for the request and, for routes, one for each route. All names are foreign bytes, also to
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

		fprintf(stream, "             %s",
			ip_format_prefix(&route->dest, route->family, route->prefix_len, ip));
		for (size_t j = 0; j < route->hop_count; j++)
			print_hop(stream, list, &hops[j]);
		if (route->metric != 0)
			fprintf(stream, " metric %u", route->metric);
		fputc('\n', stream);
	}
}

static void print_text(const struct printer *printer, FILE *stream, const struct request *request)
{
	static const char *const colors[] = {
		[VERB_ADD] = "\033[32m",
		[VERB_DEL] = "\033[31m",
		[VERB_UPDATE] = "\033[33m",
		[VERB_ROUTES] = "\033[36m",
	};
	struct timespec now;
	struct tm local;
	char when[16] = "";

	clock_gettime(CLOCK_REALTIME, &now);
	if (localtime_r(&now.tv_sec, &local))
		strftime(when, sizeof(when), "%H:%M:%S", &local);
	fprintf(stream, "%s.%03ld %s%s%s (%s): ", when, now.tv_nsec / 1000000,
		printer->has_color ? colors[request->verb] : "",
		dialect_verb_name(printer->dialect, request->verb),
		printer->has_color ? "\033[0m" : "", request->reason);
	if (request->verb == VERB_ROUTES)
		print_routes(stream, &request->routes);
	else
		print_iface(stream, request);
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
	if (ferror(stream))
		ret = -ENOMEM;
	if (fclose(stream) == EOF || ret < 0) {
		printer_stop(printer);
		return -ENOMEM;
	}
	printer->written = 0;
	return printer_continue(printer);
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
