/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - what tests/data/record has written, of any bytes: datagrams behind their lengths
 */
#ifndef NETNSMON_RECORDING_H
#define NETNSMON_RECORDING_H

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Calls @fn with each message of each datagram in the @size bytes at @data, as a receive buffer
 * would hold it: aligned, and with nothing behind the datagram. A datagram that is cut is taken as
 * it is.
 */
void recording_walk(const uint8_t *data, size_t size, void (*fn)(const struct nlmsghdr *, void *),
		    void *arg);

#endif
