#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage.bats - the command line, and what is said when it is wrong

bats_require_minimum_version 1.5.0
load helpers

setup() { setup_netns; }
teardown() { teardown_netns; }

# refuses STATUS WORD ARGUMENT...: that status, one line on stderr that has the word, nothing on stdout, no call.
refuses() {
	local status=$1 word=$2
	shift 2
	run --separate-stderr "-$status" "$NETNSMON" "$@"
	if [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ] || [[ "${stderr_lines[0]}" != *"$word"* ]]; then
		echo "for: $*"
		echo "stdout: $output"
		echo "stderr: $stderr"
		return 1
	fi
	[ ! -s "$DIR/rt/calls" ]
}

@test "bad options: exit 2 and one line" {
	refuses 2 '--frobnicate' --frobnicate
	refuses 2 '-x' -x
	refuses 2 'stray' stray
	refuses 2 'quiet' --quiet soon
	refuses 2 'quiet' --quiet -5
	refuses 2 'quiet' --quiet 99999999999999999999
	refuses 2 'max-wait' --max-wait 1.5
	refuses 2 'runtime-timeout' --runtime-timeout 0
	refuses 2 'dialect' --dialect klingon
	refuses 2 'baseline' --baseline maybe
	refuses 2 'format' --format xml
	refuses 2 'log' -log loud
	refuses 2 'netns' --netns
	refuses 2 'netns' --netns ''
	refuses 2 'ready-fd' --ready-fd 1
	refuses 2 'watch-path' --watch-path relative/path
	refuses 2 'watch-pid' --watch-pid 0
	refuses 2 'sandbox' -r /bin/true
}

@test "a descriptor for readiness that is not open, an option with a value that takes none" {
	for fd in 90 91 99; do
		refuses 2 "--ready-fd $fd" --netns "$NS" --ready-fd "$fd"
	done
	refuses 2 'takes no value' --once=1
	run -1 --separate-stderr sh -c '"$1" --version >/dev/full' sh "$NETNSMON"
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "bad sandbox ids: exit 2 and one line" {
	for id in '' . .. -x a/b ../x 'a b' 'a;b' $'a\nb' "$(printf 'x%.0s' $(seq 129))"; do
		refuses 2 'sandbox' --netns "$NS" -r "$DIR/rt/runtime" --run-dir "$DIR/run" "--sandbox=$id"
	done
}

@test "a namespace that does not exist, or is none: exit 1 and one line" {
	refuses 1 'no-such-netns' --netns no-such-netns
	refuses 1 "$DIR/nothing" --netns "$DIR/nothing"
	refuses 1 '/dev/null' --netns /dev/null
	refuses 1 'pid:4194304' --netns pid:4194304
	refuses 2 'pid:x' --netns pid:x
}

@test "a run directory that others may write to, or that is a link, is not used" {
	mkdir -m 0777 "$DIR/open"
	ln -s "$DIR/rt" "$DIR/link"
	refuses 1 "$DIR/open" --netns "$NS" -s s1 -r "$DIR/rt/runtime" --run-dir "$DIR/open"
	refuses 1 "$DIR/link" --netns "$NS" -s s1 -r "$DIR/rt/runtime" --run-dir "$DIR/link"
}

@test "--help and --version, in Go's spellings too" {
	for option in --help -h -help; do
		run -0 "$NETNSMON" "$option"
		[[ "${lines[0]}" == Usage:* ]]
		[ "${#lines[@]}" -lt 50 ]
	done
	for option in --version -v -version; do
		run -0 "$NETNSMON" "$option"
		[[ "$output" =~ ^netnsmon\ version\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	done
}

@test "README and manual page have exactly the options that --help has" {
	options() { grep -oE -- '--[a-z][a-z-]+' | sort -u; }
	"$NETNSMON" --help | sed -n 's/^ \{6\}\(--[a-z-]*\).*/\1/p; s/^  -., \(--[a-z-]*\).*/\1/p' | sort -u >"$DIR/help"
	sed -n 's/^\.It .*/&/p' "$here/../../monitor/netnsmon.8" | grep -oE 'Fl -[a-z][a-z-]+' | sed 's/Fl /-/' | sort -u >"$DIR/man"
	sed -n '/^| option/,/^$/p' "$here/../../README.md" | options >"$DIR/readme"
	[ -s "$DIR/help" ]
	diff "$DIR/help" <(grep -vx -- '--log-level' "$DIR/man")
	diff "$DIR/help" <(grep -vx -- '--log-level' "$DIR/readme")
}

@test "a second monitor of the same namespace: exit 3; one that only looks is let in" {
	start_monitor
	refuses 3 'another monitor' --netns "$NS" -s other -r "$DIR/rt/runtime" --run-dir "$DIR/run"
	run -0 "$NETNSMON" --netns "$NS" --once
	stop_monitor
	[ -z "$(find "$DIR/run" -name '*.lock')" ]
}

@test "Kata's command line works as it is" {
	kernel_state >"$DIR/start"
	ip netns exec "$NS" "$NETNSMON" -s sandbox1 -r "$DIR/rt/runtime" -d -log debug --run-dir "$DIR/run" \
		2>"$DIR/log" 3>&- &
	MONITOR=$!
	wait_for "$BOUND" grep -q 'msg="watching' "$DIR/log"
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	grep -q 'level=debug' "$DIR/log"
	finish
}

@test "log lines are logfmt with all the fields that Kata's tools expect" {
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	barrier
	refute grep -vE '^time="[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{1,9}Z" level=(error|warning|info|debug) msg="([^"\\]|\\.)*" name=netnsmon pid=[1-9][0-9]* source=netmon sandbox=sandbox1$' "$DIR/log"
	stop_monitor
}

@test "--log-to a file, and a log that is full: nothing waits, nothing ends" {
	start_monitor --log-to "$DIR/logfile" -log debug
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	grep -q 'add-network eth1' "$DIR/logfile"
	stop_monitor
	start_monitor --log-to /dev/full -log debug
	mk eth2
	wait_calls 1 '.data.Name == "eth2"'
	stop_monitor
}
