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
