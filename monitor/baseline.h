/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline.h - pure: what the runtime knew of the namespace before we came
 */
#ifndef NETNSMON_BASELINE_H
#define NETNSMON_BASELINE_H

#include "applied.h"
#include "filter.h"
#include "notes.h"
#include "snapshot.h"

/*
 * Takes what @snapshot holds as applied, as far as the runtime found it when it made the VM: links
 * that are ready, or for a runtime that scans for them, those with an address. The snapshot's
 * routes are used up. Returns 0 or -ENOMEM.
 */
int baseline_take(const struct policy *policy, struct snapshot *snapshot, struct applied *applied,
		  const struct notes *notes);

#endif
