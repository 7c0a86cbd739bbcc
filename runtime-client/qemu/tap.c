/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tap.c - the sandbox's end of a NIC
 */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void tap_name(uint32_t index, char name[IF_NAMESIZE])
{
	snprintf(name, IF_NAMESIZE, "nm%x_kata", index);
}

int tap_open(const char *name)
{
	struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	int ret;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (ioctl(fd, TUNSETIFF, &request) < 0) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return fd;
}
