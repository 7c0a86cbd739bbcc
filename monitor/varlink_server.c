/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * varlink_server.c - a socket in the run directory on which method calls come in
 *
 *   connections        VARLINK_PEERS_MAX; one more takes the place of the one silent for longest
 *   answers not read   for STALL_MS: the connection is closed
 *
 * What one connection may cost is in varlink_peer.c. Without any there is the listening socket, a
 * descriptor in epoll, and nothing else.
 */
#include "varlink_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"
#include "trim.h"
#include "varlink_peer.h"

#define BACKLOG		 64
#define ACCEPTS_PER_TURN 16
#define STALL_MS	 20000

/* How often it is looked for stalled peers while any has something to read. */
#define SWEEP_S 5.

/* Without a free descriptor a connection stays in the backlog: then this long. */
#define ACCEPT_PAUSE_S 1.

/* Frees dead peers; nobody may be walking through the list. */
static void reap(struct varlink_server *server)
{
	struct varlink_peer **link = &server->peers;
	size_t before = server->count;

	while (*link) {
		struct varlink_peer *peer = *link;

		if (!peer->is_dead) {
			link = &peer->next;
			continue;
		}
		*link = peer->next;
		free(peer);
		server->count--;
	}
	/* What a crowd has left on the heap goes back to the system. */
	if (before > 0 && server->count == 0) {
		ev_timer_stop(server->loop, &server->on_sweep);
		trim_memory();
	}
}

bool varlink_server_has(const struct varlink_server *server, int tag)
{
	for (const struct varlink_peer *peer = server->peers; peer; peer = peer->next) {
		if (peer->tag == tag)
			return true;
	}
	return false;
}

void varlink_server_each(struct varlink_server *server, int tag,
			 void (*fn)(void *arg, struct varlink_peer *peer), void *arg)
{
	for (struct varlink_peer *peer = server->peers; peer; peer = peer->next) {
		if (peer->tag == tag)
			fn(arg, peer);
	}
}

static void on_again(struct ev_loop *loop, ev_timer *watcher, int events)
{
	struct varlink_server *server = watcher->data;

	(void)loop;
	(void)events;
	reap(server);
	for (struct varlink_peer *peer = server->peers; peer; peer = peer->next)
		peer_take_calls(peer);
}

static void on_sweep(struct ev_loop *loop, ev_timer *watcher, int events)
{
	struct varlink_server *server = watcher->data;
	uint64_t now_ms = clock_ms();
	bool is_needed = false;

	(void)events;
	for (struct varlink_peer *peer = server->peers; peer; peer = peer->next) {
		if (peer->outbox.length == 0)
			continue;
		if (now_ms - peer->active_ms >= STALL_MS)
			peer_close(peer);
		else
			is_needed = true;
	}
	if (!is_needed)
		ev_timer_stop(loop, watcher);
}

/* --- connections ----------------------------------------------------------------------------- */

/* The one that is missed least: idle rather than waiting for an answer, then silent for longest. */
static struct varlink_peer *find_least(struct varlink_server *server)
{
	struct varlink_peer *least = server->peers;

	for (struct varlink_peer *peer = server->peers; peer; peer = peer->next) {
		if (peer->has_call != least->has_call ? least->has_call
						      : peer->active_ms < least->active_ms)
			least = peer;
	}
	return least;
}

static void make_room(struct varlink_server *server)
{
	reap(server);
	if (server->count == 0)
		return;
	peer_close(find_least(server));
	reap(server);
}

static void add_peer(struct varlink_server *server, int fd)
{
	struct varlink_peer **last = &server->peers;

	if (server->count >= VARLINK_PEERS_MAX)
		make_room(server);
	/* Behind the others, so that among equally silent ones the oldest goes first. */
	while (*last)
		last = &(*last)->next;
	*last = peer_new(server, fd);
	if (*last)
		server->count++;
	else
		close(fd);
}

static void on_connection(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct varlink_server *server = watcher->data;

	(void)events;
	for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
		int fd = accept4(watcher->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			add_peer(server, fd);
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
			   errno == ENOBUFS) {
			/* The descriptors are needed for calls: ours go first. */
			make_room(server);
			ev_io_stop(loop, watcher);
			ev_timer_again(loop, &server->on_pause);
			return;
		} else if (errno != ECONNABORTED && errno != EINTR) {
			return;
		}
	}
}

static void on_pause(struct ev_loop *loop, ev_timer *watcher, int events)
{
	struct varlink_server *server = watcher->data;

	(void)events;
	ev_timer_stop(loop, watcher);
	ev_io_start(loop, &server->on_connection);
}

/* --- life ------------------------------------------------------------------------------------ */

/* The directory may be anywhere, and an address has room for 107 bytes only. */
static void make_address(struct sockaddr_un *address, int directory_fd, const char *name)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%s", directory_fd,
		 name);
}

/*
 * A socket gets its name only when it listens: one that refuses connections is one whose owner is
 * gone. Returns a descriptor or a negative errno.
 */
static int listen_at(int directory_fd, const char *name)
{
	char unfinished[72];
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int ret = 0;

	if (fd < 0)
		return -errno;
	snprintf(unfinished, sizeof(unfinished), "%s.new", name);
	make_address(&address, directory_fd, unfinished);
	unlinkat(directory_fd, unfinished, 0);
	/* The mode of an unbound socket is that of the file it will be bound to. */
	if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, BACKLOG) < 0 || renameat(directory_fd, unfinished, directory_fd, name) < 0)
		ret = -errno;
	if (ret == 0)
		return fd;
	unlinkat(directory_fd, unfinished, 0);
	close(fd);
	return ret;
}

struct varlink_server *varlink_server_open(struct ev_loop *loop, int directory_fd, const char *name,
					   varlink_call_fn on_call, void *arg)
{
	struct varlink_server *server = calloc(1, sizeof(*server));
	int fd;

	if (!server)
		return NULL;
	fd = listen_at(directory_fd, name);
	if (fd < 0) {
		free(server);
		errno = -fd;
		return NULL;
	}
	server->loop = loop;
	server->directory_fd = directory_fd;
	server->on_call = on_call;
	server->arg = arg;
	snprintf(server->name, sizeof(server->name), "%s", name);
	ev_io_init(&server->on_connection, on_connection, fd, EV_READ);
	ev_set_priority(&server->on_connection, EV_MINPRI);
	ev_init(&server->on_pause, on_pause);
	ev_timer_init(&server->on_again, on_again, 0., 0.);
	ev_init(&server->on_sweep, on_sweep);
	server->on_pause.repeat = ACCEPT_PAUSE_S;
	server->on_sweep.repeat = SWEEP_S;
	server->on_connection.data = server;
	server->on_pause.data = server;
	server->on_again.data = server;
	server->on_sweep.data = server;
	ev_io_start(loop, &server->on_connection);
	return server;
}

void varlink_server_close(struct varlink_server *server)
{
	if (!server)
		return;
	unlinkat(server->directory_fd, server->name, 0);
	ev_io_stop(server->loop, &server->on_connection);
	close(server->on_connection.fd);
	for (struct varlink_peer *peer = server->peers; peer; peer = peer->next)
		peer_close(peer);
	reap(server);
	ev_timer_stop(server->loop, &server->on_pause);
	ev_timer_stop(server->loop, &server->on_again);
	ev_timer_stop(server->loop, &server->on_sweep);
	free(server);
}
