#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slots.bats - at most so many runtime calls at once over all monitors of a host
#
# COUNT=200 bats slots.bats runs the large test with so many.

bats_require_minimum_version 1.5.0
load helpers

COUNT=${COUNT:-60}

setup() {
	setup_netns
	PIDS=()
	SPACES=()
}

teardown() {
	local pid name
	for pid in "${PIDS[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "${LOCKER-}" ] || kill "$LOCKER" 2>/dev/null || true
	for name in "${SPACES[@]}"; do
		ip netns del "$name" 2>/dev/null || true
	done
	teardown_netns
}

log_has() { grep -qE "$1" "$DIR/log"; }
log_count() { grep -cE "$1" "$DIR/log" || true; }

# One more namespace and a monitor in it, of sandbox s$1; its pid is the last of PIDS.
add_monitor() {
	local name=$NS-$1
	shift
	ip netns add "$name"
	SPACES+=("$name")
	"$NETNSMON" --netns "$name" -s "s${#SPACES[@]}" -r "$DIR/rt/runtime" --run-dir "$DIR/run" --slots-dir "$DIR/slots" \
		"$@" >/dev/null 2>>"$DIR/log" 3>&- &
	PIDS+=($!)
}

settled() { wait_for "$BOUND" is_view_equal; }
all_ready() { [ "$(log_count 'msg="watching')" -eq "$1" ]; }
served() { [ "$(jq -r 'select(.status == 0) | .sandbox' "$DIR/rt/calls" | sort -u | wc -l)" -ge "$1" ]; }

# How many calls ran at the same time at most, and at the end.
most_at_once() {
	awk '$1 == "start" { if (++n > most) most = n } $1 == "end" { n-- } END { print most + 0 }' "$DIR/rt/spans"
}

running() {
	awk '$1 == "start" { n++ } $1 == "end" { n-- } END { print n + 0 }' "$DIR/rt/spans"
}

# The child of monitor $1 waits for a slot: that is all it sleeps for.
is_waiting() {
	local waiter
	read -r waiter <"/proc/$1/task/$1/children"
	grep -q '^State:.*sleeping' "/proc/$waiter/status"
}

# A change in each namespace: a link comes up.
change_all() {
	local name
	for name in "${SPACES[@]}"; do
		ip -n "$name" link add eth1 type veth peer name peth1
		ip -n "$name" link set peth1 up
		ip -n "$name" link set eth1 up
	done
}

# Holds the lock of slot file $1 until LOCKER is killed, or file "release" is there.
lock_slot() {
	[ -d "$DIR/slots" ] || mkdir -m 700 "$DIR/slots"
	flock -o "$DIR/slots/slot-$1" \
		sh -c 'echo $$ >"$0/locked"; while [ ! -e "$0/release" ]; do sleep 0.05; done' "$DIR" 3>&- &
	LOCKER=$!
	wait_for "$BOUND" test -s "$DIR/locked"
}

unlock_slot() {
	: >"$DIR/release"
	wait "$LOCKER"
	LOCKER=''
	rm "$DIR/release" "$DIR/locked"
}

@test "a change in many namespaces at once: never more calls than slots, and all are served" {
	local slots=4 i
	: >"$DIR/rt/spans"
	# So much that calls would overlap without slots.
	echo 0.02 >"$DIR/rt/slow"
	for i in $(seq "$COUNT"); do add_monitor "$i" --slots "$slots" --ignore peth1; done
	wait_for $((BOUND + COUNT)) all_ready "$COUNT"
	change_all
	wait_for $((BOUND + COUNT)) served "$COUNT"
	wait_for "$BOUND" eval '[ "$(running)" -eq 0 ]'
	echo "at once: $(most_at_once)"
	[ "$(most_at_once)" -le "$slots" ]
	# They were used, too.
	[ "$(most_at_once)" -gt 1 ]
	jq -se --argjson count "$COUNT" 'map(select(.verb == "add-network")) | length == $count
		and (map(.sandbox) | unique | length == $count)' "$DIR/rt/calls"
	# Nobody waits or holds a slot any more; each file is one of the first four.
	for i in $(seq 0 $((slots - 1))); do flock -n "$DIR/slots/slot-$i" true; done
	[ "$(find "$DIR/slots" -type f | wc -l)" -eq "$slots" ]
	[ "$(log_count 'level=(warning|error)')" -eq 0 ]
}

@test "no polling while a slot is waited for, by the monitor or its child" {
	lock_slot 0
	start_monitor --slots 1 --slots-dir "$DIR/slots"
	# Without IPv6 addresses: the kernel says of them what it likes.
	mk_bare eth1
	T link set eth1 up
	wait_for "$BOUND" is_waiting "$MONITOR"
	waiter=$(cat "/proc/$MONITOR/task/$MONITOR/children")
	strace -f -qq -o "$DIR/trace" -p "$MONITOR" -p "$waiter" 3>&- &
	PIDS+=($!)
	wait_for "$BOUND" eval 'grep -q "^$MONITOR .*epoll" "$DIR/trace" && grep -q "^${waiter% } .*flock" "$DIR/trace"'
	sleep 2
	said=$(wc -l <"$DIR/trace")
	sleep 3
	[ "$(wc -l <"$DIR/trace")" -eq "$said" ]
	# The leak check at the end cannot work while it is traced.
	kill "$!"
	wait "$!" || true
	[ "$(calls | wc -l)" -eq 0 ]
	unlock_slot
	wait_calls 1 '.verb == "add-network"'
	finish
}

@test "what changes while a slot is waited for is seen: the last state is sent, once" {
	lock_slot 0
	start_monitor --slots 1 --slots-dir "$DIR/slots"
	mk eth1
	wait_for "$BOUND" is_waiting "$MONITOR"
	T addr add 10.1.0.2/24 dev eth1
	T link set eth1 mtu 1400
	mk eth2
	T link del eth2
	unlock_slot
	wait_calls 1 '.verb == "add-network"'
	barrier
	[ "$(summary)" = "add-network:eth1" ]
	assert_calls 'first.data | .Mtu == 1400 and (.IPAddresses | length) == 1'
	finish
}

@test "a slot that is granted after a storm of changes has ended is used at once" {
	# So impatient that it looks while changes come in, and asks for a slot then.
	start_monitor --slots 1 --slots-dir "$DIR/slots" --quiet 1 --max-wait 5
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	wait_calls 1 '.verb == "add-network"'
	barrier
	for round in 1 2; do
		lock_slot 0
		for i in $(seq 10000); do
			echo "route replace 10.50.$((i % 50)).0/24 via 10.1.0.1 mtu $((round * 100 + i % 90 + 600))"
		done >"$DIR/batch"
		T -batch "$DIR/batch"
		# Its last word was written to the socket before it ended.
		wait_for "$BOUND" is_waiting "$MONITOR"
		unlock_slot
		settled
	done
	finish
}

@test "a slot is freed when the call, or the monitor that holds it, is killed" {
	: >"$DIR/rt/gate"
	add_monitor a --slots 1
	add_monitor b --slots 1
	wait_for "$BOUND" all_ready 2
	for name in "${SPACES[@]}"; do
		ip -n "$name" link add eth1 type veth peer name peth1
		ip -n "$name" link set peth1 up
	done
	ip -n "${SPACES[0]}" link set eth1 up
	wait_calls 1 '.sandbox == "s1"'
	ip -n "${SPACES[1]}" link set eth1 up
	wait_for "$BOUND" is_waiting "${PIDS[1]}"
	# The runtime's process of the first one: its call has failed, and the second one's turn comes, although the
	# first one has something to ask for, too, and is faster.
	kill -KILL "$(pids_of "$DIR/rt/runtime")"
	wait_for "$BOUND" log_has 'killed by signal 9.*sandbox=s1'
	wait_calls 1 '.sandbox == "s2"'
	# Now the second one holds the slot, and the first one wants it again.
	wait_for "$BOUND" is_waiting "${PIDS[0]}"
	[ "$(count_calls '.sandbox == "s1"')" -eq 1 ]
	kill -KILL "${PIDS[1]}"
	wait "${PIDS[1]}" || true
	wait_calls 2 '.sandbox == "s1"'
	rm "$DIR/rt/gate"
	wait_for "$BOUND" log_has 'add-network eth1 .*done.*sandbox=s1'
}

@test "SIGTERM while a slot is waited for: exit 0 at once, and the child that waits is gone" {
	lock_slot 0
	start_monitor --slots 1 --slots-dir "$DIR/slots"
	mk eth1
	wait_for "$BOUND" is_waiting "$MONITOR"
	waiter=$(cat "/proc/$MONITOR/task/$MONITOR/children")
	stop_monitor
	refute kill -0 "$waiter"
	[ "$(calls | wc -l)" -eq 0 ]
	unlock_slot
	# Nor does a killed one's child keep the slot.
	restart_monitor --slots 1 --slots-dir "$DIR/slots"
	wait_calls 1 '.verb == "add-network"'
	finish
}

@test "the child that waits for a slot is killed: another one waits" {
	lock_slot 0
	start_monitor --slots 1 --slots-dir "$DIR/slots"
	mk eth1
	wait_for "$BOUND" is_waiting "$MONITOR"
	waiter=$(cat "/proc/$MONITOR/task/$MONITOR/children")
	kill -KILL "$waiter"
	wait_for "$BOUND" eval 'grep -q . "/proc/$MONITOR/task/$MONITOR/children" &&
		[ "$(cat "/proc/$MONITOR/task/$MONITOR/children")" != "$waiter" ]'
	[ "$(calls | wc -l)" -eq 0 ]
	unlock_slot
	wait_calls 1 '.verb == "add-network"'
	finish
}

@test "a slots directory of a stranger is not used: exit 1, one line" {
	mkdir -m 0777 "$DIR/open"
	ln -s "$DIR/rt" "$DIR/link"
	mkdir -m 0700 "$DIR/foreign"
	chown 65534 "$DIR/foreign"
	: >"$DIR/file"
	for slots in "$DIR/open" "$DIR/link" "$DIR/foreign" "$DIR/file" "$DIR/file/such"; do
		run -1 "$NETNSMON" --netns "$NS" -s s1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" \
			--slots 2 --slots-dir "$slots"
		[ "${#lines[@]}" -eq 1 ]
		[[ "${lines[0]}" == *"cannot use slots directory $slots"* ]]
	done
}

@test "slot files that cannot be used: said, tried again, never followed; when they can, the calls are made" {
	echo precious >"$DIR/target"
	mkdir -m 0700 "$DIR/slots"
	ln -s "$DIR/target" "$DIR/slots/slot-0"
	mkdir "$DIR/slots/slot-1"
	start_monitor --slots 2 --slots-dir "$DIR/slots"
	mk eth1
	wait_for "$BOUND" log_has 'add-network eth1.*cannot be run: .*(ELOOP|EISDIR)'
	[ "$(calls | wc -l)" -eq 0 ]
	[ "$(cat "$DIR/target")" = precious ]
	rm "$DIR/slots/slot-0"
	rmdir "$DIR/slots/slot-1"
	wait_calls 1 '.verb == "add-network"'
	# One that cannot be used does not keep the others from being used.
	ln -s "$DIR/target" "$DIR/slots/link"
	rm "$DIR/slots"/slot-*
	mv "$DIR/slots/link" "$DIR/slots/slot-1"
	: >"$DIR/log"
	for mtu in 1400 1401 1402 1403 1404 1405; do
		T link set eth1 mtu "$mtu"
		wait_calls 1 ".data.Mtu? == $mtu and .status == 0"
	done
	refute log_has 'level=warning'
	[ "$(cat "$DIR/target")" = precious ]
	# The directory went: nobody can be asked, nothing is called beyond the limit.
	rm -r "$DIR/slots"
	T link set eth1 mtu 1300
	wait_for "$BOUND" log_has 'update-network eth1.*cannot be run: ENOENT'
	[ "$(count_calls '.data.Mtu? == 1300')" -eq 0 ]
	stop_monitor
}
