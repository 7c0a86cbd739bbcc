/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - options, log, namespace, lock, monitor; run; tear down in reverse
 */
#include <errno.h>
#include <ev.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lock.h"
#include "log.h"
#include "monitor.h"
#include "netns.h"
#include "options.h"
#include "process.h"
#include "ready.h"
#include "spawn.h"

#define PROGRAM "netnsmon"

/* What read_options() returns where the program is to go on. */
#define GO_ON (-1)

enum exit_status {
	EXIT_STOPPED = 0,
	EXIT_ERROR = 1,
	EXIT_USAGE = 2,
	EXIT_WATCHED = 3, /* another monitor holds this namespace */
};

/* What the program holds from start to end. */
struct program {
	struct options options;
	char runtime[PATH_MAX];
	struct ev_loop *loop;
	struct monitor *monitor;
	struct lock lock;
	int origin_fd; /* the namespace that we came from; -1: the one we watch */
	ev_signal on_term;
	ev_signal on_int;
	ev_signal on_hup;
};

static void on_stop(struct ev_loop *loop, ev_signal *watcher, int events)
{
	(void)loop;
	(void)events;
	log_info("stopping: %s", strsignal(watcher->signum));
	monitor_stop(watcher->data);
}

static void on_resync(struct ev_loop *loop, ev_signal *watcher, int events)
{
	(void)loop;
	(void)events;
	monitor_resync(watcher->data);
}

static void watch_signals(struct program *program)
{
	ev_signal_init(&program->on_term, on_stop, SIGTERM);
	ev_signal_init(&program->on_int, on_stop, SIGINT);
	ev_signal_init(&program->on_hup, on_resync, SIGHUP);
	program->on_term.data = program->monitor;
	program->on_int.data = program->monitor;
	program->on_hup.data = program->monitor;
	ev_signal_start(program->loop, &program->on_term);
	ev_signal_start(program->loop, &program->on_int);
	ev_signal_start(program->loop, &program->on_hup);
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
	struct ev_loop *loop = ev_default_loop(0);
	ev_periodic never;

	if (!loop)
		return NULL;
	ev_periodic_init(&never, on_never, 0., 0., NULL);
	ev_periodic_start(loop, &never);
	ev_periodic_stop(loop, &never);
	return loop;
}

/* Says on stderr, in one line, what is wrong with the command line. */
static int usage_error(const char *what)
{
	fprintf(stderr, PROGRAM ": %s\n", what);
	return EXIT_USAGE;
}

/* Checks the runtime before anything is begun: a typing error must not wait for the first
 * interface. */
static int find_runtime(struct program *program)
{
	const char *name = program->options.runtime;
	int ret = name ? spawn_find(name, program->runtime, sizeof(program->runtime)) : 0;

	if (ret < 0) {
		fprintf(stderr, PROGRAM ": --runtime %s: %s\n", name, strerror(-ret));
		return EXIT_USAGE;
	}
	return 0;
}

static int enter_netns(struct program *program)
{
	const char *netns = program->options.netns;
	char path[PATH_MAX];
	int ret;

	if (!netns)
		return 0;
	if (netns_path(netns, path) < 0) {
		fprintf(stderr, PROGRAM ": --netns %s: expected NAME, PATH or pid:PID\n", netns);
		return EXIT_USAGE;
	}
	ret = netns_enter(path, &program->origin_fd);
	if (ret < 0) {
		log_error("cannot enter network namespace %s (%s): %s", netns, path,
			  ret == -EINVAL ? "it is none" : strerror(-ret));
		return EXIT_ERROR;
	}
	return 0;
}

/* Only a monitor that acts needs to be alone: without a runtime a person may look beside a running
 * one. */
static int lock_netns(struct program *program)
{
	const char *run_dir = program->options.run_dir;
	struct netns_id id;
	int directory_fd;
	int ret;

	if (!program->options.runtime)
		return 0;
	ret = netns_current(&id);
	if (ret < 0) {
		log_error("cannot tell which namespace this is: %s", strerror(-ret));
		return EXIT_ERROR;
	}
	directory_fd = lock_open_directory(run_dir);
	if (directory_fd < 0) {
		log_error("cannot use run directory %s: %s", run_dir,
			  directory_fd == -EPERM ? "it must be ours alone to write (mode 0700)"
						 : strerror(-directory_fd));
		return EXIT_ERROR;
	}
	ret = lock_take(&program->lock, directory_fd, &id);
	if (ret == -EWOULDBLOCK) {
		log_error("another monitor watches this namespace");
		return EXIT_WATCHED;
	}
	if (ret < 0)
		log_error("cannot lock in %s: %s", run_dir, strerror(-ret));
	return ret < 0 ? EXIT_ERROR : 0;
}

/* IFA_PROTO came with Linux 5.18. */
static bool kernel_tells_proto(void)
{
	struct utsname name;
	int major = 0, minor = 0;

	return uname(&name) == 0 && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 18));
}

static void fill_policy(const struct options *options, struct policy *policy)
{
	*policy = (struct policy){
		.dialect = options->dialect,
		.ignore = options->ignore.items,
		.ignore_count = options->ignore.count,
		.only = options->only.items,
		.only_count = options->only.count,
		.takes_temporary = options->takes_temporary,
		.tells_proto = kernel_tells_proto(),
		.waits_for_dad = !options->is_once,
	};
}

static void on_ready(void *arg)
{
	const struct program *program = arg;
	int ret = ready_notify(program->options.ready_fd);

	if (ret < 0)
		log_warn("cannot say that we are ready: %s", strerror(-ret));
}

static void fill_config(struct program *program, struct monitor_config *config)
{
	const struct options *options = &program->options;
	bool is_terminal = isatty(STDOUT_FILENO);
	bool is_text =
		options->format == FORMAT_TEXT || (options->format == FORMAT_AUTO && is_terminal);

	*config = (struct monitor_config){
		.limits = {options->max_links, options->max_routes},
		.quiet_ms = options->quiet_ms,
		.max_wait_ms = options->max_wait_ms,
		.receive_bytes = options->receive_bytes,
		.takes_existing = options->takes_existing,
		.is_once = options->is_once,
		.has_runtime = options->runtime != NULL,
		.on_ready = on_ready,
		.on_ready_arg = program,
		.client =
			{
				.dialect = options->dialect,
				.runtime = program->runtime,
				.runtime_args = options->runtime_args.items,
				.runtime_arg_count = options->runtime_args.count,
				.sandbox = options->sandbox,
				.timeout_ms = options->timeout_ms,
				.netns_fd = options->runs_in_sandbox ? -1 : program->origin_fd,
			},
		.printer =
			{
				.stream = stdout,
				.is_text = is_text,
				.has_color = is_text && is_terminal && !getenv("NO_COLOR"),
				.dialect = options->dialect,
				.sandbox = options->sandbox,
			},
	};
	fill_policy(options, &config->policy);
}

static int run(struct program *program)
{
	struct monitor_config config;

	program->loop = open_loop();
	if (!program->loop) {
		log_error("cannot start the event loop: %s", strerror(errno));
		return EXIT_ERROR;
	}
	fill_config(program, &config);
	program->monitor = monitor_new(program->loop, &config);
	if (!program->monitor)
		return EXIT_ERROR;
	watch_signals(program);
	monitor_start(program->monitor);
	ev_run(program->loop, 0);
	return monitor_exit_status(program->monitor) ? EXIT_ERROR : EXIT_STOPPED;
}

/* Reads the command line. Returns GO_ON, or the exit status. */
static int read_options(struct program *program, int argc, char **argv)
{
	struct options *options = &program->options;
	char error[OPTIONS_ERROR_SIZE] = "out of memory";
	int ret;

	if (options_parse(options, argc, argv, error) < 0)
		return usage_error(error);
	if (options->wants_help) {
		options_print_help(stdout);
		return fflush(stdout) == 0 ? EXIT_STOPPED : EXIT_ERROR;
	}
	if (options->wants_version) {
		puts(PROGRAM " version " NETNSMON_VERSION);
		return fflush(stdout) == 0 ? EXIT_STOPPED : EXIT_ERROR;
	}
	if (find_runtime(program))
		return EXIT_USAGE;
	ret = log_open(PROGRAM, options->sandbox, options->log_target, options->log_level);
	if (ret < 0) {
		fprintf(stderr, PROGRAM ": --log-to %s: %s\n", options->log_target, strerror(-ret));
		return EXIT_USAGE;
	}
	return GO_ON;
}

/* Each step returns 0 to go on, or the exit status. */
static int serve(struct program *program)
{
	int status = enter_netns(program);

	if (status == 0)
		status = lock_netns(program);
	return status == 0 ? run(program) : status;
}

int main(int argc, char **argv)
{
	struct program program = {.lock = {.directory_fd = -1}, .origin_fd = -1};
	int status;

	process_init();
	/* Large arrays are mapped, so that after a burst their memory goes back; glibc would raise
	 * the threshold. */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	status = read_options(&program, argc, argv);
	if (status == GO_ON)
		status = serve(&program);
	monitor_free(program.monitor);
	if (program.loop)
		ev_loop_destroy(program.loop);
	lock_release(&program.lock);
	options_fini(&program.options);
	log_close();
	return status;
}
