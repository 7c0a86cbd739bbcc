/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * varlink_peer.h - one connection to the socket: its calls, its replies, its bounds
 *
 * For varlink_server.c; whoever answers calls needs varlink_server.h only.
 */
#ifndef NETNSMON_VARLINK_PEER_H
#define NETNSMON_VARLINK_PEER_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inbox.h"
#include "outbox.h"
#include "varlink_server.h"

struct varlink_peer {
	struct varlink_server *server;
	struct varlink_peer *next;
	ev_io io;
	struct inbox inbox;
	struct outbox outbox;
	uint64_t active_ms; /* when it last sent a byte, or took one */
	uint64_t missed;
	int tag; /* its call was put off; 0: it was not */
	bool has_call;
	bool is_oneway;	 /* the call wants no reply */
	bool wants_more; /* … or many: nobody reads them after a hang-up */
	bool has_ended;	 /* it will send nothing more */
	bool is_dead;	 /* to be freed by reap() */
};

struct varlink_server {
	struct ev_loop *loop;
	int directory_fd; /* not owned */
	char name[64];
	varlink_call_fn on_call;
	void *arg;
	struct varlink_peer *peers;
	size_t count;
	ev_io on_connection;
	ev_timer on_pause; /* no descriptor was left */
	ev_timer on_again; /* calls are left over from the last turn, or there are dead peers */
	ev_timer on_sweep; /* somebody has not taken all yet */
};

/* Makes a peer of the connected socket @fd, which it then owns. NULL: no memory. */
struct varlink_peer *peer_new(struct varlink_server *server, int fd);

/* Closes the connection. The peer stays in the list until the server frees it. */
void peer_close(struct varlink_peer *peer);

/* Answers what the peer has sent, as far as it is its turn. */
void peer_take_calls(struct varlink_peer *peer);

#endif
