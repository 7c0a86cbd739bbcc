/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_message.c - datagrams of any bytes, into hint and parse
 */
#include <stdlib.h>

#include "hint.h"
#include "nexthop.h"
#include "nlparse.h"
#include "recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_as_all(const struct nlmsghdr *message, void *arg)
{
	struct nexthop_table nexthops = {0};
	struct route_list routes = {0};
	struct address address;
	struct link link;

	(void)arg;
	hint_of(message);
	/* The type decides what a dump takes it for, so try each whatever the header says. */
	if (nlparse_link(message, &link) == 0 && link.index == 0)
		abort();
	if (nlparse_address(message, &address) == 0 && address.prefix_len > ip_bits(address.family))
		abort();
	nlparse_route(message, &routes);
	nlparse_nexthop(message, &nexthops);
	if (nexthop_resolve(&nexthops, &routes, 100000) == 0) {
		for (size_t i = 0; i < routes.count; i++) {
			if (routes.routes[i].hop_count == 0)
				abort();
		}
	}
	route_list_sort(&routes);
	nexthop_table_fini(&nexthops);
	route_list_fini(&routes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	recording_walk(data, size, parse_as_all, NULL);
	return 0;
}
