/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.h - which bytes of a foreign string are text
 *
 * Interface names are bytes to the kernel, and a runtime writes what it likes: whatever is
 * to become JSON or a log line goes through here first.
 */
#ifndef NETNSMON_UTF8_H
#define NETNSMON_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the character at the start of the @size bytes at @bytes (@size > 0) by RFC 3629: no
 * overlong forms, no surrogates, nothing past U+10FFFF. Returns how many bytes it has and stores it
 * in
 * @character, or returns 0 where the first byte starts no valid character.
 */
size_t utf8_decode(const char *bytes, size_t size, uint32_t *character);

/* The longest text that utf8_sanitize() makes of @size bytes, with the final NUL. */
#define UTF8_SANITIZED_SIZE(size) ((size)*4 + 1)

/*
 * Copies the NUL-terminated @bytes as valid UTF-8: each byte that is not part of a valid character
 * becomes the four characters \xHH. @text has UTF8_SANITIZED_SIZE(strlen(bytes)) bytes. Returns
 * @text.
 */
const char *utf8_sanitize(const char *bytes, char *text);

/*
 * The same for a terminal, or for one line of text: bytes of control characters become \xHH too.
 */
const char *utf8_printable(const char *bytes, char *text);

#endif
