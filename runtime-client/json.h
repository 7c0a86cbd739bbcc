/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - values out of JSON that a stranger may have written
 *
 * Each function stores the value of @object's member @key, and returns whether it is there and in
 * its bounds. Numbers are taken from valuedouble: valueint saturates at 2^31.
 */
#ifndef NETNSMON_JSON_H
#define NETNSMON_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "iface.h"
#include "ip.h"

/* A whole number from 0 to @largest. */
bool json_number(const cJSON *object, const char *key, double largest, uint32_t *number);

bool json_byte(const cJSON *object, const char *key, double largest, uint8_t *byte);

bool json_bool(const cJSON *object, const char *key, bool *value);

/* The text, which belongs to @object, or NULL. */
const char *json_string(const cJSON *object, const char *key);

/* AF_INET or AF_INET6. */
bool json_family(const cJSON *object, const char *key, uint8_t *family);

bool json_ip(const cJSON *object, const char *key, int family, struct ip *ip);

/* "02:42:…", or "" for none. */
bool json_mac(const cJSON *object, const char *key, struct iface *iface);

#endif
