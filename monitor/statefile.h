/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statefile.h - keeps what is applied in the run directory, for the monitor that comes after us
 *
 *   before a call      NAME.call is written: should we die now, its outcome is unknown
 *   after it           NAME.json is replaced by what is applied now, NAME.call removed
 *
 * The files live as long as the boot, so nothing is synced to a disk: what the kernel has, the next
 * monitor reads.
 */
#ifndef NETNSMON_STATEFILE_H
#define NETNSMON_STATEFILE_H

#include <stdbool.h>

#include "applied.h"
#include "netns.h"
#include "request.h"
#include "state.h"

struct statefile {
	int directory_fd; /* not owned; -1: nothing is kept */
	struct state_binding binding;
	char name[64];
	bool has_failed; /* the last write did, and that was said */
};

/*
 * Binds the files to the sandbox, the dialect, the namespace that the caller is in, and this boot.
 * The strings and the directory must outlive it. Returns 0 or a negative errno.
 */
int statefile_init(struct statefile *file, int directory_fd, const struct netns_id *id,
		   const char *sandbox, const char *dialect);

/*
 * Reads what the last monitor of this sandbox and namespace left into the empty @applied. Returns
 * whether there was anything; what cannot be used is renamed aside, and said.
 */
bool statefile_load(struct statefile *file, struct applied *applied);

/* Notes that @request is about to be made. A failure is said once. */
void statefile_note_call(struct statefile *file, const struct request *request);

/* Replaces the state: what is applied now, with no call under way. A failure is said once. */
void statefile_save(struct statefile *file, const struct applied *applied);

/* The call that was noted has changed nothing. */
void statefile_forget_call(struct statefile *file);

/* Removes both files: nothing of the sandbox is left to be known. */
void statefile_remove(struct statefile *file);

#endif
