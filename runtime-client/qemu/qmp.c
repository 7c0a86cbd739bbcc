/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qmp.c - QEMU's machine protocol: one command at a time, and the end of a device
 *
 * QEMU's docs/interop/qmp-spec: after a greeting and qmp_capabilities each command is answered, in
 * order, by "return" or "error"; in between there may be events.
 */
#include "qmp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json.h"

/* What the socket did, in words. */
static int fail(struct qmp *qmp, int error)
{
	switch (error) {
	case -ETIMEDOUT:
		return fault_set(qmp->fault, error, "QEMU does not answer in time");
	case -ECONNRESET:
	case -EPIPE:
		return fault_set(qmp->fault, error,
				 "QEMU has closed its QMP socket: has it ended?");
	case -EBADMSG:
		return fault_set(qmp->fault, error, "what answers at the QMP socket is not QMP");
	default:
		return fault_set_errno(qmp->fault, error, "QMP socket");
	}
}

static void note_event(struct qmp *qmp, const cJSON *object)
{
	const char *event = json_string(object, "event");
	const cJSON *data = cJSON_GetObjectItemCaseSensitive(object, "data");
	const char *device = json_string(data, "device");

	if (!event || !device || !qmp->watched[0] || strcmp(device, qmp->watched) != 0)
		return;
	if (strcmp(event, "DEVICE_DELETED") == 0)
		qmp->is_deleted = true;
	/* QEMU 6.2 and later; older ones say it of memory only. */
	if (strcmp(event, "DEVICE_UNPLUG_GUEST_ERROR") == 0)
		qmp->is_refused = true;
}

/* Waits for what is not an event. */
static int await_answer(struct qmp *qmp, cJSON **answer)
{
	int ret;

	while ((ret = channel_receive(&qmp->channel, qmp->deadline_ms, answer)) == 0) {
		if (!cJSON_HasObjectItem(*answer, "event"))
			return 0;
		note_event(qmp, *answer);
		cJSON_Delete(*answer);
	}
	return fail(qmp, ret);
}

static int note_error(struct qmp *qmp, const char *command, const cJSON *error)
{
	const char *class = json_string(error, "class");
	const char *desc = json_string(error, "desc");

	snprintf(qmp->error_class, sizeof(qmp->error_class), "%s", class ? class : "");
	snprintf(qmp->error_desc, sizeof(qmp->error_desc), "%s", desc ? desc : "");
	return fault_set(qmp->fault, -EREMOTEIO, "QEMU refuses %s: %s", command, qmp->error_desc);
}

static char *print_command(const char *command, cJSON *arguments)
{
	cJSON *object = cJSON_CreateObject();
	char *text = NULL;

	if (object && cJSON_AddStringToObject(object, "execute", command) &&
	    cJSON_AddItemToObject(object, "arguments", arguments)) {
		arguments = NULL;
		text = cJSON_PrintUnformatted(object);
	}
	cJSON_Delete(arguments);
	cJSON_Delete(object);
	return text;
}

static int send_command(struct qmp *qmp, const char *command, cJSON *arguments, int passed_fd)
{
	char *text = arguments ? print_command(command, arguments) : NULL;
	int ret;

	if (!text)
		return fault_set_errno(qmp->fault, -ENOMEM, "%s", command);
	ret = channel_send(&qmp->channel, text, strlen(text), passed_fd, qmp->deadline_ms);
	cJSON_free(text);
	return ret < 0 ? fail(qmp, ret) : 0;
}

int qmp_call(struct qmp *qmp, const char *command, cJSON *arguments, int passed_fd, cJSON **result)
{
	cJSON *answer = NULL, *value;
	int ret = send_command(qmp, command, arguments, passed_fd);

	if (result)
		*result = NULL;
	if (ret == 0)
		ret = await_answer(qmp, &answer);
	if (ret < 0)
		return ret;
	value = cJSON_DetachItemFromObjectCaseSensitive(answer, "return");
	if (!value && cJSON_HasObjectItem(answer, "error"))
		ret = note_error(qmp, command, cJSON_GetObjectItemCaseSensitive(answer, "error"));
	else if (!value)
		ret = fail(qmp, -EBADMSG);
	cJSON_Delete(answer);
	if (result)
		*result = value;
	else
		cJSON_Delete(value);
	return ret;
}

/* The greeting comes at once, unless another client is being served. */
static int greet(struct qmp *qmp, uint64_t until_ms)
{
	cJSON *greeting;
	int ret = channel_receive(&qmp->channel, until_ms, &greeting);
	bool is_qmp;

	if (ret == -ETIMEDOUT)
		return fault_set(qmp->fault, -EBUSY,
				 "the QMP socket is busy: no greeting, another client is there");
	if (ret < 0)
		return fail(qmp, ret);
	is_qmp = cJSON_HasObjectItem(greeting, "QMP");
	cJSON_Delete(greeting);
	if (!is_qmp)
		return fail(qmp, -EBADMSG);
	return qmp_call(qmp, "qmp_capabilities", cJSON_CreateObject(), -1, NULL);
}

int qmp_start(struct qmp *qmp, int fd, uint64_t greeting_ms, uint64_t deadline_ms,
	      struct fault *fault)
{
	uint64_t until_ms = clock_ms() + greeting_ms;
	int ret;

	memset(qmp, 0, sizeof(*qmp));
	channel_attach(&qmp->channel, fd);
	qmp->fault = fault;
	qmp->deadline_ms = deadline_ms;
	ret = greet(qmp, until_ms < deadline_ms ? until_ms : deadline_ms);
	if (ret < 0)
		qmp_close(qmp);
	return ret;
}

int qmp_open(struct qmp *qmp, const char *path, uint32_t greeting_ms, uint64_t deadline_ms,
	     struct fault *fault)
{
	struct channel channel;
	int ret = channel_open(&channel, path);

	channel_attach(&qmp->channel, -1);
	if (ret == -EAGAIN)
		return fault_set(fault, -EBUSY, "the QMP socket is busy: others wait for it too");
	if (ret < 0)
		return fault_set_errno(fault, ret, "QMP socket %s", path);
	return qmp_start(qmp, channel.fd, greeting_ms, deadline_ms, fault);
}

void qmp_close(struct qmp *qmp)
{
	channel_close(&qmp->channel);
}

void qmp_watch(struct qmp *qmp, const char *id)
{
	snprintf(qmp->watched, sizeof(qmp->watched), "%s", id);
	qmp->is_deleted = false;
	qmp->is_refused = false;
}

int qmp_await_deleted(struct qmp *qmp, uint64_t until_ms)
{
	while (!qmp->is_deleted && !qmp->is_refused) {
		cJSON *object;
		int ret = channel_receive(&qmp->channel, until_ms, &object);

		if (ret == -ETIMEDOUT)
			return ret;
		if (ret < 0)
			return fail(qmp, ret);
		note_event(qmp, object);
		cJSON_Delete(object);
	}
	return qmp->is_deleted ? 0 : -EBUSY;
}
