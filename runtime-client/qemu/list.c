/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.c - the verb list: what is plugged, for people and scripts
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "nic.h"
#include "tap.h"
#include "utf8.h"
#include "verbs.h"

static bool add_text(cJSON *object, const char *key, const char *text)
{
	char clean[UTF8_SANITIZED_SIZE(IF_NAMESIZE)];

	return cJSON_AddStringToObject(object, key, utf8_sanitize(text, clean)) != NULL;
}

static bool add_addresses(cJSON *object, const struct iface *link)
{
	cJSON *array = cJSON_AddArrayToObject(object, "Addresses");

	for (size_t i = 0; array && i < link->address_count; i++) {
		const struct iface_address *address = &link->addresses[i];
		char text[IP_PREFIX_TEXT_SIZE];
		cJSON *string;

		ip_format_prefix(&address->ip, address->family, address->prefix_len, text);
		string = cJSON_CreateString(text);
		if (!string || !cJSON_AddItemToArray(array, string)) {
			cJSON_Delete(string);
			return false;
		}
	}
	return array != NULL;
}

/* @link is the guest's, NULL where it is not known. */
static int print_nic(FILE *stream, const struct nic *nic, const struct iface *link)
{
	struct iface mac = {.mac_len = NIC_MAC_SIZE};
	char tap[IF_NAMESIZE], name[IF_NAMESIZE], text[IFACE_MAC_TEXT_SIZE];
	cJSON *object = cJSON_CreateObject();
	char *line = NULL;
	bool ok;

	memcpy(mac.mac, nic->mac, NIC_MAC_SIZE);
	tap_name(nic->index, tap);
	ok = object && cJSON_AddNumberToObject(object, "Index", nic->index) &&
	     cJSON_AddStringToObject(object, "HwAddr", iface_format_mac(&mac, text)) &&
	     cJSON_AddStringToObject(object, "Id", nic->id) &&
	     add_text(object, "Tap", if_nametoindex(tap) ? tap : "") &&
	     add_text(object, "Name", if_indextoname(nic->index, name) ? name : "");
	if (ok && link)
		ok = add_text(object, "GuestName", link->name) && add_addresses(object, link);
	if (ok)
		line = cJSON_PrintUnformatted(object);
	if (line)
		fprintf(stream, "%s\n", line);
	cJSON_free(line);
	cJSON_Delete(object);
	return line ? 0 : -ENOMEM;
}

int vm_list(struct vm *vm, FILE *stream)
{
	struct agent_links links = {0};
	struct nic_list list;
	int ret = nic_list_get(&list, &vm->qmp);

	if (ret < 0)
		return ret;
	ret = vm_open_agent(vm);
	if (ret == 0 && vm->has_agent)
		ret = agent_get_links(&vm->agent, &links);
	for (size_t i = 0; ret == 0 && i < list.count; i++) {
		const struct iface *link = NULL;

		for (size_t j = 0; j < links.count; j++) {
			if (nic_has_mac(&list.nics[i], &links.links[j]))
				link = &links.links[j];
		}
		ret = print_nic(stream, &list.nics[i], link);
		if (ret < 0)
			fault_set_errno(&vm->fault, ret, "list");
	}
	agent_links_fini(&links);
	nic_list_fini(&list);
	return ret;
}
