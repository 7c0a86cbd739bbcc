/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.c - one namespace, one lock, one monitor, from start to end
 *
 *   enter the namespace -> watch the sandbox -> lock -> monitor -> the end of a part, or a signal
 *                                               ^  |
 *                                               `--' --standby: until the holder is gone
 */
#include "session.h"

#include <errno.h>
#include <ev.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lock.h"
#include "log.h"
#include "monitor.h"
#include "netns.h"
#include "pathwatch.h"
#include "pidwatch.h"
#include "policy.h"
#include "ready.h"
#include "varlink_service.h"

struct session {
	const struct options *options;
	const char *runtime;
	struct ev_loop *loop;
	struct monitor *monitor;	 /* NULL while the lock is waited for */
	struct feed feed;		 /* of what happens in it */
	struct varlink_service *service; /* NULL: there is no run directory */
	struct netns_id netns;
	struct lock lock;
	struct statefile state;
	struct pidwatch pidwatch;
	struct pathwatch pathwatch;
	int notify_fd; /* socket to say by that we are ready; negative: none */
	int origin_fd; /* the namespace that we came from; -1: the one we watch */
	int slots_fd;  /* directory of the slots, -1: none */
	int status;    /* an enum exit_status, of what went wrong */
	ev_signal on_signal[4];
};

/* --- what ends or disturbs it ---------------------------------------------------------------- */

static void stop(struct session *session)
{
	if (session->monitor)
		monitor_stop(session->monitor);
	else
		ev_break(session->loop, EVBREAK_ALL);
}

static void fail(struct session *session, int status)
{
	session->status = status;
	stop(session);
}

static void on_signal(struct ev_loop *loop, ev_signal *watcher, int events)
{
	struct session *session = watcher->data;

	(void)loop;
	(void)events;
	if (watcher->signum == SIGTERM || watcher->signum == SIGINT) {
		log_info("stopping: %s", strsignal(watcher->signum));
		stop(session);
	} else if (!session->monitor) {
		log_info("standing by: another monitor watches this namespace");
	} else if (watcher->signum == SIGHUP) {
		monitor_resync(session->monitor);
	} else {
		monitor_log_status(session->monitor);
	}
}

static void watch_signals(struct session *session)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		ev_signal_init(&session->on_signal[i], on_signal, signals[i]);
		session->on_signal[i].data = session;
		ev_signal_start(session->loop, &session->on_signal[i]);
	}
}

static void end_sandbox(struct session *session)
{
	if (session->monitor)
		monitor_end(session->monitor);
	else
		ev_break(session->loop, EVBREAK_ALL);
}

static void on_process_gone(void *arg)
{
	struct session *session = arg;

	log_info("stopping: process %d has ended", (int)session->options->watch_pid);
	end_sandbox(session);
}

static void on_path_gone(void *arg)
{
	struct session *session = arg;

	log_info("stopping: %s is gone", session->options->watch_path);
	end_sandbox(session);
}

/* Returns whether there is a sandbox to be monitored. */
static bool watch_sandbox(struct session *session)
{
	const struct options *options = session->options;
	int ret = 0;

	if (options->watch_pid > 0)
		ret = pidwatch_start(&session->pidwatch, session->loop, options->watch_pid,
				     on_process_gone, session);
	if (ret == -ESRCH) {
		log_info("stopping: process %d has ended", (int)options->watch_pid);
		return false;
	}
	if (ret < 0) {
		log_error("cannot watch process %d: %s", (int)options->watch_pid, strerror(-ret));
		session->status = EXIT_ERROR;
		return false;
	}
	if (options->watch_path)
		pathwatch_start(&session->pathwatch, session->loop, options->watch_path,
				on_path_gone, session);
	return true;
}

/* --- the monitor ----------------------------------------------------------------------------- */

static void on_ready(void *arg)
{
	struct session *session = arg;
	int ret = ready_notify(session->notify_fd, session->options->ready_fd);

	session->notify_fd = -1;
	if (ret < 0)
		log_warn("cannot say that we are ready: %s", strerror(-ret));
}

static void on_look(void *arg)
{
	struct session *session = arg;

	pathwatch_check(&session->pathwatch);
}

static void fill_client(const struct session *session, struct client_config *client)
{
	const struct options *options = session->options;

	*client = (struct client_config){
		.dialect = options->dialect,
		.runtime = session->runtime,
		.runtime_args = options->runtime_args.items,
		.runtime_arg_count = options->runtime_args.count,
		.sandbox = options->sandbox,
		.timeout_ms = options->timeout_ms,
		.netns_fd = options->runs_in_sandbox ? -1 : session->origin_fd,
	};
}

static void fill_printer(const struct options *options, struct printer *printer)
{
	bool is_terminal = isatty(STDOUT_FILENO);
	bool is_text = options_is_text(options);

	*printer = (struct printer){
		.fd = STDOUT_FILENO,
		.is_text = is_text,
		.has_color = is_text && is_terminal && !getenv("NO_COLOR"),
		.dialect = options->dialect,
		.sandbox = options->sandbox,
	};
}

/* Whoever looks on may do without; the monitor need not. */
static void open_service(struct session *session)
{
	const struct service_config config = {
		.monitor = session->monitor,
		.feed = &session->feed,
		.sandbox = session->options->sandbox,
		.netns = session->options->netns,
		.runtime = session->runtime,
		.netns_id = session->netns,
	};

	if (session->lock.directory_fd < 0 || session->lock.has_no_file)
		return;
	session->service = varlink_service_open(session->loop, session->lock.directory_fd, &config);
	if (!session->service)
		log_warn("cannot be asked for its status: %s", strerror(errno));
}

static void start_monitor(struct session *session)
{
	const struct options *options = session->options;
	struct monitor_config config = {
		.limits = {options->max_links, options->max_routes},
		.quiet_ms = options->quiet_ms,
		.max_wait_ms = options->max_wait_ms,
		.receive_bytes = options->receive_bytes,
		.takes_existing = options->takes_existing,
		.is_once = options->is_once,
		.feed = &session->feed,
		.state = session->state.directory_fd >= 0 ? &session->state : NULL,
		.on_ready = on_ready,
		.on_look = on_look,
		.hook_arg = session,
	};

	options_policy(options, &config.policy);
	config.delivery.has_runtime = session->runtime != NULL;
	config.delivery.slots_fd = session->slots_fd;
	config.delivery.slot_count = session->runtime ? options->slots : 0;
	fill_client(session, &config.delivery.client);
	fill_printer(options, &config.delivery.printer);
	session->monitor = monitor_new(session->loop, &config);
	if (!session->monitor) {
		fail(session, EXIT_ERROR);
		return;
	}
	open_service(session);
	monitor_start(session->monitor);
}

/* --- the lock -------------------------------------------------------------------------------- */

static void keep_state(struct session *session)
{
	int ret = statefile_init(&session->state, session->lock.directory_fd, &session->netns,
				 session->options->sandbox, session->options->dialect->name);

	if (ret < 0) {
		log_warn("cannot save state: %s", strerror(-ret));
		session->state.directory_fd = -1;
	}
}

/* Takes the lock and starts, or stands by for the next turn. */
static void on_turn(void *arg)
{
	struct session *session = arg;
	int ret = lock_try(&session->lock);

	if (ret == 0) {
		if (session->options->is_standby)
			log_info("this monitor acts now");
		if (session->lock.has_no_file)
			log_warn("cannot write to %.200s: no state is saved, nor can status be "
				 "asked for",
				 session->options->run_dir);
		else if (session->options->keeps_state)
			keep_state(session);
		start_monitor(session);
		return;
	}
	if (ret == -EWOULDBLOCK && session->options->is_standby)
		ret = lock_wait(&session->lock, session->loop, on_turn, session);
	if (ret == 0)
		return;
	if (ret == -EWOULDBLOCK)
		log_error("another monitor watches this namespace");
	else
		log_error("cannot lock in %s: %s", session->options->run_dir, strerror(-ret));
	fail(session, ret == -EWOULDBLOCK ? EXIT_WATCHED : EXIT_ERROR);
}

/* Opens a directory that nobody else may write to, or logs why not. Returns a descriptor or -1. */
static int open_directory(const char *what, const char *path)
{
	int fd = lock_open_directory(path);

	if (fd >= 0)
		return fd;
	log_error("cannot use %s %.200s: %s", what, path,
		  fd == -EPERM
			  ? "it must be a directory, not a link to one, that only we may write to"
			  : strerror(-fd));
	return -1;
}

/*
 * Returns whether what was asked for could be opened; *@run_fd stays -1 if there is to be no run
 * directory.
 */
static bool open_directories(struct session *session, int *run_fd)
{
	const struct options *options = session->options;

	if (options->slots > 0) {
		session->slots_fd = open_directory("slots directory", options->slots_dir);
		if (session->slots_fd < 0)
			return false;
	}
	if (options->run_dir) {
		*run_fd = open_directory("run directory", options->run_dir);
		if (*run_fd < 0)
			return false;
	}
	return true;
}

/* Said at once: the first interface may come much later. */
static void say_no_runtime(const struct session *session)
{
	const char *pattern = session->options->dialect->no_runtime;

	if (pattern && fnmatch(pattern, basename(session->runtime), 0) == 0)
		log_warn("%s takes no %s: every call will fail; --runtime must be the command line",
			 session->runtime, dialect_verb_name(session->options->dialect, VERB_ADD));
}

/*
 * Only a monitor that acts needs to be alone: without a runtime a person may look beside a running
 * one.
 */
static void begin(struct session *session)
{
	int run_fd = -1;

	if (session->runtime) {
		say_no_runtime(session);
		if (!open_directories(session, &run_fd)) {
			fail(session, EXIT_ERROR);
			return;
		}
	}
	if (run_fd < 0) {
		start_monitor(session);
		return;
	}
	lock_init(&session->lock, run_fd, &session->netns);
	on_turn(session);
}

/* --- start and end --------------------------------------------------------------------------- */

/* Returns 0, or the exit status. */
static int enter_netns(struct session *session)
{
	const char *netns = session->options->netns;
	char path[PATH_MAX];
	int ret;

	if (netns) {
		if (netns_path(netns, path) < 0) {
			log_error("--netns %.200s: expected NAME, PATH or pid:PID", netns);
			return EXIT_USAGE;
		}
		ret = netns_enter(path, &session->origin_fd);
		if (ret < 0) {
			log_error("cannot enter network namespace %.200s: %s", netns,
				  ret == -EINVAL  ? "it is none"
				  : ret == -EPERM ? "CAP_SYS_ADMIN is needed"
						  : strerror(-ret));
			return EXIT_ERROR;
		}
	}
	ret = netns_current(&session->netns);
	if (ret < 0)
		log_error("cannot tell which namespace this is: %s", strerror(-ret));
	return ret < 0 ? EXIT_ERROR : 0;
}

/* libev cannot go on, and would call abort(3). */
static void on_loop_error(const char *message)
{
	log_error("the event loop cannot go on: %s: %s", message, strerror(errno));
	_exit(EXIT_ERROR);
}

static void on_never(struct ev_loop *loop, ev_periodic *watcher, int events)
{
	(void)loop;
	(void)watcher;
	(void)events;
}

/*
 * Without a timerfd libev wakes once a minute to see whether somebody has set the clock, which
 * matters for periodic watchers only. The first such watcher makes it open one (ev.c,
 * evtimerfd_init()); then it sleeps until an event.
 */
static struct ev_loop *open_loop(void)
{
	struct ev_loop *loop;
	ev_periodic never;

	ev_set_syserr_cb(on_loop_error);
	loop = ev_default_loop(0);
	if (!loop)
		return NULL;
	ev_periodic_init(&never, on_never, 0., 0., NULL);
	ev_periodic_start(loop, &never);
	ev_periodic_stop(loop, &never);
	return loop;
}

static void run(struct session *session)
{
	session->loop = open_loop();
	if (!session->loop) {
		log_error("cannot start the event loop: %s", strerror(errno));
		session->status = EXIT_ERROR;
		return;
	}
	watch_signals(session);
	if (!watch_sandbox(session))
		return;
	begin(session);
	if (session->status == EXIT_STOPPED)
		ev_run(session->loop, 0);
	if (session->monitor && session->status == EXIT_STOPPED)
		session->status = monitor_exit_status(session->monitor) ? EXIT_ERROR : EXIT_STOPPED;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

int session_run(const struct options *options, const char *runtime)
{
	struct session session = {
		.options = options,
		.runtime = runtime,
		.lock = {.directory_fd = -1},
		.state = {.directory_fd = -1},
		/* Before the namespace is entered: abstract names belong to the one we come from.
		 */
		.notify_fd = ready_open(),
		.origin_fd = -1,
		.slots_fd = -1,
	};

	session.status = enter_netns(&session);
	if (session.status == EXIT_STOPPED)
		run(&session);
	varlink_service_close(session.service);
	monitor_free(session.monitor);
	pathwatch_stop(&session.pathwatch);
	pidwatch_stop(&session.pidwatch);
	lock_release(&session.lock);
	close_fd(session.notify_fd);
	close_fd(session.origin_fd);
	close_fd(session.slots_fd);
	if (session.loop)
		ev_loop_destroy(session.loop);
	return session.status;
}
