#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# addresses.bats - which addresses count, and when

load helpers

setup() { setup_netns; }
teardown() { teardown_netns; }

@test "IPv6 with duplicate address detection: one request, not two" {
	start_monitor
	T link add eth1 type veth peer name peth1 netns "$PEER"
	P link set peth1 up
	T addr add 10.1.0.2/24 dev eth1
	T addr add 2001:db8:1::2/64 dev eth1
	T link set eth1 up
	wait_calls 1 '.verb == "add-network"'
	barrier_after_loss
	[ "$(summary)" = "add-network:eth1" ]
	assert_calls 'first | .data.IPAddresses | length == 2'
	finish
}

@test "addresses that are added and removed later are updates" {
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	T addr add 10.1.0.2/24 dev eth1
	wait_calls 1 '.verb == "update-network" and (.data.IPAddresses | length) == 1'
	T addr add 2001:db8:1::2/64 dev eth1
	wait_calls 1 '.verb == "update-network" and (.data.IPAddresses | length) == 2'
	T addr del 10.1.0.2/24 dev eth1
	wait_calls 1 '.verb == "update-network" and .data.IPAddresses == [{Family: 10, Address: "2001:db8:1::2", Mask: "64"}]'
	barrier_after_loss
	[ "$(acknowledged | wc -l)" -eq 4 ]
	finish
}

@test "a lifetime that changes, and an address that is set again, are no change" {
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T addr add 2001:db8:1::2/64 dev eth1 nodad
	start_monitor
	T addr replace 10.1.0.2/24 dev eth1
	T addr change 10.1.0.2/24 dev eth1 valid_lft 3000 preferred_lft 2000
	T addr change 2001:db8:1::2/64 dev eth1 valid_lft 3000 preferred_lft 0
	barrier
	[ "$(calls | wc -l)" -eq 0 ]
	finish
}

@test "an MTU below 1280 takes IPv6 away: one update each way (B3)" {
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T addr add 2001:db8:1::2/64 dev eth1 nodad
	T route add 10.9.0.0/16 via 10.1.0.1
	T route add 2001:db8:9::/48 via 2001:db8:1::1
	start_monitor
	T link set eth1 mtu 1000
	wait_calls 1 '.verb == "update-route"'
	barrier_after_loss
	[ "$(summary)" = "update-network:eth1 update-route" ]
	assert_calls '.[0].data.Mtu == 1000 and .[0].data.IPAddresses == [{Family: 2, Address: "10.1.0.2", Mask: "24"}]
		and (.[1].data | map(.Family) == [2])'
	T link set eth1 mtu 1500
	wait_calls 2 '.verb == "update-network"'
	barrier_after_loss
	[ "$(summary)" = "update-network:eth1 update-route update-network:eth1" ]
	assert_calls '.[2].data.Mtu == 1500 and (.[2].data.IPAddresses | length) == 1'
	finish
}

@test "with a peer the own address is the local one (B6)" {
	mk eth1
	start_monitor
	T addr add 10.2.0.2 peer 10.2.0.1/32 dev eth1
	T addr add 2001:db8:2::2 peer 2001:db8:2::1/128 dev eth1 nodad
	wait_calls 1 '.verb == "update-network" and (.data.IPAddresses | length) == 2'
	assert_calls '[.[] | select(.verb == "update-network")] | last.data.IPAddresses
		== [{Family: 2, Address: "10.2.0.2", Mask: "32"}, {Family: 10, Address: "2001:db8:2::2", Mask: "128"}]'
	wait_calls 1 '.verb == "update-route" and (.data | map(.Dest) | sort) == ["10.2.0.1/32", "2001:db8:2::1/128"]'
	finish
}

@test "the last IPv4 address takes the routes with it, silently (B7)" {
	mk eth1
	mk eth2
	T addr add 10.8.0.2/24 dev eth1
	T route add 10.81.0.0/16 dev eth1
	T route add 10.82.0.0/16 via 10.8.0.1
	T route add 10.83.0.0/16 dev eth2
	start_monitor
	T addr del 10.8.0.2/24 dev eth1
	wait_calls 1 '.verb == "update-route"'
	barrier_after_loss
	[ "$(summary)" = "update-network:eth1 update-route" ]
	assert_calls '.[0].data.IPAddresses == [] and (.[1].data | map(.Dest) == ["10.83.0.0/16"])'
	finish
}

@test "a duplicate address is never told, and named once (B8)" {
	mk_bare eth1
	P addr add 2001:db8::2/64 dev peth1 nodad
	T addr add 2001:db8::2/64 dev eth1
	start_monitor
	T link set eth1 up
	wait_calls 1 '.verb == "add-network"'
	wait_for "$BOUND" sh -c "ip -n $NS addr show eth1 | grep -q dadfailed"
	barrier_after_loss
	[ "$(summary)" = "add-network:eth1" ]
	assert_calls 'first | .data.IPAddresses == []'
	[ "$(grep -c 'somebody else has it' "$DIR/log")" -eq 1 ]
	grep -q 'level=warning.*2001:db8::2' "$DIR/log"
	P addr del 2001:db8::2/64 dev peth1
	T addr del 2001:db8::2/64 dev eth1
	T addr add 2001:db8::2/64 dev eth1
	wait_calls 1 '.verb == "update-network" and (.data.IPAddresses | length) == 1'
	barrier
	[ "$(summary)" = "add-network:eth1 update-network:eth1" ]
	finish
}

@test "a duplicate on an interface that is plugged already causes no request" {
	mk_bare eth1
	T link set eth1 up
	P addr add 2001:db8::2/64 dev peth1 nodad
	start_monitor
	T addr add 2001:db8::2/64 dev eth1
	wait_for "$BOUND" sh -c "ip -n $NS addr show eth1 | grep -q dadfailed"
	barrier_after_loss
	[ "$(calls | wc -l)" -eq 0 ]
	finish
}

@test "link-local: the kernel's own is not told, the user's is" {
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network" and .data.IPAddresses == []'
	T addr add fe80::1234/64 dev eth1 nodad
	wait_calls 1 '.verb == "update-network" and .data.IPAddresses == [{Family: 10, Address: "fe80::1234", Mask: "64"}]'
	stop_monitor
}

@test "secondary addresses come after the primary ones" {
	start_monitor
	T link add eth1 type veth peer name peth1 netns "$PEER"
	P link set peth1 up
	T addr add 10.1.0.9/24 dev eth1
	T addr add 10.1.0.2/24 dev eth1
	T link set eth1 up
	wait_calls 1 '.verb == "add-network"'
	assert_calls 'first | .data.IPAddresses | map(.Address) == ["10.1.0.9", "10.1.0.2"]'
	finish
}
