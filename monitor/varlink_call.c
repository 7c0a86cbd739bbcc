/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * varlink_call.c - pure: one method call of the varlink protocol (varlink.org) as it came in
 */
#include "varlink_call.h"

#include <errno.h>
#include <string.h>

/* cJSON reads nested values by recursion: a stack that has once grown stays resident. */
#define DEPTH_MAX 16

/* Whether brackets that are not in strings are nested no deeper than is read. */
static bool is_shallow(const char *text)
{
	bool is_string = false;
	int depth = 0;

	for (; *text && depth <= DEPTH_MAX; text++) {
		if (is_string && *text == '\\' && text[1])
			text++;
		else if (*text == '"')
			is_string = !is_string;
		else if (!is_string && (*text == '{' || *text == '['))
			depth++;
		else if (!is_string && (*text == '}' || *text == ']'))
			depth--;
	}
	return depth <= DEPTH_MAX;
}

/* Reads a flag that may be left out. Returns whether it is one. */
static bool read_flag(const cJSON *json, const char *name, bool *flag)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

	*flag = cJSON_IsTrue(item);
	return !item || cJSON_IsBool(item) || cJSON_IsNull(item);
}

static bool read_call(struct varlink_call *call)
{
	const cJSON *method = cJSON_GetObjectItemCaseSensitive(call->json, "method");
	const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(call->json, "parameters");

	if (!cJSON_IsObject(call->json) || !cJSON_IsString(method))
		return false;
	if (parameters && !cJSON_IsObject(parameters) && !cJSON_IsNull(parameters))
		return false;
	call->method = method->valuestring;
	call->parameters = cJSON_IsObject(parameters) ? parameters : NULL;
	return read_flag(call->json, "oneway", &call->is_oneway) &&
	       read_flag(call->json, "more", &call->wants_more) &&
	       read_flag(call->json, "upgrade", &call->wants_upgrade);
}

int varlink_call_parse(const char *text, struct varlink_call *call)
{
	memset(call, 0, sizeof(*call));
	if (!is_shallow(text))
		return -EBADMSG;
	/* Nothing but blanks may follow. Without memory it fails in the same way. */
	call->json = cJSON_ParseWithOpts(text, NULL, true);
	if (!call->json)
		return -EBADMSG;
	if (read_call(call))
		return 0;
	varlink_call_fini(call);
	return -EBADMSG;
}

void varlink_call_fini(struct varlink_call *call)
{
	cJSON_Delete(call->json);
	memset(call, 0, sizeof(*call));
}
