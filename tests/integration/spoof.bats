#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# spoof.bats - a container's root sends netlink datagrams that look like the kernel's: none counts

load helpers

setup() {
	setup_netns
	FORGER=''
	mk_bare eth1
	T link set eth1 up
	T addr add 10.1.0.2/24 dev eth1
	T route add 10.9.0.0/16 via 10.1.0.1
	INDEX=$(T -j link show eth1 | jq '.[0].ifindex')
}
teardown() {
	[ -z "$FORGER" ] || kill "$FORGER" || true
	teardown_netns
}

forge() { ip netns exec "$NS" "$here/forge" "$@"; }

# The port of the monitor's event socket: the only one in the namespace that has joined groups.
event_port() {
	awk '$2 == 0 && $3 != 0 && $4 != "00000000" { print $3 }' "/proc/$MONITOR/net/netlink"
}

count_warnings() { grep -c 'level=warning.*the kernel did not send.*forges' "$DIR/log" || true; }

# Warned once a minute at most, since the monitor was started at $BEGAN.
assert_warned() {
	local count
	count=$(count_warnings)
	[ "$count" -ge 1 ]
	[ "$count" -le $((1 + (SECONDS - BEGAN) / 60)) ]
}

rss_kb() { awk '/^VmRSS/ { print $2 }' "/proc/$MONITOR/status"; }
cpu_ns() { cut -d' ' -f1 "/proc/$MONITOR/schedstat"; }

# A real change of each kind is still seen.
make_real_changes() {
	mk eth2
	T addr add 10.2.0.2/24 dev eth2
	T route add 10.8.0.0/16 via 10.2.0.1
	wait_calls 1 '.verb == "update-route" and (.data | map(.Dest) == ["10.8.0.0/16", "10.9.0.0/16"])'
}

begin() {
	BEGAN=$SECONDS
	start_monitor "$@"
}

@test "forged events to the groups: they arrive, none counts, one warning" {
	begin
	for i in 1 2 3 4 5 6 7 8 9 10; do
		# The kernel's filter lets all eight through.
		[ "$(forge events "$INDEX")" = "sent=8" ]
	done
	barrier_after_loss
	[ "$(calls | wc -l)" -eq 0 ]
	assert_warned
	make_real_changes
	[ "$(summary | tr ' ' '\n' | grep -c del-network)" -eq 0 ]
	finish
}

@test "forged events to the monitor's port: the kernel refuses them, since the socket is connected to it" {
	begin
	[[ "$(event_port)" =~ ^[0-9]+$ ]]
	[ "$(forge unicast "$(event_port)" "$INDEX")" = "ECONNREFUSED=8" ]
	barrier
	[ "$(calls | wc -l)" -eq 0 ]
	[ "$(count_warnings)" -eq 0 ]
	make_real_changes
	finish
}

@test "forged dump answers: nothing of them is believed" {
	begin
	forge answers 5 >"$DIR/forged" 3>&- &
	FORGER=$!
	while kill -0 "$FORGER" 2>/dev/null; do
		T addr add 10.1.0.3/24 dev eth1
		T addr del 10.1.0.3/24 dev eth1
		sleep 0.1
	done
	wait "$FORGER"
	FORGER=''
	cat "$DIR/forged"
	# All but those, if any, that hit a socket between its bind and its connect.
	[[ "$(cat "$DIR/forged")" =~ ECONNREFUSED=[0-9]{3,} ]]
	barrier_after_loss
	assert_calls 'all(.[]; .verb == "update-network" and .data.Name == "eth1" and .data.Mtu == 1500)'
	make_real_changes
	finish
}

@test "floods of odd datagrams: memory flat, little work, exact at the end" {
	begin
	barrier
	forge odd 2000
	barrier_after_loss
	memory=$(rss_kb) used=$(cpu_ns)
	for i in 1 2 3 4 5; do
		forge odd 20000 | tee "$DIR/forged"
		[[ "$(cat "$DIR/forged")" =~ sent=[0-9]{4,} ]]
	done
	barrier_after_loss
	echo "RSS $memory kB, then $(rss_kb) kB; $((($(cpu_ns) - used) / 1000000)) ms on a core"
	[ "$(rss_kb)" -le $((memory + 256)) ]
	# 100,000 datagrams, 20 us for each.
	[ $(($(cpu_ns) - used)) -lt 2000000000 ]
	[ "$(calls | wc -l)" -eq 0 ]
	assert_warned
	used=$(cpu_ns)
	sleep 3
	[ $(($(cpu_ns) - used)) -lt 10000000 ]
	make_real_changes
	finish
}

@test "without the capability the kernel refuses to send to the groups" {
	begin
	[ "$(ip netns exec "$NS" setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all \
		/usr/bin/python3 - events "$INDEX" <"$here/forge")" = "EPERM=8" ]
	barrier
	[ "$(count_warnings)" -eq 0 ]
	finish
}
