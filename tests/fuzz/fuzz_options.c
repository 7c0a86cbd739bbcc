/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_options.c - a command line of any words: an error is one line, success is within all bounds
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define WORDS_MAX 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char error[OPTIONS_ERROR_SIZE] = "";
	char *argv[WORDS_MAX + 2] = {"netnsmon"};
	struct options options;
	int argc = 1;
	int ret;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	/* Words are separated by newlines. */
	for (char *word = strtok(text, "\n"); word && argc <= WORDS_MAX; word = strtok(NULL, "\n"))
		argv[argc++] = word;
	ret = options_parse(&options, argc, argv, error);
	if ((ret == -EINVAL || ret == -ENODATA) && (!error[0] || strlen(error) >= sizeof(error)))
		abort();
	/* --help and --version end the reading: the rest is not asked for then. */
	if (ret == 0 && !options.wants_help && !options.wants_version &&
	    (!options.dialect || options.timeout_ms == 0 || options.max_links == 0 ||
	     (options.runtime && !options.sandbox)))
		abort();
	if (ret == 0 && options.sandbox && strchr(options.sandbox, '/'))
		abort();
	options_fini(&options);
	free(text);
	return 0;
}
