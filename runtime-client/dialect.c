/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dialect.c - how one kind of runtime is spoken to
 *
 * plain is for runtimes written for this program: they can be told everything.
 *
 * kata1 is Kata Containers 1.x (cli/network.go, virtcontainers/network.go, the agent's network.go):
 * no update of an interface, routes without metric or next hops, a list that fails as a whole
 * at the first bad route, and hot-plug for veth and tap links only. A tun device in tap mode is
 * sent as "tap": for "tuntap" Kata's createEndpoint() wants the link itself and for "tun" it has no
 * endpoint.
 */
#include "dialect.h"

#include <string.h>

static const struct dialect_kind kata1_kinds[] = {
	{"veth", false, "veth"},
	{"tun", true, "tap"},
	{NULL, false, NULL},
};

static const struct dialect_answer kata1_answers[] = {
	{"Container ID (", ") does not exist", ANSWER_UNKNOWN},
	{"container ", " is not running", ANSWER_NOT_YET},
	{"file exists", NULL, ANSWER_HOPELESS},
	{"not present on bridge", NULL, ANSWER_HOPELESS},
	{"does not support Hot attach", NULL, ANSWER_HOPELESS},
	{"Unsupported network interface", NULL, ANSWER_HOPELESS},
	{NULL, NULL, ANSWER_OTHER},
};

static const struct dialect dialects[] = {
	{
		.name = "plain",
		.verbs =
			{
				[VERB_ADD] = {"add-network"},
				[VERB_DEL] = {"del-network"},
				[VERB_UPDATE] = {"update-network"},
				[VERB_ROUTES] = {"update-route"},
			},
		.timeout_ms = 30000,
		.has_full_routes = true,
		.has_index = true,
	},
	{
		.name = "kata1",
		.verbs =
			{
				[VERB_ADD] = {"kata-network", "add-iface"},
				[VERB_DEL] = {"kata-network", "del-iface"},
				[VERB_ROUTES] = {"kata-network", "update-routes"},
			},
		/*
		 * With the shim Kata names the shim itself, which is no command line: each call
		 * would exit with 1.
		 */
		.no_runtime = "containerd-shim-*",
		.kinds = kata1_kinds,
		.answers = kata1_answers,
		/*
		 * The agent's own limit is 60 s and locks come on top; a call that is cut leaves a
		 * mess.
		 */
		.timeout_ms = 120000,
		.runs_in_sandbox = true,
		.dies_with_monitor = true,
		.has_raw_flags = true,
		.scans_addressed = true,
		.moves_macvtap = true,
		.finds_by_name = true,
		.fails_midway = true,
	},
};

#define DIALECT_COUNT (sizeof(dialects) / sizeof(dialects[0]))

const struct dialect *dialect_find(const char *name)
{
	for (size_t i = 0; i < DIALECT_COUNT; i++) {
		if (strcmp(dialects[i].name, name) == 0)
			return &dialects[i];
	}
	return NULL;
}

const char *dialect_names(void)
{
	return "plain|kata1";
}

bool dialect_has_verb(const struct dialect *dialect, enum verb verb)
{
	return dialect->verbs[verb][0] != NULL;
}

const char *dialect_verb_name(const struct dialect *dialect, enum verb verb)
{
	const char *name = "none";

	for (size_t i = 0; i < DIALECT_VERB_WORDS && dialect->verbs[verb][i]; i++)
		name = dialect->verbs[verb][i];
	return name;
}

const char *dialect_link_type(const struct dialect *dialect, const char *kind, bool has_mac)
{
	if (!dialect->kinds)
		return kind;
	for (const struct dialect_kind *row = dialect->kinds; row->kind; row++) {
		if (strcmp(row->kind, kind) == 0 && (has_mac || !row->needs_mac))
			return row->link_type;
	}
	return NULL;
}

enum answer dialect_answer(const struct dialect *dialect, const char *output, size_t size)
{
	const struct dialect_answer *row = dialect->answers;

	for (; row && row->text; row++) {
		if (memmem(output, size, row->text, strlen(row->text)) &&
		    (!row->more_text ||
		     memmem(output, size, row->more_text, strlen(row->more_text))))
			return row->answer;
	}
	return ANSWER_OTHER;
}
