/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base64.c - how the guest agent carries bytes in JSON (RFC 4648)
 */
#include "base64.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_encode(const char *bytes, size_t size)
{
	char *text = malloc((size + 2) / 3 * 4 + 1);
	char *end = text;

	if (!text)
		return NULL;
	for (size_t i = 0; i < size; i += 3) {
		uint32_t group = 0;

		for (size_t j = 0; j < 3; j++)
			group = group << 8 | (i + j < size ? (unsigned char)bytes[i + j] : 0);
		*end++ = digits[group >> 18];
		*end++ = digits[group >> 12 & 63];
		*end++ = digits[group >> 6 & 63];
		*end++ = digits[group & 63];
	}
	*end = '\0';
	for (size_t pad = (3 - size % 3) % 3; pad > 0; pad--)
		end[-(ptrdiff_t)pad] = '=';
	return text;
}

char *base64_decode(const char *text, size_t *size)
{
	size_t length = strlen(text);
	size_t pad = 0;
	char *bytes;

	*size = 0;
	while (pad < 2 && pad < length && text[length - 1 - pad] == '=')
		pad++;
	if (length % 4 != 0 || strspn(text, digits) != length - pad) {
		errno = EBADMSG;
		return NULL;
	}
	bytes = malloc(length / 4 * 3 + 1);
	if (!bytes)
		return NULL;
	for (size_t i = 0; i < length; i += 4) {
		uint32_t group = 0;

		for (size_t j = 0; j < 4; j++) {
			const char *digit = strchr(digits, text[i + j]);

			group = group << 6 | (digit ? (uint32_t)(digit - digits) : 0);
		}
		bytes[(*size)++] = (char)(group >> 16);
		bytes[(*size)++] = (char)(group >> 8 & 0xff);
		bytes[(*size)++] = (char)(group & 0xff);
	}
	*size -= pad;
	bytes[*size] = '\0';
	return bytes;
}
