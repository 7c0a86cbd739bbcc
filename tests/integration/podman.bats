#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# podman.bats - the OCI hook, run by real podman and crun for real containers

bats_require_minimum_version 1.5.0
load helpers
load podman

setup_file() { start_podman; }
teardown_file() { stop_podman; }
setup() { setup_podman; }
teardown() { teardown_podman; }

told() {
	acknowledged | jq -sc --arg verb "$1" 'map(select(.verb == $verb)) | first.data |
		{HwAddr, IPAddresses: (.IPAddresses | sort_by(.Family))}'
}

# The requests about interfaces; how many lists of routes there are depends on pauses.
links_told() { summary | tr ' ' '\n' | grep -v '^update-route$' | paste -sd' '; }

# The kernel removes the other end of a namespace's veth when the namespace itself is gone.
is_namespace_gone() { refute P link show pmark0; }

is_left_nothing() { [ -z "$(ls -A "$DIR/run")" ]; }

@test "a network is connected and disconnected, the container removed: requests, then nothing is left" {
	box box
	id=$(podman inspect -f '{{.Id}}' box)
	monitor=$(monitor_of box)
	is_running "$monitor"
	enter_box box
	podman network connect net-x box
	wait_calls 1 '.verb == "add-network"'
	[ "$(told add-network)" = "$(inspect box net-x)" ]
	assert_calls "map(.sandbox) | unique == [\"$id\"]"
	barrier
	podman network disconnect net-x box
	wait_calls 1 '.verb == "del-network"'
	barrier_after_loss
	[ "$(links_told)" = "add-network:eth1 del-network:eth1" ]
	[ "$(told del-network)" = "$(told add-network)" ]
	validate_calls
	assert_view
	[ -n "$(find "$DIR/run" -name 'netns-*.json')" ]
	ip netns del "$NS"
	P link show pmark0
	podman rm -f -t 0 box
	refute is_running "$monitor"
	is_left_nothing
	wait_for "$BOUND" is_namespace_gone
}

@test "a container that ends, and is started again: each time a monitor of its own" {
	box box
	monitor=$(monitor_of box)
	podman kill -s KILL box
	wait_for "$BOUND" is_left_nothing
	refute is_running "$monitor"
	podman start box
	refute [ "$(monitor_of box)" = "$monitor" ]
	enter_box box
	podman network connect net-x box
	wait_calls 1 '.verb == "add-network"'
	[ "$(told add-network)" = "$(inspect box net-x)" ]
}

@test "a second container in the same namespace takes over when the first one ends" {
	box box
	podman run -d --name beside --network container:box --cgroups=disabled \
		--annotation org.netnsmon.watch=true box /bin/sleep 1000000
	second=$(monitor_of beside)
	is_running "$second"
	podman kill -s KILL box
	wait_for "$BOUND" grep -q 'msg="watching.*pid='"$second " "$DIR/log"
	is_running "$second"
	podman rm -f -t 0 beside
	refute is_running "$second"
	wait_for "$BOUND" is_left_nothing
}

@test "no annotation, or the host's network: no monitor" {
	podman run -d --name box --network net-m --cgroups=disabled box /bin/sleep 1000000
	podman run -d --name host --network host --cgroups=disabled --annotation org.netnsmon.watch=true \
		box /bin/sleep 1000000
	[ ! -e "$DIR/run" ]
}

@test "a monitor that cannot be started: no container; with required = no there is one all the same" {
	rm "$DIR/rt/runtime"
	run box box
	[ "$status" -ne 0 ]
	[ "$(podman inspect -f '{{.State.Running}}' box)" = false ]
	podman rm -f -t 0 box
	echo 'required = no' >>"$DIR/hook.conf"
	box box
	[ "$(podman inspect -f '{{.State.Running}}' box)" = true ]
	refute ls "$DIR"/run/hook-*
	podman rm -f -t 0 box
}

@test "a monitor that was killed: the container goes on, and its removal leaves nothing of the monitor" {
	box box
	inside kill -KILL "$(monitor_of box)"
	[ "$(podman inspect -f '{{.State.Running}}' box)" = true ]
	podman rm -f -t 0 box
	refute ls "$DIR"/run/hook-*
}
