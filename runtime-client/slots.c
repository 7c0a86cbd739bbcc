/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.c - at most so many runtime calls at once on a host
 */
#include "slots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void slots_init(struct slots *slots, struct ev_loop *loop, int directory_fd, uint32_t count,
		void (*on_granted)(void *arg), void *arg)
{
	memset(slots, 0, sizeof(*slots));
	slots->loop = loop;
	slots->directory_fd = directory_fd;
	slots->count = count;
	slots->seed = (uint32_t)getpid() * 2654435761U;
	slots->held_fd = -1;
	slots->waited_fd = -1;
	slots->on_granted = on_granted;
	slots->arg = arg;
}

static int open_slot(const struct slots *slots, uint32_t number)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "slot-%u", number);
	fd = openat(slots->directory_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

static void on_locked(void *arg, bool is_locked)
{
	struct slots *slots = arg;

	if (is_locked)
		slots->held_fd = slots->waited_fd;
	else
		close(slots->waited_fd);
	slots->waited_fd = -1;
	slots->on_granted(slots->arg);
}

/* Those who wait for a slot get it in turn; that they choose it at random spreads them evenly. */
static int wait_for_one(struct slots *slots, uint32_t number)
{
	int fd = open_slot(slots, number);
	int ret;

	if (fd < 0)
		return fd;
	ret = lockwait_start(&slots->wait, slots->loop, fd, on_locked, slots);
	if (ret < 0) {
		close(fd);
		return ret;
	}
	slots->waited_fd = fd;
	return 0;
}

int slots_acquire(struct slots *slots)
{
	int64_t busy = -1;
	int ret = 0;
	uint32_t first;

	if (slots->count == 0 || slots->held_fd >= 0)
		return 1;
	if (slots_is_waiting(slots))
		return 0;
	slots->seed = slots->seed * 1664525 + 1013904223;
	first = (slots->seed >> 8) % slots->count;
	for (uint32_t i = 0; i < slots->count; i++) {
		uint32_t number = (first + i) % slots->count;
		int fd = open_slot(slots, number);

		/* A file that cannot be used is no slot; the others are. */
		if (fd < 0) {
			ret = fd;
			continue;
		}
		if (lockwait_try(fd)) {
			slots->held_fd = fd;
			return 1;
		}
		close(fd);
		if (busy < 0)
			busy = number;
	}
	return busy < 0 ? ret : wait_for_one(slots, (uint32_t)busy);
}

void slots_release(struct slots *slots)
{
	lockwait_stop(&slots->wait);
	if (slots->held_fd >= 0)
		close(slots->held_fd);
	if (slots->waited_fd >= 0)
		close(slots->waited_fd);
	slots->held_fd = -1;
	slots->waited_fd = -1;
}

bool slots_is_waiting(const struct slots *slots)
{
	return lockwait_is_active(&slots->wait);
}
