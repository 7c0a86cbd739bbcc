/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * varlink_server.h - a socket in the run directory on which method calls come in
 *
 * Carries calls and replies; what they mean is the business of whoever opened it.
 */
#ifndef NETNSMON_VARLINK_SERVER_H
#define NETNSMON_VARLINK_SERVER_H

#include <cjson/cJSON.h>
#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "varlink_call.h"

/* More at once are never served: the one that has been silent for longest makes room. */
#define VARLINK_PEERS_MAX 32

struct varlink_server;
struct varlink_peer;

/*
 * Is told of each call. It must answer it with one of the functions below, or put it off; until it
 * was answered the peer's next call is not looked at. @peer may only be kept by putting it off.
 */
typedef void (*varlink_call_fn)(void *arg, struct varlink_peer *peer,
				const struct varlink_call *call);

/*
 * Listens on the socket @name in the directory, which must be reachable only by this name's owner:
 * what a dead one has left there is replaced. @directory_fd is not owned and must stay open. NULL:
 * errno says why.
 */
struct varlink_server *varlink_server_open(struct ev_loop *loop, int directory_fd, const char *name,
					   varlink_call_fn on_call, void *arg);

/*
 * Closes all connections, after what they can still take at once, and removes the socket. NULL is
 * harmless.
 */
void varlink_server_close(struct varlink_server *server);

/* Ends the call with its reply. @parameters is owned by the caller; NULL: no memory for it. */
void varlink_reply(struct varlink_peer *peer, const cJSON *parameters);

/* The same, with a reply that was made of many parts and printed by its maker. */
void varlink_reply_text(struct varlink_peer *peer, const char *reply);

/* Ends the call with the error @name, whose only parameter is @key (NULL: it has none). */
void varlink_error(struct varlink_peer *peer, const char *name, const char *key, const char *value);

/*
 * Puts the answer off. @tag, not 0, is by what varlink_server_each() will find the peer; calls
 * that were answered have none.
 */
void varlink_defer(struct varlink_peer *peer, int tag);

/* Whether any peer has such a tag. */
bool varlink_server_has(const struct varlink_server *server, int tag);

/* Calls @fn for each peer with @tag. */
void varlink_server_each(struct varlink_server *server, int tag,
			 void (*fn)(void *arg, struct varlink_peer *peer), void *arg);

/*
 * Sends one of several replies to a call that was put off; the call goes on. Returns false if the
 * peer has not taken enough of the ones before: then it is left out, and counted.
 */
bool varlink_push(struct varlink_peer *peer, const char *reply);

/* How many were left out since this was last called. */
uint64_t varlink_take_missed(struct varlink_peer *peer);

/* Whether varlink_push() would send now. */
bool varlink_has_room(const struct varlink_peer *peer);

#endif
