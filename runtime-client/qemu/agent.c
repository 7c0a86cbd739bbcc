/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.c - the QEMU guest agent: what network interfaces a guest has, and commands run in it
 *
 * The port remembers what was sent while nobody listened, and an agent may still be answering
 * somebody who has gone. So a talk begins with guest-sync-delimited (QEMU's
 * qga/qapi-schema.json): a byte 0xff makes the agent forget half a command, and all answers before
 * the one with our number are dropped.
 */
#include "agent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base64.h"
#include "clock.h"
#include "json.h"

/* Between two questions whether a command has ended: most end within some milliseconds. */
#define POLL_FIRST_MS 5
#define POLL_LAST_MS  100

/* How long the first answer may take: who is alive answers at once. */
#define FIRST_ANSWER_MS 5000

static int fail(struct agent *agent, int error)
{
	switch (error) {
	case -ETIMEDOUT:
		return fault_set(agent->fault, error, "the guest agent does not answer in time");
	case -ECONNRESET:
	case -EPIPE:
		return fault_set(agent->fault, error,
				 "QEMU has closed the guest agent's socket: has it ended?");
	case -EBADMSG:
		return fault_set(agent->fault, error, "the guest agent's answer makes no sense");
	default:
		return fault_set_errno(agent->fault, error, "guest agent");
	}
}

static int send_command(struct agent *agent, const char *prefix, const char *command,
			cJSON *arguments)
{
	cJSON *object = cJSON_CreateObject();
	char *line = NULL, *text = NULL;
	int length = -1, ret = -ENOMEM;

	if (object && arguments && cJSON_AddStringToObject(object, "execute", command) &&
	    cJSON_AddItemToObject(object, "arguments", arguments)) {
		arguments = NULL;
		text = cJSON_PrintUnformatted(object);
	}
	if (text)
		length = asprintf(&line, "%s%s\n", prefix, text);
	if (length >= 0) {
		ret = channel_send(&agent->channel, line, (size_t)length, -1, agent->deadline_ms);
		free(line);
	}
	cJSON_free(text);
	cJSON_Delete(arguments);
	cJSON_Delete(object);
	return ret < 0 ? fail(agent, ret) : 0;
}

/* Runs @command, which takes over @arguments; the answer in *@result is the caller's. */
static int call(struct agent *agent, const char *command, cJSON *arguments, cJSON **result)
{
	const char *desc;
	cJSON *answer;
	int ret;

	*result = NULL;
	ret = send_command(agent, "", command, arguments);
	if (ret < 0)
		return ret;
	ret = channel_receive(&agent->channel, agent->deadline_ms, &answer);
	if (ret < 0)
		return fail(agent, ret);
	*result = cJSON_DetachItemFromObjectCaseSensitive(answer, "return");
	desc = json_string(cJSON_GetObjectItemCaseSensitive(answer, "error"), "desc");
	if (!*result && desc)
		ret = fault_set(agent->fault, -EREMOTEIO, "the guest agent refuses %s: %s", command,
				desc);
	else if (!*result)
		ret = fail(agent, -EBADMSG);
	cJSON_Delete(answer);
	return ret;
}

static cJSON *object_with_number(const char *key, double number)
{
	cJSON *object = cJSON_CreateObject();

	if (object && cJSON_AddNumberToObject(object, key, number))
		return object;
	cJSON_Delete(object);
	return NULL;
}

static int synchronise(struct agent *agent)
{
	/* Other than that of anyone who was here before us. */
	uint32_t id = (uint32_t)clock_ms() ^ (uint32_t)getpid() << 16;
	uint32_t answered;
	int ret = send_command(agent, "\xff", "guest-sync-delimited", object_with_number("id", id));

	while (ret == 0) {
		cJSON *answer;
		bool is_ours;

		ret = channel_receive(&agent->channel, agent->deadline_ms, &answer);
		if (ret == -EBADMSG) {
			ret = 0;
			continue;
		}
		if (ret < 0)
			return fail(agent, ret);
		is_ours = json_number(answer, "return", UINT32_MAX, &answered) && answered == id;
		cJSON_Delete(answer);
		if (is_ours)
			return 0;
	}
	return ret;
}

int agent_start(struct agent *agent, int fd, uint64_t deadline_ms, struct fault *fault)
{
	uint64_t first_ms = clock_ms() + FIRST_ANSWER_MS;
	int ret;

	memset(agent, 0, sizeof(*agent));
	channel_attach(&agent->channel, fd);
	agent->deadline_ms = first_ms < deadline_ms ? first_ms : deadline_ms;
	agent->fault = fault;
	ret = synchronise(agent);
	agent->deadline_ms = deadline_ms;
	if (ret < 0)
		agent_close(agent);
	return ret;
}

int agent_open(struct agent *agent, const char *path, uint64_t deadline_ms, struct fault *fault)
{
	struct channel channel;
	int ret = channel_open(&channel, path);

	channel_attach(&agent->channel, -1);
	if (ret < 0)
		return fault_set_errno(fault, ret, "guest agent's socket %s", path);
	return agent_start(agent, channel.fd, deadline_ms, fault);
}

void agent_close(struct agent *agent)
{
	channel_close(&agent->channel);
}

int agent_get_links(struct agent *agent, struct agent_links *links)
{
	cJSON *answer;
	int ret = call(agent, "guest-network-get-interfaces", cJSON_CreateObject(), &answer);

	memset(links, 0, sizeof(*links));
	if (ret < 0)
		return ret;
	ret = agent_parse_links(answer, links);
	cJSON_Delete(answer);
	return ret < 0 ? fail(agent, ret) : 0;
}

static bool add_string(cJSON *array, const char *text)
{
	cJSON *string = cJSON_CreateString(text);

	if (string && cJSON_AddItemToArray(array, string))
		return true;
	cJSON_Delete(string);
	return false;
}

/* sh -c SCRIPT netnsmon ARGUMENTS: what is ours to say is the script, all else is data. */
static cJSON *exec_arguments(const char *script, const char *const *arguments, size_t count,
			     const char *input)
{
	cJSON *object = cJSON_CreateObject();
	char *encoded = base64_encode(input, strlen(input));
	cJSON *array = NULL;
	bool ok;

	ok = object && encoded && cJSON_AddStringToObject(object, "path", "/bin/sh") &&
	     cJSON_AddTrueToObject(object, "capture-output") &&
	     cJSON_AddStringToObject(object, "input-data", encoded);
	if (ok)
		array = cJSON_AddArrayToObject(object, "arg");
	ok = array && add_string(array, "-c") && add_string(array, script) &&
	     add_string(array, "netnsmon");
	for (size_t i = 0; ok && i < count; i++)
		ok = add_string(array, arguments[i]);
	free(encoded);
	if (ok)
		return object;
	cJSON_Delete(object);
	return NULL;
}

static int await_exit(struct agent *agent, uint32_t pid, struct agent_exit *exit)
{
	long poll_ms = POLL_FIRST_MS;

	for (;;) {
		cJSON *answer;
		int ret = call(agent, "guest-exec-status", object_with_number("pid", pid), &answer);

		if (ret < 0)
			return ret;
		ret = agent_parse_exit(answer, exit);
		cJSON_Delete(answer);
		if (ret != -EAGAIN)
			return ret < 0 ? fail(agent, ret) : 0;
		if (clock_ms() >= agent->deadline_ms)
			return fault_set(agent->fault, -ETIMEDOUT,
					 "a command in the guest does not end in time");
		clock_pause(poll_ms);
		poll_ms = poll_ms * 2 < POLL_LAST_MS ? poll_ms * 2 : POLL_LAST_MS;
	}
}

int agent_run(struct agent *agent, const char *script, const char *const *arguments, size_t count,
	      const char *input, struct agent_exit *exit)
{
	cJSON *answer;
	uint32_t pid;
	int ret;

	memset(exit, 0, sizeof(*exit));
	ret = call(agent, "guest-exec", exec_arguments(script, arguments, count, input), &answer);
	if (ret < 0)
		return ret;
	if (json_number(answer, "pid", INT32_MAX, &pid))
		ret = await_exit(agent, pid, exit);
	else
		ret = fail(agent, -EBADMSG);
	cJSON_Delete(answer);
	return ret;
}
