/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.c - what monitors are started with: a file of "key = value" lines
 *
 * Nothing of this can come from the container: who may start containers need not be root, and an
 * option is enough to run a program or write to a file as root. For the same reason the file must
 * be writable by nobody else.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "say.h"

#define FILE_MAX	  ((off_t)64 * 1024)
#define READY_TIMEOUT	  10
#define READY_TIMEOUT_MAX 300

/* Reads the whole file into @config->text. */
static int read_file(struct config *config, const char *path)
{
	/* O_NONBLOCK: should it be a FIFO, nobody waits for its other end. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	ssize_t got = -1;

	if (fd < 0)
		return say("%s: %s", path, strerror(errno));
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size > FILE_MAX) {
		close(fd);
		return say("%s: not a small file", path);
	}
	if ((status.st_uid != 0 && status.st_uid != geteuid()) || (status.st_mode & 022) != 0) {
		close(fd);
		return say("%s: somebody else may write to it", path);
	}
	config->text = calloc(1, (size_t)status.st_size + 1);
	if (config->text)
		got = read(fd, config->text, (size_t)status.st_size);
	close(fd);
	return got < 0 ? say("%s: cannot be read", path) : 0;
}

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

static bool set_word(const char **word, const char *value)
{
	*word = value;
	return true;
}

static bool set_path(const char **path, const char *value)
{
	*path = value;
	return value[0] == '/';
}

static bool set_timeout(struct config *config, const char *value)
{
	char *end;
	unsigned long seconds = strtoul(value, &end, 10);

	config->ready_timeout = (unsigned int)seconds;
	return isdigit((unsigned char)value[0]) && *end == '\0' && seconds > 0 &&
	       seconds <= READY_TIMEOUT_MAX;
}

static bool set_required(struct config *config, const char *value)
{
	config->is_optional = strcmp(value, "no") == 0;
	return config->is_optional || strcmp(value, "yes") == 0;
}

static bool add_option(struct config *config, const char *value)
{
	if (config->option_count == CONFIG_OPTIONS_MAX || value[0] != '-')
		return false;
	config->options[config->option_count++] = value;
	return true;
}

/* False if there is no such key, or it cannot have this value. */
static bool set(struct config *config, const char *key, const char *value)
{
	if (!*value)
		return false;
	if (strcmp(key, "runtime") == 0)
		return set_word(&config->runtime, value);
	if (strcmp(key, "monitor") == 0)
		return set_path(&config->monitor, value);
	if (strcmp(key, "run-dir") == 0)
		return set_path(&config->run_dir, value);
	if (strcmp(key, "sandbox-annotation") == 0)
		return set_word(&config->sandbox_annotation, value);
	if (strcmp(key, "ready-timeout") == 0)
		return set_timeout(config, value);
	if (strcmp(key, "required") == 0)
		return set_required(config, value);
	return strcmp(key, "option") == 0 && add_option(config, value);
}

static int parse(struct config *config, const char *path)
{
	char *rest = config->text;
	unsigned int number = 0;

	while (rest) {
		char *line = trim(strsep(&rest, "\n"));
		char *value = strchr(line, '=');

		number++;
		if (!*line || *line == '#')
			continue;
		if (value)
			*value++ = '\0';
		if (!value || !set(config, trim(line), trim(value)))
			return say("%s:%u: no such setting, or not such a value: %.60s", path,
				   number, trim(line));
	}
	if (!config->runtime)
		return say("%s: it names no runtime", path);
	return 0;
}

/* Unless the file says otherwise the monitor is the one that was installed with this program. */
static int find_monitor(struct config *config)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
	char *end = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;

	if (config->monitor)
		return 0;
	if (!end ||
	    asprintf(&config->found_monitor, "%.*s/netnsmon", (int)(end - path), path) < 0) {
		config->found_monitor = NULL;
		return say("cannot tell where netnsmon is");
	}
	config->monitor = config->found_monitor;
	return 0;
}

int config_read(struct config *config, const char *path)
{
	int ret;

	memset(config, 0, sizeof(*config));
	config->run_dir = "/run/netnsmon";
	config->ready_timeout = READY_TIMEOUT;
	ret = read_file(config, path);
	if (ret == 0)
		ret = parse(config, path);
	if (ret == 0)
		ret = find_monitor(config);
	if (ret)
		config_fini(config);
	return ret;
}

void config_fini(struct config *config)
{
	free(config->text);
	free(config->found_monitor);
	memset(config, 0, sizeof(*config));
}
