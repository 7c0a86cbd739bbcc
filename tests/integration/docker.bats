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
