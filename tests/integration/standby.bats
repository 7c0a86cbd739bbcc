#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# standby.bats - of several monitors of one namespace exactly one acts, and the next one takes over at once

bats_require_minimum_version 1.5.0
load helpers

setup() {
	setup_netns
	PIDS=()
	TRACER=''
	MAC=0
}

teardown() {
	[ -z "$TRACER" ] || kill "$TRACER" 2>/dev/null || true
	for pid in "${PIDS[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	teardown_netns
}

log_has() { grep -qE "$1" "$DIR/log"; }
is_quiet() { is_view_equal && [ -z "$(find "$DIR/run" -name 'netns-*.call')" ]; }
settled() { wait_for "$BOUND" is_quiet || { diff -u "$DIR/expected" "$DIR/view" && false; }; }

# The monitor that acts says so when it has the lock, in its line "watching".
acts() { grep -qE "msg=\"watching.* pid=$1 " "$DIR/log"; }

# Starts a monitor that stands by if another one acts; its pid is the last of PIDS.
stand_by() {
	"$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" --standby "$@" \
		>/dev/null 2>>"$DIR/log" 3>&- &
	PIDS+=($!)
}

# The child of a monitor that stands by waits for the lock: that is all it sleeps for.
waiter_of() { cat "/proc/$1/task/$1/children"; }
is_waiting() {
	local waiter
	read -r waiter < <(waiter_of "$1")
	grep -q '^State:.*sleeping' "/proc/$waiter/status"
}

# The one of PIDS (but $1) that acts, in HOLDER.
find_holder() {
	for HOLDER in "${PIDS[@]}"; do
		[ "$HOLDER" != "${1-}" ] || continue
		! acts "$HOLDER" || return 0
	done
	return 1
}

# Kills HOLDER with -9 and takes it from PIDS.
kill_holder() {
	local pid rest=()
	kill -KILL "$HOLDER"
	wait "$HOLDER" 2>/dev/null || true
	for pid in "${PIDS[@]}"; do
		[ "$pid" = "$HOLDER" ] || rest+=("$pid")
	done
	PIDS=("${rest[@]}")
}

@test "a second monitor: exit 3 and one line; with --standby it waits and says nothing" {
	start_monitor
	run -3 "$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run"
	[ "${#lines[@]}" -eq 1 ]
	[[ "${lines[0]}" == *'another monitor watches this namespace'* ]]
	stand_by
	wait_for "$BOUND" is_waiting "${PIDS[0]}"
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	barrier
	[ "$(summary)" = "add-network:eth1" ]
	refute grep -q " pid=${PIDS[0]} " "$DIR/log"
	finish
}

@test "other namespaces and other run directories have locks of their own" {
	start_monitor
	ip netns exec "$PEER" "$NETNSMON" -s s2 -r "$DIR/rt/runtime" --run-dir "$DIR/run" 2>>"$DIR/log" 3>&- &
	PIDS+=($!)
	"$NETNSMON" --netns "$NS" -s s3 -r "$DIR/rt/runtime" --run-dir "$DIR/run2" 2>>"$DIR/log" 3>&- &
	PIDS+=($!)
	wait_for "$BOUND" acts "${PIDS[0]}"
	wait_for "$BOUND" acts "${PIDS[1]}"
	stop_monitor
}

@test "the holder is killed: the next one goes on from its state, with what came meanwhile" {
	start_monitor
	mk eth1
	settled
	stand_by
	wait_for "$BOUND" is_waiting "${PIDS[0]}"
	kill -STOP "$MONITOR"
	mk eth2
	T link set eth1 mtu 1400
	crash_monitor
	wait_for "$BOUND" acts "${PIDS[0]}"
	settled
	log_has "this monitor acts now.* pid=${PIDS[0]} "
	log_has "watching again, from saved state.* pid=${PIDS[0]} "
	MONITOR=${PIDS[0]}
	barrier
	[ "$(summary)" = "add-network:eth1 add-network:eth2 update-network:eth1" ]
	finish
}

@test "the holder is stopped: the next one takes over, and then the one after that" {
	start_monitor
	mk eth1
	settled
	stand_by
	stand_by
	wait_for "$BOUND" is_waiting "${PIDS[0]}"
	wait_for "$BOUND" is_waiting "${PIDS[1]}"
	stop_monitor
	wait_for "$BOUND" find_holder
	T link set eth1 mtu 1400
	settled
	kill "$HOLDER"
	wait "$HOLDER"
	wait_for "$BOUND" find_holder "$HOLDER"
	mk eth2
	settled
	[ "$(summary)" = "add-network:eth1 update-network:eth1 add-network:eth2" ]
}

@test "who stands by ends on SIGTERM and SIGINT with 0, takes SIGHUP and SIGUSR1, and leaves no child" {
	start_monitor
	for signal in TERM INT; do
		stand_by
		pid=${PIDS[-1]}
		wait_for "$BOUND" is_waiting "$pid"
		waiter=$(waiter_of "$pid")
		kill -HUP "$pid"
		wait_for "$BOUND" log_has "standing by: another monitor watches this namespace.* pid=$pid "
		kill -USR1 "$pid"
		kill "-$signal" "$pid"
		wait "$pid"
		refute kill -0 "$waiter"
	done
	# Nor does one that is killed: else it would hold the lock for nobody.
	stand_by
	pid=${PIDS[-1]}
	wait_for "$BOUND" is_waiting "$pid"
	waiter=$(waiter_of "$pid")
	kill -KILL "$pid"
	wait "$pid" || true
	wait_for "$BOUND" refute kill -0 "$waiter"
	stop_monitor
	start_monitor
	finish
}

@test "the child that waits for the lock is killed: another one waits" {
	start_monitor
	stand_by
	pid=${PIDS[0]}
	wait_for "$BOUND" is_waiting "$pid"
	waiter=$(waiter_of "$pid")
	kill -KILL "$waiter"
	wait_for "$BOUND" eval '[ "$(waiter_of "$pid")" != "$waiter" ] && is_waiting "$pid"'
	stop_monitor
	wait_for "$BOUND" acts "$pid"
}

@test "no polling: not one system call while it stands by" {
	start_monitor
	stand_by
	pid=${PIDS[0]}
	wait_for "$BOUND" is_waiting "$pid"
	waiter=$(waiter_of "$pid")
	strace -f -qq -o "$DIR/trace" -p "$pid" -p "$waiter" 3>&- &
	TRACER=$!
	# That strace attached interrupts both, and they go on waiting.
	wait_for "$BOUND" eval 'grep -q "^$pid .*epoll" "$DIR/trace" && grep -q "^${waiter% } .*flock" "$DIR/trace"'
	sleep 0.5
	said=$(wc -l <"$DIR/trace")
	# The holder's work is nothing to it.
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	sleep 4
	[ "$(wc -l <"$DIR/trace")" -eq "$said" ]
	stop_monitor
	wait_for "$BOUND" acts "$pid"
}

@test "a lock file that was left behind is no lock; one that is a link is not followed" {
	start_monitor
	crash_monitor
	lock=$(echo "$DIR/run"/*.lock)
	[ -f "$lock" ]
	start_monitor
	stop_monitor
	[ ! -e "$lock" ]
	echo precious >"$DIR/target"
	ln -s "$DIR/target" "$lock"
	run -1 "$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" --standby
	[ "${#lines[@]}" -eq 1 ]
	[[ "${lines[0]}" == *'cannot lock in'* ]]
	[ "$(cat "$DIR/target")" = precious ]
}

# A change of each kind: link eth$1 comes, the one before it goes, eth0 changes, a route.
change() {
	mk "eth$1"
	T addr add "10.1.$1.2/24" dev "eth$1"
	T link set eth0 mtu $((1300 + $1))
	T route replace 10.50.0.0/16 via "10.1.$1.1"
	[ "$1" -eq 1 ] || T link del "eth$(($1 - 1))"
}

@test "ten contenders, the holder killed nine times while changes go on: none lost, none doubled" {
	kernel_state >"$DIR/start"
	mk eth0
	for _ in 1 2 3 4 5 6 7 8 9 10; do stand_by --baseline none; done
	BASELINE=none
	kernel_state >"$DIR/start"
	wait_for "$BOUND" find_holder
	settled
	for round in 1 2 3 4 5 6 7 8 9; do
		# No call runs when the holder dies, so that no acknowledgement is lost.
		kill -STOP "$HOLDER"
		change "$round"
		kill_holder
		wait_for "$BOUND" find_holder
		settled
	done
	[ "${#PIDS[@]}" -eq 1 ]
	MONITOR=${PIDS[0]}
	PIDS=()
	barrier_after_loss
	validate_calls
	assert_calls 'map(select(.verb == "add-network") | .data.Index) | length == 10 and (unique | length == 10)'
	assert_calls 'map(select(.verb == "del-network") | .data.Index) | length == 8 and (unique | length == 8)'
	# Exactly one has acted at any time.
	[ "$(grep -c 'msg="watching' "$DIR/log")" -eq 10 ]
	settled
	stop_monitor
}

@test "ten contenders, the holder killed at any moment: the view is exact, doubled only what was cut off" {
	local round adds
	export REPLUG=yes
	BASELINE=none
	mk eth0
	echo 0.1 >"$DIR/rt/slow"
	for _ in 1 2 3 4 5 6 7 8 9 10; do stand_by --baseline none; done
	kernel_state >"$DIR/start"
	wait_for "$BOUND" find_holder
	settled
	for round in 1 2 3 4 5 6 7 8 9; do
		change "$round"
		sleep "0.$((round * 7 % 10))"
		kill_holder
		wait_for "$BOUND" find_holder
	done
	MONITOR=${PIDS[0]}
	PIDS=()
	settled
	barrier_after_loss
	validate_calls
	# No monitor plugs a link twice; another one does only if the first one was killed in the call. A child that
	# lost its monitor before it looked has process 1 or a subreaper as its parent.
	assert_calls 'map(select(.status == 0 and .verb == "add-network"))
		| group_by([.parent, .data.Index]) | all(length == 1)'
	adds=$(count_calls '.status == 0 and .verb == "add-network"')
	[ $((adds - $(calls | jq -s 'map(select(.status == 0 and .verb == "add-network") | .data.Index) | unique | length'))) \
		-le 9 ]
	settled
	stop_monitor
}
