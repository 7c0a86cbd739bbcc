/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_output.c - what a runtime wrote, of any bytes: the answer is found, and the log line stays
 * one line
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "dialect.h"
#include "log.h"
#include "utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory that the log is written to. */
static int log_fd = -1;

static void check_log(void)
{
	static char text[1 << 16];
	ssize_t length = pread(log_fd, text, sizeof(text), 0);
	size_t lines = 0;

	for (ssize_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text[i];

		lines += byte == '\n';
		if ((byte < 0x20 && byte != '\n') || byte == 0x7f)
			abort();
	}
	for (size_t left = (size_t)length, at = 0; left > 0;) {
		uint32_t character;
		size_t step = utf8_decode(text + at, left, &character);

		if (step == 0)
			abort();
		at += step;
		left -= step;
	}
	if (lines != 1 || text[length - 1] != '\n')
		abort();
}

static void open_log(void)
{
	char path[32];

	log_fd = memfd_create("log", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", log_fd);
	if (log_fd < 0 || log_open("netnsmon", "sandbox", path, LOG_LEVEL_WARN) < 0)
		abort();
}

static void end_call(const struct dialect *dialect, const char *output, size_t size)
{
	struct calls calls = {.dialect = dialect};
	struct applied applied = {0};
	struct request request = {.verb = VERB_ROUTES};
	struct call_result result = {
		.outcome = OUTCOME_EXITED,
		.detail = 1,
		.output = output,
		.output_len = size,
	};

	calls_end(&calls, &applied, NULL, &request, &result, 1000);
	applied_fini(&applied);
	calls_fini(&calls);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *output;

	if (log_fd < 0)
		open_log();
	size = size < CLIENT_OUTPUT_SIZE ? size : CLIENT_OUTPUT_SIZE;
	output = malloc(size + 1);
	if (!output || ftruncate(log_fd, 0) < 0)
		abort();
	memcpy(output, data, size);
	dialect_answer(dialect_find("kata1"), output, size);
	end_call(dialect_find("plain"), output, size);
	check_log();
	free(output);
	return 0;
}
