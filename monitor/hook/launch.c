/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.c - starts a monitor that outlives the hook
 *
 * The monitor gets a session of its own, / as its directory, and none of our descriptors: the OCI
 * runtime may wait for the other end of each. Two pipes connect us until it is ready: one that it
 * writes a newline to (--ready-fd), and its stderr, for the reason if it ends instead.
 */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "say.h"

/* netnsmon's exit status if another monitor has the namespace. */
#define STATUS_TAKEN 3

#define READY_FD      3
#define FIXED_OPTIONS 16

struct command {
	const char *argv[FIXED_OPTIONS + CONFIG_OPTIONS_MAX + 1];
	char netns[32];
	char pid[16];
	size_t count;
};

static void add(struct command *command, const char *word, const char *value)
{
	command->argv[command->count++] = word;
	if (value)
		command->argv[command->count++] = value;
}

/* NULL, and has said why, if it is none that netnsmon takes. */
static const char *find_sandbox(const struct config *config, const struct container *container)
{
	const char *name = config->sandbox_annotation;
	const char *sandbox = name ? container_annotation(container, name) : NULL;

	if (!sandbox)
		sandbox = container->id;
	if (container_is_id(sandbox))
		return sandbox;
	say("no monitor: no id of a sandbox: %.128s", sandbox);
	return NULL;
}

static void make_command(struct command *command, const struct config *config, pid_t pid,
			 const char *sandbox, bool is_standby)
{
	memset(command, 0, sizeof(*command));
	snprintf(command->netns, sizeof(command->netns), "pid:%d", (int)pid);
	snprintf(command->pid, sizeof(command->pid), "%d", (int)pid);
	add(command, config->monitor, NULL);
	add(command, "--netns", command->netns);
	add(command, "--watch-pid", command->pid);
	add(command, "--sandbox", sandbox);
	add(command, "--runtime", config->runtime);
	add(command, "--run-dir", config->run_dir);
	/* The last one counts: the file's options may say otherwise. */
	add(command, "--log-to", "syslog");
	for (size_t i = 0; i < config->option_count; i++)
		add(command, config->options[i], NULL);
	if (is_standby)
		add(command, "--standby", NULL);
	else
		add(command, "--ready-fd", "3");
}

static void close_from(int first)
{
	if (syscall(SYS_close_range, first, ~0U, 0) == 0)
		return;
	for (int fd = first; fd < 1024; fd++)
		close(fd);
}

/* Runs in the child. What goes wrong is said on stderr, whose other end the hook reads. */
static void become_monitor(const struct command *command, int ready_fd, int error_fd)
{
	int null_fd = open("/dev/null", O_RDWR);
	sigset_t none;
	int failure;

	/* Where they may be in each other's way they are moved up first. */
	ready_fd = fcntl(ready_fd, F_DUPFD, READY_FD + 1);
	error_fd = fcntl(error_fd, F_DUPFD, READY_FD + 1);
	if (null_fd < 0 || ready_fd < 0 || error_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 ||
	    dup2(null_fd, STDOUT_FILENO) < 0 || dup2(error_fd, STDERR_FILENO) < 0 ||
	    dup2(ready_fd, READY_FD) < 0 || setsid() < 0 || chdir("/") < 0)
		_exit(127);
	close_from(READY_FD + 1);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* An OCI hook may have no environment at all, and runtimes call other programs. */
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 0);
	/* It writes to none of them; its prototype is older than const. */
	execv(command->argv[0], (char *const *)command->argv);
	failure = errno;
	dprintf(STDERR_FILENO, "%s: %s\n", command->argv[0], strerror(failure));
	_exit(127);
}

static bool open_pipes(int ready[2], int errors[2])
{
	if (pipe2(ready, O_CLOEXEC) < 0)
		return false;
	if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) == 0)
		return true;
	close(ready[0]);
	close(ready[1]);
	return false;
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 1 if it is ready, 0 if it has ended, or a negative errno. */
static int wait_ready(int fd, unsigned int seconds)
{
	long long end = now_ms() + (long long)seconds * 1000;
	struct pollfd wanted = {.fd = fd, .events = POLLIN};
	char byte;
	int ret;

	do {
		long long left = end - now_ms();

		ret = poll(&wanted, 1, left > 0 ? (int)left : 0);
	} while (ret < 0 && errno == EINTR);
	if (ret <= 0)
		return ret < 0 ? -errno : -ETIMEDOUT;
	return read(fd, &byte, 1) == 1;
}

/* The first line of what it has written, or what its status says. */
static void say_end(const struct config *config, int errors, int status)
{
	char text[512];
	ssize_t got = read(errors, text, sizeof(text) - 1);

	if (got > 0) {
		text[got] = '\0';
		text[strcspn(text, "\n")] = '\0';
		say("no monitor: %s", text);
	} else if (WIFSIGNALED(status)) {
		say("no monitor: %s was ended by signal %d", config->monitor, WTERMSIG(status));
	} else {
		say("no monitor: %s ended with status %d, and its log says why", config->monitor,
		    WEXITSTATUS(status));
	}
}

static int reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* -EBUSY if another monitor has the namespace. */
static int await(const struct config *config, pid_t pid, int ready, int errors)
{
	int ret = wait_ready(ready, config->ready_timeout);
	int status;

	if (ret > 0)
		return 0;
	/* One that has closed its end without a word is of no use, whatever it does now. */
	kill(pid, SIGKILL);
	status = reap(pid);
	if (ret == -ETIMEDOUT)
		return say("no monitor: %s was not ready within %u s", config->monitor,
			   config->ready_timeout);
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_TAKEN)
		return -EBUSY;
	say_end(config, errors, status);
	return -ECHILD;
}

static int start(const struct config *config, const struct command *command, bool is_standby,
		 pid_t *pid)
{
	int ready[2], errors[2];
	int ret = 0;

	if (!open_pipes(ready, errors))
		return say("no monitor: no pipe: %s", strerror(errno));
	*pid = fork();
	if (*pid == 0)
		become_monitor(command, ready[1], errors[1]);
	close(ready[1]);
	close(errors[1]);
	if (*pid < 0)
		ret = say("no monitor: no process: %s", strerror(errno));
	else if (!is_standby)
		ret = await(config, *pid, ready[0], errors[0]);
	close(ready[0]);
	close(errors[0]);
	return ret;
}

int launch_monitor(const struct config *config, const struct container *container, pid_t *pid)
{
	const char *sandbox = find_sandbox(config, container);
	struct command command;
	int ret;

	if (!sandbox)
		return -EINVAL;
	make_command(&command, config, container->pid, sandbox, false);
	ret = start(config, &command, false, pid);
	if (ret != -EBUSY)
		return ret;
	/* Another container of its pod was first. */
	make_command(&command, config, container->pid, sandbox, true);
	return start(config, &command, true, pid);
}
