/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_session.c - a whole session of any bytes: from datagrams to requests
 *
 * The input is a recording. What it adds to is one snapshot; whenever a dump ends in it a round is
 * run over what is there by then, and calls fail as the bytes say. Whatever they say: only what is
 * pending is added, only what is known is removed or updated, and once all calls succeed the same
 * state asks for nothing any more.
 */
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "hint.h"
#include "nlparse.h"
#include "reconcile.h"
#include "recording.h"

#define STEPS_MAX 10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct snapshot_limits limits = {64, 256};

struct session {
	struct policy policy;
	struct applied applied;
	struct snapshot snapshot;
	struct nexthop_table nexthops;
	uint64_t now_ms;
	uint32_t fate;	 /* the bits of each length and type, mixed */
	bool is_over;	 /* the state is only collected anew, and all calls succeed */
	size_t requests; /* of the last round */
};

static void say_nothing(void *arg, bool is_warning, const char *text)
{
	(void)arg;
	(void)is_warning;
	if (!text[0])
		abort();
}

static const struct notes notes = {.say = say_nothing};

static void check(const struct request *request, const struct plug *plug)
{
	if (request->verb == VERB_ROUTES ? plug != NULL : plug == NULL)
		abort();
	if (request->verb == VERB_ADD && (plug->state != PLUG_PENDING || plug->is_gone))
		abort();
	if (request->verb == VERB_UPDATE && (plug->state != PLUG_APPLIED || plug->is_gone))
		abort();
	if (request->verb == VERB_DEL && (!plug_is_known(plug) || !plug->is_gone))
		abort();
}

static void run_round(struct session *session)
{
	struct applied *applied = &session->applied;
	struct request request;
	struct round round;
	struct plug *plug = NULL;

	session->requests = 0;
	session->now_ms += 100000;
	nexthop_resolve(&session->nexthops, &session->snapshot.routes, 100000);
	snapshot_complete(&session->snapshot, &limits);
	round_begin(&round, &session->policy, &session->snapshot, applied, &notes,
		    session->fate & 1);
	while (round_next(&round, session->now_ms, &request, &plug) > 0) {
		check(&request, plug);
		if (++session->requests > STEPS_MAX)
			abort();
		session->fate = session->fate * 1103515245U + 12345U;
		if (!session->is_over && (session->fate & 0x30000) == 0) {
			retry_failed(plug ? &plug->retry : &applied->routes_retry, session->now_ms,
				     session->fate);
			applied_fail(applied, plug, &request, session->fate & 0x40000);
		} else {
			applied_acknowledge(applied, plug, &request);
		}
	}
	round_end(&round);
}

static void take(const struct nlmsghdr *message, void *arg)
{
	struct session *session = arg;
	struct hint hint = hint_of(message);
	struct address address;
	struct link link;

	session->fate = session->fate * 31 + message->nlmsg_len + message->nlmsg_type;
	switch (message->nlmsg_type) {
	case RTM_NEWLINK:
		/* The kernel names each index once. */
		snapshot_complete(&session->snapshot, &limits);
		if (nlparse_link(message, &link) == 0) {
			snapshot_drop_link(&session->snapshot, link.index);
			snapshot_add_link(&session->snapshot, &link, &limits);
		}
		break;
	case RTM_NEWADDR:
		if (nlparse_address(message, &address) == 0)
			snapshot_add_address(&session->snapshot, &address, &limits);
		break;
	case RTM_NEWROUTE:
		if (session->snapshot.routes.count < limits.max_routes)
			nlparse_route(message, &session->snapshot.routes);
		break;
	case RTM_NEWNEXTHOP:
		nlparse_nexthop(message, &session->nexthops);
		break;
	case NLMSG_DONE:
		if (!session->is_over)
			run_round(session);
		break;
	default:
		break;
	}
	if (hint.flags & HINT_GONE) {
		if (!session->is_over)
			applied_mark_gone(&session->applied, hint.index);
		snapshot_complete(&session->snapshot, &limits);
		snapshot_drop_link(&session->snapshot, hint.index);
	}
}

/* A link that is not there any more was deleted, as observe() would find. */
static void mark_absent(struct session *session)
{
	snapshot_complete(&session->snapshot, &limits);
	for (size_t i = 0; i < session->applied.count; i++) {
		struct plug *plug = session->applied.plugs[i];

		if (!plug->is_gone && !snapshot_find_link(&session->snapshot, plug->iface.index))
			plug_mark_gone(plug);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session session = {
		.policy = {.dialect = dialect_find(size & 1 ? "kata1" : "plain"),
			   .tells_proto = true},
		.fate = (uint32_t)size,
	};

	recording_walk(data, size, take, &session);
	session.is_over = true;
	/* The same state again and again: some rounds later nothing is left to be asked for. */
	for (int i = 0; i < 6; i++) {
		mark_absent(&session);
		session.fate &= ~1U;
		run_round(&session);
		if (session.requests == 0)
			break;
		if (i == 5)
			abort();
		snapshot_fini(&session.snapshot);
		nexthop_table_fini(&session.nexthops);
		recording_walk(data, size, take, &session);
	}
	snapshot_fini(&session.snapshot);
	nexthop_table_fini(&session.nexthops);
	applied_fini(&session.applied);
	return 0;
}
