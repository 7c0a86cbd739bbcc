#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# standalone.bats - without a runtime: what would be done is printed; and what an idle monitor does: nothing

bats_require_minimum_version 1.5.0
load helpers

setup() { setup_netns; }
teardown() { teardown_netns; }

printed() { grep -qE "$1" "$DIR/out"; }

@test "without a terminal: one JSON object a line" {
	start_standalone
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T route add default via 10.1.0.1
	wait_for "$BOUND" printed '"verb":"update-route"'
	stop_monitor
	jq -se 'all(.[]; keys == ["data", "reason", "sandbox", "time", "verb"] and .sandbox == "-"
		and (.time | test("^[0-9-]{10}T[0-9:]{8}\\.[0-9]+Z$")))' "$DIR/out"
	jq -se '(map(.verb) | unique) - ["add-network", "update-network", "update-route"] == []' "$DIR/out"
}

@test "on a terminal: text, with colour unless NO_COLOR" {
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T route add default via 10.1.0.1 metric 7
	script -qec "$NETNSMON --netns $NS --baseline none --once" /dev/null >"$DIR/tty" </dev/null
	grep -q 'add-network' "$DIR/tty"
	grep -q '10.1.0.2/24' "$DIR/tty"
	grep -q '0.0.0.0/0 via 10.1.0.1 dev eth1 metric 7' "$DIR/tty"
	grep -q $'\033\[32m' "$DIR/tty"
	NO_COLOR=1 script -qec "$NETNSMON --netns $NS --baseline none --once" /dev/null </dev/null >"$DIR/tty"
	refute grep -q $'\033' "$DIR/tty"
}

@test "--format says which, wherever it goes" {
	mk eth1
	run -0 --separate-stderr "$NETNSMON" --netns "$NS" --baseline none --once --format text --only eth1
	[[ "$output" == *"add-network"*"eth1"* ]]
	run -0 --separate-stderr "$NETNSMON" --netns "$NS" --baseline none --once --format json --only eth1
	jq -e '.verb == "add-network"' <<<"$output"
}

@test "--once: 0 if all was acknowledged, else 1, each request tried once" {
	mk eth1
	mk eth2
	run -0 --separate-stderr "$NETNSMON" --netns "$NS" -s s1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" \
		--no-state --baseline none --once
	[ "$(count_calls '.verb == "add-network"')" -eq 2 ]
	echo '1 1 no' >"$DIR/rt/fail-name-eth1"
	run -1 --separate-stderr "$NETNSMON" --netns "$NS" -s s1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" \
		--no-state --baseline none --once
	[ "$(count_calls '.verb == "add-network"')" -eq 4 ]
}

@test "a path, a pid and a name are the same namespace" {
	mk eth1
	ip netns exec "$NS" sleep 600 3>&- &
	pid=$!
	for netns in "$NS" "/run/netns/$NS" "pid:$pid"; do
		run -0 --separate-stderr "$NETNSMON" --netns "$netns" --baseline none --once --only eth1
		jq -e '.data.Name == "eth1"' <<<"$output"
	done
	kill "$pid"
}

@test "output that nobody reads any more ends it with an error, not a signal" {
	mkfifo "$DIR/pipe"
	"$NETNSMON" --netns "$NS" >"$DIR/pipe" 2>"$DIR/log" 3>&- &
	MONITOR=$!
	exec 8<"$DIR/pipe"
	wait_for "$BOUND" grep -q 'msg="watching' "$DIR/log"
	exec 8<&-
	mk eth1
	status=0
	wait "$MONITOR" || status=$?
	MONITOR=''
	[ "$status" -eq 1 ]
	grep -q 'cannot print' "$DIR/log"
}

@test "a reader that is slow holds up nothing: SIGTERM ends it, and what is read late is whole" {
	for i in $(seq 1 3000); do echo "route add 10.$((i / 250)).$((i % 250)).0/24 dev mark0"; done | T -batch -
	mkfifo "$DIR/pipe"
	exec 9<>"$DIR/pipe"
	kernel_state >"$DIR/start"
	"$NETNSMON" --netns "$NS" --baseline none --only mark0 >"$DIR/pipe" 2>"$DIR/log" 3>&- 9>&- &
	MONITOR=$!
	wait_for "$BOUND" grep -q 'watching' "$DIR/log"
	# Whatever fits into the pipe has been written, and nobody reads it.
	wait_for "$BOUND" grep -q 'S (sleeping)' "/proc/$MONITOR/status"
	stop_monitor
	"$NETNSMON" --netns "$NS" --baseline none --only mark0 --once >"$DIR/pipe2" 2>>"$DIR/log" 3>&- 9>&-
	jq -se 'map(select(.verb == "update-route"))[0].data | length == 3000' "$DIR/pipe2"
	# The same through a pipe that is read a little at a time.
	"$NETNSMON" --netns "$NS" --baseline none --only mark0 --once 2>>"$DIR/log" 3>&- 9>&- |
		(sleep 1; cat) >"$DIR/late"
	jq -se 'map(select(.verb == "update-route"))[0].data | length == 3000' "$DIR/late"
	exec 9>&-
}

@test "--once ends with 1 if no snapshot is to be had, and passes over no link that follows one that goes" {
	local status=0
	timeout 20 prlimit --nofile=9 "$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" \
		--once 2>"$DIR/log" 3>&- || status=$?
	[ "$status" -eq 1 ]
	grep -qE 'level=(error|warning)' "$DIR/log"
	mk_bare e1 && T link set e1 up
	mk_bare e2 && T link set e2 up
	mk_bare e3 && T link set e3 up
	: >"$DIR/rt/gate"
	"$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" --baseline none --only 'e?' --once \
		2>"$DIR/log" 3>&- &
	MONITOR=$!
	wait_calls 1 '.data.Name == "e1"'
	T link del e1
	rm "$DIR/rt/gate"
	wait "$MONITOR"
	MONITOR=''
	assert_calls 'map(select(.verb == "add-network") | .data.Name) == ["e1", "e2", "e3"]'
}

@test "an idle monitor makes no system call in 10 s" {
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	mkdir "$DIR/sandbox"
	: >"$DIR/sandbox/alive"
	start_monitor --watch-path "$DIR/sandbox/alive" --watch-pid $$
	# What the start and the links have to say is over; the kernel may have one more word (router solicitation and the like).
	barrier_after_loss
	sleep 2.5
	is_silent || is_silent
	stop_monitor
}
