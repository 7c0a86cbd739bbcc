/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.c - values out of JSON that a stranger may have written
 */
#include "json.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

bool json_number(const cJSON *object, const char *key, double largest, uint32_t *number)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= largest) ||
	    item->valuedouble != (double)(uint32_t)item->valuedouble)
		return false;
	*number = (uint32_t)item->valuedouble;
	return true;
}

bool json_byte(const cJSON *object, const char *key, double largest, uint8_t *byte)
{
	uint32_t number;

	if (!json_number(object, key, largest, &number))
		return false;
	*byte = (uint8_t)number;
	return true;
}

bool json_bool(const cJSON *object, const char *key, bool *value)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	*value = cJSON_IsTrue(item);
	return cJSON_IsBool(item);
}

const char *json_string(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

bool json_family(const cJSON *object, const char *key, uint8_t *family)
{
	return json_byte(object, key, AF_INET6, family) && ip_size(*family) > 0;
}

bool json_ip(const cJSON *object, const char *key, int family, struct ip *ip)
{
	const char *text = json_string(object, key);

	memset(ip, 0, sizeof(*ip));
	return text && inet_pton(family, text, ip->bytes) == 1;
}

bool json_mac(const cJSON *object, const char *key, struct iface *iface)
{
	const char *text = json_string(object, key);
	unsigned int byte;
	int length;

	iface->mac_len = 0;
	while (text && *text && iface->mac_len < IFACE_MAC_MAX) {
		if (sscanf(text, "%2x%n", &byte, &length) != 1 || length != 2)
			return false;
		iface->mac[iface->mac_len++] = (uint8_t)byte;
		text += 2;
		text += *text == ':' && text[1];
	}
	return text && !*text;
}
