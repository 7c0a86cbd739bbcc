#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# docker-kata.bats - networks of a real Docker daemon, in Kata mode, beside a Kata that does what the real one does

load helpers
load docker
load kata

setup_file() { start_docker; }
teardown_file() { stop_docker; }

setup() {
	setup_container
	setup_kata_files
	T link del mark0
}

teardown() {
	stop_syslog
	teardown_container
}

# guest_has_network NAME NETWORK: the guest's interface has just what Docker says of the container's end of the network.
guest_has_network() {
	[ "$(jq -c --arg name "$1" '.interfaces[] | select(.Name == $name) |
		{HwAddr, IPAddresses: (.IPAddresses | sort_by(.Family))}' "$DIR/rt/guest")" = "$(inspect "$2")" ]
}

# Names of what the guest has, in one line.
guest_names() { jq -r '.interfaces | map(.Name) | sort | join(" ")' "$DIR/rt/guest"; }
guest_is() { [ "$(guest_names)" = "$1" ]; }

# The calls about interfaces that were acknowledged.
links_told() { summary | tr ' ' '\n' | grep -v '^update-routes$' | paste -sd' '; }

@test "a network is connected and disconnected: one add, one removal, and the guest has what Docker says" {
	start_sandbox
	D network create --subnet 10.213.1.0/24 net-x
	D network connect net-x box
	wait_for "$BOUND" guest_has_network eth1 net-x
	assert_guest
	D network disconnect net-x box
	wait_for "$BOUND" guest_is eth0
	assert_guest
	kata_barrier_after_loss
	[ "$(links_told)" = "add-iface:eth1 del-iface:eth1" ]
	assert_calls 'all(.status == 0 and .data != [])'
	assert_guest
	validate_calls
	stop_monitor
}

@test "connected while the container is created only: it comes once the container runs" {
	start_syslog
	kata create "$SANDBOX"
	start_kata -log info
	wait_for "$BOUND" log_has ' msg="watching'
	D network create --subnet 10.213.1.0/24 --ipv6 --subnet fd00:213:1::/64 net-x
	D network connect net-x box
	wait_calls 1 '.message == "Container ID (sandbox1) does not exist"'
	kata_is created
	wait_calls 1 '.message == "container sandbox1 is not running"'
	guest_is eth0
	kata_is running
	wait_for "$BOUND" guest_has_network eth1 net-x
	assert_guest
	[ "$(links_told)" = "add-iface:eth1" ]
	stop_monitor
}

@test "with IPv6, two networks in a row; then both go" {
	start_sandbox
	D network create --subnet 10.213.1.0/24 --ipv6 --subnet fd00:213:1::/64 net-x
	D network create --subnet 10.213.2.0/24 --ipv6 --subnet fd00:213:2::/64 net-a
	D network connect net-x box
	D network connect net-a box
	wait_for "$BOUND" guest_has_network eth1 net-x
	wait_for "$BOUND" guest_has_network eth2 net-a
	assert_guest
	D network disconnect net-a box
	D network disconnect net-x box
	wait_for "$BOUND" guest_is eth0
	kata_barrier_after_loss
	assert_guest
	[ "$(links_told | tr ' ' '\n' | sort | paste -sd' ')" = \
		"add-iface:eth1 add-iface:eth2 del-iface:eth1 del-iface:eth2" ]
	stop_monitor
}

@test "connected and disconnected five times as fast as Docker can" {
	start_sandbox
	D network create --subnet 10.213.1.0/24 --ipv6 --subnet fd00:213:1::/64 net-x
	for _ in 1 2 3 4 5; do
		D network connect net-x box
		D network disconnect net-x box
	done
	D network connect net-x box
	name=$(T -j link show type veth | jq -r 'map(.ifname) | map(select(. != "eth0")) | first')
	wait_for "$BOUND" guest_has_network "$name" net-x
	kata_barrier_after_loss
	assert_guest
	stop_monitor
}

# The kernel removes the other end of a namespace's veth when the namespace itself is gone.
is_namespace_gone() { refute P link show pkeep0; }

@test "the container is stopped, nobody ends the monitor: it ends by itself, and the namespace is gone" {
	start_sandbox
	T link add keep0 type veth peer name pkeep0 netns "$PEER"
	D network create --subnet 10.213.1.0/24 net-x
	D network connect net-x box
	wait_for "$BOUND" guest_has_network eth1 net-x
	kata_is stopped
	D stop box
	kata delete "$SANDBOX"
	ip netns del "$NS"
	D rm box
	kill -0 "$MONITOR"
	P link show pkeep0
	rmdir "$DIR/sbs/$SANDBOX"
	await_end
	wait_for "$BOUND" is_namespace_gone
}
