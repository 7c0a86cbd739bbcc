/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * varlink_service.c - answers calls about one monitor: org.netnsmon.Monitor.varlink
 *
 * What costs more than a few microseconds, a look at the namespace or a resync, is put off until
 * enough time has passed since the last one, and done once for all who wait: whoever asks without
 * end gets no more than a small share of a core.
 */
#include "varlink_service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "interface_text.h"
#include "own_memory.h"
#include "varlink_server.h"

#define INTERFACE "org.netnsmon.Monitor"
#define ORG	  "org.varlink.service"

/* A look or a resync takes at most one part in so many of one core, and comes no sooner than … */
#define COST_SHARE	20
#define STATUS_EVERY_MS 100
#define RESYNC_EVERY_MS 1000
#define MEMORY_EVERY_MS 1000

/* What a deferred peer waits for. */
enum tag { TAG_STATUS = 1, TAG_RESYNC, TAG_WATCH };

/* Something that is done for all who wait for it, now and then. */
struct pace {
	ev_timer timer;
	uint64_t every_ms;
	uint64_t next_ms;
};

struct varlink_service {
	struct ev_loop *loop;
	struct service_config config;
	struct varlink_server *server;
	struct pace status;
	struct pace resync;
	uint64_t memory_bytes; /* as it was measured last */
	uint64_t memory_due_ms;
};

static const char org_varlink_service[] =
	"# The Varlink Service Interface is provided by every varlink service. It\n"
	"# describes the service and the interfaces it implements.\n"
	"interface org.varlink.service\n"
	"\n"
	"method GetInfo() -> (\n"
	"  vendor: string,\n"
	"  product: string,\n"
	"  version: string,\n"
	"  url: string,\n"
	"  interfaces: []string\n"
	")\n"
	"\n"
	"method GetInterfaceDescription(interface: string) -> (description: string)\n"
	"\n"
	"error InterfaceNotFound (interface: string)\n"
	"error MethodNotFound (method: string)\n"
	"error MethodNotImplemented (method: string)\n"
	"error InvalidParameter (parameter: string)\n"
	"error PermissionDenied ()\n"
	"error ExpectedMore ()\n";

/* --- org.varlink.service --------------------------------------------------------------------- */

static void get_info(struct varlink_service *service, struct varlink_peer *peer,
		     const struct varlink_call *call)
{
	static const char *const interfaces[] = {ORG, INTERFACE};
	cJSON *info = cJSON_CreateObject();
	cJSON *array = cJSON_CreateStringArray(interfaces, 2);

	(void)service;
	(void)call;
	if (!cJSON_AddStringToObject(info, "vendor", "netnsmon") ||
	    !cJSON_AddStringToObject(info, "product", "netnsmon") ||
	    !cJSON_AddStringToObject(info, "version", NETNSMON_VERSION) ||
	    !cJSON_AddStringToObject(info, "url", "") || !array ||
	    !cJSON_AddItemToObject(info, "interfaces", array)) {
		cJSON_Delete(array);
		cJSON_Delete(info);
		info = NULL;
	}
	varlink_reply(peer, info);
	cJSON_Delete(info);
}

static void get_description(struct varlink_service *service, struct varlink_peer *peer,
			    const struct varlink_call *call)
{
	const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(call->parameters, "interface");
	const char *text = NULL;
	cJSON *reply;

	(void)service;
	if (!cJSON_IsString(wanted)) {
		varlink_error(peer, ORG ".InvalidParameter", "parameter", "interface");
		return;
	}
	if (strcmp(wanted->valuestring, INTERFACE) == 0)
		text = interface_text;
	else if (strcmp(wanted->valuestring, ORG) == 0)
		text = org_varlink_service;
	if (!text) {
		varlink_error(peer, ORG ".InterfaceNotFound", "interface", wanted->valuestring);
		return;
	}
	reply = cJSON_CreateObject();
	varlink_reply(peer, cJSON_AddStringToObject(reply, "description", text) ? reply : NULL);
	cJSON_Delete(reply);
}

/* --- org.netnsmon.Monitor -------------------------------------------------------------------- */

static void fill_view(struct varlink_service *service, struct status_view *view)
{
	uint64_t now_ms = clock_ms();

	if (now_ms >= service->memory_due_ms) {
		service->memory_bytes = own_memory();
		service->memory_due_ms = now_ms + MEMORY_EVERY_MS;
	}
	*view = (struct status_view){
		.sandbox = service->config.sandbox,
		.netns = service->config.netns,
		.netns_inode = service->config.netns_id.inode,
		.pid = (int)getpid(),
		.version = NETNSMON_VERSION,
		.runtime = service->config.runtime,
		.now_realtime = time(NULL),
		.memory_bytes = service->memory_bytes,
	};
	monitor_view(service->config.monitor, view);
}

static void summarize(struct varlink_service *service, struct varlink_peer *peer,
		      const struct varlink_call *call)
{
	cJSON *parameters = cJSON_CreateObject();
	struct status_view view;
	cJSON *monitor;

	(void)call;
	fill_view(service, &view);
	monitor = status_monitor(&view);
	if (!monitor || !cJSON_AddItemToObject(parameters, "monitor", monitor)) {
		cJSON_Delete(monitor);
		cJSON_Delete(parameters);
		parameters = NULL;
	}
	varlink_reply(peer, parameters);
	cJSON_Delete(parameters);
}

/* Puts the call off until the pace allows it. */
static void wait_for(struct varlink_service *service, struct pace *pace, struct varlink_peer *peer,
		     enum tag tag)
{
	uint64_t now_ms = clock_ms();
	uint64_t left_ms = pace->next_ms > now_ms ? pace->next_ms - now_ms : 0;

	varlink_defer(peer, tag);
	if (ev_is_active(&pace->timer))
		return;
	ev_timer_set(&pace->timer, (ev_tstamp)left_ms / 1000., 0.);
	ev_timer_start(service->loop, &pace->timer);
}

/* @cost_ms is what was just done for those who waited. */
static void pace_done(struct pace *pace, uint64_t cost_ms)
{
	uint64_t rest_ms = cost_ms * COST_SHARE;

	pace->next_ms = clock_ms() + (rest_ms > pace->every_ms ? rest_ms : pace->every_ms);
}

static void ask_for_status(struct varlink_service *service, struct varlink_peer *peer,
			   const struct varlink_call *call)
{
	(void)call;
	wait_for(service, &service->status, peer, TAG_STATUS);
}

static void ask_for_resync(struct varlink_service *service, struct varlink_peer *peer,
			   const struct varlink_call *call)
{
	(void)call;
	wait_for(service, &service->resync, peer, TAG_RESYNC);
}

static void on_reply(void *arg, struct varlink_peer *peer)
{
	varlink_reply_text(peer, arg);
}

static void on_look_failed(void *arg, struct varlink_peer *peer)
{
	const int *error = arg;

	varlink_error(peer, INTERFACE ".LookFailed", "reason", strerror(*error));
}

/* The text of the reply with @parameters, which it takes over; NULL: no memory. */
static char *print_reply(cJSON *parameters, bool continues)
{
	cJSON *reply = cJSON_CreateObject();
	char *text = NULL;

	if (parameters && cJSON_AddItemToObject(reply, "parameters", parameters)) {
		if (!continues || cJSON_AddTrueToObject(reply, "continues"))
			text = cJSON_PrintUnformatted(reply);
	} else {
		cJSON_Delete(parameters);
	}
	cJSON_Delete(reply);
	return text;
}

/* Looks once and tells all who have asked. */
static void tell_status(struct varlink_service *service)
{
	struct snapshot snapshot = {0};
	struct status_view view;
	char *text = NULL;
	int error = -monitor_look(service->config.monitor, &snapshot);

	if (error == 0) {
		fill_view(service, &view);
		text = print_reply(status_all(&view, &snapshot), false);
	}
	if (error == 0 && !text)
		error = ENOMEM;
	if (text)
		varlink_server_each(service->server, TAG_STATUS, on_reply, text);
	else
		varlink_server_each(service->server, TAG_STATUS, on_look_failed, &error);
	cJSON_free(text);
	snapshot_fini(&snapshot);
}

static void on_status_due(struct ev_loop *loop, ev_timer *watcher, int events)
{
	struct varlink_service *service = watcher->data;
	uint64_t start_ms = clock_cpu_ms();

	(void)loop;
	(void)events;
	if (varlink_server_has(service->server, TAG_STATUS))
		tell_status(service);
	pace_done(&service->status, clock_cpu_ms() - start_ms);
}

static void on_resync_due(struct ev_loop *loop, ev_timer *watcher, int events)
{
	struct varlink_service *service = watcher->data;
	uint64_t start_ms = clock_cpu_ms();
	char done[] = "{\"parameters\":{}}";

	(void)loop;
	(void)events;
	if (varlink_server_has(service->server, TAG_RESYNC)) {
		varlink_server_each(service->server, TAG_RESYNC, on_reply, done);
		monitor_resync(service->config.monitor);
	}
	pace_done(&service->resync, clock_cpu_ms() - start_ms);
}

/* --- watching -------------------------------------------------------------------------------- */

/* The text of the reply with one event; NULL: no memory. */
static char *print_event(const struct feed_item *item, bool continues)
{
	cJSON *parameters = cJSON_CreateObject();
	struct timespec now;
	cJSON *event;

	clock_gettime(CLOCK_REALTIME, &now);
	event = status_event(item, now.tv_sec, now.tv_nsec);
	if (!event || !cJSON_AddItemToObject(parameters, "event", event)) {
		cJSON_Delete(event);
		cJSON_Delete(parameters);
		return NULL;
	}
	return print_reply(parameters, continues);
}

static void push_event(struct varlink_peer *peer, const struct feed_item *item)
{
	char *text = print_event(item, true);

	if (text)
		varlink_push(peer, text);
	cJSON_free(text);
}

static void on_event(void *arg, struct varlink_peer *peer)
{
	char said[64];
	uint64_t missed = varlink_has_room(peer) ? varlink_take_missed(peer) : 0;

	if (missed > 0) {
		snprintf(said, sizeof(said), "%ju events were left out: read faster",
			 (uintmax_t)missed);
		push_event(peer, &(struct feed_item){
					 .kind = FEED_MISSED, .text = said, .missed = missed});
	}
	varlink_push(peer, arg);
}

static void publish(void *arg, const struct feed_item *item)
{
	struct varlink_service *service = arg;
	bool is_end = item->kind == FEED_END;
	char *text = NULL;

	service->config.feed->is_watched = varlink_server_has(service->server, TAG_WATCH);
	if (service->config.feed->is_watched)
		text = print_event(item, !is_end);
	if (text)
		varlink_server_each(service->server, TAG_WATCH, is_end ? on_reply : on_event, text);
	cJSON_free(text);
}

static void watch(struct varlink_service *service, struct varlink_peer *peer,
		  const struct varlink_call *call)
{
	char text[192];

	if (!call->wants_more) {
		varlink_error(peer, ORG ".ExpectedMore", NULL, NULL);
		return;
	}
	varlink_defer(peer, TAG_WATCH);
	service->config.feed->is_watched = true;
	snprintf(text, sizeof(text), "watching %s", service->config.sandbox);
	push_event(peer, &(struct feed_item){.kind = FEED_WATCHING, .text = text});
}

/* --- dispatch -------------------------------------------------------------------------------- */

static const struct method {
	const char *name;
	const char *parameter; /* the only one that it takes, or NULL */
	void (*run)(struct varlink_service *service, struct varlink_peer *peer,
		    const struct varlink_call *call);
} methods[] = {
	{ORG ".GetInfo", NULL, get_info},
	{ORG ".GetInterfaceDescription", "interface", get_description},
	{INTERFACE ".Summary", NULL, summarize},
	{INTERFACE ".Status", NULL, ask_for_status},
	{INTERFACE ".Watch", NULL, watch},
	{INTERFACE ".Resync", NULL, ask_for_resync},
};

static bool is_in_interface(const char *method, const char *interface)
{
	size_t length = strlen(interface);

	return strncmp(method, interface, length) == 0 && method[length] == '.' &&
	       !strchr(method + length + 1, '.');
}

static void refuse(struct varlink_peer *peer, const struct varlink_call *call)
{
	const char *dot = strrchr(call->method, '.');
	char *interface;

	if (is_in_interface(call->method, ORG) || is_in_interface(call->method, INTERFACE)) {
		varlink_error(peer, ORG ".MethodNotFound", "method", call->method);
		return;
	}
	interface =
		strndup(call->method, dot ? (size_t)(dot - call->method) : strlen(call->method));
	varlink_error(peer, ORG ".InterfaceNotFound", "interface", interface ? interface : "");
	free(interface);
}

/* The name of a parameter that the method does not have, or NULL. */
static const char *find_unknown(const struct method *method, const cJSON *parameters)
{
	const cJSON *parameter;

	cJSON_ArrayForEach(parameter, parameters)
	{
		if (!method->parameter || strcmp(parameter->string, method->parameter) != 0)
			return parameter->string;
	}
	return NULL;
}

static void on_call(void *arg, struct varlink_peer *peer, const struct varlink_call *call)
{
	const struct method *method = methods;
	const struct method *end = methods + sizeof(methods) / sizeof(methods[0]);
	const char *unknown;

	while (method < end && strcmp(method->name, call->method) != 0)
		method++;
	if (method == end) {
		refuse(peer, call);
		return;
	}
	unknown = call->wants_upgrade ? "upgrade" : find_unknown(method, call->parameters);
	if (unknown)
		varlink_error(peer, ORG ".InvalidParameter", "parameter", unknown);
	else
		method->run(arg, peer, call);
}

/* --- life ------------------------------------------------------------------------------------ */

struct varlink_service *varlink_service_open(struct ev_loop *loop, int directory_fd,
					     const struct service_config *config)
{
	struct varlink_service *service = calloc(1, sizeof(*service));
	char name[64];

	if (!service)
		return NULL;
	service->loop = loop;
	service->config = *config;
	snprintf(name, sizeof(name), "netns-%ju-%ju.sock", (uintmax_t)config->netns_id.device,
		 (uintmax_t)config->netns_id.inode);
	service->server = varlink_server_open(loop, directory_fd, name, on_call, service);
	if (!service->server) {
		free(service);
		return NULL;
	}
	ev_init(&service->status.timer, on_status_due);
	ev_init(&service->resync.timer, on_resync_due);
	service->status.timer.data = service;
	service->resync.timer.data = service;
	service->status.every_ms = STATUS_EVERY_MS;
	service->resync.every_ms = RESYNC_EVERY_MS;
	config->feed->publish = publish;
	config->feed->arg = service;
	return service;
}

void varlink_service_close(struct varlink_service *service)
{
	if (!service)
		return;
	feed_say(service->config.feed, FEED_END, "the monitor ends");
	service->config.feed->is_watched = false;
	ev_timer_stop(service->loop, &service->status.timer);
	ev_timer_stop(service->loop, &service->resync.timer);
	varlink_server_close(service->server);
	free(service);
}
