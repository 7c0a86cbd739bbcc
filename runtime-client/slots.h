/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h - at most so many runtime calls at once on a host
 *
 * Each slot is a file that is locked for as long as a call runs. The kernel frees the slot of a
 * holder that dies, and hands it to those who wait for it one after the other.
 */
#ifndef NETNSMON_SLOTS_H
#define NETNSMON_SLOTS_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "lockwait.h"

struct slots {
	struct ev_loop *loop;
	int directory_fd; /* not owned */
	uint32_t count;	  /* 0: no limit */
	uint32_t seed;	  /* which slot is waited for is chosen at random */
	int held_fd;	  /* -1: none */
	int waited_fd;	  /* -1: none */
	struct lockwait wait;
	void (*on_granted)(void *arg);
	void *arg;
};

/*
 * @on_granted is called from the loop when a slot that was waited for is there, or should be asked
 * for again.
 */
void slots_init(struct slots *slots, struct ev_loop *loop, int directory_fd, uint32_t count,
		void (*on_granted)(void *arg), void *arg);

/* Returns 1: a slot is held; 0: it is waited for, on_granted will be called; or a negative errno.
 */
int slots_acquire(struct slots *slots);

/* Gives back the slot that is held, or gives up waiting. */
void slots_release(struct slots *slots);

bool slots_is_waiting(const struct slots *slots);

#endif
