/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trim.c - gives memory back before a long sleep
 *
 * A monitor sleeps nearly always, one for each pod, and what a dump or a log line has needed for a
 * moment would stay resident for the pod's life.
 */
#include "trim.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than the deepest calls use. The kernel skips what of it is not mapped. */
#define STACK_BYTES ((size_t)256 * 1024)

/* What this frame and the call below it may still use. */
#define KEPT_BYTES 1024

static void trim_stack(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *end = (char *)__builtin_frame_address(0) - KEPT_BYTES;

	end -= (uintptr_t)end % page;
	madvise(end - STACK_BYTES, STACK_BYTES, MADV_DONTNEED);
}

void trim_memory(void)
{
	malloc_trim(0);
	trim_stack();
}
