/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - netnsmon-qemu: a runtime command that plugs NICs into a running QEMU
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "config.h"
#include "input.h"
#include "netns.h"
#include "utf8.h"
#include "verbs.h"

/* 65,536 routes are about 10 MB. */
#define INPUT_MAX (64U << 20)

enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* One line, whatever bytes of a guest or of QEMU are in it. */
static void print_line(const char *kind, const char *text)
{
	char line[UTF8_SANITIZED_SIZE(FAULT_SIZE)];

	fprintf(stderr, "netnsmon-qemu: %s%s\n", kind, utf8_printable(text, line));
}

static void warn(const char *text)
{
	print_line("warning: ", text);
}

static void print_help(void)
{
	printf("usage: netnsmon-qemu [options] VERB SANDBOX [-]\n\n"
	       "Plugs into a running QEMU what netnsmon reports; JSON on standard input.\n\n"
	       "  add-network     a NIC for an interface of the namespace\n"
	       "  del-network     takes it out again\n"
	       "  update-network  its name, MTU, MAC and addresses in the guest\n"
	       "  update-route    all routes in the guest\n"
	       "  list            what is plugged (no input)\n\n"
	       "Options, which are also the keys of " CONFIG_DIRECTORY "/SANDBOX.conf:\n");
	config_print_keys(stdout);
	printf("  %-28s %s\n", "-c, --config FILE", "instead of " CONFIG_DIRECTORY "/SANDBOX.conf");
	printf("\nExit status: 0 done, 1 failed (why is on stderr), 2 usage.\n");
}

/* All of standard input; the caller frees it. */
static int read_input(char **text, size_t *size, struct fault *fault)
{
	size_t capacity = 0;
	ssize_t length;

	*text = NULL;
	*size = 0;
	do {
		if (*size > INPUT_MAX || array_reserve(text, &capacity, *size + 65536, 1))
			return fault_set(fault, -EMSGSIZE, "bad input: too long");
		length = read(STDIN_FILENO, *text + *size, capacity - *size);
		if (length < 0 && errno != EINTR)
			return fault_set_errno(fault, -errno, "standard input");
		*size += length > 0 ? (size_t)length : 0;
	} while (length != 0);
	return 0;
}

static int enter_netns(const char *netns, struct fault *fault)
{
	char path[PATH_MAX];
	int origin_fd = -1;
	int ret;

	if (!*netns)
		return 0;
	ret = netns_path(netns, path);
	if (ret == 0)
		ret = netns_enter(path, &origin_fd);
	if (ret < 0)
		return fault_set_errno(fault, ret, "namespace %s", netns);
	close(origin_fd);
	return 0;
}

typedef int (*verb_fn)(struct vm *vm, const struct input_iface *input);

static verb_fn find_verb(const char *name)
{
	static const struct {
		const char *name;
		verb_fn run;
	} rows[] = {
		{"add-network", vm_add},
		{"del-network", vm_del},
		{"update-network", vm_update},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].run;
	}
	return NULL;
}

/* What standard input has said. */
struct input {
	verb_fn run; /* NULL: another verb */
	bool is_list;
	struct input_iface iface;
	struct route_list routes;
};

static int parse_input(struct input *input, const char *verb, struct fault *fault)
{
	char *text = NULL;
	size_t size;
	int ret = 0;

	memset(input, 0, sizeof(*input));
	input->run = find_verb(verb);
	input->is_list = strcmp(verb, "list") == 0;
	if (input->is_list)
		return 0;
	if (!input->run && strcmp(verb, "update-route") != 0)
		return fault_set(fault, -EINVAL, "%.80s: no such verb; see --help", verb);
	ret = read_input(&text, &size, fault);
	if (ret == 0 && input->run)
		ret = input_parse_iface(text, size, &input->iface, fault);
	else if (ret == 0)
		ret = input_parse_routes(text, size, &input->routes, fault);
	free(text);
	return ret;
}

static int run(const struct config *config, const struct input *input, struct fault *fault)
{
	struct vm vm;
	int ret = enter_netns(config->netns, fault);

	if (ret < 0)
		return ret;
	ret = vm_open(&vm, config, warn);
	if (ret == 0 && input->is_list)
		ret = vm_list(&vm, stdout);
	else if (ret == 0 && input->run)
		ret = input->run(&vm, &input->iface);
	else if (ret == 0)
		ret = vm_set_routes(&vm, &input->routes);
	*fault = vm.fault;
	vm_close(&vm);
	return ret;
}

int main(int argc, char **argv)
{
	struct config_command command;
	struct config config;
	struct input input = {0};
	struct fault fault;
	int ret = config_read(&config, &command, argc, argv, &fault);
	bool is_usage = ret < 0;

	if (ret == 0 && command.wants_help) {
		print_help();
		return STATUS_DONE;
	}
	if (ret == 0 && command.wants_version) {
		printf("netnsmon-qemu %s\n", NETNSMON_VERSION);
		return STATUS_DONE;
	}
	if (ret == 0) {
		ret = parse_input(&input, command.verb, &fault);
		is_usage = ret == -EINVAL;
	}
	if (ret == 0)
		ret = run(&config, &input, &fault);
	if (ret < 0)
		print_line("", fault.text);
	iface_fini(&input.iface.iface);
	route_list_fini(&input.routes);
	if (ret == 0)
		return fflush(stdout) == 0 ? STATUS_DONE : STATUS_FAILED;
	return is_usage ? STATUS_USAGE : STATUS_FAILED;
}
