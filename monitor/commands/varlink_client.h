/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * varlink_client.h - the other end of a monitor's socket
 */
#ifndef NETNSMON_VARLINK_CLIENT_H
#define NETNSMON_VARLINK_CLIENT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct varlink_client {
	int fd; /* -1: not connected */
	char *bytes;
	size_t length;
	size_t capacity;
};

/*
 * Connects to the socket @name in the directory. Returns 0 or a negative errno; -ECONNREFUSED: its
 * owner is gone; -EAGAIN: so many wait to be connected that there was no place within a second.
 */
int varlink_client_open(struct varlink_client *client, int directory_fd, const char *name);

/* One that was never opened must have fd -1. */
void varlink_client_close(struct varlink_client *client);

/* The process that listens there, or 0. */
pid_t varlink_client_pid(const struct varlink_client *client);

/* Sends a call without parameters. Returns 0 or a negative errno. */
int varlink_client_call(struct varlink_client *client, const char *method, bool wants_more);

/*
 * Waits until @deadline_ms (of clock_ms(); UINT64_MAX: for ever) for a reply. Returns 0 and the
 * parameters, which the caller then owns; -ETIMEDOUT; -ENODATA: the other end has hung up; -EPROTO:
 * that is no reply, or an error; another negative errno. *@continues: more replies will follow.
 */
int varlink_client_reply(struct varlink_client *client, uint64_t deadline_ms, cJSON **parameters,
			 bool *continues);

/* Whether a whole reply has been read already, so that nothing needs to be waited for. */
bool varlink_client_has_reply(const struct varlink_client *client);

#endif
