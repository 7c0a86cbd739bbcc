/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * varlink_peer.c - one connection to the socket: its calls, its replies, its bounds
 *
 * The protocol (varlink.org): each message is one JSON object with a NUL after it; calls on one
 * connection are answered one after the other. Nobody who talks to us may cost more than a little:
 *
 *   a message without end  the connection is closed at INBOX_SIZE
 *   calls for nothing      CALLS_PER_TURN, then it is somebody else's turn
 *   answers not read       the next call is not looked at before; replies of a Watch are left out
 *                          over QUEUE_MAX
 *   all peers together     over ALL_QUEUES_MAX who has not read for longest is closed
 *
 * Peers come after everything else that a turn of the loop has to do (the lowest priority).
 */
#include "varlink_peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "utf8.h"

#define CALLS_PER_TURN 8
#define QUEUE_MAX      ((size_t)64 * 1024)
#define ALL_QUEUES_MAX ((size_t)1024 * 1024)

/* --- the end of a connection ----------------------------------------------------------------- */

void peer_close(struct varlink_peer *peer)
{
	if (peer->is_dead)
		return;
	peer->is_dead = true;
	peer->tag = 0;
	ev_io_stop(peer->server->loop, &peer->io);
	close(peer->io.fd);
	inbox_fini(&peer->inbox);
	outbox_fini(&peer->outbox);
	ev_timer_start(peer->server->loop, &peer->server->on_again);
}

/* --- what waits to be read ------------------------------------------------------------------- */

/* Watches for what the peer's state allows. */
static void arm(struct varlink_peer *peer)
{
	struct ev_loop *loop = peer->server->loop;
	int events = 0;

	if (peer->is_dead)
		return;
	if (!peer->has_ended && !inbox_is_full(&peer->inbox))
		events |= EV_READ;
	if (peer->outbox.length > 0)
		events |= EV_WRITE;
	if (peer->outbox.length > 0 && !ev_is_active(&peer->server->on_sweep))
		ev_timer_again(loop, &peer->server->on_sweep);
	if (events == (peer->io.events & (EV_READ | EV_WRITE)) && ev_is_active(&peer->io))
		return;
	ev_io_stop(loop, &peer->io);
	ev_io_set(&peer->io, peer->io.fd, events);
	if (events != 0)
		ev_io_start(loop, &peer->io);
}

static void send_queue(struct varlink_peer *peer)
{
	bool sent_any;

	if (outbox_send(&peer->outbox, peer->io.fd, &sent_any) < 0) {
		peer_close(peer);
		return;
	}
	if (sent_any)
		peer->active_ms = clock_ms();
	arm(peer);
}

static size_t queued(const struct varlink_server *server)
{
	size_t sum = 0;

	for (const struct varlink_peer *peer = server->peers; peer; peer = peer->next)
		sum += peer->outbox.length;
	return sum;
}

/* Who among those that have something to read has read nothing for longest. */
static struct varlink_peer *find_laziest(struct varlink_server *server)
{
	struct varlink_peer *laziest = NULL;

	for (struct varlink_peer *peer = server->peers; peer; peer = peer->next) {
		if (peer->outbox.length > 0 && (!laziest || peer->active_ms < laziest->active_ms))
			laziest = peer;
	}
	return laziest;
}

/* Queues @text. What the socket takes is gone before the next peer's text is made. */
static void enqueue(struct varlink_peer *peer, const char *text)
{
	struct varlink_server *server = peer->server;

	while (queued(server) > ALL_QUEUES_MAX)
		peer_close(find_laziest(server));
	if (peer->is_dead)
		return;
	/* The rest would be a reply to another call. */
	if (outbox_add(&peer->outbox, text) < 0)
		peer_close(peer);
	else
		send_queue(peer);
}

/* --- replies --------------------------------------------------------------------------------- */

/* Its next call may be there already. */
static void end_call(struct varlink_peer *peer)
{
	peer->has_call = false;
	peer->tag = 0;
	if (!peer->is_dead && (inbox_first(&peer->inbox) || peer->has_ended))
		ev_timer_start(peer->server->loop, &peer->server->on_again);
}

void varlink_reply_text(struct varlink_peer *peer, const char *reply)
{
	if (peer->is_dead || !peer->has_call)
		return;
	if (!peer->is_oneway)
		enqueue(peer, reply);
	end_call(peer);
}

/*
 * Prints and sends @reply, which it frees. Without memory the connection ends: an answer that is
 * missing is worse.
 */
static void send_reply(struct varlink_peer *peer, cJSON *reply)
{
	char *text = reply ? cJSON_PrintUnformatted(reply) : NULL;

	cJSON_Delete(reply);
	if (text)
		varlink_reply_text(peer, text);
	else
		peer_close(peer);
	cJSON_free(text);
}

void varlink_reply(struct varlink_peer *peer, const cJSON *parameters)
{
	cJSON *reply = parameters ? cJSON_CreateObject() : NULL;

	if (reply && !cJSON_AddItemReferenceToObject(reply, "parameters", (cJSON *)parameters)) {
		cJSON_Delete(reply);
		reply = NULL;
	}
	send_reply(peer, reply);
}

void varlink_error(struct varlink_peer *peer, const char *name, const char *key, const char *value)
{
	cJSON *reply = cJSON_CreateObject();
	cJSON *parameters = reply ? cJSON_AddObjectToObject(reply, "parameters") : NULL;
	/* A value comes from the peer: what is in it is not known to be UTF-8. */
	char *text = key ? malloc(UTF8_SANITIZED_SIZE(strlen(value))) : NULL;

	if (!parameters || !cJSON_AddStringToObject(reply, "error", name) ||
	    (key &&
	     (!text || !cJSON_AddStringToObject(parameters, key, utf8_sanitize(value, text))))) {
		cJSON_Delete(reply);
		reply = NULL;
	}
	free(text);
	send_reply(peer, reply);
}

void varlink_defer(struct varlink_peer *peer, int tag)
{
	peer->tag = tag;
}

bool varlink_has_room(const struct varlink_peer *peer)
{
	return peer->outbox.length < QUEUE_MAX;
}

bool varlink_push(struct varlink_peer *peer, const char *reply)
{
	if (!varlink_has_room(peer)) {
		peer->missed++;
		return false;
	}
	enqueue(peer, reply);
	return true;
}

uint64_t varlink_take_missed(struct varlink_peer *peer)
{
	uint64_t missed = peer->missed;

	peer->missed = 0;
	return missed;
}

/* --- calls ----------------------------------------------------------------------------------- */

/* Hands the first call on. What is no call is not answered: nothing after it could be trusted. */
static void take_call(struct varlink_peer *peer)
{
	struct varlink_call call;
	int ret = varlink_call_parse(inbox_first(&peer->inbox), &call);

	if (ret < 0) {
		peer_close(peer);
		return;
	}
	inbox_drop(&peer->inbox);
	peer->has_call = true;
	peer->is_oneway = call.is_oneway;
	peer->wants_more = call.wants_more;
	peer->server->on_call(peer->server->arg, peer, &call);
	varlink_call_fini(&call);
}

void peer_take_calls(struct varlink_peer *peer)
{
	int taken = 0;

	while (!peer->is_dead && !peer->has_call && varlink_has_room(peer) &&
	       inbox_first(&peer->inbox)) {
		if (taken++ == CALLS_PER_TURN) {
			ev_timer_start(peer->server->loop, &peer->server->on_again);
			break;
		}
		take_call(peer);
	}
	if (peer->is_dead)
		return;
	/* Nobody reads what is watched for by one that has hung up. */
	if (inbox_is_hopeless(&peer->inbox) ||
	    (peer->has_ended && peer->outbox.length == 0 && !inbox_first(&peer->inbox) &&
	     (!peer->has_call || peer->wants_more)))
		peer_close(peer);
	else
		arm(peer);
}

/* Returns whether the connection still stands. */
static bool receive(struct varlink_peer *peer)
{
	size_t room;
	char *bytes = inbox_room(&peer->inbox, &room);
	ssize_t size;

	/* Without memory: it would be told again and again that there is something to read. */
	if (room == 0)
		return inbox_is_full(&peer->inbox);
	size = recv(peer->io.fd, bytes, room, MSG_DONTWAIT);
	if (size < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
	inbox_filled(&peer->inbox, (size_t)size);
	if (size == 0)
		peer->has_ended = true;
	else
		peer->active_ms = clock_ms();
	return true;
}

static void on_peer(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct varlink_peer *peer = watcher->data;

	(void)loop;
	if ((events & EV_READ) && !receive(peer))
		peer_close(peer);
	if ((events & EV_WRITE) && !peer->is_dead)
		send_queue(peer);
	peer_take_calls(peer);
}

struct varlink_peer *peer_new(struct varlink_server *server, int fd)
{
	struct varlink_peer *peer = calloc(1, sizeof(*peer));

	if (!peer)
		return NULL;
	peer->server = server;
	peer->active_ms = clock_ms();
	ev_io_init(&peer->io, on_peer, fd, EV_READ);
	ev_set_priority(&peer->io, EV_MINPRI);
	peer->io.data = peer;
	ev_io_start(server->loop, &peer->io);
	return peer;
}
