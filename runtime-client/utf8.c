/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.c - which bytes of a foreign string are text
 */
#include "utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

size_t utf8_decode(const char *bytes, size_t size, uint32_t *character)
{
	const unsigned char *byte = (const unsigned char *)bytes;
	uint32_t value, smallest;
	size_t length;

	if (byte[0] < 0x80) {
		*character = byte[0];
		return 1;
	}
	if ((byte[0] & 0xe0) == 0xc0) {
		length = 2;
		value = byte[0] & 0x1f;
		smallest = 0x80;
	} else if ((byte[0] & 0xf0) == 0xe0) {
		length = 3;
		value = byte[0] & 0x0f;
		smallest = 0x800;
	} else if ((byte[0] & 0xf8) == 0xf0) {
		length = 4;
		value = byte[0] & 0x07;
		smallest = 0x10000;
	} else {
		return 0;
	}
	if (length > size)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (byte[i] & 0x3f);
	}
	if (value < smallest || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*character = value;
	return length;
}

static bool is_control(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

static const char *spell_out(const char *bytes, char *text, bool spells_control)
{
	size_t size = strlen(bytes);
	char *end = text;

	while (size > 0) {
		uint32_t character = 0;
		size_t length = utf8_decode(bytes, size, &character);

		if (length == 0 || (spells_control && is_control(character))) {
			end += sprintf(end, "\\x%02x", (unsigned char)*bytes);
			length = 1;
		} else {
			memcpy(end, bytes, length);
			end += length;
		}
		bytes += length;
		size -= length;
	}
	*end = '\0';
	return text;
}

const char *utf8_sanitize(const char *bytes, char *text)
{
	return spell_out(bytes, text, false);
}

const char *utf8_printable(const char *bytes, char *text)
{
	return spell_out(bytes, text, true);
}
