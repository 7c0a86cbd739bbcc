/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.h - the QEMU guest agent: what network interfaces a guest has, and commands run in it
 *
 * The socket is the host's end of a virtio-serial port that the agent has open in the guest. What
 * comes from it is a guest's word, and checked as such.
 */
#ifndef NETNSMON_QEMU_AGENT_H
#define NETNSMON_QEMU_AGENT_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#include "channel.h"
#include "fault.h"
#include "iface.h"

/* What a guest may have at most; it could claim any number. */
#define AGENT_LINKS_MAX	    1024
#define AGENT_ADDRESSES_MAX 4096

struct agent {
	struct channel channel;
	struct fault *fault;
	uint64_t deadline_ms;
};

/* The guest's interfaces, as far as the agent tells: name, MAC and addresses (sorted). */
struct agent_links {
	struct iface *links;
	size_t count;
};

/* How a command in the guest ended. */
struct agent_exit {
	int status;   /* of a process; 128 + its number for a signal, as a shell has it */
	char *output; /* what it wrote to stderr; owned, never NULL after success */
};

/*
 * Connects and makes sure that the agent answers, and answers us. 0 or a negative errno with the
 * fault set.
 */
int agent_open(struct agent *agent, const char *path, uint64_t deadline_ms, struct fault *fault);

/* The same on a connected socket, which it takes over. */
int agent_start(struct agent *agent, int fd, uint64_t deadline_ms, struct fault *fault);

void agent_close(struct agent *agent);

/* What interfaces the guest has now, to be freed by agent_links_fini(). */
int agent_get_links(struct agent *agent, struct agent_links *links);

void agent_links_fini(struct agent_links *links);

/*
 * Runs the shell script @script with the @count arguments @arguments, and @input (NUL-terminated)
 * as its standard input, and waits for its end. Returns 0 whatever its exit status was, or a
 * negative errno with the fault set. The caller frees exit->output.
 */
int agent_run(struct agent *agent, const char *script, const char *const *arguments, size_t count,
	      const char *input, struct agent_exit *exit);

/*
 * Pure: the answers of guest-network-get-interfaces and guest-exec-status. 0, -EAGAIN (the command
 * still runs), -EBADMSG or -ENOMEM.
 */
int agent_parse_links(const cJSON *answer, struct agent_links *links);
int agent_parse_exit(const cJSON *answer, struct agent_exit *exit);

#endif
