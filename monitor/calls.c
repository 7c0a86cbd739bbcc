/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.c - what the end of a runtime call means for what is applied, and for the next try
 *
 *   outcome                       applied            next try
 *   exit status 0                 as requested       -
 *   "not yet"                     unchanged          of all requests, after a pause, said quietly
 *   other failure                 unchanged          of this one, after a pause
 *   will not heal (three times)   unchanged          when the link changes; a removal is given up
 *   killed, timed out             nobody knows       of this one, after a pause
 */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

#define SUBJECT_SIZE 96
#define OUTCOME_SIZE 128

/* "add-network eth1 (index 5)" or "update-route (routes: 12)". */
static void format_subject(const struct calls *calls, const struct request *request,
			   char text[SUBJECT_SIZE])
{
	const char *verb = dialect_verb_name(calls->dialect, request->verb);

	if (request->verb == VERB_ROUTES)
		snprintf(text, SUBJECT_SIZE, "%s (routes: %zu)", verb, request->routes.count);
	else
		snprintf(text, SUBJECT_SIZE, "%s %s (index %u)", verb, request->iface.name,
			 request->iface.index);
}

static void format_outcome(const struct call_result *result, char text[OUTCOME_SIZE])
{
	switch (result->outcome) {
	case OUTCOME_DONE:
		snprintf(text, OUTCOME_SIZE, "done");
		break;
	case OUTCOME_EXITED:
		snprintf(text, OUTCOME_SIZE, "exit status %d", result->detail);
		break;
	case OUTCOME_SIGNALLED:
		snprintf(text, OUTCOME_SIZE, "killed by signal %d (%s)", result->detail,
			 strsignal(result->detail));
		break;
	case OUTCOME_TIMED_OUT:
		snprintf(text, OUTCOME_SIZE, "no end within %g s, killed", result->detail / 1000.);
		break;
	case OUTCOME_NOT_STARTED:
		snprintf(text, OUTCOME_SIZE, "cannot be run: %s (%s)",
			 strerrorname_np(result->detail), strerrordesc_np(result->detail));
		break;
	}
}

/* The output without the newline at its end, and whether there is any. */
static int trimmed_length(const struct call_result *result)
{
	size_t length = result->output_len;

	while (length > 0 && strchr(" \t\r\n", result->output[length - 1]))
		length--;
	return (int)length;
}

static void log_failure(const struct calls *calls, const struct request *request,
			const struct call_result *result, bool is_quiet, const char *next)
{
	char subject[SUBJECT_SIZE], outcome[OUTCOME_SIZE];
	int length = trimmed_length(result);

	format_subject(calls, request, subject);
	format_outcome(result, outcome);
	(is_quiet ? log_info : log_warn)(
		"%s failed after %u ms: %s; %s%s%.*s", subject, result->elapsed_ms, outcome, next,
		length > 0 ? "; it wrote: " : "", length, length > 0 ? result->output : "");
}

/* What people are shown of it later on, without the request that it was about. */
static void keep_error(struct calls *calls, struct applied *applied, struct plug *plug,
		       const struct request *request, const struct call_result *result,
		       uint64_t now_ms)
{
	char subject[SUBJECT_SIZE], outcome[OUTCOME_SIZE];
	char text[SUBJECT_SIZE + CALLS_ERROR_SIZE];
	int length = trimmed_length(result);
	int prefix;

	format_subject(calls, request, subject);
	format_outcome(result, outcome);
	prefix = snprintf(text, sizeof(text), "%s: ", subject);
	snprintf(text + prefix, CALLS_ERROR_SIZE, "%s%s%.*s", outcome, length > 0 ? ": " : "",
		 length, length > 0 ? result->output : "");
	applied_set_error(applied, plug, text + prefix);
	free(calls->last_error);
	calls->last_error = strdup(text);
	calls->last_error_ms = now_ms;
}

static void tell(const struct calls *calls, const struct request *request,
		 const struct call_result *result, const char *error, uint64_t next_try_ms)
{
	feed_result(calls->feed, dialect_verb_name(calls->dialect, request->verb), request, result,
		    error, next_try_ms);
}

static void count(struct calls *calls, const struct request *request,
		  const struct call_result *result, bool is_retry)
{
	struct call_counters *counters = &calls->by_verb[request->verb];

	counters->runtime_ms += result->elapsed_ms;
	calls->retries += is_retry;
	if (result->outcome == OUTCOME_DONE)
		counters->done++;
	else if (result->outcome == OUTCOME_TIMED_OUT)
		counters->timed_out++;
	else
		counters->failed++;
}

static void log_success(const struct calls *calls, const struct request *request,
			const struct call_result *result)
{
	char subject[SUBJECT_SIZE];

	if (!log_wants(LOG_LEVEL_INFO))
		return;
	format_subject(calls, request, subject);
	log_info("%s done in %u ms: %s", subject, result->elapsed_ms, request->reason);
}

/* Numerical Recipes' generator: what spreads the retries of a host need not be unpredictable. */
static uint32_t next_random(struct calls *calls)
{
	calls->seed = calls->seed * 1664525 + 1013904223;
	return calls->seed >> 8;
}

static enum answer judge_answer(const struct calls *calls, const struct call_result *result)
{
	if (result->outcome != OUTCOME_EXITED)
		return ANSWER_OTHER;
	return dialect_answer(calls->dialect, result->output, result->output_len);
}

static void format_pause(const struct calls *calls, uint32_t pause_ms, char text[OUTCOME_SIZE])
{
	if (calls->is_once)
		snprintf(text, OUTCOME_SIZE, "not tried again");
	else
		snprintf(text, OUTCOME_SIZE, "next try in %u ms", pause_ms);
}

/* Not a failure of the request: the runtime would have answered any other in the same way. */
static void end_not_ready(struct calls *calls, const struct request *request,
			  const struct call_result *result, enum answer answer, uint64_t now_ms)
{
	char next[OUTCOME_SIZE];

	if (answer == ANSWER_UNKNOWN && calls->knows_sandbox) {
		calls->is_sandbox_gone = true;
		log_failure(calls, request, result, true, "the sandbox is gone");
		return;
	}
	calls->knows_sandbox |= answer == ANSWER_NOT_YET;
	format_pause(calls, retry_failed(&calls->not_ready, now_ms, next_random(calls)), next);
	log_failure(calls, request, result, true, next);
}

static void end_hopeless(struct calls *calls, struct retry *retry, struct plug *plug,
			 const struct request *request, const struct call_result *result,
			 uint64_t now_ms)
{
	char next[OUTCOME_SIZE];
	uint32_t pause_ms = retry_hopeless(retry, now_ms, next_random(calls));

	calls->knows_sandbox = true;
	format_pause(calls, pause_ms, next);
	if (!retry->is_resting) {
		log_failure(calls, request, result, true, next);
	} else if (plug && request->verb == VERB_DEL) {
		log_failure(calls, request, result, false, "this will not heal, given up");
		plug->is_dropped = true;
	} else {
		log_failure(calls, request, result, false,
			    "this will not heal, given up until something changes");
	}
}

/* What is still pending and was never begun is nobody's knowledge. */
static bool concerns_runtime(const struct plug *plug)
{
	return plug && (plug->is_dropped || plug->is_unsure);
}

bool calls_end(struct calls *calls, struct applied *applied, struct plug *plug,
	       struct request *request, const struct call_result *result, uint64_t now_ms)
{
	struct retry *retry = plug ? &plug->retry : &applied->routes_retry;
	enum answer answer = judge_answer(calls, result);
	bool is_unsure =
		result->outcome == OUTCOME_SIGNALLED || result->outcome == OUTCOME_TIMED_OUT;
	char next[OUTCOME_SIZE];
	uint64_t next_ms;

	count(calls, request, result, retry->failures > 0 || calls->not_ready.failures > 0);
	if (result->outcome == OUTCOME_DONE) {
		calls->knows_sandbox = true;
		retry_reset(&calls->not_ready);
		log_success(calls, request, result);
		if (plug && request->verb == VERB_ADD)
			plug->since_ms = now_ms;
		tell(calls, request, result, NULL, 0);
		applied_acknowledge(applied, plug, request);
		return true;
	}
	keep_error(calls, applied, plug, request, result, now_ms);
	if (answer == ANSWER_NOT_YET || answer == ANSWER_UNKNOWN) {
		end_not_ready(calls, request, result, answer, now_ms);
	} else if (answer == ANSWER_HOPELESS) {
		end_hopeless(calls, retry, plug, request, result, now_ms);
	} else {
		format_pause(calls, retry_failed(retry, now_ms, next_random(calls)), next);
		log_failure(calls, request, result, false, next);
	}
	/* A list that failed as a whole may have been installed in part. */
	if (request->verb == VERB_ROUTES && calls->dialect->fails_midway &&
	    result->outcome == OUTCOME_EXITED && answer != ANSWER_NOT_YET &&
	    answer != ANSWER_UNKNOWN)
		is_unsure = true;
	next_ms = answer == ANSWER_NOT_YET || answer == ANSWER_UNKNOWN ? calls->not_ready.next_ms
								       : retry->next_ms;
	tell(calls, request, result, plug ? plug->error : applied->routes_error,
	     retry->is_resting || calls->is_sandbox_gone ? 0 : next_ms - now_ms);
	applied_fail(applied, plug, request, is_unsure);
	return is_unsure || concerns_runtime(plug);
}

uint64_t calls_next_ms(const struct calls *calls, const struct retry *retry)
{
	return calls->not_ready.next_ms > retry->next_ms ? calls->not_ready.next_ms
							 : retry->next_ms;
}

void calls_fini(struct calls *calls)
{
	free(calls->last_error);
	calls->last_error = NULL;
}

bool calls_may_start(const struct calls *calls, uint64_t now_ms)
{
	return retry_is_due(&calls->not_ready, now_ms);
}
