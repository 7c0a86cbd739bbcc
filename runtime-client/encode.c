/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encode.c - a request as JSON text, piece by piece
 *
 * Each piece is a small cJSON object; only the brackets and commas between the pieces are written
 * here. An interface is three pieces or more: the object's beginning, its addresses, its end. The
 * field names are those of Kata's Go types (pkg/types: Interface, IPAddress, Route).
 */
#include "encode.h"

#include <arpa/inet.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "utf8.h"

/* One write(2) moves at most a pipe's buffer; 8 KiB keeps both the calls and the memory few. */
#define TEXT_ENOUGH 8192

/* RTNH_F_ONLINK of linux/rtnetlink.h: the only flag of a route that is the user's word. */
#define FLAG_ONLINK 4

enum phase {
	PHASE_HEAD,
	PHASE_PRIMARY, /* an interface's addresses: what is secondary must be installed last */
	PHASE_SECONDARY,
	PHASE_ROUTES,
	PHASE_TAIL,
};

void encode_init(struct encoder *encoder, const struct request *request,
		 const struct dialect *dialect)
{
	memset(encoder, 0, sizeof(*encoder));
	encoder->request = request;
	encoder->dialect = dialect;
}

void encode_fini(struct encoder *encoder)
{
	free(encoder->text);
	memset(encoder, 0, sizeof(*encoder));
}

void encode_consume(struct encoder *encoder, size_t count)
{
	encoder->text_len -= count;
	memmove(encoder->text, encoder->text + count, encoder->text_len);
}

static int append(struct encoder *encoder, const char *text, size_t length)
{
	if (length == 0)
		return 0;
	if (array_reserve(&encoder->text, &encoder->text_capacity, encoder->text_len + length, 1))
		return -ENOMEM;
	memcpy(encoder->text + encoder->text_len, text, length);
	encoder->text_len += length;
	return 0;
}

static int append_string(struct encoder *encoder, const char *text)
{
	return append(encoder, text, strlen(text));
}

/* Between two elements of an array; nothing before the first one. */
static int append_comma(struct encoder *encoder)
{
	if (!encoder->needs_comma) {
		encoder->needs_comma = true;
		return 0;
	}
	return append_string(encoder, ",");
}

/*
 * Appends @object without its first @skip and last @cut characters and deletes it. NULL, or an
 * object with @is_whole false (a node was not to be had), is -ENOMEM.
 */
static int append_object(struct encoder *encoder, cJSON *object, bool is_whole, size_t skip,
			 size_t cut)
{
	char *text = object && is_whole ? cJSON_PrintUnformatted(object) : NULL;
	int ret = -ENOMEM;

	if (text)
		ret = append(encoder, text + skip, strlen(text) - skip - cut);
	cJSON_free(text);
	cJSON_Delete(object);
	return ret;
}

/* Names are bytes; what is not UTF-8 is spelled out, so that the JSON always is. */
static bool add_name(cJSON *object, const char *key, const char *name)
{
	char text[UTF8_SANITIZED_SIZE(IF_NAMESIZE)];

	return cJSON_AddStringToObject(object, key, utf8_sanitize(name, text)) != NULL;
}

static bool add_number(cJSON *object, const char *key, double number)
{
	return cJSON_AddNumberToObject(object, key, number) != NULL;
}

static bool add_ip(cJSON *object, const char *key, const struct ip *ip, int family)
{
	char text[IP_TEXT_SIZE] = "";

	if (family != 0)
		ip_format(ip, family, text);
	return cJSON_AddStringToObject(object, key, text) != NULL;
}

static int append_iface_head(struct encoder *encoder)
{
	const struct request *request = encoder->request;
	cJSON *object = cJSON_CreateObject();
	bool ok = object && add_name(object, "Device", request->iface.name) &&
		  add_name(object, "Name", request->iface.name);

	if (ok && request->previous_name[0])
		ok = add_name(object, "PreviousName", request->previous_name);
	if (append_object(encoder, object, ok, 0, 1))
		return -ENOMEM;
	return append_string(encoder, ",\"IPAddresses\":[");
}

static int append_address(struct encoder *encoder, const struct iface_address *address)
{
	cJSON *object = cJSON_CreateObject();
	char mask[sizeof("255")];
	bool ok;

	snprintf(mask, sizeof(mask), "%u", address->prefix_len & 0xffU);
	ok = object && add_number(object, "Family", address->family) &&
	     add_ip(object, "Address", &address->ip, address->family) &&
	     cJSON_AddStringToObject(object, "Mask", mask);
	return append_object(encoder, object, ok, 0, 0);
}

static int append_iface_tail(struct encoder *encoder)
{
	const struct iface *iface = &encoder->request->iface;
	const struct dialect *dialect = encoder->dialect;
	const char *link_type = dialect_link_type(dialect, iface->kind, iface->mac_len > 0);
	cJSON *object = cJSON_CreateObject();
	char mac[IFACE_MAC_TEXT_SIZE];
	bool ok;

	ok = object && add_number(object, "Mtu", iface->mtu) &&
	     cJSON_AddStringToObject(object, "HwAddr", iface_format_mac(iface, mac)) &&
	     cJSON_AddStringToObject(object, "LinkType", link_type ? link_type : iface->kind);
	if (ok && dialect->has_raw_flags)
		ok = add_number(object, "RawFlags", iface->is_noarp ? IFF_NOARP : 0);
	if (ok && dialect->has_index)
		ok = add_number(object, "Index", iface->index);
	if (append_string(encoder, "],") || append_object(encoder, object, ok, 1, 0))
		return -ENOMEM;
	return 0;
}

static bool add_next_hops(cJSON *object, const struct hop *hops, size_t count,
			  const struct route_list *list)
{
	cJSON *array = cJSON_AddArrayToObject(object, "NextHops");

	for (size_t i = 0; array && i < count; i++) {
		cJSON *hop = cJSON_CreateObject();

		if (!hop || !cJSON_AddItemToArray(array, hop)) {
			cJSON_Delete(hop);
			return false;
		}
		if (!add_ip(hop, "Gateway", &hops[i].gateway, hops[i].gateway_family) ||
		    !add_name(hop, "Device", route_list_device(list, hops[i].device)) ||
		    !add_number(hop, "Weight", hops[i].weight))
			return false;
	}
	return array != NULL;
}

static const char *format_dest(const struct route *route, const struct dialect *dialect,
			       char text[IP_PREFIX_TEXT_SIZE])
{
	if (route->prefix_len == 0 && !dialect->has_full_routes)
		return "";
	return ip_format_prefix(&route->dest, route->family, route->prefix_len, text);
}

static int append_route(struct encoder *encoder, const struct route *route)
{
	static const struct hop no_hop;
	const struct dialect *dialect = encoder->dialect;
	const struct route_list *list = &encoder->request->routes;
	const struct hop *hops = route_hops(list, route);
	const struct hop *only = route->hop_count == 1 ? hops : &no_hop;
	cJSON *object = cJSON_CreateObject();
	char dest[IP_PREFIX_TEXT_SIZE];
	bool is_onlink = false;
	bool ok;

	for (size_t i = 0; i < route->hop_count; i++)
		is_onlink |= hops[i].is_onlink;
	ok = object && cJSON_AddStringToObject(object, "Dest", format_dest(route, dialect, dest)) &&
	     add_ip(object, "Gateway", &only->gateway, only->gateway_family) &&
	     add_name(object, "Device", route_list_device(list, only->device)) &&
	     add_ip(object, "Source", &route->source, route->has_source ? route->family : 0) &&
	     add_number(object, "Scope", route->scope);
	if (ok && dialect->has_full_routes)
		ok = add_number(object, "Family", route->family) &&
		     add_number(object, "Metric", route->metric) &&
		     add_number(object, "Mtu", route->mtu) &&
		     add_number(object, "Flags", is_onlink ? FLAG_ONLINK : 0);
	if (ok && route->hop_count > 1)
		ok = add_next_hops(object, hops, route->hop_count, list);
	return append_object(encoder, object, ok, 0, 0);
}

/* Appends the next address of this pass; skips over those of the other. */
static int next_address(struct encoder *encoder, bool is_secondary)
{
	const struct iface *iface = &encoder->request->iface;

	while (encoder->piece < iface->address_count) {
		const struct iface_address *address = &iface->addresses[encoder->piece++];

		if (address->is_secondary != is_secondary)
			continue;
		return append_comma(encoder) ? -ENOMEM : append_address(encoder, address);
	}
	encoder->piece = 0;
	encoder->phase++;
	return 0;
}

static int next_route(struct encoder *encoder)
{
	const struct route_list *list = &encoder->request->routes;

	if (encoder->piece == list->count) {
		encoder->phase = PHASE_TAIL;
		return 0;
	}
	if (append_comma(encoder))
		return -ENOMEM;
	return append_route(encoder, &list->routes[encoder->piece++]);
}

static int next_piece(struct encoder *encoder)
{
	bool is_list = encoder->request->verb == VERB_ROUTES;

	switch ((enum phase)encoder->phase) {
	case PHASE_HEAD:
		encoder->phase = is_list ? PHASE_ROUTES : PHASE_PRIMARY;
		return is_list ? append_string(encoder, "[") : append_iface_head(encoder);
	case PHASE_PRIMARY:
		return next_address(encoder, false);
	case PHASE_SECONDARY:
		if (next_address(encoder, true))
			return -ENOMEM;
		if (encoder->phase != PHASE_SECONDARY)
			encoder->phase = PHASE_TAIL;
		return 0;
	case PHASE_ROUTES:
		return next_route(encoder);
	case PHASE_TAIL:
		encoder->is_complete = true;
		return is_list ? append_string(encoder, "]") : append_iface_tail(encoder);
	}
	return 0;
}

int encode_more(struct encoder *encoder)
{
	while (!encoder->is_complete && encoder->text_len < TEXT_ENOUGH) {
		if (next_piece(encoder))
			return -ENOMEM;
	}
	return 0;
}
