/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * varlink_service.h - answers calls about one monitor: org.netnsmon.Monitor.varlink
 */
#ifndef NETNSMON_VARLINK_SERVICE_H
#define NETNSMON_VARLINK_SERVICE_H

#include <ev.h>

#include "feed.h"
#include "monitor.h"
#include "netns.h"

struct varlink_service;

/* Whom the service is about; the strings are not owned. */
struct service_config {
	struct monitor *monitor;
	struct feed *feed; /* that the monitor publishes to; the service sets who hears it */
	const char *sandbox;
	const char *netns; /* NULL: not named */
	const char *runtime;
	struct netns_id netns_id;
};

/* Serves in the directory, whose descriptor is not owned and must stay open. NULL: errno says why.
 */
struct varlink_service *varlink_service_open(struct ev_loop *loop, int directory_fd,
					     const struct service_config *config);

/* Tells onlookers that the monitor ends, and serves no more. NULL is harmless. */
void varlink_service_close(struct varlink_service *service);

#endif
