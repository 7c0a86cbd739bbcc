/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delivery.h - hands one request at a time to the runtime, when there is a slot for it, or prints
 * it
 */
#ifndef NETNSMON_DELIVERY_H
#define NETNSMON_DELIVERY_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "client.h"
#include "feed.h"
#include "printer.h"
#include "request.h"
#include "slots.h"

struct delivery_config {
	bool has_runtime; /* else requests are printed */
	struct client_config client;
	struct printer printer;
	int slots_fd;	     /* directory of the slots; not owned */
	uint32_t slot_count; /* 0: calls are not limited */
};

struct delivery {
	struct ev_loop *loop;
	struct client *client; /* NULL: requests are printed */
	struct printer printer;
	struct slots slots;
	ev_io on_printable;
	bool is_showing; /* what is printed is an event, no request */
	void (*on_granted)(void *arg);
	client_done_fn on_done;
	void *arg;
};

/*
 * @on_done is told how a request ended that did not end at once, @on_granted that what was waited
 * for is there, the slot or the printer; both get @arg, from @loop, which must be the default one.
 * Returns 0 or -ENOMEM.
 */
int delivery_init(struct delivery *delivery, struct ev_loop *loop,
		  const struct delivery_config *config, client_done_fn on_done,
		  void (*on_granted)(void *arg), void *arg);

/* Frees what it owns. A running child is left alone. One that is all zero is harmless. */
void delivery_fini(struct delivery *delivery);

/*
 * Asks for leave to deliver a request. Returns 1: there it is, until delivery_release(); 0: it is
 * waited for, and on_granted will be called; or a negative errno.
 */
int delivery_reserve(struct delivery *delivery);

void delivery_release(struct delivery *delivery);

/*
 * Delivers @request, which must stay as it is until the end. Returns 1: it has been delivered; 0:
 * on_done will be called; or a negative errno: it could not be.
 */
int delivery_start(struct delivery *delivery, const struct request *request);

/*
 * Without a runtime: prints what happened, if it is worth a line to a person. One that comes while
 * something is still being printed is left out.
 */
void delivery_show(struct delivery *delivery, const struct feed_item *item);

/* Whether a runtime call runs. */
bool delivery_is_calling(const struct delivery *delivery);

/* Whether a request or a slot is waited for. */
bool delivery_is_busy(const struct delivery *delivery);

/* Waits for no slot, nor for whoever reads what is printed, any more: on_done will not be called.
 */
void delivery_stop_waiting(struct delivery *delivery);

/* Ends the runtime call that runs, without waiting for it. */
void delivery_kill(struct delivery *delivery);

#endif
