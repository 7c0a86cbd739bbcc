/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h - runs the runtime, one call at a time, and reports how it ended
 *
 * The client neither logs nor decides: what an outcome means is its caller's business.
 */
#ifndef NETNSMON_CLIENT_H
#define NETNSMON_CLIENT_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect.h"
#include "request.h"

/* How much of the end of a call's output is kept. */
#define CLIENT_OUTPUT_SIZE 4096

enum outcome {
	OUTCOME_DONE,	     /* exit status 0: acknowledged */
	OUTCOME_EXITED,	     /* another exit status: detail */
	OUTCOME_SIGNALLED,   /* ended by the signal in detail */
	OUTCOME_TIMED_OUT,   /* killed by us after detail ms */
	OUTCOME_NOT_STARTED, /* not executed, or not given all its input: detail is an errno */
};

struct call_result {
	enum outcome outcome;
	int detail;
	uint32_t elapsed_ms;
	const char *output; /* the end of stdout and stderr; not NUL-terminated, gone after the
			       callback */
	size_t output_len;
};

/* Is told how a call ended. The client is idle again: a new call may be started in it. */
typedef void (*client_done_fn)(void *arg, const struct call_result *result);

struct client_config {
	const struct dialect *dialect;
	const char *runtime;		 /* path of the executable */
	const char *const *runtime_args; /* between it and the verb */
	size_t runtime_arg_count;
	const char *sandbox;
	uint32_t timeout_ms;
	int netns_fd; /* where calls run, -1: the caller's namespace; not owned */
};

struct client;

/*
 * A client on @loop, which must be the default loop. @config's strings must outlive it. NULL: no
 * memory.
 */
struct client *client_new(struct ev_loop *loop, const struct client_config *config,
			  client_done_fn on_done, void *arg);

/* Frees the client. A running child is left alone. NULL is harmless. */
void client_free(struct client *client);

bool client_is_busy(const struct client *client);

/*
 * Starts the call for @request, which must stay as it is until on_done. The client must not be
 * busy. Returns 0, then on_done will be called later from the loop, or a negative errno if the
 * program could not be executed, then it will not.
 */
int client_call(struct client *client, const struct request *request);

/* Sends SIGTERM to the running child's process group, if there is one, and forgets it. */
void client_kill(struct client *client);

#endif
