#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kata-runtime.bats - the stand-in for Kata's command line fails where Kata fails, without any monitor

load helpers
load kata

setup() {
	setup_kata
	start_syslog
	mk_bare eth1
	T link set eth1 up
	MAC=$(T -j link show eth1 | jq -r '.[0].address')
	kata_is running
}
teardown() { teardown_kata; }

# fails STATUS TEXT VERB INPUT: that call ends with STATUS, and its message has TEXT.
fails() {
	run kata kata-network "$3" "$SANDBOX" - <<<"$4"
	if [ "$status" -ne "$1" ] || [[ "$output" != *"$2"* ]]; then
		echo "status $status, not $1: $output"
		return 1
	fi
}
succeeds() { fails 0 null "$@"; }

# iface [KEY VALUE]: eth1 as the monitor tells it, with a value changed.
iface() {
	jq -nc --arg mac "$MAC" --arg key "${1:-Name}" --argjson value "${2:-\"eth1\"}" '{Device: "eth1", Name: "eth1",
		HwAddr: $mac, Mtu: 1500, RawFlags: 0, LinkType: "veth",
		IPAddresses: [{Family: 2, Address: "10.1.0.2", Mask: "24"}]} | .[$key] = $value'
}

# route DEST GATEWAY [DEVICE]
route() {
	jq -nc '{Dest: $ARGS.positional[0], Gateway: $ARGS.positional[1], Device: ($ARGS.positional[2] // "eth1"),
		Source: "", Scope: 0}' --args -- "$@"
}

dests() { jq -r '.routes | map(.Dest) | join(" ")' "$DIR/rt/guest"; }

@test "order: syslog, known, running, and only then the input; an unknown verb succeeds" {
	kata_is paused
	fails 1 'container sandbox1 is not running' add-iface nonsense
	rm "$DIR/rt/container"
	fails 1 'Container ID (sandbox1) does not exist' add-iface nonsense
	stop_syslog
	fails 1 'Unix syslog delivery error' add-iface nonsense
	[ "$(count_calls '.status == 1 and .data == null')" -eq 3 ]
	run kata kata-network upgrade "$SANDBOX" - <<<nonsense
	[ "$status" -eq 0 ]
	[ "$(count_calls true)" -eq 3 ]
}

@test "types are Go's: wrong ones fail, keys are matched without case, the last one wins, unknown ones do not matter" {
	fails 1 invalid add-iface "$(iface HwAddr '"x"')"
	for wrong in 'Mtu "1500"' 'Mtu -1' 'Mtu 1.5' 'Mtu true' 'RawFlags 4294967296' 'Name 1' 'IPAddresses {}' \
		'IPAddresses [{"Mask":24}]' 'HwAddr ["x"]'; do
		fails 1 'cannot unmarshal' add-iface "$(iface "${wrong%% *}" "${wrong#* }")"
	done
	fails 1 'cannot unmarshal' add-iface '[]'
	fails 1 'cannot unmarshal' update-routes '{}'
	fails 1 'EOF' add-iface ''
	fails 2 'nil pointer' add-iface null
	[ ! -e "$DIR/rt/guest" ] || jq -e '.interfaces == []' "$DIR/rt/guest"
	refute T link show tap0_kata
	text=$(iface PciPath 7 | sed 's/"Mtu":1500/"MTU":0,"mtu":1400/')
	succeeds add-iface "$text trailing"
	jq -e '.interfaces[0].Mtu == 1400' "$DIR/rt/guest"
}

@test "tcfilter: an add again fails and leaves a tap; a removal goes by the exact MAC, and may be repeated" {
	succeeds add-iface "$(iface)"
	fails 1 'Failed to add qdisc for network index' add-iface "$(iface)"
	fails 1 'file exists' add-iface "$(iface)"
	T link show tap1_kata
	succeeds del-iface "$(iface HwAddr "\"${MAC^^}\"")"
	[ "$(jq '.interfaces | length' "$DIR/rt/guest")" -eq 1 ]
	succeeds del-iface "$(iface Name '"other"')"
	[ "$(jq '.interfaces | length' "$DIR/rt/guest")" -eq 0 ]
	T -j link show eth1 | jq -e '.[0].flags | index("UP") == null'
	succeeds del-iface "$(iface)"
}

@test "macvtap: an add again succeeds, with a wrong MAC" {
	echo macvtap >"$DIR/rt/model"
	succeeds add-iface "$(iface)"
	succeeds add-iface "$(iface)"
	jq -e --arg mac "$MAC" '.interfaces | length == 2 and map(select(.HwAddr != $mac)) != []' "$DIR/rt/guest"
}

@test "kinds, and what the guest's agent refuses, after which nothing is rolled back" {
	for kind in macvlan ipvlan macvtap; do
		fails 1 'does not support Hot attach' add-iface "$(iface LinkType "\"$kind\"")"
	done
	fails 1 'Unsupported network interface: bridge' add-iface "$(iface LinkType '"bridge"')"
	fails 1 'MTU 0' add-iface "$(iface Mtu 0)"
	fails 1 'file exists' add-iface "$(iface)"
}

@test "routes: all go, those without gateway come first, the first bad one ends it; null does nothing, [] removes all" {
	succeeds add-iface "$(iface)"
	succeeds update-routes "[$(route "" 10.1.0.1),$(route 10.8.0.0/16 10.9.0.1),$(route 10.9.0.0/16 "")]"
	[ "$(dests)" = "10.9.0.0/16  10.8.0.0/16" ]
	succeeds update-routes null
	[ "$(dests)" = "10.9.0.0/16  10.8.0.0/16" ]
	fails 1 unreachable update-routes "[$(route 10.7.0.0/16 10.1.0.1),$(route 10.8.0.0/16 10.9.0.1),$(route "" 10.1.0.1)]"
	[ "$(dests)" = 10.7.0.0/16 ]
	fails 1 'file exists' update-routes "[$(route 10.1.0.0/24 10.1.0.1)]"
	fails 1 'Link not found' update-routes "[$(route 10.1.0.0/24 10.1.0.1 eth9)]"
	fails 1 'second default' update-routes "[$(route "" 10.1.0.1),$(route "" 10.1.0.3)]"
	succeeds update-routes "[$(route 10.7.0.0/16 10.1.0.1),$(route 10.7.0.0/16 10.1.0.3)]"
	[ "$(dests)" = 10.7.0.0/16 ]
	succeeds update-routes '[]'
	[ "$(dests)" = "" ]
}

@test "a lock that is held is waited for" {
	exec {lock}>"$DIR/rt/lock"
	flock "$lock"
	(exec {lock}>&- && kata kata-network list-ifaces "$SANDBOX" >"$DIR/out" 2>&1 3>&-) &
	pid=$!
	# Blocked on the lock, not elsewhere.
	waits() { grep -q "FLOCK" <(grep -- '->' /proc/locks | grep ":$(stat -c %i "$DIR/rt/lock") "); }
	wait_for "$BOUND" waits
	[ ! -s "$DIR/out" ]
	exec {lock}>&-
	wait "$pid"
	[ "$(cat "$DIR/out")" = '[]' ]
}
