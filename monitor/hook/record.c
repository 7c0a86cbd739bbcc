/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.c - which process is the monitor of a container
 *
 * A file hook-ID.pid in the run directory: the process's number and when it started, since numbers
 * are used again.
 */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int record_path(char path[PATH_MAX], const char *run_dir, const char *id, const char *suffix)
{
	int length = snprintf(path, PATH_MAX, "%s/hook-%s.pid%s", run_dir, id, suffix);

	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* When it started, in the kernel's ticks since boot; 0 if there is no such process. */
static unsigned long long start_of(pid_t pid)
{
	char path[32], text[1024];
	unsigned long long start = 0;
	char *rest;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	/* The second field, the program's name in brackets, may have blanks; this is the 22nd. */
	if (fgets(text, sizeof(text), file)) {
		rest = strrchr(text, ')');
		for (int field = 2; rest && field < 22; field++)
			rest = strchr(rest + 1, ' ');
		if (rest)
			start = strtoull(rest + 1, NULL, 10);
	}
	fclose(file);
	return start;
}

static int write_file(const char *path, pid_t pid, unsigned long long start)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (dprintf(fd, "%d %llu\n", (int)pid, start) < 0)
		ret = -errno;
	if (close(fd) < 0 && ret == 0)
		ret = -errno;
	return ret;
}

int record_write(const char *run_dir, const char *id, pid_t pid)
{
	char path[PATH_MAX], unfinished[PATH_MAX];
	unsigned long long start = start_of(pid);
	int ret;

	if (start == 0)
		return -ESRCH;
	if (record_path(path, run_dir, id, "") || record_path(unfinished, run_dir, id, ".new"))
		return -ENAMETOOLONG;
	/* The monitor makes it, if it keeps anything there. */
	if (mkdir(run_dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	unlink(unfinished);
	ret = write_file(unfinished, pid, start);
	if (ret == 0 && rename(unfinished, path) < 0)
		ret = -errno;
	if (ret < 0)
		unlink(unfinished);
	return ret;
}

int record_open(const char *run_dir, const char *id)
{
	char path[PATH_MAX], text[64] = "";
	unsigned long long start;
	char *end = text;
	FILE *file;
	long pid;
	int fd;

	if (record_path(path, run_dir, id, ""))
		return -ENAMETOOLONG;
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	pid = strtol(text, &end, 10);
	start = strtoull(end, NULL, 10);
	if (pid < 1 || pid > INT_MAX || start == 0)
		return -EINVAL;
	/* Opened before it is looked at: from here on the number stays its. */
	fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (fd < 0)
		return -errno;
	if (start_of((pid_t)pid) != start) {
		close(fd);
		return -ESRCH;
	}
	return fd;
}

void record_remove(const char *run_dir, const char *id)
{
	char path[PATH_MAX];

	if (record_path(path, run_dir, id, "") == 0)
		unlink(path);
}
