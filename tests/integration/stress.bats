#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# stress.bats - a short round of scripts/stress, and what longer ones have brought to light

load helpers

setup() { setup_netns; }
teardown() { teardown_netns; }

@test "random operations and a runtime that misbehaves at random: the views are the same at each quiet point" {
	run "$here/../../scripts/stress" 15 4711
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "${lines[-1]}" =~ ^seed\ 4711:\ [0-9]+\ operations,.*\ [1-9][0-9]*\ quiet\ points,\ 0\ differences$ ]]
}

@test "a link that was renamed while down gives its old name to a new link" {
	mk eth1
	start_monitor
	printf '%s\n' 'link set eth1 down' 'link set eth1 name old0' | T -batch -
	T link add eth1 type veth peer name pnew1 netns "$PEER"
	P link set pnew1 up
	T link set eth1 up
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth1"'
	[ "$(summary)" = "update-network:old0 add-network:eth1" ]
	assert_calls 'first.data.PreviousName == "eth1"'
	barrier
	finish
}

@test "an index that is used again under another name waits for the removal of its former life" {
	mk eth1
	start_monitor
	index=$(T -j link show eth1 | jq '.[0].ifindex')
	echo '3 1 busy' >"$DIR/rt/fail-del-network"
	T link del eth1
	T link add eth2 index "$index" type veth peer name pnew2 netns "$PEER"
	P link set pnew2 up
	T link set eth2 up
	mk eth3
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth2"'
	[ "$(summary)" = "add-network:eth3 del-network:eth1 add-network:eth2" ]
	finish
}

@test "an interface that changes all the time keeps neither another nor the routes waiting" {
	mk_bare eth1
	mk_bare eth2
	T link set eth1 up
	T link set eth2 up
	T addr add 10.1.0.2/24 dev eth1
	start_monitor
	# Each call takes longer than the changes are apart, so that each round is outdated after its first request.
	echo 0.6 >"$DIR/rt/slow"
	for ((i = 1; i < BOUND * 10; i++)); do
		T link set eth1 mtu $((1400 + i % 100))
		if [ $i -eq 20 ]; then
			T addr add 10.2.0.2/24 dev eth2
			T route add 10.9.0.0/16 via 10.1.0.1
		fi
		if has_calls 1 '.data.Name? == "eth2"' && has_calls 1 '.verb == "update-route"'; then
			break
		fi
		sleep 0.1
	done
	[ $i -lt $((BOUND * 10)) ]
	assert_calls 'map(select(.data.Name? == "eth1")) | length >= 3'
	rm "$DIR/rt/slow"
	finish
}
