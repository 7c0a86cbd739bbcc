/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qmp.h - QEMU's machine protocol: one command at a time, and the end of a device
 *
 * A QMP socket serves one client at a time; the next one is connected, but greeted only when the
 * first has gone. So the connection is the lock under which a VM is changed, and it is kept no
 * longer than one verb takes.
 */
#ifndef NETNSMON_QEMU_QMP_H
#define NETNSMON_QEMU_QMP_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "channel.h"
#include "fault.h"

#define QMP_CLASS_SIZE 32
#define QMP_DESC_SIZE  256
#define QMP_ID_SIZE    40

struct qmp {
	struct channel channel;
	struct fault *fault;
	uint64_t deadline_ms;
	char error_class[QMP_CLASS_SIZE]; /* of the last -EREMOTEIO */
	char error_desc[QMP_DESC_SIZE];
	char watched[QMP_ID_SIZE]; /* the device whose end is waited for */
	bool is_deleted;
	bool is_refused; /* the guest does not let go of it */
};

/*
 * Connects to the socket at @path and waits for the greeting, for at most @greeting_ms. Returns 0
 * or a negative errno with the fault set: -EBUSY if another client is there.
 */
int qmp_open(struct qmp *qmp, const char *path, uint32_t greeting_ms, uint64_t deadline_ms,
	     struct fault *fault);

/* The same on a connected socket, which it takes over. */
int qmp_start(struct qmp *qmp, int fd, uint64_t greeting_ms, uint64_t deadline_ms,
	      struct fault *fault);

void qmp_close(struct qmp *qmp);

/*
 * Runs @command. @arguments becomes the client's (NULL: it was not to be had, -ENOMEM); @passed_fd
 * goes with it unless it is -1. Returns 0 and, if @result is not NULL, the answer in *@result,
 * which the caller deletes; or a negative errno with the fault set: -EREMOTEIO where QEMU refused,
 * with the reason in error_class and error_desc.
 */
int qmp_call(struct qmp *qmp, const char *command, cJSON *arguments, int passed_fd, cJSON **result);

/* From now on it is noted if the device @id ends. */
void qmp_watch(struct qmp *qmp, const char *id);

/*
 * Waits for the end of the watched device, until @until_ms. 0, -ETIMEDOUT, -EBUSY (the guest
 * refuses), or another error with the fault set.
 */
int qmp_await_deleted(struct qmp *qmp, uint64_t until_ms);

#endif
