/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * applied.c - what the runtime has acknowledged, and what it still has to be told of
 */
#include "applied.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

static void free_plug(struct plug *plug)
{
	iface_fini(&plug->iface);
	free(plug->error);
	free(plug);
}

void applied_fini(struct applied *applied)
{
	for (size_t i = 0; i < applied->count; i++)
		free_plug(applied->plugs[i]);
	free(applied->plugs);
	route_list_fini(&applied->routes);
	free(applied->routes_error);
	once_fini(&applied->left_out);
	memset(applied, 0, sizeof(*applied));
}

/* Where a new plug with @index belongs: behind all that have this index or a lower one. */
static size_t position_after(const struct applied *applied, uint32_t index)
{
	size_t low = 0, high = applied->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (applied->plugs[middle]->iface.index <= index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct plug *applied_find(const struct applied *applied, uint32_t index)
{
	size_t position = position_after(applied, index);

	/* Of several lives of one index at most the youngest is still lived. */
	while (position > 0 && applied->plugs[position - 1]->iface.index == index) {
		struct plug *plug = applied->plugs[--position];

		if (!plug->is_gone && !plug->is_dropped)
			return plug;
	}
	return NULL;
}

bool applied_has_former(const struct applied *applied, uint32_t index)
{
	size_t position = position_after(applied, index);

	while (position > 0 && applied->plugs[position - 1]->iface.index == index) {
		const struct plug *plug = applied->plugs[--position];

		if (plug->is_gone && plug_is_known(plug))
			return true;
	}
	return false;
}

struct plug *applied_ensure(struct applied *applied, uint32_t index)
{
	struct plug *plug = applied_find(applied, index);
	size_t position = position_after(applied, index);

	if (plug)
		return plug;
	if (array_reserve(&applied->plugs, &applied->capacity, applied->count + 1,
			  sizeof(struct plug *)))
		return NULL;
	plug = calloc(1, sizeof(*plug));
	if (!plug)
		return NULL;
	plug->iface.index = index;
	memmove(&applied->plugs[position + 1], &applied->plugs[position],
		(applied->count - position) * sizeof(struct plug *));
	applied->plugs[position] = plug;
	applied->count++;
	return plug;
}

void plug_mark_gone(struct plug *plug)
{
	plug->is_gone = true;
	/* The removal is another matter than what failed before. */
	retry_reset(&plug->retry);
	free(plug->error);
	plug->error = NULL;
}

void applied_mark_gone(struct applied *applied, uint32_t index)
{
	struct plug *plug = applied_find(applied, index);

	if (plug)
		plug_mark_gone(plug);
}

bool plug_is_known(const struct plug *plug)
{
	return !plug->is_dropped && (plug->state == PLUG_APPLIED || plug->is_unsure);
}

void applied_sweep(struct applied *applied)
{
	size_t kept = 0;

	for (size_t i = 0; i < applied->count; i++) {
		if (applied->plugs[i]->is_dropped)
			free_plug(applied->plugs[i]);
		else
			applied->plugs[kept++] = applied->plugs[i];
	}
	applied->count = kept;
}

void applied_acknowledge(struct applied *applied, struct plug *plug, struct request *request)
{
	switch (request->verb) {
	case VERB_DEL:
		/*
		 * Should the same list be wanted again (a link made anew under its old name), it is
		 * sent.
		 */
		route_list_forget_device(&applied->routes, plug->iface.index);
		plug->is_dropped = true;
		break;
	case VERB_ADD:
	case VERB_UPDATE:
		iface_move(&plug->iface, &request->iface);
		plug->state = PLUG_APPLIED;
		plug->is_unsure = false;
		plug->ready_by_ms = 0;
		plug->warned = 0;
		retry_reset(&plug->retry);
		break;
	case VERB_ROUTES:
		route_list_move(&applied->routes, &request->routes);
		applied->are_routes_unsure = false;
		retry_reset(&applied->routes_retry);
		break;
	case VERB_COUNT:
		break;
	}
	applied_set_error(applied, plug, NULL);
	request_fini(request);
}

void applied_set_error(struct applied *applied, struct plug *plug, const char *text)
{
	char **error = plug ? &plug->error : &applied->routes_error;

	free(*error);
	*error = text ? strdup(text) : NULL;
}

void applied_fail(struct applied *applied, struct plug *plug, struct request *request,
		  bool is_unsure)
{
	if (!plug) {
		applied->are_routes_unsure |= is_unsure;
	} else {
		plug->is_unsure |= is_unsure;
		if (plug->state == PLUG_PENDING)
			iface_move(&plug->iface, &request->iface);
	}
	request_fini(request);
}
