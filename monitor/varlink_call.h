/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * varlink_call.h - pure: one method call of the varlink protocol (varlink.org) as it came in
 */
#ifndef NETNSMON_VARLINK_CALL_H
#define NETNSMON_VARLINK_CALL_H

#include <cjson/cJSON.h>
#include <stdbool.h>

struct varlink_call {
	cJSON *json; /* owned; the others point into it */
	const char *method;
	const cJSON *parameters; /* an object, or NULL where there are none */
	bool is_oneway;		 /* no reply is wanted */
	bool wants_more;	 /* several replies are */
	bool wants_upgrade;	 /* to another protocol */
};

/*
 * Reads the call that @text is. Returns 0, or -EBADMSG: it is none. The caller must call
 * varlink_call_fini() after a 0.
 */
int varlink_call_parse(const char *text, struct varlink_call *call);

void varlink_call_fini(struct varlink_call *call);

#endif
