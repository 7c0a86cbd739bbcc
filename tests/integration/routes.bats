#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# routes.bats - which routes are sent, in which order, and when

load helpers

setup() {
	setup_netns
	mk_bare eth1
	mk_bare eth2
	T link set eth1 up
	T link set eth2 up
	T addr add 10.1.0.2/24 dev eth1
	T addr add 10.2.0.2/24 dev eth2
	T addr add 2001:db8:1::2/64 dev eth1 nodad
}
teardown() { teardown_netns; }

# The last list has these destinations, in this order.
last_dests() {
	[ "$(calls | jq -r 'select(.verb | startswith("update-route")) | .data | map(.Dest) | join(" ")' | tail -n 1)" = "$1" ]
}

@test "a default route is added, replaced and deleted" {
	start_monitor
	T route add default via 10.1.0.1
	wait_for "$BOUND" last_dests "0.0.0.0/0"
	T route replace default via 10.2.0.1
	wait_calls 1 '.data[0].Gateway? == "10.2.0.1"'
	T route del default
	wait_for "$BOUND" last_dests ""
	barrier
	[ "$(summary)" = "update-route update-route update-route" ]
	finish
}

@test "IPv4 routes that vanish with a link that goes down" {
	start_monitor
	T route add 10.66.0.0/16 via 10.1.0.1
	T route add 10.67.0.0/16 via 10.2.0.1
	wait_for "$BOUND" last_dests "10.66.0.0/16 10.67.0.0/16"
	T link set eth1 down
	wait_for "$BOUND" last_dests "10.67.0.0/16"
	finish
}

@test "routes are in an order in which they can be installed" {
	start_monitor
	printf '%s\n' 'route add default via 10.1.0.1' 'route add 10.9.0.0/16 via 10.1.0.1' \
		'route add 10.9.9.0/24 via 10.1.0.1' 'route add 10.8.0.0/16 dev eth2' '-6 route add default via 2001:db8:1::1' |
		sed 's/^-6 //' | T -batch -
	wait_for "$BOUND" last_dests "10.8.0.0/16 10.9.9.0/24 10.9.0.0/16 0.0.0.0/0 ::/0"
	finish
}

@test "a new network takes the default route (B9)" {
	T route add default via 10.1.0.1
	start_monitor
	printf '%s\n' "link add eth3 type veth peer name peth3 netns $PEER" 'link set eth3 up' 'addr add 10.3.0.2/24 dev eth3' |
		T -batch -
	P link set peth3 up
	T route replace default via 10.3.0.1 dev eth3
	wait_calls 1 '.verb == "update-route"'
	barrier
	[ "$(summary)" = "add-network:eth3 update-route" ]
	assert_calls 'last.data | map([.Dest, .Device]) == [["0.0.0.0/0", "eth3"]]'
	T route add default via 10.1.0.1 dev eth1 metric 50
	wait_calls 1 '.verb == "update-route" and (.data | map(.Metric)) == [0, 50]'
	T route del default via 10.3.0.1
	wait_calls 1 '.verb == "update-route" and (.data | map(.Metric)) == [50]'
	finish
}

@test "a multipath route has next hops and no device of its own (B10)" {
	start_monitor
	T route add default nexthop via 10.1.0.1 dev eth1 weight 1 nexthop via 10.2.0.1 dev eth2 weight 3
	wait_calls 1 '.verb == "update-route"'
	assert_calls 'first.data == [{Dest: "0.0.0.0/0", Gateway: "", Device: "", Source: "", Scope: 0, Family: 2, Metric: 0, Mtu: 0,
		Flags: 0, NextHops: [{Gateway: "10.1.0.1", Device: "eth1", Weight: 1}, {Gateway: "10.2.0.1", Device: "eth2", Weight: 3}]}]'
	finish
}

@test "IPv4 by an IPv6 next hop: plain, as a leg, as an object (B11)" {
	start_monitor
	T route add 10.77.0.0/16 via inet6 fe80::1 dev eth1
	T route add 10.78.0.0/16 nexthop via inet6 fe80::1 dev eth1 nexthop via 10.2.0.1 dev eth2
	T nexthop add id 7 via fe80::7 dev eth1
	T route add 10.79.0.0/16 nhid 7
	wait_for "$BOUND" last_dests "10.77.0.0/16 10.78.0.0/16 10.79.0.0/16"
	assert_calls 'last.data | .[0].Gateway == "fe80::1" and .[0].Family == 2 and .[2].Gateway == "fe80::7"
		and (.[1].NextHops | map(.Gateway) == ["fe80::1", "10.2.0.1"])'
	finish
}

@test "onlink is the only flag that counts; a route's MTU and source are sent" {
	start_monitor
	T route add 10.5.0.0/16 via 192.0.2.1 dev eth1 onlink
	T route add 10.6.0.0/16 via 10.1.0.1 mtu 1300 src 10.1.0.2
	wait_for "$BOUND" last_dests "10.5.0.0/16 10.6.0.0/16"
	assert_calls 'last.data | map([.Flags, .Mtu, .Source]) == [[4, 0, ""], [0, 1300, "10.1.0.2"]]'
	finish
}

@test "one leg of an IPv6 multipath route goes (B14)" {
	start_monitor
	T -6 route add default via fe80::1 dev eth1
	T -6 route append default via fe80::2 dev eth1
	wait_calls 1 '.verb == "update-route" and (.data[0].NextHops // [] | length) == 2'
	T -6 route del default via fe80::2 dev eth1
	wait_calls 1 '.verb == "update-route" and .data[0].Gateway? == "fe80::1" and (.data[0] | has("NextHops") | not)'
	finish
}

@test "a nexthop object goes, and its routes with it (B15)" {
	start_monitor
	T nexthop add id 1 via 10.1.0.7 dev eth1
	T route add 10.66.0.0/16 nhid 1
	wait_for "$BOUND" last_dests "10.66.0.0/16"
	T nexthop del id 1
	wait_for "$BOUND" last_dests ""
	T nexthop add id 1 via 10.1.0.7 dev eth1
	T route add 10.66.0.0/16 nhid 1
	wait_for "$BOUND" last_dests "10.66.0.0/16"
	T link set eth1 down
	wait_for "$BOUND" last_dests ""
	finish
}

@test "a group of nexthop objects, also where the kernel names only its id" {
	start_monitor
	ip netns exec "$NS" sysctl -qw net.ipv4.nexthop_compat_mode=0
	T nexthop add id 1 via 10.1.0.7 dev eth1
	T nexthop add id 2 via 10.2.0.7 dev eth2
	T nexthop add id 3 group 1/2,3
	T route add 10.67.0.0/16 nhid 3
	wait_for "$BOUND" last_dests "10.67.0.0/16"
	assert_calls 'last.data[0].NextHops == [{Gateway: "10.1.0.7", Device: "eth1", Weight: 1}, {Gateway: "10.2.0.7", Device: "eth2", Weight: 3}]'
	T nexthop del id 2
	wait_calls 1 '.data[0].Gateway? == "10.1.0.7"'
	ip netns exec "$NS" sysctl -qw net.ipv4.nexthop_compat_mode=1
	finish
}

@test "metrics above 2^31 are exact (B28)" {
	start_monitor
	T route add 10.92.0.0/16 via 10.1.0.1 metric 4294967295
	wait_calls 1 '.verb == "update-route" and .data[0].Metric == 4294967295'
	finish
}

@test "routes that a runtime cannot be told are left out, with one warning each" {
	start_monitor
	T route add 10.93.0.0/16 via 10.1.0.1 tos 8
	T -6 route add 2001:db8:50::/48 from 2001:db8:51::/48 via 2001:db8:1::1
	T route add blackhole 10.94.0.0/16
	T route add 10.95.0.0/16 via 10.1.0.1 table 100
	T route add 10.96.0.0/16 via 10.1.0.1
	wait_for "$BOUND" last_dests "10.96.0.0/16"
	T route add 10.97.0.0/16 via 10.1.0.1
	wait_for "$BOUND" last_dests "10.96.0.0/16 10.97.0.0/16"
	[ "$(grep -c 'level=warning' "$DIR/log")" -eq 2 ]
	grep -q 'level=warning.*10.93.0.0/16' "$DIR/log"
	grep -q 'level=warning.*2001:db8:50::/48' "$DIR/log"
	finish
}

@test "a default that moves to an interface whose add fails does not cut off the guest" {
	T route add default via 10.1.0.1
	start_monitor
	echo '1000 1 no slot' >"$DIR/rt/fail-name-eth3"
	mk_bare eth3
	T addr add 10.3.0.2/24 dev eth3
	T link set eth3 up
	T route replace default via 10.3.0.1 dev eth3
	wait_for "$BOUND" grep -q 'no slot' "$DIR/log"
	barrier
	[ "$(summary)" = "" ]
	rm "$DIR/rt/fail-name-eth3"
	wait_calls 1 '.verb == "update-route"'
	assert_calls 'last.data[0].Device == "eth3"'
	finish
}
