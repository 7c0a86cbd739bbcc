/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the command line as one struct
 */
#ifndef NETNSMON_OPTIONS_H
#define NETNSMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "dialect.h"
#include "log.h"

enum output_format { FORMAT_AUTO, FORMAT_TEXT, FORMAT_JSON };

/* A list of option values, in the order given; the strings are the command line's. */
struct string_list {
	const char **items;
	size_t count;
	size_t capacity;
};

/* "/run/vc/sbs/" and the longest sandbox id. */
#define OPTIONS_SANDBOX_PATH_SIZE 160

struct options {
	const char *program; /* the name for the log and the version */
	bool is_kata_mode;   /* started as kata-netmon: a drop-in for Kata's own monitor */
	const char *netns;   /* NULL: the one we are in */
	const char *sandbox; /* NULL: none given */
	const char *runtime; /* NULL: standalone, requests are printed */
	struct string_list runtime_args;
	const struct dialect *dialect;
	bool runs_in_sandbox; /* the runtime, in the watched namespace */
	uint32_t timeout_ms;  /* of one runtime call */
	struct string_list ignore;
	struct string_list only;
	bool takes_existing;  /* --baseline existing */
	bool takes_temporary; /* --temporary-addresses */
	uint32_t quiet_ms;
	uint32_t max_wait_ms;
	size_t max_routes;
	size_t max_links;
	size_t receive_bytes;
	bool is_once;
	bool is_explain;
	enum output_format format;
	const char *run_dir; /* NULL: neither lock nor state */
	bool keeps_state;    /* not --no-state */
	bool is_standby;
	pid_t watch_pid;			      /* 0: none */
	const char *watch_path;			      /* NULL: none */
	char sandbox_path[OPTIONS_SANDBOX_PATH_SIZE]; /* … in Kata mode, if none is given */
	uint32_t slots;				      /* 0: calls are not limited */
	const char *slots_dir;
	int ready_fd; /* -1: none */
	const char *log_target;
	enum log_level log_level;
	bool wants_help;
	bool wants_version;
};

#define OPTIONS_ERROR_SIZE 256

/*
 * Reads the command line. Returns 0; -EINVAL, or -ENODATA for an option that must be there, and one
 * line for people in @error; or -ENOMEM.
 * Either way the caller must call options_fini(). --help and --version end the reading.
 */
int options_parse(struct options *options, int argc, char **argv, char error[OPTIONS_ERROR_SIZE]);

void options_fini(struct options *options);

/* Whether what is printed is for people: as the user says, else on a terminal. */
bool options_is_text(const struct options *options);

/* Writes the summary of all options. */
void options_print_help(FILE *stream);

#endif
