/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state_print.c - pure: what is applied, as JSON text
 *
 * {"version":1, binding…, "routes_unsure":…,
 *  "plugs":[{"index","name","kind","mac","mtu","noarp","addresses":[…],"applied","gone","unsure"},…],
 *  "devices":[{"index","name"},…], "routes":[{"family","dest",…,"hops":[…]},…]}
 *
 * Each element is a small cJSON object of its own, so that a long list is never a tree.
 */
#include "state.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>

/* Names are bytes: each becomes the character with its number, which is JSON and can be undone. */
static bool add_name(cJSON *object, const char *key, const char *name)
{
	char text[2 * IF_NAMESIZE + 1];
	char *end = text;

	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		if (byte >= 0x80) {
			*end++ = (char)(0xc0 | byte >> 6);
			byte = 0x80 | (byte & 0x3f);
		}
		*end++ = (char)byte;
	}
	*end = '\0';
	return cJSON_AddStringToObject(object, key, text) != NULL;
}

static bool add_ip(cJSON *object, const char *key, const struct ip *ip, int family)
{
	char text[IP_TEXT_SIZE];

	return cJSON_AddStringToObject(object, key, ip_format(ip, family, text)) != NULL;
}

static bool add_number(cJSON *object, const char *key, double number)
{
	return cJSON_AddNumberToObject(object, key, number) != NULL;
}

static bool add_bool(cJSON *object, const char *key, bool value)
{
	return cJSON_AddBoolToObject(object, key, value) != NULL;
}

/* A new object at the end of @array, which owns it. NULL: no memory. */
static cJSON *append_object(cJSON *array)
{
	cJSON *object = cJSON_CreateObject();

	if (object && cJSON_AddItemToArray(array, object))
		return object;
	cJSON_Delete(object);
	return NULL;
}

/* Prints @object, unless a part of it was not to be had, and deletes it. */
static int print_object(FILE *stream, cJSON *object, bool is_whole, const char *separator)
{
	char *text = object && is_whole ? cJSON_PrintUnformatted(object) : NULL;

	cJSON_Delete(object);
	if (!text)
		return -ENOMEM;
	fprintf(stream, "%s%s", separator, text);
	cJSON_free(text);
	return 0;
}

static bool fill_iface(cJSON *object, const struct iface *iface)
{
	char mac[IFACE_MAC_TEXT_SIZE];
	cJSON *addresses;
	bool ok = add_number(object, "index", iface->index) &&
		  add_name(object, "name", iface->name) && add_name(object, "kind", iface->kind) &&
		  cJSON_AddStringToObject(object, "mac", iface_format_mac(iface, mac)) &&
		  add_number(object, "mtu", iface->mtu) &&
		  add_bool(object, "noarp", iface->is_noarp);

	addresses = ok ? cJSON_AddArrayToObject(object, "addresses") : NULL;
	ok = addresses != NULL;
	for (size_t i = 0; ok && i < iface->address_count; i++) {
		const struct iface_address *address = &iface->addresses[i];
		cJSON *element = append_object(addresses);

		ok = element && add_number(element, "family", address->family) &&
		     add_ip(element, "ip", &address->ip, address->family) &&
		     add_number(element, "prefix_len", address->prefix_len) &&
		     add_bool(element, "secondary", address->is_secondary);
	}
	return ok;
}

static int print_plug(FILE *stream, const struct plug *plug, const char *separator)
{
	cJSON *object = cJSON_CreateObject();
	bool ok = object && fill_iface(object, &plug->iface) &&
		  add_bool(object, "applied", plug->state == PLUG_APPLIED) &&
		  add_bool(object, "gone", plug->is_gone) &&
		  add_bool(object, "unsure", plug->is_unsure);

	return print_object(stream, object, ok, separator);
}

static int print_device(FILE *stream, const struct route_device *device, const char *separator)
{
	cJSON *object = cJSON_CreateObject();
	bool ok = object && add_number(object, "index", device->index) &&
		  add_name(object, "name", device->name);

	return print_object(stream, object, ok, separator);
}

static bool fill_hops(cJSON *object, const struct hop *hops, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(object, "hops");
	bool ok = array != NULL;

	for (size_t i = 0; ok && i < count; i++) {
		cJSON *hop = append_object(array);

		ok = hop && add_number(hop, "device", hops[i].device) &&
		     add_number(hop, "weight", hops[i].weight) &&
		     add_bool(hop, "onlink", hops[i].is_onlink) &&
		     add_number(hop, "gateway_family", hops[i].gateway_family);
		if (ok && hops[i].gateway_family != 0)
			ok = add_ip(hop, "gateway", &hops[i].gateway, hops[i].gateway_family);
	}
	return ok;
}

static int print_route(FILE *stream, const struct route_list *list, const struct route *route,
		       const char *separator)
{
	cJSON *object = cJSON_CreateObject();
	bool ok = object && add_number(object, "family", route->family) &&
		  add_ip(object, "dest", &route->dest, route->family) &&
		  add_number(object, "prefix_len", route->prefix_len) &&
		  add_number(object, "scope", route->scope) &&
		  add_number(object, "metric", route->metric) &&
		  add_number(object, "mtu", route->mtu) &&
		  fill_hops(object, route_hops(list, route), route->hop_count);

	if (ok && route->has_source)
		ok = add_ip(object, "source", &route->source, route->family);
	return print_object(stream, object, ok, separator);
}

/* The beginning of a file, left open for further members. */
static void print_binding(FILE *stream, const struct state_binding *binding)
{
	/* None of these has anything in it that JSON would have to escape. */
	fprintf(stream,
		"{\"version\":%d,\"sandbox\":\"%s\",\"dialect\":\"%s\",\"netns_cookie\":\"%ju\","
		"\"boot_id\":\"%s\"",
		STATE_VERSION, binding->sandbox, binding->dialect, (uintmax_t)binding->netns_cookie,
		binding->boot_id);
}

int state_print(FILE *stream, const struct state_binding *binding, const struct applied *applied)
{
	const struct route_list *list = &applied->routes;
	const char *separator = "";
	int ret = 0;

	print_binding(stream, binding);
	fprintf(stream, ",\"routes_unsure\":%s,\"plugs\":[",
		applied->are_routes_unsure ? "true" : "false");
	for (size_t i = 0; ret == 0 && i < applied->count; i++) {
		if (!plug_is_known(applied->plugs[i]))
			continue;
		ret = print_plug(stream, applied->plugs[i], separator);
		separator = ",\n";
	}
	fputs("],\n\"devices\":[", stream);
	for (size_t i = 0; ret == 0 && i < list->device_count; i++)
		ret = print_device(stream, &list->devices[i], i ? ",\n" : "");
	fputs("],\n\"routes\":[", stream);
	for (size_t i = 0; ret == 0 && i < list->count; i++)
		ret = print_route(stream, list, &list->routes[i], i ? ",\n" : "");
	fputs("]}\n", stream);
	return ret;
}

int state_print_call(FILE *stream, const struct state_binding *binding,
		     const struct request *request)
{
	cJSON *object;
	int ret = 0;

	print_binding(stream, binding);
	if (request->verb == VERB_ROUTES) {
		fputs(",\"call\":\"routes\"", stream);
	} else {
		object = cJSON_CreateObject();
		fputs(request->verb == VERB_ADD ? ",\"call\":\"add\"" : ",\"call\":\"other\"",
		      stream);
		ret = print_object(stream, object, object && fill_iface(object, &request->iface),
				   ",\"iface\":");
	}
	fputs("}\n", stream);
	return ret;
}
