/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.c - one thing that a runtime is asked to do
 */
#include "request.h"

#include <string.h>

void request_fini(struct request *request)
{
	iface_fini(&request->iface);
	route_list_fini(&request->routes);
	memset(request, 0, sizeof(*request));
}
