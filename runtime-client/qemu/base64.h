/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base64.h - how the guest agent carries bytes in JSON (RFC 4648)
 */
#ifndef NETNSMON_QEMU_BASE64_H
#define NETNSMON_QEMU_BASE64_H

#include <stddef.h>

/* @size bytes as NUL-terminated text that the caller frees, or NULL: no memory. */
char *base64_encode(const char *bytes, size_t size);

/*
 * The bytes of @text, with a NUL after them, which the caller frees; their count in *@size. NULL:
 * no base64 (errno EBADMSG), or no memory (ENOMEM).
 */
char *base64_decode(const char *text, size_t *size);

#endif
