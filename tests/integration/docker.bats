#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# docker.bats - networks of a real Docker daemon, connected to and disconnected from a running container

load helpers
load docker

setup_file() { start_docker; }
teardown_file() { stop_docker; }
setup() { setup_container; }
teardown() { teardown_container; }

start_watching() {
	start_monitor --netns "pid:$CONTAINER" --watch-pid "$CONTAINER" "$@"
}

# The interface that the Nth add-network or del-network brought, as far as Docker knows it.
told() {
	acknowledged | jq -sc --arg verb "$1" --argjson n "$2" \
		'map(select(.verb == $verb))[$n - 1].data | {HwAddr, IPAddresses: (.IPAddresses | sort_by(.Family))}'
}

# The requests about interfaces, as summary() shows them. How many lists of routes a burst becomes depends on its
# pauses.
links_told() {
	summary | tr ' ' '\n' | grep -v '^update-routes\?$' | paste -sd' '
}

# The runtime's last list of routes, and the kernel, have IPv4's default route there.
is_default_over() {
	local told
	told=$(calls | jq -sr 'map(select(.verb | startswith("update-route"))) | last.data[]? |
		select(.Dest == "0.0.0.0/0" or .Dest == "").Device')
	[ "$told" = "$1" ] && [ "$(T -j route show default | jq -r '.[].dev')" = "$1" ]
}

@test "a network is connected and disconnected: one add with Docker's own addresses, one removal" {
	start_watching
	D network create --subnet 10.213.1.0/24 net-x
	D network connect net-x box
	wait_calls 1 '.verb == "add-network"'
	[ "$(told add-network 1)" = "$(inspect net-x)" ]
	D network disconnect net-x box
	wait_calls 1 '.verb == "del-network"'
	barrier_after_loss
	[ "$(summary)" = "add-network:eth1 del-network:eth1" ]
	[ "$(told del-network 1)" = "$(told add-network 1)" ]
	finish
}

@test "the same with IPv6: both addresses, in one request" {
	start_watching
	D network create --subnet 10.213.1.0/24 --ipv6 --subnet fd00:213:1::/64 net-x
	D network connect net-x box
	wait_calls 1 '.verb == "add-network"'
	[ "$(told add-network 1)" = "$(inspect net-x)" ]
	assert_calls 'map(select(.verb == "add-network")) | first.data.IPAddresses | map(.Mask) | sort == ["24", "64"]'
	D network disconnect net-x box
	wait_calls 1 '.verb == "del-network"'
	barrier_after_loss
	[ "$(links_told)" = "add-network:eth1 del-network:eth1" ]
	[ "$(told del-network 1)" = "$(told add-network 1)" ]
	finish
}

@test "an internal network with an MTU of its own: no route is sent" {
	start_watching
	D network create --internal --subnet 10.213.1.0/24 -o com.docker.network.driver.mtu=1400 net-a
	D network connect net-a box
	wait_calls 1 '.verb == "add-network"'
	barrier_after_loss
	[ "$(summary)" = "add-network:eth1" ]
	[ "$(told add-network 1)" = "$(inspect net-a)" ]
	assert_calls 'first.data.Mtu == 1400'
	finish
}

@test "what the container started with, told to a runtime that has nothing yet" {
	BASELINE=none
	start_watching
	wait_for "$BOUND" is_default_over eth0
	barrier
	[ "$(summary)" = "add-network:eth0 update-route" ]
	[ "$(told add-network 1)" = "$(inspect net-m)" ]
	finish
}

@test "two networks in a row, the second takes the default route; then both go, and it goes back" {
	start_watching
	D network create --subnet 10.213.1.0/24 net-x
	D network create --subnet 10.213.2.0/24 net-a
	D network connect net-x box
	D network connect net-a box
	wait_calls 2 '.verb == "add-network"'
	barrier_after_loss
	[ "$(told add-network 1)" = "$(inspect net-x)" ]
	[ "$(told add-network 2)" = "$(inspect net-a)" ]
	is_default_over eth2
	assert_view
	D network disconnect net-x box
	D network disconnect net-a box
	wait_calls 2 '.verb == "del-network"'
	barrier_after_loss
	is_default_over eth0
	[ "$(links_told | cut -d' ' -f1,2)" = "add-network:eth1 add-network:eth2" ]
	[ "$(links_told | cut -d' ' -f3- | tr ' ' '\n' | sort | paste -sd' ')" = "del-network:eth1 del-network:eth2" ]
	finish
}

@test "the same for Kata 1: a network that takes the default route, and gives it back" {
	DIALECT=kata1
	start_watching
	D network create --subnet 10.213.1.0/24 net-a
	D network connect net-a box
	wait_for "$BOUND" is_default_over eth1
	[ "$(told add-iface 1)" = "$(inspect net-a)" ]
	D network disconnect net-a box
	wait_calls 1 '.verb == "del-iface"'
	wait_for "$BOUND" is_default_over eth0
	[ "$(links_told)" = "add-iface:eth1 del-iface:eth1" ]
	[ "$(told del-iface 1)" = "$(told add-iface 1)" ]
	validate_calls
	stop_monitor
}

@test "connected and disconnected five times as fast as Docker can" {
	start_watching
	D network create --subnet 10.213.1.0/24 --ipv6 --subnet fd00:213:1::/64 net-x
	for _ in 1 2 3 4 5; do
		D network connect net-x box
		D network disconnect net-x box
	done
	D network connect net-x box
	wait_for "$BOUND" is_view_equal
	barrier_after_loss
	adds=$(count_calls '.verb == "add-network"')
	[ "$(count_calls '.verb == "del-network"')" -eq $((adds - 1)) ]
	[ "$(told add-network "$adds")" = "$(inspect net-x)" ]
	finish
}

# The kernel removes the other end of a namespace's veth when the namespace itself is gone.
is_namespace_gone() {
	refute P link show pmark0
}

@test "the container is removed: the monitor ends with status 0, and nothing keeps the namespace" {
	start_watching
	ip netns del "$NS"
	P link show pmark0
	D rm -f box
	wait_for "$BOUND" refute kill -0 "$MONITOR"
	status=0
	wait "$MONITOR" || status=$?
	MONITOR=''
	[ "$status" -eq 0 ]
	wait_for "$BOUND" is_namespace_gone
}
