/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn.c - the only place that starts a process
 *
 * vfork(2) rather than posix_spawn(3): the child has to enter a namespace and set its parent-death
 * signal before it executes, which posix_spawn cannot do, and vfork copies no page tables. The
 * child shares our memory until execve(2), so it may only make system calls, and all signals are
 * blocked meanwhile lest one of our handlers runs in it.
 */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in the child and returns only if it fails: what errno said. */
static int become_program(const struct spawn *spawn, pid_t parent)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	/* Some signals cannot be changed (SIGKILL, SIGSTOP, the C library's own): no harm. */
	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &action, NULL);
	if (setpgid(0, 0) < 0)
		return errno;
	if (spawn->dies_with_parent) {
		if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0)
			return errno;
		/* The parent may have died before the line above. */
		if (getppid() != parent)
			return ESRCH;
	}
	if (spawn->netns_fd >= 0 && setns(spawn->netns_fd, CLONE_NEWNET) < 0)
		return errno;
	if (dup2(spawn->input_fd, STDIN_FILENO) < 0 || dup2(spawn->output_fd, STDOUT_FILENO) < 0 ||
	    dup2(spawn->output_fd, STDERR_FILENO) < 0)
		return errno;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* It writes to none of them; its prototype is older than const. */
	execve(spawn->path, (char *const *)spawn->argv, environ);
	return errno;
}

pid_t spawn_start(const struct spawn *spawn)
{
	/* Written by the child in our memory: volatile, so that it is read after it has run. */
	volatile int failure = 0;
	pid_t parent = getpid();
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): see above */
	if (pid == 0) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Vfork): see above */
		failure = become_program(spawn, parent);
		_exit(127);
	}
	if (pid < 0)
		failure = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (failure == 0)
		return pid;
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return -failure;
}

/*
 * Runs in a copy of the caller that has but one thread of control, and never returns. First it
 * waits for its turn (see lockwait_try()), then for the lock.
 */
static void wait_for_lock(int lock_fd, pid_t parent)
{
	struct flock turn = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &action, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	/* Nothing else of the caller's may be kept alive: moved to 0, the rest is closed. */
	if (dup2(lock_fd, 0) < 0)
		_exit(1);
	if (syscall(SYS_close_range, 1, ~0U, 0) < 0) {
		for (int fd = 1; fd < 256; fd++)
			close(fd);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* The caller has the same open file, and so whatever is not unlocked here. */
	if (fcntl(0, F_OFD_SETLKW, &turn) < 0 || flock(0, LOCK_EX) < 0)
		_exit(1);
	turn.l_type = F_UNLCK;
	fcntl(0, F_OFD_SETLK, &turn);
	_exit(0);
}

pid_t spawn_lock_waiter(int lock_fd)
{
	pid_t parent = getpid();
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	/* Not vfork(2): the caller goes on while the child waits. */
	pid = fork();
	if (pid == 0)
		wait_for_lock(lock_fd, parent);
	if (pid < 0)
		pid = -errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* Why @path cannot be executed, or 0. */
static int check_executable(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode) || access(path, X_OK) < 0)
		return -EACCES;
	return 0;
}

int spawn_find(const char *program, char *path, size_t size)
{
	const char *directories = getenv("PATH");
	int failure = -ENOENT;

	if (strchr(program, '/')) {
		if (strlen(program) >= size)
			return -ENAMETOOLONG;
		memcpy(path, program, strlen(program) + 1);
		return check_executable(path);
	}
	while (directories && *directories) {
		size_t length = strcspn(directories, ":");
		/* An empty part is the working directory, as to a shell. */
		int written = snprintf(path, size, "%.*s/%s", length > 0 ? (int)length : 1,
				       length > 0 ? directories : ".", program);
		int ret = written < 0 || (size_t)written >= size ? -ENAMETOOLONG
								 : check_executable(path);

		if (ret == 0)
			return 0;
		if (ret != -ENOENT && ret != -ENOTDIR)
			failure = ret;
		directories += length;
		directories += *directories == ':';
	}
	return failure;
}
