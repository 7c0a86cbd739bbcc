/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state_parse.c - pure: JSON text as what is applied
 *
 * Whatever is read is checked as if a stranger had written it.
 */
#include "state.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "json.h"

/* Undoes add_name(). */
static bool get_name(const cJSON *object, const char *key, char *name, size_t size)
{
	const char *text = json_string(object, key);
	size_t length = 0;

	while (text && *text && length < size - 1) {
		unsigned char byte = (unsigned char)*text++;

		if ((byte & 0xfc) == 0xc0 && ((unsigned char)*text & 0xc0) == 0x80)
			byte = (unsigned char)(byte << 6 | ((unsigned char)*text++ & 0x3f));
		else if (byte >= 0x80)
			return false;
		name[length++] = (char)byte;
	}
	name[length] = '\0';
	return text && !*text;
}

static bool get_addresses(const cJSON *object, struct iface *iface)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, "addresses");
	int count = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : -1;
	const cJSON *element;

	if (count < 0)
		return false;
	iface->addresses = calloc((size_t)count + 1, sizeof(*iface->addresses));
	if (!iface->addresses)
		return false;
	cJSON_ArrayForEach(element, array)
	{
		struct iface_address *address = &iface->addresses[iface->address_count];

		if (!json_family(element, "family", &address->family) ||
		    !json_ip(element, "ip", address->family, &address->ip) ||
		    !json_byte(element, "prefix_len", ip_bits(address->family),
			       &address->prefix_len) ||
		    !json_bool(element, "secondary", &address->is_secondary))
			return false;
		iface->address_count++;
	}
	iface_sort_addresses(iface);
	return true;
}

static bool get_iface(const cJSON *object, struct iface *iface)
{
	memset(iface, 0, sizeof(*iface));
	if (json_number(object, "index", INT32_MAX, &iface->index) && iface->index > 0 &&
	    get_name(object, "name", iface->name, sizeof(iface->name)) && iface->name[0] &&
	    get_name(object, "kind", iface->kind, sizeof(iface->kind)) &&
	    json_mac(object, "mac", iface) && json_number(object, "mtu", UINT32_MAX, &iface->mtu) &&
	    json_bool(object, "noarp", &iface->is_noarp) && get_addresses(object, iface))
		return true;
	iface_fini(iface);
	return false;
}

static int get_plug(const cJSON *object, struct applied *applied)
{
	bool is_applied, is_gone, is_unsure;
	struct iface iface;
	struct plug *plug;

	if (!json_bool(object, "applied", &is_applied) || !json_bool(object, "gone", &is_gone) ||
	    !json_bool(object, "unsure", &is_unsure) || !get_iface(object, &iface))
		return -EBADMSG;
	/* Two lives of one index: all but the youngest are gone, and older ones come first. */
	plug = applied_find(applied, iface.index) ? NULL : applied_ensure(applied, iface.index);
	if (!plug) {
		iface_fini(&iface);
		return -EBADMSG;
	}
	iface_move(&plug->iface, &iface);
	plug->state = is_applied ? PLUG_APPLIED : PLUG_PENDING;
	plug->is_gone = is_gone;
	plug->is_unsure = is_unsure;
	return 0;
}

static bool get_hop(const cJSON *object, struct hop *hop)
{
	memset(hop, 0, sizeof(*hop));
	if (!json_number(object, "device", INT32_MAX, &hop->device) ||
	    !json_number(object, "weight", UINT32_MAX, &hop->weight) ||
	    !json_bool(object, "onlink", &hop->is_onlink) ||
	    !json_byte(object, "gateway_family", AF_INET6, &hop->gateway_family))
		return false;
	return hop->gateway_family == 0 ||
	       (ip_size(hop->gateway_family) > 0 &&
		json_ip(object, "gateway", hop->gateway_family, &hop->gateway));
}

static int get_route(const cJSON *object, struct route_list *list)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, "hops");
	int count = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;
	struct hop *hops = calloc((size_t)count + 1, sizeof(*hops));
	struct route route = {0};
	const cJSON *element;
	size_t read = 0;
	int ret = -EBADMSG;

	if (!hops)
		return -ENOMEM;
	cJSON_ArrayForEach(element, array)
	{
		if (!get_hop(element, &hops[read++]))
			goto out;
	}
	route.has_source = cJSON_HasObjectItem(object, "source");
	if (count > 0 && json_family(object, "family", &route.family) &&
	    json_ip(object, "dest", route.family, &route.dest) &&
	    json_byte(object, "prefix_len", ip_bits(route.family), &route.prefix_len) &&
	    json_byte(object, "scope", UINT8_MAX, &route.scope) &&
	    json_number(object, "metric", UINT32_MAX, &route.metric) &&
	    json_number(object, "mtu", UINT32_MAX, &route.mtu) &&
	    (!route.has_source || json_ip(object, "source", route.family, &route.source)))
		ret = route_list_add(list, &route, hops, read);
out:
	free(hops);
	return ret;
}

static int get_devices(const cJSON *array, struct route_list *list)
{
	const cJSON *element;
	uint32_t last = 0;

	list->devices = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof(*list->devices));
	if (!list->devices)
		return -ENOMEM;
	cJSON_ArrayForEach(element, array)
	{
		struct route_device *device = &list->devices[list->device_count];

		if (!json_number(element, "index", INT32_MAX, &device->index) ||
		    device->index <= last ||
		    !get_name(element, "name", device->name, sizeof(device->name)))
			return -EBADMSG;
		last = device->index;
		list->device_count++;
	}
	return 0;
}

static bool is_string(const cJSON *root, const char *key, const char *expected)
{
	const char *text = json_string(root, key);

	return text && strcmp(text, expected) == 0;
}

/* Parses a file as far as its binding. Returns 0 and the tree in *@root, which the caller deletes.
 */
static int parse_bound(const char *text, size_t size, const struct state_binding *binding,
		       cJSON **root)
{
	char cookie[24];
	uint32_t version;
	int ret = 0;

	*root = cJSON_ParseWithLength(text, size);
	snprintf(cookie, sizeof(cookie), "%ju", (uintmax_t)binding->netns_cookie);
	if (!*root || !json_number(*root, "version", UINT32_MAX, &version) ||
	    version != STATE_VERSION)
		ret = -EBADMSG;
	else if (!is_string(*root, "sandbox", binding->sandbox) ||
		 !is_string(*root, "dialect", binding->dialect) ||
		 !is_string(*root, "netns_cookie", cookie) ||
		 !is_string(*root, "boot_id", binding->boot_id))
		ret = -ESTALE;
	if (ret < 0) {
		cJSON_Delete(*root);
		*root = NULL;
	}
	return ret;
}

static int get_applied(const cJSON *root, struct applied *applied)
{
	const cJSON *plugs = cJSON_GetObjectItemCaseSensitive(root, "plugs");
	const cJSON *devices = cJSON_GetObjectItemCaseSensitive(root, "devices");
	const cJSON *routes = cJSON_GetObjectItemCaseSensitive(root, "routes");
	const cJSON *element;
	int ret = 0;

	if (!cJSON_IsArray(plugs) || !cJSON_IsArray(devices) || !cJSON_IsArray(routes) ||
	    !json_bool(root, "routes_unsure", &applied->are_routes_unsure))
		return -EBADMSG;
	cJSON_ArrayForEach(element, plugs)
	{
		ret = get_plug(element, applied);
		if (ret < 0)
			return ret;
	}
	ret = get_devices(devices, &applied->routes);
	cJSON_ArrayForEach(element, routes)
	{
		if (ret < 0)
			return ret;
		ret = get_route(element, &applied->routes);
	}
	route_list_sort(&applied->routes);
	return ret;
}

int state_parse(const char *text, size_t size, const struct state_binding *binding,
		struct applied *applied)
{
	cJSON *root;
	int ret = parse_bound(text, size, binding, &root);

	if (ret < 0)
		return ret;
	ret = get_applied(root, applied);
	if (ret < 0)
		applied_fini(applied);
	cJSON_Delete(root);
	return ret;
}

/* A link that was being added may be in the guest, with what the call said of it. */
static int mark_iface_unsure(const cJSON *root, bool is_add, struct applied *applied)
{
	struct iface iface;
	struct plug *plug;

	if (!get_iface(cJSON_GetObjectItemCaseSensitive(root, "iface"), &iface))
		return -EBADMSG;
	plug = is_add ? applied_ensure(applied, iface.index) : applied_find(applied, iface.index);
	if (plug && plug->state == PLUG_PENDING)
		iface_move(&plug->iface, &iface);
	if (plug)
		plug->is_unsure = true;
	iface_fini(&iface);
	return plug || !is_add ? 0 : -ENOMEM;
}

int state_parse_call(const char *text, size_t size, const struct state_binding *binding,
		     struct applied *applied)
{
	cJSON *root;
	int ret = parse_bound(text, size, binding, &root);

	if (ret < 0)
		return ret;
	if (is_string(root, "call", "routes"))
		applied->are_routes_unsure = true;
	else if (is_string(root, "call", "add") || is_string(root, "call", "other"))
		ret = mark_iface_unsure(root, is_string(root, "call", "add"), applied);
	else
		ret = -EBADMSG;
	cJSON_Delete(root);
	return ret;
}
