/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * monitors.c - the monitors that run on this host with one run directory
 *
 * All are asked at once and share one deadline, so that any number of hung ones delay the answer by
 * no more than a single one does.
 */
#include "monitors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "array.h"
#include "clock.h"

#define PATIENCE_MS 5000

/* Each monitor is a descriptor. */
static void allow_many_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/*
 * A socket that refuses connections is one whose owner is dead, since none has its name before it
 * listens. Still a new monitor may take the name at this very moment: so the socket is moved away
 * first, and moved back should somebody listen there after all.
 */
static void remove_stale(int directory_fd, const char *name)
{
	struct varlink_client client;
	char moved[96];

	snprintf(moved, sizeof(moved), "%s.stale-%d", name, (int)getpid());
	if (renameat(directory_fd, name, directory_fd, moved) < 0)
		return;
	if (varlink_client_open(&client, directory_fd, moved) == -ECONNREFUSED ||
	    renameat2(directory_fd, moved, directory_fd, name, RENAME_NOREPLACE) < 0)
		unlinkat(directory_fd, moved, 0);
	varlink_client_close(&client);
}

static int add(struct monitors *monitors, int directory_fd, const char *name)
{
	struct monitor_entry *entry;
	struct varlink_client client;
	int ret = varlink_client_open(&client, directory_fd, name);

	if (ret == -ECONNREFUSED)
		remove_stale(directory_fd, name);
	/* It may have ended since the directory was read. */
	if (ret == -ECONNREFUSED || ret == -ENOENT)
		return 0;
	if (array_reserve(&monitors->entries, &monitors->capacity, monitors->count + 1,
			  sizeof(*monitors->entries))) {
		varlink_client_close(&client);
		return -ENOMEM;
	}
	entry = &monitors->entries[monitors->count++];
	*entry = (struct monitor_entry){.client = client, .error = ret};
	snprintf(entry->socket, sizeof(entry->socket), "%s", name);
	if (ret == 0)
		entry->pid = varlink_client_pid(&client);
	return 0;
}

static int connect_all(struct monitors *monitors, const char *run_dir)
{
	int fd = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent *item;
	DIR *directory;
	int ret = 0;

	if (fd < 0)
		return -errno;
	directory = fdopendir(fd);
	if (!directory) {
		close(fd);
		return -ENOMEM;
	}
	while (ret == 0 && (item = readdir(directory))) {
		if (fnmatch("netns-*.sock", item->d_name, 0) == 0 && strlen(item->d_name) < 64)
			ret = add(monitors, fd, item->d_name);
	}
	closedir(directory);
	return ret;
}

static int compare(const void *left, const void *right)
{
	const struct monitor_entry *a = left, *b = right;
	int order = (a->error != 0) - (b->error != 0);

	if (order == 0)
		order = strcmp(monitor_text(a, "sandbox"), monitor_text(b, "sandbox"));
	return order != 0 ? order : strcmp(a->socket, b->socket);
}

int monitors_find(struct monitors *monitors, const char *run_dir)
{
	int ret;

	*monitors = (struct monitors){0};
	allow_many_descriptors();
	ret = connect_all(monitors, run_dir);
	if (ret < 0)
		return ret;
	monitors_ask(monitors, "org.netnsmon.Monitor.Summary");
	for (size_t i = 0; i < monitors->count; i++) {
		struct monitor_entry *entry = &monitors->entries[i];

		entry->summary = cJSON_DetachItemFromObjectCaseSensitive(entry->reply, "monitor");
		if (entry->error == 0 && !entry->summary)
			entry->error = -EPROTO;
	}
	if (monitors->count > 0)
		qsort(monitors->entries, monitors->count, sizeof(*monitors->entries), compare);
	return 0;
}

static void entry_fini(struct monitor_entry *entry)
{
	varlink_client_close(&entry->client);
	cJSON_Delete(entry->summary);
	cJSON_Delete(entry->reply);
}

void monitors_fini(struct monitors *monitors)
{
	for (size_t i = 0; i < monitors->count; i++)
		entry_fini(&monitors->entries[i]);
	free(monitors->entries);
	*monitors = (struct monitors){0};
}

const char *monitor_text(const struct monitor_entry *entry, const char *key)
{
	const char *text =
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry->summary, key));

	return text ? text : "";
}

static bool is_named(const struct monitor_entry *entry, const char *sandbox, bool takes_start)
{
	const char *id = monitor_text(entry, "sandbox");

	if (takes_start)
		return strncmp(id, sandbox, strlen(sandbox)) == 0;
	return strcmp(id, sandbox) == 0 || strcmp(monitor_text(entry, "netns"), sandbox) == 0;
}

static size_t count_named(const struct monitors *monitors, const char *sandbox, bool takes_start)
{
	size_t count = 0;

	for (size_t i = 0; i < monitors->count; i++)
		count += monitors->entries[i].error == 0 &&
			 is_named(&monitors->entries[i], sandbox, takes_start);
	return count;
}

int monitors_select(struct monitors *monitors, const char *sandbox)
{
	bool takes_start = sandbox && count_named(monitors, sandbox, false) == 0;
	size_t kept = 0;

	if (takes_start && count_named(monitors, sandbox, true) > 1)
		return -ENOTUNIQ;
	for (size_t i = 0; i < monitors->count; i++) {
		struct monitor_entry *entry = &monitors->entries[i];

		if (entry->error == 0 && (!sandbox || is_named(entry, sandbox, takes_start)))
			monitors->entries[kept++] = *entry;
		else
			entry_fini(entry);
	}
	monitors->count = kept;
	return (int)kept;
}

void monitors_ask(struct monitors *monitors, const char *method)
{
	uint64_t deadline_ms = clock_ms() + PATIENCE_MS;
	bool continues;

	for (size_t i = 0; i < monitors->count; i++) {
		struct monitor_entry *entry = &monitors->entries[i];

		cJSON_Delete(entry->reply);
		entry->reply = NULL;
		if (entry->error == 0)
			entry->error = varlink_client_call(&entry->client, method, false);
	}
	for (size_t i = 0; i < monitors->count; i++) {
		struct monitor_entry *entry = &monitors->entries[i];

		if (entry->error == 0)
			entry->error = varlink_client_reply(&entry->client, deadline_ms,
							    &entry->reply, &continues);
	}
}
