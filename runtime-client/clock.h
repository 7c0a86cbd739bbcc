/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - the clocks
 */
#ifndef NETNSMON_CLOCK_H
#define NETNSMON_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of CLOCK_MONOTONIC: no jumps, and no system call where the vDSO has it. */
static inline uint64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/*
 * Milliseconds that this thread has been running on a core: what something cost, however often it
 * was preempted or stopped.
 */
static inline uint64_t clock_cpu_ms(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000;
}

/* Sleeps, unless a signal comes. */
static inline void clock_pause(long ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

#endif
