/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.c - pure: what a monitor knows, as JSON
 *
 * Each function adds to an object and remembers in @is_whole whether all was added, so that memory
 * that is not there needs one look at the end.
 */
#include "status.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "utf8.h"
#include "verdict.h"

/* An object or array in the making. */
struct maker {
	cJSON *json;
	bool *is_whole;
};

static void add_text(const struct maker *to, const char *key, const char *text)
{
	/* Names and what a runtime wrote may be any bytes. */
	size_t size = UTF8_SANITIZED_SIZE(strlen(text));
	char *clean = malloc(size);

	if (!clean || !cJSON_AddStringToObject(to->json, key, utf8_sanitize(text, clean)))
		*to->is_whole = false;
	free(clean);
}

/* JSON's numbers are doubles here: exact to 2^53, which no counter of ours reaches. */
static void add_number(const struct maker *to, const char *key, uint64_t number)
{
	if (!cJSON_AddNumberToObject(to->json, key, (double)number))
		*to->is_whole = false;
}

static void add_bool(const struct maker *to, const char *key, bool is_true)
{
	if (!cJSON_AddBoolToObject(to->json, key, is_true))
		*to->is_whole = false;
}

static void add_time(const struct maker *to, const char *key, int64_t seconds, long nanoseconds)
{
	time_t when = seconds;
	struct tm utc;
	char text[32] = "", whole[48];

	if (gmtime_r(&when, &utc))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
	if (nanoseconds < 0)
		snprintf(whole, sizeof(whole), "%sZ", text);
	else
		snprintf(whole, sizeof(whole), "%s.%03ldZ", text, nanoseconds / 1000000);
	add_text(to, key, whole);
}

/* A moment of the monitor's clock. */
static void add_moment(const struct maker *to, const char *key, const struct status_view *view,
		       uint64_t when_ms)
{
	add_time(to, key, view->now_realtime - (int64_t)((view->now_ms - when_ms) / 1000), -1);
}

static struct maker add_object(const struct maker *to, const char *key)
{
	struct maker made = {cJSON_AddObjectToObject(to->json, key), to->is_whole};

	*to->is_whole &= made.json != NULL;
	return made;
}

static struct maker add_array(const struct maker *to, const char *key)
{
	struct maker made = {cJSON_AddArrayToObject(to->json, key), to->is_whole};

	*to->is_whole &= made.json != NULL;
	return made;
}

static struct maker append_object(const struct maker *to)
{
	struct maker made = {cJSON_CreateObject(), to->is_whole};

	if (!made.json || !cJSON_AddItemToArray(to->json, made.json)) {
		cJSON_Delete(made.json);
		made.json = NULL;
		*to->is_whole = false;
	}
	return made;
}

/* --- the monitor ----------------------------------------------------------------------------- */

static bool is_pending(const struct plug *plug)
{
	if (plug->is_dropped || (plug->is_gone && !plug_is_known(plug)))
		return false;
	return plug->is_gone || plug->is_unsure || plug->retry.failures > 0 ||
	       (plug->state == PLUG_PENDING && !plug->is_refused);
}

static void add_counts(const struct maker *to, const struct applied *applied)
{
	size_t known = 0, pending = 0;

	for (size_t i = 0; i < applied->count; i++) {
		const struct plug *plug = applied->plugs[i];

		known += plug->state == PLUG_APPLIED && !plug->is_dropped;
		pending += is_pending(plug);
	}
	add_number(to, "interfaces_applied", known);
	add_number(to, "interfaces_pending", pending);
	add_number(to, "routes_applied", applied->routes.count);
	add_bool(to, "routes_pending",
		 applied->routes_retry.failures > 0 || applied->are_routes_unsure);
}

static void add_call(const struct maker *to, const struct status_view *view)
{
	struct maker call;

	if (!view->request)
		return;
	call = add_object(to, "call");
	add_text(&call, "verb", dialect_verb_name(view->policy->dialect, view->request->verb));
	if (view->request->verb != VERB_ROUTES)
		add_text(&call, "name", view->request->iface.name);
	add_number(&call, "running_ms", view->now_ms - view->request_ms);
}

static void add_last_error(const struct maker *to, const struct status_view *view)
{
	struct maker error;

	if (!view->calls->last_error)
		return;
	error = add_object(to, "last_error");
	add_moment(&error, "time", view, view->calls->last_error_ms);
	add_text(&error, "text", view->calls->last_error);
}

static void add_counters(const struct maker *to, const struct status_view *view)
{
	struct maker counters = add_object(to, "counters");
	struct maker requests;

	add_number(&counters, "events", view->events);
	add_number(&counters, "overruns", view->overruns);
	add_number(&counters, "snapshots", view->snapshots);
	add_number(&counters, "resyncs", view->resyncs);
	add_number(&counters, "retries", view->calls->retries);
	requests = add_array(&counters, "requests");
	for (int verb = 0; verb < VERB_COUNT; verb++) {
		const struct call_counters *ended = &view->calls->by_verb[verb];
		struct maker row;

		if (!dialect_has_verb(view->policy->dialect, (enum verb)verb))
			continue;
		row = append_object(&requests);
		add_text(&row, "verb", dialect_verb_name(view->policy->dialect, (enum verb)verb));
		add_number(&row, "done", ended->done);
		add_number(&row, "failed", ended->failed);
		add_number(&row, "timed_out", ended->timed_out);
		add_number(&row, "runtime_ms", ended->runtime_ms);
	}
}

static void add_monitor(const struct maker *to, const struct status_view *view)
{
	static const char *const states[] = {"starting", "watching", "waiting", "calling",
					     "stopping"};
	char netns[48];

	static_assert(sizeof(states) / sizeof(states[0]) == STATUS_STATE_COUNT, "each has a name");
	snprintf(netns, sizeof(netns), "net:[%ju]", (uintmax_t)view->netns_inode);
	add_text(to, "sandbox", view->sandbox);
	add_text(to, "netns", view->netns ? view->netns : netns);
	add_number(to, "netns_inode", view->netns_inode);
	add_number(to, "pid", (uint64_t)view->pid);
	add_text(to, "version", view->version);
	add_text(to, "dialect", view->policy->dialect->name);
	add_text(to, "runtime", view->runtime);
	add_moment(to, "started", view, view->started_ms);
	add_text(to, "state", states[view->state]);
	add_counts(to, view->applied);
	add_call(to, view);
	add_last_error(to, view);
	add_number(to, "memory_bytes", view->memory_bytes);
	add_counters(to, view);
}

/* --- its links and routes -------------------------------------------------------------------- */

static void add_retry(const struct maker *to, const struct status_view *view,
		      const struct retry *retry, const char *error)
{
	if (retry->failures == 0 && !retry->is_resting)
		return;
	add_number(to, "failures", retry->failures + retry->is_resting);
	if (!retry->is_resting)
		add_number(to, "next_try_ms",
			   retry->next_ms > view->now_ms ? retry->next_ms - view->now_ms : 0);
	if (error)
		add_text(to, "last_error", error);
}

static void add_addresses(const struct maker *to, const struct iface *iface)
{
	struct maker addresses = add_array(to, "addresses");

	for (size_t i = 0; i < iface->address_count; i++) {
		const struct iface_address *address = &iface->addresses[i];
		char text[IP_PREFIX_TEXT_SIZE];
		cJSON *item = cJSON_CreateString(
			ip_format_prefix(&address->ip, address->family, address->prefix_len, text));

		if (!item || !cJSON_AddItemToArray(addresses.json, item)) {
			cJSON_Delete(item);
			*to->is_whole = false;
		}
	}
}

static void add_link(const struct maker *to, const struct status_view *view,
		     const struct iface *iface, const struct plug *plug, enum verdict verdict,
		     const char *reason)
{
	struct maker link = append_object(to);
	char mac[IFACE_MAC_TEXT_SIZE];

	add_number(&link, "index", iface->index);
	add_text(&link, "name", iface->name);
	add_text(&link, "kind", iface->kind);
	add_text(&link, "mac", iface_format_mac(iface, mac));
	add_number(&link, "mtu", iface->mtu);
	add_addresses(&link, iface);
	add_text(&link, "verdict", verdict_name(verdict));
	add_text(&link, "reason", reason);
	if (!plug)
		return;
	if (plug->state == PLUG_APPLIED && !plug->is_gone && plug->since_ms != 0)
		add_moment(&link, "since", view, plug->since_ms);
	add_retry(&link, view, &plug->retry, plug->error);
}

static void add_links(const struct maker *to, const struct status_view *view,
		      const struct snapshot *snapshot)
{
	struct maker links = add_array(to, "links");
	char reason[VERDICT_REASON_SIZE];
	size_t told = 0;

	for (; told < snapshot->link_count && told < STATUS_LINKS_MAX; told++) {
		const struct link *link = &snapshot->links[told];
		const struct plug *plug = applied_find(view->applied, link->index);
		enum verdict verdict = verdict_of_link(view->policy, snapshot, link, plug, reason);
		struct iface iface;

		if (filter_iface(view->policy, snapshot, link, NULL, &iface)) {
			*to->is_whole = false;
			return;
		}
		add_link(&links, view, &iface, plug, verdict, reason);
		iface_fini(&iface);
	}
	add_number(to, "links_left_out", snapshot->link_count - told);
	for (size_t i = 0; i < view->applied->count; i++) {
		const struct plug *plug = view->applied->plugs[i];

		if (plug->is_gone && plug_is_known(plug) && told++ < STATUS_LINKS_MAX)
			add_link(&links, view, &plug->iface, plug, verdict_of_gone(plug, reason),
				 reason);
	}
}

static void add_routes(const struct maker *to, const struct status_view *view)
{
	const struct applied *applied = view->applied;
	const struct retry *retry = &applied->routes_retry;
	bool is_late = retry->failures > 0 || retry->is_resting || applied->are_routes_unsure;
	struct maker routes = add_object(to, "routes");
	struct maker left_out;

	add_number(&routes, "applied", applied->routes.count);
	add_bool(&routes, "pending", is_late && !retry->is_resting);
	if (retry->is_resting)
		add_text(&routes, "reason",
			 "the runtime refuses the list, given up until it changes");
	else
		add_text(&routes, "reason",
			 is_late ? "the runtime has an older list" : "the runtime has this list");
	add_retry(&routes, view, retry, applied->routes_error);
	left_out = add_array(&routes, "left_out");
	for (size_t i = 0; i < applied->census.count; i++) {
		const struct route_census_row *row = &applied->census.rows[i];
		struct maker item = append_object(&left_out);
		char dest[IP_PREFIX_TEXT_SIZE];

		add_text(&item, "reason", row->why);
		add_number(&item, "count", row->count);
		add_text(&item, "example",
			 ip_format_prefix(&row->dest, row->family, row->prefix_len, dest));
	}
}

/* --- whole objects --------------------------------------------------------------------------- */

static cJSON *finish(const struct maker *maker)
{
	if (*maker->is_whole)
		return maker->json;
	cJSON_Delete(maker->json);
	return NULL;
}

cJSON *status_monitor(const struct status_view *view)
{
	bool is_whole;
	struct maker maker = {cJSON_CreateObject(), &is_whole};

	is_whole = maker.json != NULL;
	add_monitor(&maker, view);
	return finish(&maker);
}

cJSON *status_all(const struct status_view *view, const struct snapshot *snapshot)
{
	bool is_whole;
	struct maker maker = {cJSON_CreateObject(), &is_whole};
	struct maker monitor;

	is_whole = maker.json != NULL;
	monitor = add_object(&maker, "monitor");
	add_monitor(&monitor, view);
	add_links(&maker, view, snapshot);
	add_routes(&maker, view);
	return finish(&maker);
}

cJSON *status_event(const struct feed_item *item, int64_t seconds, long nanoseconds)
{
	bool is_whole;
	struct maker maker = {cJSON_CreateObject(), &is_whole};

	is_whole = maker.json != NULL;
	add_time(&maker, "time", seconds, nanoseconds);
	add_text(&maker, "kind", feed_kind_name(item->kind));
	add_text(&maker, "text", item->text);
	if (item->verb)
		add_text(&maker, "verb", item->verb);
	if (item->name)
		add_text(&maker, "name", item->name);
	if (item->index != 0)
		add_number(&maker, "index", item->index);
	if (item->kind == FEED_RESULT) {
		add_bool(&maker, "done", item->is_done);
		add_number(&maker, "elapsed_ms", item->elapsed_ms);
		if (item->next_try_ms > 0)
			add_number(&maker, "next_try_ms", item->next_try_ms);
	}
	if (item->kind == FEED_MISSED)
		add_number(&maker, "missed", item->missed);
	return finish(&maker);
}
