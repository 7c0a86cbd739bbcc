#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# growth.bats - how the work grows with the namespace, in instructions as valgrind counts them
#
# Nothing here depends on time. With four times as many things a pass may cost four times as much and what sorting adds, never
# sixteen times.

load helpers

setup() {
	setup_netns
	mk_bare eth1
	T link set eth1 up
	T addr add 10.0.0.2/24 dev eth1
}
teardown() { teardown_netns; }

# The instructions that "netnsmon OPTION..." takes.
instructions() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$NETNSMON" --netns "$NS" "$@" \
		2>&1 >/dev/null | sed -n 's/^==[0-9]*== Collected : \([0-9]*\)$/\1/p'
}

# assert_growth WHAT NONE N 4N 16N: what four times as many cost beyond nothing is less than five and a half times as much.
assert_growth() {
	local what=$1 n=$(($3 - $2)) n4=$(($4 - $2)) n16=$(($5 - $2))
	echo "# $what: n $n, 4n $n4 (x$((n4 * 100 / n))%), 16n $n16 (x$((n16 * 100 / n4))%)" >&3
	[ "$n" -gt 0 ]
	[ "$n4" -lt $((n * 55 / 10)) ]
	[ "$n16" -lt $((n4 * 55 / 10)) ]
}

# Brings the number of routes in the namespace from $1 to $2.
routes_to() {
	local i
	for ((i = $1; i < $2; i++)); do
		echo "route add 10.$((100 + i / 65536)).$((i / 256 % 256)).$((i % 256))/32 via 10.0.0.1 dev eth1"
	done | T -batch -
}

@test "routes: one pass from dump to requests" {
	local dialect none n n4 n16
	for dialect in plain kata1; do
		T route flush proto boot
		none=$(instructions --once --baseline none --dialect "$dialect")
		routes_to 0 1000
		n=$(instructions --once --baseline none --dialect "$dialect")
		routes_to 1000 4000
		n4=$(instructions --once --baseline none --dialect "$dialect")
		routes_to 4000 16000
		n16=$(instructions --once --baseline none --dialect "$dialect")
		assert_growth "routes, $dialect" "$none" "$n" "$n4" "$n16"
	done
}

# Brings the number of links in the namespace from $1 to $2.
links_to() {
	local i
	for ((i = $1; i < $2; i += 2)); do
		echo "link add v$i type veth peer name v$((i + 1))"
		echo "link set v$i addrgenmode none up"
		echo "link set v$((i + 1)) addrgenmode none up"
		echo "addr add 10.50.$((i / 256)).$((i % 256))/32 dev v$i"
	done | T -batch -
}

@test "links and addresses: one pass from dump to requests" {
	local none n n4 n16 k n_kata1 n4_kata1 n16_kata1
	none=$(instructions --once --baseline none)
	k=$(instructions --once --baseline none --dialect kata1)
	links_to 0 50
	n=$(instructions --once --baseline none)
	n_kata1=$(instructions --once --baseline none --dialect kata1)
	links_to 50 200
	n4=$(instructions --once --baseline none)
	n4_kata1=$(instructions --once --baseline none --dialect kata1)
	links_to 200 800
	n16=$(instructions --once --baseline none)
	n16_kata1=$(instructions --once --baseline none --dialect kata1)
	assert_growth "links, plain" "$none" "$n" "$n4" "$n16"
	assert_growth "links, kata1" "$k" "$n_kata1" "$n4_kata1" "$n16_kata1"
}

# No netlink socket in the namespace has anything left to be read (column Rmem).
has_read_all() {
	[ -z "$(ip netns exec "$NS" awk 'NR > 1 && $5 > 0' /proc/net/netlink)" ]
}

# The instructions of a monitor that hears $1 route changes and does not get to look at them before it is ended.
instructions_of_events() {
	local fd i
	[ -e "$DIR/ready" ] || mkfifo "$DIR/ready"
	exec {fd}<>"$DIR/ready"
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$NETNSMON" --netns "$NS" --ready-fd "$fd" \
		--quiet 60000 --max-wait 60000 --log debug >/dev/null 2>"$DIR/valgrind" 3>&- &
	MONITOR=$!
	await_ready "$fd"
	exec {fd}>&-
	# Its first look is over.
	wait_for "$BOUND" grep -q 'snapshot: links' "$DIR/valgrind"
	for ((i = 0; i < $1; i++)); do echo "route replace 10.250.0.0/32 via 10.0.0.1 dev eth1 metric $((i + 1))"; done |
		T -batch -
	wait_for "$BOUND" has_read_all
	stop_monitor
	T route flush root 10.250.0.0/16
	sed -n 's/^==[0-9]*== Collected : \([0-9]*\)$/\1/p' "$DIR/valgrind"
}

@test "an event costs the same in a namespace of any size" {
	local small large none
	none=$(instructions_of_events 0)
	small=$(($(instructions_of_events 2000) - none))
	routes_to 0 10000
	none=$(instructions_of_events 0)
	large=$(($(instructions_of_events 2000) - none))
	echo "# 2,000 events: $small instructions with no routes, $large with 10,000" >&3
	[ "$small" -gt 0 ]
	[ "$large" -lt $((small * 2)) ]
}
