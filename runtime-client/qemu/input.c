/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.c - what the monitor writes to a runtime's standard input, as values
 */
#include "input.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "fingerprint.h"
#include "json.h"

/* A name of 15 bytes, each spelled \xHH. */
#define NAME_MAX_SPELLED 60

/* RTNH_F_ONLINK, the only flag of a route that is told. */
#define FLAG_ONLINK 4

static int refuse(struct fault *fault, const char *what)
{
	return fault_set(fault, -EBADMSG, "bad input: %s", what);
}

void input_guest_name(const char *name, char guest_name[IF_NAMESIZE])
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.+-";
	size_t length = strlen(name);
	uint64_t print;

	if (length < IF_NAMESIZE && strspn(name, allowed) == length && name[0] != '-' &&
	    name[0] != '.' && name[0] != '+') {
		memcpy(guest_name, name, length + 1);
		return;
	}
	print = fingerprint_add(FINGERPRINT_START, name, length);
	snprintf(guest_name, IF_NAMESIZE, "nm-%08x", (uint32_t)(print ^ print >> 32));
}

/* The member @key as a guest's name; false if it is none. "" is none. */
static bool get_name(const cJSON *object, const char *key, char name[IF_NAMESIZE])
{
	const char *text = json_string(object, key);

	if (!text || !*text || strlen(text) > NAME_MAX_SPELLED)
		return false;
	input_guest_name(text, name);
	return true;
}

/* Parses the whole text: nothing but blanks may follow. */
static cJSON *parse(const char *text, size_t size)
{
	const char *end;
	cJSON *root = cJSON_ParseWithLengthOpts(text, size, &end, 0);

	while (root && end < text + size && *end && strchr(" \t\r\n", *end))
		end++;
	if (root && end == text + size)
		return root;
	cJSON_Delete(root);
	return NULL;
}

static bool get_address(const cJSON *object, struct iface_address *address)
{
	const char *mask = json_string(object, "Mask");
	size_t length = mask ? strlen(mask) : 0;
	unsigned long bits;

	if (!json_family(object, "Family", &address->family) ||
	    !json_ip(object, "Address", address->family, &address->ip) || length < 1 ||
	    length > 3 || strspn(mask, "0123456789") != length)
		return false;
	bits = strtoul(mask, NULL, 10);
	if (bits > ip_bits(address->family))
		return false;
	address->prefix_len = (uint8_t)bits;
	return true;
}

static int get_addresses(const cJSON *object, struct iface *iface)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, "IPAddresses");
	const cJSON *element;

	if (!cJSON_IsArray(array))
		return -EBADMSG;
	iface->addresses = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof(*iface->addresses));
	if (!iface->addresses)
		return -ENOMEM;
	cJSON_ArrayForEach(element, array)
	{
		if (!get_address(element, &iface->addresses[iface->address_count]))
			return -EBADMSG;
		iface->address_count++;
	}
	return 0;
}

static int get_iface(const cJSON *root, struct input_iface *input, struct fault *fault)
{
	struct iface *iface = &input->iface;
	int ret;

	if (!cJSON_IsObject(root))
		return refuse(fault, "no JSON object");
	if (!get_name(root, "Name", iface->name))
		return refuse(fault, "Name");
	if (cJSON_HasObjectItem(root, "PreviousName") &&
	    !get_name(root, "PreviousName", input->previous_name))
		return refuse(fault, "PreviousName");
	if (!json_number(root, "Index", INT32_MAX, &iface->index) || iface->index == 0)
		return refuse(fault, "Index: a whole number from 1 is needed (dialect plain)");
	if (!json_number(root, "Mtu", UINT32_MAX, &iface->mtu))
		return refuse(fault, "Mtu");
	if (!json_mac(root, "HwAddr", iface))
		return refuse(fault, "HwAddr");
	ret = get_addresses(root, iface);
	return ret == -EBADMSG ? refuse(fault, "IPAddresses") : ret;
}

int input_parse_iface(const char *text, size_t size, struct input_iface *input, struct fault *fault)
{
	cJSON *root = parse(text, size);
	int ret;

	memset(input, 0, sizeof(*input));
	ret = root ? get_iface(root, input, fault) : refuse(fault, "no JSON");
	if (ret == -ENOMEM)
		fault_set_errno(fault, ret, "input");
	if (ret < 0)
		iface_fini(&input->iface);
	cJSON_Delete(root);
	return ret;
}

/* The number of the device @name in this list, which is put into it; 0: no memory. */
static uint32_t number_device(struct route_list *list, size_t *capacity, const char *name)
{
	struct route_device *device;

	for (size_t i = 0; i < list->device_count; i++) {
		if (strcmp(list->devices[i].name, name) == 0)
			return list->devices[i].index;
	}
	if (array_reserve(&list->devices, capacity, list->device_count + 1, sizeof(*list->devices)))
		return 0;
	device = &list->devices[list->device_count++];
	device->index = (uint32_t)list->device_count;
	snprintf(device->name, sizeof(device->name), "%s", name);
	return device->index;
}

/* An address of either family; "" is none and leaves *@family 0. */
static bool get_gateway(const cJSON *object, const char *key, struct ip *ip, uint8_t *family)
{
	const char *text = json_string(object, key);

	*family = 0;
	memset(ip, 0, sizeof(*ip));
	if (!text || !*text)
		return text != NULL;
	*family = strchr(text, ':') ? AF_INET6 : AF_INET;
	return inet_pton(*family, text, ip->bytes) == 1;
}

static int get_hop(const cJSON *object, struct route_list *list, size_t *capacity, struct hop *hop)
{
	char name[IF_NAMESIZE];

	if (!get_name(object, "Device", name) ||
	    !get_gateway(object, "Gateway", &hop->gateway, &hop->gateway_family))
		return -EBADMSG;
	hop->device = number_device(list, capacity, name);
	return hop->device == 0 ? -ENOMEM : 0;
}

/* One hop for a plain route, or the NextHops. *@hops is the caller's. */
static int get_hops(const cJSON *object, struct route_list *list, size_t *capacity,
		    struct hop **hops, size_t *count)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, "NextHops");
	const cJSON *element;
	int ret = 0;

	*count = 0;
	*hops = calloc(array ? (size_t)cJSON_GetArraySize(array) + 1 : 1, sizeof(**hops));
	if (!*hops)
		return -ENOMEM;
	if (!array) {
		*count = 1;
		(*hops)->weight = 1;
		return get_hop(object, list, capacity, *hops);
	}
	if (!cJSON_IsArray(array))
		return -EBADMSG;
	cJSON_ArrayForEach(element, array)
	{
		struct hop *hop = &(*hops)[(*count)++];

		ret = get_hop(element, list, capacity, hop);
		/* The kernel has weight minus one in a byte. */
		if (ret == 0 &&
		    (!json_number(element, "Weight", 256, &hop->weight) || hop->weight == 0))
			ret = -EBADMSG;
		if (ret < 0)
			return ret;
	}
	return *count < 2 ? -EBADMSG : 0;
}

/* "10.9.0.0/16", of @route's family. */
static bool get_dest(const cJSON *object, struct route *route)
{
	const char *text = json_string(object, "Dest");
	const char *slash = text ? strchr(text, '/') : NULL;
	char address[IP_TEXT_SIZE];
	size_t digits = slash ? strlen(slash + 1) : 0;
	unsigned long bits;

	if (!slash || slash - text >= IP_TEXT_SIZE || digits < 1 || digits > 3 ||
	    strspn(slash + 1, "0123456789") != digits)
		return false;
	snprintf(address, sizeof(address), "%.*s", (int)(slash - text), text);
	bits = strtoul(slash + 1, NULL, 10);
	if (bits > ip_bits(route->family))
		return false;
	route->prefix_len = (uint8_t)bits;
	return inet_pton(route->family, address, route->dest.bytes) == 1;
}

static int get_route(const cJSON *object, struct route_list *list, size_t *capacity)
{
	struct route route = {0};
	struct hop *hops = NULL;
	uint8_t source_family;
	uint32_t flags;
	size_t count;
	int ret = -EBADMSG;

	if (!json_family(object, "Family", &route.family) || !get_dest(object, &route) ||
	    !get_gateway(object, "Source", &route.source, &source_family) ||
	    (source_family != 0 && source_family != route.family) ||
	    !json_byte(object, "Scope", UINT8_MAX, &route.scope) ||
	    !json_number(object, "Metric", UINT32_MAX, &route.metric) ||
	    !json_number(object, "Mtu", UINT32_MAX, &route.mtu) ||
	    !json_number(object, "Flags", UINT32_MAX, &flags))
		return -EBADMSG;
	route.has_source = source_family != 0;
	ret = get_hops(object, list, capacity, &hops, &count);
	for (size_t i = 0; ret == 0 && i < count; i++)
		hops[i].is_onlink = (flags & FLAG_ONLINK) != 0 && hops[i].gateway_family != 0;
	if (ret == 0)
		ret = route_list_add(list, &route, hops, count);
	free(hops);
	return ret;
}

static int get_routes(const cJSON *array, struct route_list *list, struct fault *fault)
{
	const cJSON *element;
	size_t device_capacity = 0;
	unsigned int number = 0;

	cJSON_ArrayForEach(element, array)
	{
		int ret = get_route(element, list, &device_capacity);

		number++;
		if (ret == -EBADMSG)
			return fault_set(fault, ret, "bad input: route %u", number);
		if (ret < 0)
			return fault_set_errno(fault, ret, "input");
	}
	return 0;
}

int input_parse_routes(const char *text, size_t size, struct route_list *list, struct fault *fault)
{
	cJSON *root = parse(text, size);
	int ret;

	memset(list, 0, sizeof(*list));
	if (cJSON_IsArray(root))
		ret = get_routes(root, list, fault);
	else
		ret = refuse(fault, "no JSON array of routes");
	if (ret < 0)
		route_list_fini(list);
	cJSON_Delete(root);
	return ret;
}
