/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tap.h - the sandbox's end of a NIC
 *
 * The tap is not persistent: it lives as long as somebody holds its descriptor, which is QEMU. So
 * it goes with the NIC, and with QEMU, by itself.
 */
#ifndef NETNSMON_QEMU_TAP_H
#define NETNSMON_QEMU_TAP_H

#include <net/if.h>
#include <stdint.h>

/*
 * The tap's name for the interface @index: the monitor leaves out what ends in "_kata", as a
 * runtime's own. Hexadecimal, so that any index fits.
 */
void tap_name(uint32_t index, char name[IF_NAMESIZE]);

/*
 * Makes the tap @name in the caller's namespace. Returns its descriptor, close-on-exec, or a
 * negative errno: -EBUSY where somebody holds one of that name.
 */
int tap_open(const char *name);

#endif
