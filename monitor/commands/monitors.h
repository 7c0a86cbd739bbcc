/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monitors.h - the monitors that run on this host with one run directory
 */
#ifndef NETNSMON_MONITORS_H
#define NETNSMON_MONITORS_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "varlink_client.h"

struct monitor_entry {
	char socket[64]; /* its name in the directory */
	struct varlink_client client;
	pid_t pid;	/* 0: not known */
	int error;	/* a negative errno: it does not answer; 0: it does */
	cJSON *summary; /* a Monitor of the interface; NULL with an error */
	cJSON *reply;	/* to the last call of monitors_ask(); NULL: none */
};

struct monitors {
	struct monitor_entry *entries; /* sorted by sandbox, those that do not answer last */
	size_t count;
	size_t capacity;
};

/*
 * Finds all that have a socket in the directory, connects to them and asks who they are, for some
 * seconds in all. What a dead one has left is removed. Returns 0 or a negative errno: the directory
 * cannot be read. The caller must call monitors_fini() either way.
 */
int monitors_find(struct monitors *monitors, const char *run_dir);

void monitors_fini(struct monitors *monitors);

/*
 * Keeps only those that @sandbox names: its id, or if there is none the start of just one, or its
 * namespace's name. NULL: all that answer. Returns how many are left, or -ENOTUNIQ if it is the
 * start of several.
 */
int monitors_select(struct monitors *monitors, const char *sandbox);

/* Calls @method at all, and waits for one reply of each, for some seconds in all. */
void monitors_ask(struct monitors *monitors, const char *method);

/* The text of a field of an entry's summary, or "". */
const char *monitor_text(const struct monitor_entry *entry, const char *key);

#endif
