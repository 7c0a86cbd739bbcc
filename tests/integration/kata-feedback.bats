#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kata-feedback.bats - nothing that Kata 1.x does in the namespace comes back to it as a call, and what a change costs

load helpers
load kata

setup() { setup_kata; }
teardown() { teardown_kata; }

# note WHAT COUNT: a line of the table.
note() {
	echo "$1: $2 calls ($3)" >>"$BATS_FILE_TMPDIR/table"
}

teardown_file() {
	echo "# runtime calls of this monitor; of the earlier one: 4 (tcfilter) and 11 (macvtap) per connect" >&3
	sort -u "$BATS_FILE_TMPDIR/table" | sed 's/^/# /' >&3
}

# connect_once MODEL: one network comes; what that costs.
connect_once() {
	: >"$DIR/rt/calls"
	connect eth1 1
	wait_calls 1 '.verb == "add-iface" and .status == 0'
	kata_barrier_after_loss
	assert_calls 'map(select(.verb == "add-iface")) | length == 1'
	assert_calls 'map(select(.verb == "update-routes")) | length <= 1'
	assert_calls 'all(.status == 0 and .verb != "del-iface")'
	note "$1, connect" "$(calls | wc -l)" "$(summary)"
}

# disconnect_once MODEL: it goes.
disconnect_once() {
	: >"$DIR/rt/calls"
	T link del eth1
	wait_calls 1 '.verb == "del-iface"'
	kata_barrier_after_loss
	assert_calls 'map(select(.verb == "del-iface")) | length == 1 and first.status == 0'
	assert_calls 'map(select(.verb == "update-routes")) | length <= 1'
	assert_calls 'all(.status == 0 and .data != [] and .verb != "add-iface")'
	note "$1, disconnect" "$(calls | wc -l)" "$(summary)"
}

@test "tcfilter: nothing that Kata does at a connect or a disconnect comes back as a call" {
	boot
	start_sandbox
	connect_once tcfilter
	assert_guest
	disconnect_once tcfilter
	assert_guest
	refute T link show tap1_kata
	stop_monitor
}

@test "macvtap: nothing that Kata does at a connect or a disconnect comes back as a call" {
	echo macvtap >"$DIR/rt/model"
	boot
	start_sandbox
	cp "$DIR/rt/guest" "$DIR/before"
	connect_once macvtap
	T -j -d link show tap1_kata | jq -e '.[0] | .linkinfo.info_kind == "macvtap" and .ifindex >= 8192'
	[ -z "$(T -o addr show dev eth1 scope global)" ]
	guest_has '.interfaces[1] | .Name == "eth1" and (.IPAddresses | map(.Address)) == ["10.1.0.2", "2001:db8:1::2"]'
	refute log_has 'guest keeps'
	disconnect_once macvtap
	cmp "$DIR/before" "$DIR/rt/guest"
	stop_monitor
}

@test "macvtap, in a sandbox that was created with nothing" {
	echo macvtap >"$DIR/rt/model"
	start_sandbox
	connect_once "macvtap, the first one"
	guest_has '.interfaces[0] | .Name == "eth1" and (.IPAddresses | length) == 2'
	disconnect_once "macvtap, the first one"
	guest_has '.interfaces == []'
	stop_monitor
}

@test "tcfilter, in a namespace that Kata has not made" {
	echo 1 >"$DIR/rt/foreign"
	boot
	start_sandbox
	connect_once "tcfilter, foreign namespace"
	disconnect_once "tcfilter, foreign namespace"
	stop_monitor
}

@test "macvtap, in a namespace that Kata has not made" {
	echo 1 >"$DIR/rt/foreign"
	echo macvtap >"$DIR/rt/model"
	boot
	start_sandbox
	connect_once "macvtap, foreign namespace"
	disconnect_once "macvtap, foreign namespace"
	stop_monitor
}

# Somebody else unplugs eth1, whose link stays: Kata sets it down. What Kata had taken comes back, but no call.
unplug_by_hand() {
	calls | jq -c 'select(.verb == "add-iface").data' | kata kata-network del-iface "$SANDBOX" -
	T -j link show eth1 | jq -e '.[0].flags | index("UP") == null'
	: >"$DIR/rt/calls"
	kata_barrier_after_loss
	assert_calls 'all(.verb == "update-routes" and .data != [])'
	assert_calls 'length <= 1'
}

@test "tcfilter: Kata sets a link down, with all its routes and half its addresses: no interface is asked for" {
	boot
	start_sandbox
	connect_once tcfilter
	unplug_by_hand
	assert_guest
	T link del eth1
	wait_calls 1 '.verb == "del-iface"'
	kata_barrier_after_loss
	[ "$(count_calls '.verb != "update-routes"')" -eq 1 ]
	stop_monitor
}

@test "macvtap: a link gets its MAC and addresses back, and is set down: nothing is asked for" {
	echo macvtap >"$DIR/rt/model"
	boot
	start_sandbox
	connect_once macvtap
	unplug_by_hand
	assert_calls 'length == 0'
	[ -n "$(T -o -4 addr show dev eth1)" ]
	stop_monitor
}

@test "what is asked and told by hand does not come back" {
	boot
	start_sandbox
	connect_once tcfilter
	: >"$DIR/rt/calls"
	kata kata-network list-ifaces "$SANDBOX" | jq -e 'map(.Name) == ["eth0", "eth1"]'
	kata kata-network list-routes "$SANDBOX" | jq -c . >"$DIR/routes"
	kata kata-network update-routes "$SANDBOX" - <"$DIR/routes"
	kata kata-network update-routes "$SANDBOX" - <<<null
	kata_barrier
	[ "$(calls | jq -r .verb | paste -sd' ')" = "list-ifaces list-routes update-routes update-routes" ]
	assert_guest
	stop_monitor
}

# Both models: what Kata does to all of the links at the end is no reason for a call either.
ends_with_sandbox() {
	boot
	start_sandbox
	connect_once "$1"
	: >"$DIR/rt/calls"
	kata_is stopped
	kata delete "$SANDBOX"
	kata_barrier_after_loss
	assert_calls 'all(.message != "" and (.verb == "update-routes"))'
	rmdir "$DIR/sbs/$SANDBOX"
	await_end
	log_has 'level=info msg="stopping: /run/vc/sbs/sandbox1 is gone"'
}

@test "tcfilter: the end of the sandbox, and then of the monitor" { ends_with_sandbox tcfilter; }

@test "macvtap: the end of the sandbox, and then of the monitor" {
	echo macvtap >"$DIR/rt/model"
	ends_with_sandbox macvtap
}
