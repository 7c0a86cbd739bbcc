/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent_parse.c - pure: what the guest agent's answers say
 *
 * The fields are those of QEMU's qga/qapi-schema.json. What is of no use is left out: a link
 * without a MAC, an address that cannot be read. What cannot be an answer at all is an error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "agent.h"
#include "base64.h"
#include "json.h"

/* The exit status that a shell gives a command which the signal @number has ended. */
#define STATUS_SIGNAL 128

static bool parse_address(const cJSON *object, struct iface_address *address)
{
	const char *type = json_string(object, "ip-address-type");

	memset(address, 0, sizeof(*address));
	if (!type)
		return false;
	address->family = strcmp(type, "ipv6") == 0 ? AF_INET6 : AF_INET;
	return json_ip(object, "ip-address", address->family, &address->ip) &&
	       json_byte(object, "prefix", ip_bits(address->family), &address->prefix_len);
}

static int parse_addresses(const cJSON *object, struct iface *link)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, "ip-addresses");
	int count = cJSON_GetArraySize(array);
	const cJSON *element;

	if (count == 0)
		return 0;
	if (count > AGENT_ADDRESSES_MAX)
		return -EBADMSG;
	link->addresses = calloc((size_t)count, sizeof(*link->addresses));
	if (!link->addresses)
		return -ENOMEM;
	cJSON_ArrayForEach(element, array)
	{
		if (parse_address(element, &link->addresses[link->address_count]))
			link->address_count++;
	}
	iface_sort_addresses(link);
	return 0;
}

static int parse_link(const cJSON *object, struct agent_links *links)
{
	struct iface *link = &links->links[links->count];
	const char *name = json_string(object, "name");
	int ret;

	if (!name || !*name || strlen(name) >= sizeof(link->name))
		return -EBADMSG;
	if (!json_mac(object, "hardware-address", link) || link->mac_len == 0) {
		memset(link, 0, sizeof(*link));
		return 0;
	}
	memcpy(link->name, name, strlen(name) + 1);
	ret = parse_addresses(object, link);
	if (ret == 0)
		links->count++;
	return ret;
}

int agent_parse_links(const cJSON *answer, struct agent_links *links)
{
	int count = cJSON_IsArray(answer) ? cJSON_GetArraySize(answer) : -1;
	const cJSON *element;
	int ret = 0;

	memset(links, 0, sizeof(*links));
	if (count < 0 || count > AGENT_LINKS_MAX)
		return -EBADMSG;
	links->links = calloc((size_t)count + 1, sizeof(*links->links));
	if (!links->links)
		return -ENOMEM;
	cJSON_ArrayForEach(element, answer)
	{
		ret = parse_link(element, links);
		if (ret < 0) {
			agent_links_fini(links);
			return ret;
		}
	}
	return 0;
}

void agent_links_fini(struct agent_links *links)
{
	for (size_t i = 0; i < links->count; i++)
		iface_fini(&links->links[i]);
	free(links->links);
	memset(links, 0, sizeof(*links));
}

int agent_parse_exit(const cJSON *answer, struct agent_exit *exit)
{
	const char *text = json_string(answer, "err-data");
	uint32_t status = 0;
	size_t size;
	bool is_over;

	memset(exit, 0, sizeof(*exit));
	if (!json_bool(answer, "exited", &is_over))
		return -EBADMSG;
	if (!is_over)
		return -EAGAIN;
	if (json_number(answer, "signal", UINT8_MAX, &status))
		status += STATUS_SIGNAL;
	else if (!json_number(answer, "exitcode", UINT8_MAX, &status))
		return -EBADMSG;
	exit->status = (int)status;
	exit->output = base64_decode(text ? text : "", &size);
	return exit->output ? 0 : -errno;
}
