#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kata1.bats - the dialect of Kata Containers 1.x

load helpers

setup() {
	setup_netns
	T link del mark0
	DIALECT=kata1
	# The barrier needs updates, which kata1 has not: here a marker interface comes and goes instead.
	marks=0
}
teardown() { teardown_netns; }

log_has() { grep -qE "$1" "$DIR/log"; }

has_mark_add() { grep -F '"Name":"mk'"$1"'"' "$DIR/rt/calls" | grep -qF '"status":0'; }

kata_barrier() {
	for _ in 1 2; do
		marks=$((marks + 1))
		mk_bare "mk$marks"
		T link set "mk$marks" up
		wait_for "$BOUND" has_mark_add "$marks"
	done
}

# The calls without those about the marks.
kata_calls() {
	jq -c 'select((.data | type) != "object" or (.data.Name | startswith("mk") | not))' "$DIR/rt/calls"
}

kata_summary() {
	kata_calls | jq -r 'select(.status == 0) | .verb + (if (.data | type) == "object" then ":" + .data.Name else "" end)' |
		paste -sd' '
}

@test "verbs, arguments and fields are Kata's" {
	start_monitor
	mk_bare eth1
	T addr add 10.1.0.2/24 dev eth1
	T link set eth1 up
	T route add default via 10.1.0.1
	wait_calls 1 '.verb == "update-routes"'
	assert_calls 'first.argv == ["kata-network", "add-iface", "sandbox1", "-"]'
	assert_calls 'first.data | .RawFlags == 0 and (has("Index") | not) and .LinkType == "veth"'
	assert_calls 'last.data == [{Dest: "", Gateway: "10.1.0.1", Device: "eth1", Source: "", Scope: 0}]'
	T link del eth1
	wait_calls 1 '.verb == "del-iface"'
	kata_barrier
	# The list is empty now, and an empty list is never sent.
	[ "$(kata_summary)" = "add-iface:eth1 update-routes del-iface:eth1" ]
	[ -z "$(kata_calls | jq -c 'select(.data == [])')" ]
	log_has 'level=warning.*all routes are gone'
	validate_calls
	stop_monitor
}

@test "calls run in the sandbox's namespace" {
	: >"$DIR/rt/probe"
	start_monitor
	mk_bare eth1
	T link set eth1 up
	wait_calls 1 '.verb == "add-iface"'
	grep -q "^netns: $(ip netns exec "$NS" readlink /proc/self/ns/net | sed 's/[][]/\\&/g')$" "$DIR/rt/probed"
	stop_monitor
}

@test "there is no update: one warning says what the guest lacks; the removal is as acknowledged (B2)" {
	start_monitor
	mk_bare eth1
	T link set eth1 up
	wait_calls 1 '.verb == "add-iface"'
	mac=$(calls | jq -r .data.HwAddr)
	T link set eth1 name lan0
	wait_for "$BOUND" log_has 'level=warning.*guest keeps the old name'
	T link set lan0 address 02:00:00:00:00:77
	wait_for "$BOUND" log_has 'level=warning.*guest keeps the old name, MAC'
	kata_barrier
	[ "$(grep -c 'guest keeps' "$DIR/log")" -eq 2 ]
	T link del lan0
	wait_calls 1 '.verb == "del-iface"'
	assert_calls "map(select(.verb == \"del-iface\")) | first.data | .Name == \"eth1\" and .HwAddr == \"$mac\""
	stop_monitor
}

@test "only veth and tap can be plugged: one warning for another kind" {
	start_monitor
	mk_bare eth1
	T link set eth1 up
	wait_calls 1 '.verb == "add-iface"'
	T link add mv0 link eth1 type macvlan
	T link set mv0 up
	wait_for "$BOUND" log_has 'level=warning.*mv0.*macvlan'
	kata_barrier
	[ "$(grep -c 'mv0' "$DIR/log")" -eq 1 ]
	[ "$(kata_summary)" = "add-iface:eth1" ]
	stop_monitor
}

@test "baseline: what has an address at start is known, be it down; what has none is not" {
	mk_bare eth0
	T addr add 10.1.0.2/24 dev eth0
	mk_bare eth1
	T link set eth1 up
	start_monitor
	wait_calls 1 '.verb == "add-iface"'
	T link set eth0 up
	kata_barrier
	[ "$(kata_summary)" = "add-iface:eth1" ]
	T link del eth0
	wait_calls 1 '.verb == "del-iface" and .data.Name == "eth0"'
	stop_monitor
}

@test "routes: one each, the best, none that the guest would refuse (B9, B10, B11, B13, B16)" {
	mk_bare eth1
	T link set eth1 up
	mk_bare eth2
	T link set eth2 up
	T addr add 10.2.0.2/24 dev eth2
	T addr add 10.1.0.2/32 dev eth1
	start_monitor
	T route add default via 169.254.1.1 dev eth1 onlink
	T route add 10.9.0.0/16 dev eth1
	wait_calls 1 '.verb == "update-routes" and (.data | map(.Dest)) == ["10.9.0.0/16"]'
	wait_for "$BOUND" log_has 'level=warning.*0.0.0.0/0 via 169.254.1.1.*left out'
	T route add 169.254.1.1 dev eth1 scope link
	wait_calls 1 '.verb == "update-routes" and (.data | map(.Dest)) == ["169.254.1.1/32", "10.9.0.0/16", ""]'
	T route add default via 10.2.0.1 metric 50
	T route add 10.10.0.0/16 nexthop via 10.2.0.1 dev eth2 nexthop via 10.2.0.3 dev eth2
	T route add 10.77.0.0/16 via inet6 fe80::1 dev eth2
	T -6 route add default dev eth2
	T addr add 10.8.1.185/24 dev eth2 noprefixroute
	T route add 10.11.0.0/16 via 10.2.0.1
	wait_calls 1 '.verb == "update-routes" and (.data | map(.Dest)) == ["169.254.1.1/32", "10.9.0.0/16", "10.11.0.0/16", ""]'
	kata_barrier
	for dest in 10.10.0.0/16 10.77.0.0/16 ::/0; do
		[ "$(grep -c "level=warning.*route $dest .*left out" "$DIR/log")" -eq 1 ]
	done
	[ -z "$(kata_calls | jq -c 'select(.verb == "update-routes") | .data[] | select(.Device == "")')" ]
	T route del default via 169.254.1.1 dev eth1
	wait_calls 1 '.verb == "update-routes" and (.data | last | .Gateway == "10.2.0.1" and .Dest == "")'
	validate_calls
	stop_monitor
}

@test "a route that repeats a connected prefix of the guest is left out (B16)" {
	mk_bare eth1
	T link set eth1 up
	T addr add 10.8.1.185/24 dev eth1 noprefixroute
	start_monitor
	T route add 10.8.1.1 dev eth1 src 10.8.1.185
	T route add 10.8.1.0/24 via 10.8.1.1
	T route add default via 10.8.1.1
	wait_calls 1 '.verb == "update-routes" and (.data | map(.Dest)) == ["10.8.1.1/32", ""]'
	kata_barrier
	[ "$(grep -c 'level=warning.*route 10.8.1.0/24 .*left out' "$DIR/log")" -eq 1 ]
	stop_monitor
}

@test "called before the container runs: quiet, without limit; what went meanwhile is not asked for (B24)" {
	echo '1000 1 Container ID (sandbox1) does not exist' >"$DIR/rt/fail-any"
	start_monitor
	mk_bare eth1
	T link set eth1 up
	wait_calls 1 '.data.Name == "eth1"'
	mk_bare eth2
	T link set eth2 up
	wait_calls 2 '.status == 1'
	echo '1000 1 container sandbox1 is not running' >"$DIR/rt/fail-any"
	before=$(calls | wc -l)
	T link del eth1
	wait_calls $((before + 1)) '.status == 1'
	rm "$DIR/rt/fail-any"
	wait_calls 1 '.data.Name == "eth2" and .status == 0'
	kata_barrier
	[ "$(kata_summary)" = "add-iface:eth2" ]
	refute log_has 'level=(warning|error)'
	# Known once, unknown now: the sandbox is gone.
	echo '1000 1 Container ID (sandbox1) does not exist' >"$DIR/rt/fail-any"
	T link del eth2
	status=0
	wait "$MONITOR" || status=$?
	MONITOR=''
	[ "$status" -eq 0 ]
	log_has 'the sandbox is gone'
	[ -z "$(find "$DIR/run" -name 'netns-*')" ]
}

@test "what will not heal: three tries, one warning, rest until the link changes (B25)" {
	start_monitor
	echo '1000 1 Failed to add qdisc for network index 9 : file exists' >"$DIR/rt/fail-name-eth3"
	mk_bare eth3
	T link set eth3 up
	wait_for "$BOUND" log_has 'level=warning.*eth3.*file exists'
	mk_bare eth4
	T link set eth4 up
	wait_calls 1 '.data.Name == "eth4"'
	kata_barrier
	[ "$(count_calls '.data.Name? == "eth3"')" -eq 3 ]
	[ "$(grep -c 'level=warning.*eth3' "$DIR/log")" -eq 1 ]
	rm "$DIR/rt/fail-name-eth3"
	T link set eth3 mtu 1400
	wait_calls 1 '.data.Name? == "eth3" and .status == 0'
	stop_monitor
}

@test "a removal that will not heal is given up" {
	start_monitor
	mk_bare eth1
	T link set eth1 up
	wait_calls 1 '.verb == "add-iface"'
	echo '1000 1 not present on bridge' >"$DIR/rt/fail-del-iface"
	T link del eth1
	wait_for "$BOUND" log_has 'level=warning.*del-iface eth1.*given up'
	kata_barrier
	[ "$(count_calls '.verb == "del-iface"')" -eq 3 ]
	stop_monitor
}

@test "under a macvtap of the runtime the link keeps what it had, and no routes are sent" {
	start_monitor
	mk_bare eth1
	T addr add 10.1.0.2/24 dev eth1
	T link set eth1 up
	T route add default via 10.1.0.1
	wait_calls 1 '.verb == "update-routes"'
	mac=$(calls | jq -r 'select(.verb == "add-iface").data.HwAddr')
	# As Kata does it: the tap takes the MAC, the link a random one, and loses its addresses.
	printf '%s\n' 'link add tap1_kata link eth1 type macvtap' 'link set eth1 address 02:11:22:33:44:55' \
		"link set tap1_kata address $mac" 'link set tap1_kata up' 'addr flush dev eth1' | T -batch -
	kata_barrier
	[ "$(kata_summary)" = "add-iface:eth1 update-routes" ]
	refute log_has 'guest keeps'
	T link del eth1
	wait_calls 1 '.verb == "del-iface"'
	assert_calls "map(select(.verb == \"del-iface\")) | first.data | .HwAddr == \"$mac\" and (.IPAddresses | length) == 1"
	stop_monitor
}

@test "at start under a macvtap: the true MAC is the macvtap's" {
	mk_bare eth0
	T link set eth0 up
	T link add tap0_kata link eth0 type macvtap
	T link set eth0 address 02:11:22:33:44:55
	T link set tap0_kata address 02:00:00:00:00:aa
	T link set tap0_kata up
	start_monitor
	kata_barrier
	[ "$(kata_summary)" = "" ]
	T link del eth0
	wait_calls 1 '.verb == "del-iface" and .data.HwAddr == "02:00:00:00:00:aa"'
	stop_monitor
}
