/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logsink.c - where log lines go, without ever waiting for it
 *
 * syslog(3) waits for a syslog daemon that is stuck, hence the few lines of protocol here.
 */
#include "logsink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "nowait.h"

static int connect_syslog(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

int logsink_open(struct logsink *sink, const char *program, const char *target)
{
	struct logsink opened = {.program = program, .fd = STDERR_FILENO};

	if (strcmp(target, "syslog") == 0) {
		opened.is_syslog = true;
		opened.is_ours = true;
		opened.fd = connect_syslog();
	} else if (strcmp(target, "stderr") != 0) {
		opened.is_ours = true;
		/* Non-blocking for the sake of FIFOs; without a reader one cannot be opened. */
		opened.fd = open(target,
				 O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
				 0640);
		if (opened.fd < 0)
			return -errno;
	}
	*sink = opened;
	return 0;
}

void logsink_close(struct logsink *sink)
{
	if (sink->is_ours && sink->fd >= 0)
		close(sink->fd);
	sink->fd = -1;
}

static bool send_to_syslog(struct logsink *sink, int severity, const char *text, size_t size)
{
	char head[96];
	char when[32] = "";
	time_t now = time(NULL);
	struct tm local;
	struct iovec parts[2];

	/* RFC 3164, as syslog(3) writes it to /dev/log: local time, no host. */
	if (localtime_r(&now, &local))
		strftime(when, sizeof(when), "%b %e %T", &local);
	snprintf(head, sizeof(head), "<%d>%s %.32s[%d]: ", LOG_USER | severity, when, sink->program,
		 (int)getpid());
	parts[0] = (struct iovec){.iov_base = head, .iov_len = strlen(head)};
	parts[1] = (struct iovec){.iov_base = (void *)text, .iov_len = size};
	/* Once more on a fresh socket: the daemon may have been restarted since. */
	for (int attempt = 0; attempt < 2; attempt++) {
		if (sink->fd < 0)
			sink->fd = connect_syslog();
		if (sink->fd < 0)
			return false;
		if (writev(sink->fd, parts, 2) >= 0)
			return true;
		if (errno == EAGAIN || errno == ENOBUFS || errno == EMSGSIZE)
			return false;
		close(sink->fd);
		sink->fd = -1;
	}
	return false;
}

bool logsink_write(struct logsink *sink, int severity, const char *text, size_t size)
{
	ssize_t written;

	if (sink->is_syslog)
		return send_to_syslog(sink, severity, text, size);
	if (sink->is_mid_line) {
		if (nowait_write(sink->fd, "\n", 1) != 1)
			return false;
		sink->is_mid_line = false;
	}
	written = nowait_write(sink->fd, text, size);
	sink->is_mid_line = written > 0 && (size_t)written < size;
	return written == (ssize_t)size;
}
