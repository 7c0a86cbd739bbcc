/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - one thing that a runtime is asked to do
 */
#ifndef NETNSMON_REQUEST_H
#define NETNSMON_REQUEST_H

#include "iface.h"
#include "routes.h"

enum verb {
	VERB_ADD,    /* plug a new interface */
	VERB_DEL,    /* unplug one */
	VERB_UPDATE, /* its addresses, MTU, MAC or name are different now */
	VERB_ROUTES, /* this is the whole list of routes */
	VERB_COUNT
};

#define REQUEST_REASON_SIZE 96

/* A value that owns what it holds. */
struct request {
	enum verb verb;
	struct iface iface;		 /* all but VERB_ROUTES */
	char previous_name[IF_NAMESIZE]; /* VERB_UPDATE: as the runtime knows it, "" if unchanged */
	struct route_list routes;	 /* VERB_ROUTES: sorted */
	char reason[REQUEST_REASON_SIZE]; /* for people: what happened */
};

/* Frees what the request owns and empties it. */
void request_fini(struct request *request);

#endif
