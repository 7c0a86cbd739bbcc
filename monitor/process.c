/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.c - what we inherit from whoever started us, put in order
 *
 * A blocked or ignored SIGCHLD would hide the end of a call, a blocked SIGTERM make us immortal,
 * and a descriptor of somebody else, handed on to a runtime that leaves a daemon behind, keeps his
 * pipes open or a dead namespace alive.
 */
#include "process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/close_range.h, which older headers lack. */
#define CLOSE_RANGE_CLOEXEC_FLAG (1U << 2)

static void open_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* Kernels before 5.11 do not know the system call. */
static void set_cloexec_by_proc(void)
{
	DIR *directory = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		int fd = atoi(entry->d_name);

		if (fd > STDERR_FILENO)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	if (directory)
		closedir(directory);
}

static void set_cloexec(void)
{
	if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC_FLAG) < 0)
		set_cloexec_by_proc();
}

static void reset_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void process_init(void)
{
	static const char *const ours[] = {
		"WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
	};

	open_standard_fds();
	set_cloexec();
	reset_signals();
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		unsetenv(ours[i]);
}
