/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.c - runs the runtime, one call at a time, and reports how it ended
 *
 *   state      child exits             time is up             2 s later
 *   IDLE       -                       -                      -
 *   RUNNING    report it, IDLE         SIGTERM, ENDING        -
 *   ENDING     report time-out, IDLE   -                      SIGKILL
 *
 * Only the exit of the child ends a call: a runtime that fails early never reads its input (EPIPE,
 * no error of ours), and one that leaves a daemon behind keeps the output open for ever. A call
 * needs a pipe each way and two small buffers, which exist only while it runs.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "encode.h"
#include "spawn.h"

/* How long after SIGTERM a child that ignores it gets SIGKILL. */
#define KILL_AFTER_MS 2000

/* Reads or writes for one turn of the loop: no child can hold it, however much it reads or writes.
 */
#define CALLS_PER_TURN 16

enum call_state { CALL_IDLE, CALL_RUNNING, CALL_ENDING };

struct client {
	struct ev_loop *loop;
	struct client_config config;
	client_done_fn on_done;
	void *arg;
	const char **argv; /* the verb's words are filled in for each call */
	size_t verb_at;
	enum call_state state;
	struct encoder encoder;
	char *output; /* CLIENT_OUTPUT_SIZE bytes */
	size_t output_len;
	bool is_cut; /* no memory for the rest of the input: whatever the child says, it failed */
	uint64_t started_ms;
	pid_t pid;
	int input_fd;  /* our end of the child's standard input */
	int output_fd; /* our end of its output */
	ev_io on_input;
	ev_io on_output;
	ev_child on_exit;
	ev_timer on_timeout;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void stop_feeding(struct client *client)
{
	ev_io_stop(client->loop, &client->on_input);
	close_fd(&client->input_fd);
	encode_fini(&client->encoder);
}

static void stop_draining(struct client *client)
{
	ev_io_stop(client->loop, &client->on_output);
	close_fd(&client->output_fd);
}

/* Everything of the call but its buffered output goes. */
static void end_call(struct client *client)
{
	stop_feeding(client);
	stop_draining(client);
	ev_child_stop(client->loop, &client->on_exit);
	ev_timer_stop(client->loop, &client->on_timeout);
	client->state = CALL_IDLE;
	client->pid = 0;
}

static void free_output(struct client *client)
{
	free(client->output);
	client->output = NULL;
	client->output_len = 0;
}

/* Writes what the pipe takes now. Returns whether the child is to be fed further. */
static bool feed(struct client *client)
{
	struct encoder *encoder = &client->encoder;

	for (int writes = 0; writes < CALLS_PER_TURN; writes++) {
		ssize_t written;

		if (encode_more(encoder)) {
			client->is_cut = true;
			return false;
		}
		if (encoder->text_len == 0)
			return false;
		written = write(client->input_fd, encoder->text, encoder->text_len);
		if (written < 0)
			return errno == EAGAIN || errno == EINTR;
		encode_consume(encoder, (size_t)written);
	}
	return true;
}

static void on_input(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct client *client = watcher->data;

	(void)loop;
	(void)events;
	if (!feed(client))
		stop_feeding(client);
}

/* Appends to the output that is kept; its oldest bytes make room. */
static void keep_output(struct client *client, const char *bytes, size_t size)
{
	size_t excess;

	if (size > CLIENT_OUTPUT_SIZE) {
		bytes += size - CLIENT_OUTPUT_SIZE;
		size = CLIENT_OUTPUT_SIZE;
	}
	if (client->output_len + size > CLIENT_OUTPUT_SIZE) {
		excess = client->output_len + size - CLIENT_OUTPUT_SIZE;
		client->output_len -= excess;
		memmove(client->output, client->output + excess, client->output_len);
	}
	memcpy(client->output + client->output_len, bytes, size);
	client->output_len += size;
}

static void drain_output(struct client *client)
{
	char bytes[4096];

	for (int reads = 0; client->output_fd >= 0 && reads < CALLS_PER_TURN; reads++) {
		ssize_t size = read(client->output_fd, bytes, sizeof(bytes));

		if (size > 0)
			keep_output(client, bytes, (size_t)size);
		else if (size < 0 && errno == EINTR)
			continue;
		else if (size < 0 && errno == EAGAIN)
			return;
		else
			stop_draining(client);
	}
}

static void on_output(struct ev_loop *loop, ev_io *watcher, int events)
{
	(void)loop;
	(void)events;
	drain_output(watcher->data);
}

static void report(struct client *client, enum outcome outcome, int detail)
{
	struct call_result result = {
		.outcome = outcome,
		.detail = detail,
		.elapsed_ms = (uint32_t)(clock_ms() - client->started_ms),
		.output = client->output,
		.output_len = client->output_len,
	};
	char *output = client->output;

	/* The callback may start the next call, which has an output of its own. */
	client->output = NULL;
	client->output_len = 0;
	client->on_done(client->arg, &result);
	free(output);
}

static void on_exit_status(struct ev_loop *loop, ev_child *watcher, int events)
{
	struct client *client = watcher->data;
	bool was_ending = client->state == CALL_ENDING;
	int status = watcher->rstatus;

	(void)loop;
	(void)events;
	/* Whoever of the timed-out call's group is left has ignored SIGTERM too. */
	if (was_ending)
		kill(-client->pid, SIGKILL);
	drain_output(client);
	end_call(client);
	if (was_ending)
		report(client, OUTCOME_TIMED_OUT, (int)client->config.timeout_ms);
	else if (WIFSIGNALED(status))
		report(client, OUTCOME_SIGNALLED, WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		report(client, OUTCOME_EXITED, WEXITSTATUS(status));
	else if (client->is_cut)
		report(client, OUTCOME_NOT_STARTED, ENOMEM);
	else
		report(client, OUTCOME_DONE, 0);
}

/* The child has not been waited for; it may have left its group, which then need not exist. */
static void signal_call(const struct client *client, int signal)
{
	kill(-client->pid, signal);
	kill(client->pid, signal);
}

static void on_timeout(struct ev_loop *loop, ev_timer *watcher, int events)
{
	struct client *client = watcher->data;

	(void)events;
	if (client->state == CALL_ENDING) {
		signal_call(client, SIGKILL);
		return;
	}
	client->state = CALL_ENDING;
	signal_call(client, SIGTERM);
	ev_timer_set(watcher, KILL_AFTER_MS / 1000., 0.);
	ev_timer_start(loop, watcher);
}

/* The arguments: runtime, its own arguments, two places for the verb, sandbox, "-", NULL. */
static const char **make_argv(const struct client_config *config, size_t *verb_at)
{
	size_t count = config->runtime_arg_count;
	const char **argv = calloc(count + DIALECT_VERB_WORDS + 4, sizeof(*argv));

	if (!argv)
		return NULL;
	argv[0] = config->runtime;
	for (size_t i = 0; i < count; i++)
		argv[1 + i] = config->runtime_args[i];
	*verb_at = 1 + count;
	return argv;
}

static void fill_verb(struct client *client, enum verb verb)
{
	const char *const *words = client->config.dialect->verbs[verb];
	const char **argument = &client->argv[client->verb_at];

	for (size_t i = 0; i < DIALECT_VERB_WORDS && words[i]; i++)
		*argument++ = words[i];
	*argument++ = client->config.sandbox;
	*argument++ = "-";
	*argument = NULL;
}

struct client *client_new(struct ev_loop *loop, const struct client_config *config,
			  client_done_fn on_done, void *arg)
{
	struct client *client = calloc(1, sizeof(*client));

	if (!client)
		return NULL;
	client->loop = loop;
	client->config = *config;
	client->on_done = on_done;
	client->arg = arg;
	client->input_fd = -1;
	client->output_fd = -1;
	ev_init(&client->on_input, on_input);
	ev_init(&client->on_output, on_output);
	ev_init(&client->on_exit, on_exit_status);
	ev_init(&client->on_timeout, on_timeout);
	client->on_input.data = client;
	client->on_output.data = client;
	client->on_exit.data = client;
	client->on_timeout.data = client;
	client->argv = make_argv(config, &client->verb_at);
	if (!client->argv) {
		client_free(client);
		return NULL;
	}
	return client;
}

void client_free(struct client *client)
{
	if (!client)
		return;
	end_call(client);
	free_output(client);
	free(client->argv);
	free(client);
}

bool client_is_busy(const struct client *client)
{
	return client->state != CALL_IDLE;
}

/* Opens both pipes: our ends non-blocking in the client, the child's in @spawn. */
static int open_pipes(struct client *client, struct spawn *spawn)
{
	int input[2], output[2];
	int ret;

	if (pipe2(input, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(output, O_CLOEXEC) < 0) {
		ret = -errno;
		close(input[0]);
		close(input[1]);
		return ret;
	}
	spawn->input_fd = input[0];
	client->input_fd = input[1];
	client->output_fd = output[0];
	spawn->output_fd = output[1];
	if (fcntl(client->input_fd, F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(client->output_fd, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

static void watch_call(struct client *client)
{
	ev_tstamp timeout = client->config.timeout_ms / 1000.;

	ev_child_set(&client->on_exit, client->pid, 0);
	ev_child_start(client->loop, &client->on_exit);
	ev_io_set(&client->on_input, client->input_fd, EV_WRITE);
	ev_io_start(client->loop, &client->on_input);
	ev_io_set(&client->on_output, client->output_fd, EV_READ);
	ev_io_start(client->loop, &client->on_output);
	/* The loop's idea of "now" may be older than the call. */
	ev_now_update(client->loop);
	ev_timer_set(&client->on_timeout, timeout, 0.);
	ev_timer_start(client->loop, &client->on_timeout);
}

int client_call(struct client *client, const struct request *request)
{
	struct spawn spawn = {
		.path = client->config.runtime,
		.argv = client->argv,
		.input_fd = -1,
		.output_fd = -1,
		.netns_fd = client->config.netns_fd,
		.dies_with_parent = client->config.dialect->dies_with_monitor,
	};
	pid_t pid = 0;
	int ret;

	fill_verb(client, request->verb);
	client->started_ms = clock_ms();
	client->output = malloc(CLIENT_OUTPUT_SIZE);
	ret = client->output ? open_pipes(client, &spawn) : -ENOMEM;
	if (ret == 0) {
		pid = spawn_start(&spawn);
		ret = pid < 0 ? pid : 0;
	}
	close_fd(&spawn.input_fd);
	close_fd(&spawn.output_fd);
	if (ret < 0) {
		close_fd(&client->input_fd);
		close_fd(&client->output_fd);
		free_output(client);
		return ret;
	}
	client->pid = pid;
	client->state = CALL_RUNNING;
	client->is_cut = false;
	encode_init(&client->encoder, request, client->config.dialect);
	watch_call(client);
	return 0;
}

void client_kill(struct client *client)
{
	if (client->state == CALL_IDLE)
		return;
	signal_call(client, SIGTERM);
	end_call(client);
	free_output(client);
}
