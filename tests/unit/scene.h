/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene.h - namespaces and requests as lines of text, so that a test reads like what it means
 */
#ifndef NETNSMON_SCENE_H
#define NETNSMON_SCENE_H

/* cmocka wants these before itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/netlink.h>

#include "applied.h"
#include "filter.h"
#include "reconcile.h"
#include "snapshot.h"

/* The address that @text means, of whichever family. */
struct ip scene_ip(const char *text);

/*
 * Adds what the lines of @text (ended by ';' or the end) say, and completes the snapshot:
 *
 *   link INDEX NAME [kind KIND] [mac LAST-BYTE] [nomac] [mtu N] [master INDEX] [parent INDEX]
 *                   [down] [nocarrier] [loopback] [noarp]
 *   addr INDEX ADDRESS/LEN [peer ADDRESS] [tentative] [dadfailed] [optimistic] [temporary]
 *                          [secondary] [proto N]
 *   route DEST/LEN|default|default6 HOP [nexthop HOP]... [metric N] [mtu N] [src ADDRESS]
 *                          [kernel] [tos] [encap] [from] [id N];  HOP: [via GATEWAY] dev INDEX
 *                          [weight N] [onlink]
 *
 * A link is a veth, up, with MTU 1500 and MAC 02:00:00:00:00:INDEX unless it says otherwise.
 */
void scene_add(struct snapshot *snapshot, const char *text);

/* What the request asks for, as one line. The text is static. */
const char *scene_request(const struct request *request);

/* The routes of a list as "DEST via GATEWAY dev NAME …; …". The text is static. */
const char *scene_routes(const struct route_list *list);

/* A runtime, what it was told, and the monitor's part of it. */
struct world {
	struct policy policy;
	struct applied applied;
	uint64_t now_ms;
	uint64_t wake_ms;     /* of the last round */
	bool has_lost_events; /* for the next round */
	bool has_torn_routes; /* … */
	bool has_cut_routes;  /* … */
	const char *fails;    /* requests whose line has this text fail; NULL: none */
	bool fails_unsure;    /* … and nobody knows whether they were carried out */
	char told[4096];      /* lines of requests since world_tell() was last called */
	char notes[4096];     /* what was said to people */
};

/* Starts with nothing applied. */
void world_init(struct world *world, const char *dialect);
void world_fini(struct world *world);

/* Takes @scene as what was there at start. */
void world_baseline(struct world *world, const char *scene);

/* One round over @scene: returns the requests, one a line, each ended by '\n'. */
const char *world_round(struct world *world, const char *scene);

/* Calls @fn with each message of the recording called @name. Returns how many there were. */
size_t for_each_recorded(const char *name, void (*fn)(const struct nlmsghdr *, void *), void *arg);

#endif
