/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statefile.c - keeps what is applied in the run directory, for the monitor that comes after us
 */
#include "statefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

/* 65,536 routes take some 12 MiB. What is larger is not ours. */
#define SIZE_MAX_BYTES (64 << 20)

/* From asm-generic/socket.h, Linux 5.14; older kernels do not know it. */
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

#define FILE_NAME_SIZE 80

static void file_name(const struct statefile *file, const char *suffix, char name[FILE_NAME_SIZE])
{
	snprintf(name, FILE_NAME_SIZE, "%s%s", file->name, suffix);
}

/* Inodes of namespaces are used again at once, cookies never. Without them the inode has to do. */
static uint64_t netns_cookie(const struct netns_id *id)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t cookie = 0;
	socklen_t size = sizeof(cookie);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) < 0)
		cookie = id->inode;
	if (fd >= 0)
		close(fd);
	return cookie;
}

static int read_boot_id(char boot_id[STATE_BOOT_ID_SIZE])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = read(fd, boot_id, STATE_BOOT_ID_SIZE - 1);
	close(fd);
	if (length != STATE_BOOT_ID_SIZE - 1)
		return -EIO;
	boot_id[length] = '\0';
	return 0;
}

int statefile_init(struct statefile *file, int directory_fd, const struct netns_id *id,
		   const char *sandbox, const char *dialect)
{
	*file = (struct statefile){
		.directory_fd = directory_fd,
		.binding = {.sandbox = sandbox, .dialect = dialect},
	};
	file->binding.netns_cookie = netns_cookie(id);
	snprintf(file->name, sizeof(file->name), "netns-%ju-%ju", (uintmax_t)id->device,
		 (uintmax_t)id->inode);
	return read_boot_id(file->binding.boot_id);
}

/*
 * Reads a whole file that only we can have written: a regular file, ours, of a sane size. Returns
 * its length and the text in *@text, which the caller frees, or a negative errno.
 */
static ssize_t read_file(const struct statefile *file, const char *suffix, char **text)
{
	char name[FILE_NAME_SIZE];
	struct stat status;
	ssize_t length = 0;
	int fd;

	*text = NULL;
	file_name(file, suffix, name);
	/* O_NONBLOCK: should it be a FIFO, nobody waits for a writer. */
	fd = openat(file->directory_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0)
		length = -errno;
	else if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
		 (status.st_mode & (S_IWGRP | S_IWOTH)))
		length = -EPERM;
	else if (status.st_size > SIZE_MAX_BYTES)
		length = -EFBIG;
	else if (!(*text = malloc((size_t)status.st_size + 1)))
		length = -ENOMEM;
	while (length >= 0 && length < status.st_size) {
		ssize_t part = read(fd, *text + length, (size_t)(status.st_size - length));

		if (part <= 0)
			break;
		length += part;
	}
	close(fd);
	return length;
}

static const char *why(int error)
{
	switch (error) {
	case -EBADMSG:
		return "it makes no sense";
	case -ESTALE:
		return "it belongs to another sandbox, namespace, dialect or boot";
	case -ELOOP:
		return "it is a symbolic link";
	case -EPERM:
		return "it is no file that is ours alone to write";
	default:
		return strerror(-error);
	}
}

/* What cannot be used is kept for whoever wants to know why, but never read again. */
static void put_aside(const struct statefile *file, const char *suffix, int error)
{
	char name[FILE_NAME_SIZE], aside[FILE_NAME_SIZE + 8];

	file_name(file, suffix, name);
	snprintf(aside, sizeof(aside), "%s.bad", name);
	if (renameat(file->directory_fd, name, file->directory_fd, aside) == 0)
		log_warn("saved state %s cannot be used, it is now called %s: %s", name, aside,
			 why(error));
	else
		log_warn("saved state %s cannot be used, and not be renamed (%s): %s", name,
			 strerror(errno), why(error));
}

typedef int (*parse_fn)(const char *text, size_t size, const struct state_binding *binding,
			struct applied *applied);

/* Returns whether the file was there and could be used. */
static bool load_file(const struct statefile *file, const char *suffix, parse_fn parse,
		      struct applied *applied)
{
	char *text;
	ssize_t length = read_file(file, suffix, &text);
	int ret = length < 0 ? (int)length : parse(text, (size_t)length, &file->binding, applied);

	free(text);
	if (ret == -ENOENT && length < 0)
		return false;
	if (ret < 0)
		put_aside(file, suffix, ret);
	return ret == 0;
}

bool statefile_load(struct statefile *file, struct applied *applied)
{
	bool is_known;

	if (file->directory_fd < 0)
		return false;
	is_known = load_file(file, ".json", state_parse, applied);
	/* A call of a state that is not there any more says nothing. */
	if (is_known)
		load_file(file, ".call", state_parse_call, applied);
	return is_known;
}

static void say_write(struct statefile *file, int error)
{
	if (error < 0 && !file->has_failed)
		log_warn("cannot save state: %s; should this monitor be killed, the next one may "
			 "plug again what is plugged",
			 strerror(-error));
	else if (error == 0 && file->has_failed)
		log_info("state can be saved again");
	file->has_failed = error < 0;
}

typedef int (*print_fn)(FILE *stream, const struct state_binding *binding, const void *what);

/* Writes a new file under another name and renames it: whoever reads sees the old or the new one.
 */
static int replace(const struct statefile *file, const char *suffix, print_fn print,
		   const void *what)
{
	char name[FILE_NAME_SIZE], fresh[FILE_NAME_SIZE + 8];
	FILE *stream;
	int ret = 0;
	int fd;

	file_name(file, suffix, name);
	snprintf(fresh, sizeof(fresh), "%s.new", name);
	unlinkat(file->directory_fd, fresh, 0);
	fd = openat(file->directory_fd, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return -errno;
	stream = fdopen(fd, "w");
	if (!stream) {
		ret = -errno;
		close(fd);
	} else {
		ret = print(stream, &file->binding, what);
		/* Room may have come back since a part could not be written. */
		if (ferror(stream) && ret == 0)
			ret = -ENOSPC;
		if (fclose(stream) == EOF && ret == 0)
			ret = -errno;
	}
	if (ret == 0 && renameat(file->directory_fd, fresh, file->directory_fd, name) < 0)
		ret = -errno;
	if (ret < 0)
		unlinkat(file->directory_fd, fresh, 0);
	return ret;
}

static int print_call(FILE *stream, const struct state_binding *binding, const void *what)
{
	return state_print_call(stream, binding, what);
}

static int print_state(FILE *stream, const struct state_binding *binding, const void *what)
{
	return state_print(stream, binding, what);
}

static void remove_file(const struct statefile *file, const char *suffix)
{
	char name[FILE_NAME_SIZE];

	file_name(file, suffix, name);
	unlinkat(file->directory_fd, name, 0);
}

void statefile_note_call(struct statefile *file, const struct request *request)
{
	int ret;

	if (file->directory_fd < 0)
		return;
	ret = replace(file, ".call", print_call, request);
	/* That there is room for a note does not mean that there is room for the state. */
	if (ret < 0)
		say_write(file, ret);
}

void statefile_save(struct statefile *file, const struct applied *applied)
{
	int ret;

	if (file->directory_fd < 0)
		return;
	ret = replace(file, ".json", print_state, applied);
	/*
	 * Without room for the new one, the old state and the note of the call are the best there
	 * is.
	 */
	if (ret == 0)
		remove_file(file, ".call");
	say_write(file, ret);
}

void statefile_forget_call(struct statefile *file)
{
	if (file->directory_fd >= 0)
		remove_file(file, ".call");
}

void statefile_remove(struct statefile *file)
{
	if (file->directory_fd < 0)
		return;
	remove_file(file, ".json");
	remove_file(file, ".call");
}
