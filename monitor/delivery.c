/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delivery.c - hands one request at a time to the runtime, when there is a slot for it, or prints
 * it
 */
#include "delivery.h"

#include <errno.h>
#include <string.h>

static void on_printable(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct delivery *delivery = watcher->data;
	int ret = printer_continue(&delivery->printer);
	struct call_result result = {.outcome = OUTCOME_DONE};

	(void)events;
	if (ret == 0)
		return;
	ev_io_stop(loop, watcher);
	if (delivery->is_showing) {
		delivery->is_showing = false;
		delivery->on_granted(delivery->arg);
		return;
	}
	if (ret < 0)
		result = (struct call_result){.outcome = OUTCOME_NOT_STARTED, .detail = -ret};
	delivery->on_done(delivery->arg, &result);
}

int delivery_init(struct delivery *delivery, struct ev_loop *loop,
		  const struct delivery_config *config, client_done_fn on_done,
		  void (*on_granted)(void *arg), void *arg)
{
	memset(delivery, 0, sizeof(*delivery));
	delivery->loop = loop;
	delivery->printer = config->printer;
	delivery->on_done = on_done;
	delivery->on_granted = on_granted;
	delivery->arg = arg;
	slots_init(&delivery->slots, loop, config->slots_fd, config->slot_count, on_granted, arg);
	ev_io_init(&delivery->on_printable, on_printable, config->printer.fd, EV_WRITE);
	delivery->on_printable.data = delivery;
	if (config->has_runtime) {
		delivery->client = client_new(loop, &config->client, on_done, arg);
		return delivery->client ? 0 : -ENOMEM;
	}
	return 0;
}

void delivery_fini(struct delivery *delivery)
{
	if (!delivery->loop)
		return;
	delivery_stop_waiting(delivery);
	slots_release(&delivery->slots);
	client_free(delivery->client);
	delivery->client = NULL;
}

int delivery_reserve(struct delivery *delivery)
{
	return slots_acquire(&delivery->slots);
}

void delivery_release(struct delivery *delivery)
{
	slots_release(&delivery->slots);
}

int delivery_start(struct delivery *delivery, const struct request *request)
{
	int ret;

	if (delivery->client)
		return client_call(delivery->client, request);
	ret = printer_start(&delivery->printer, request);
	if (ret == 0)
		ev_io_start(delivery->loop, &delivery->on_printable);
	return ret;
}

void delivery_show(struct delivery *delivery, const struct feed_item *item)
{
	if (printer_is_busy(&delivery->printer) || !printer_wants(item->kind))
		return;
	/* Should it fail, the next request will say so. */
	if (printer_start_event(&delivery->printer, item) == 0) {
		delivery->is_showing = true;
		ev_io_start(delivery->loop, &delivery->on_printable);
	}
}

bool delivery_is_calling(const struct delivery *delivery)
{
	return delivery->client && client_is_busy(delivery->client);
}

bool delivery_is_busy(const struct delivery *delivery)
{
	return delivery_is_calling(delivery) || slots_is_waiting(&delivery->slots) ||
	       printer_is_busy(&delivery->printer);
}

void delivery_stop_waiting(struct delivery *delivery)
{
	if (slots_is_waiting(&delivery->slots))
		slots_release(&delivery->slots);
	ev_io_stop(delivery->loop, &delivery->on_printable);
	delivery->is_showing = false;
	printer_stop(&delivery->printer);
}

void delivery_kill(struct delivery *delivery)
{
	if (delivery->client)
		client_kill(delivery->client);
}
