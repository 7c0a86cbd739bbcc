/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - netnsmon-hook, an OCI hook: a monitor for each container
 *
 * One program for the stages createRuntime and poststop; the container's status tells which it is.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config.h"
#include "container.h"
#include "launch.h"
#include "record.h"
#include "say.h"

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
};

/* A monitor whose container is gone ends by itself, but lets a call finish for 5 s first. */
#define END_ITSELF_MS 7000
#define END_ASKED_MS  7000
#define END_KILLED_MS 2000

/* With the host's network, or another's that we are in ourselves, there is nothing to be plugged.
 */
static bool shares_our_netns(pid_t pid)
{
	struct stat ours, its;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	return stat("/proc/self/ns/net", &ours) == 0 && stat(path, &its) == 0 &&
	       ours.st_dev == its.st_dev && ours.st_ino == its.st_ino;
}

static int start(const struct config *config, const struct container *container)
{
	pid_t pid;
	int ret;

	if (shares_our_netns(container->pid))
		return 0;
	ret = launch_monitor(config, container, &pid);
	if (ret < 0)
		return ret;
	ret = record_write(config->run_dir, container->id, pid);
	if (ret == 0)
		return 0;
	kill(pid, SIGKILL);
	return say("no monitor: cannot write to %s: %s", config->run_dir, strerror(-ret));
}

static bool has_ended(int pidfd, int milliseconds)
{
	struct pollfd end = {.fd = pidfd, .events = POLLIN};

	return poll(&end, 1, milliseconds) > 0;
}

/* Its end is waited for, so that nobody who looks after the container finds it. */
static bool end_monitor(int pidfd)
{
	if (has_ended(pidfd, END_ITSELF_MS))
		return true;
	syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0);
	if (has_ended(pidfd, END_ASKED_MS))
		return true;
	syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	return has_ended(pidfd, END_KILLED_MS);
}

static int stop(const struct config *config, const struct container *container)
{
	int pidfd = record_open(config->run_dir, container->id);
	bool is_gone = true;

	if (pidfd < 0 && pidfd != -ESRCH)
		return say("which monitor %.20s has cannot be told: %s", container->id,
			   strerror(-pidfd));
	if (pidfd >= 0) {
		is_gone = end_monitor(pidfd);
		close(pidfd);
	}
	if (!is_gone)
		return say("the monitor of %.20s cannot be ended", container->id);
	record_remove(config->run_dir, container->id);
	return 0;
}

static int run(const char *config_path)
{
	struct container container;
	struct config config;
	int ret, status;

	/* All of it is read first: who writes it would get SIGPIPE. */
	if (container_read(&container, STDIN_FILENO))
		return EXIT_FAILED;
	ret = config_read(&config, config_path);
	if (ret < 0) {
		container_fini(&container);
		return EXIT_FAILED;
	}
	ret = container.is_stopped ? stop(&config, &container) : start(&config, &container);
	status = ret < 0 && (container.is_stopped || !config.is_optional) ? EXIT_FAILED : EXIT_DONE;
	config_fini(&config);
	container_fini(&container);
	return status;
}

int main(int argc, char **argv)
{
	const char *config_path = CONFIG_PATH;
	const char *option = argc > 1 ? argv[1] : "";

	signal(SIGPIPE, SIG_IGN);
	if (argc == 2 && strcmp(option, "--version") == 0)
		return printf("netnsmon-hook version %s\n", NETNSMON_VERSION) < 0;
	if (argc == 2 && strcmp(option, "--help") == 0)
		return printf("Usage: netnsmon-hook [--config FILE]\n"
			      "An OCI hook for createRuntime and poststop: a netnsmon for each "
			      "container. See netnsmon-hook(8).\n") < 0;
	if (argc == 3 && strcmp(option, "--config") == 0) {
		config_path = argv[2];
	} else if (argc > 1) {
		say("usage: netnsmon-hook [--config FILE]");
		return EXIT_USAGE;
	}
	return run(config_path);
}
