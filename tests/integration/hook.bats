#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hook.bats - the OCI hook, given states of containers as an OCI runtime gives them

bats_require_minimum_version 1.5.0
load helpers

HOOK=${NETNSMON%/*}/netnsmon-hook

setup() {
	setup_netns
	CONTAINER='' OTHER=''
	container
	cat >"$DIR/hook.conf" <<-END
		# A runtime of the test's own.
		runtime = $DIR/rt/runtime
		monitor=$NETNSMON
		  run-dir =  $DIR/run
		option = --log-to=$DIR/log
	END
}

teardown() {
	local pid
	for pid in $CONTAINER $OTHER $(cut -d' ' -f1 "$DIR"/run/hook-*.pid 2>/dev/null); do
		kill -KILL "$pid" 2>/dev/null || true
	done
	teardown_netns
}

# A process in NS that stands for a container's first one.
container() {
	ip netns exec "$NS" sleep 1000000 3>&- &
	CONTAINER=$!
	wait_for "$BOUND" is_in_ns "$CONTAINER"
}

is_in_ns() { [ "$(readlink "/proc/$1/ns/net")" = "$(ip netns exec "$NS" readlink /proc/self/ns/net)" ]; }

# state STATUS [JQ-FILTER]
state() {
	jq -n --arg status "$1" --argjson pid "$CONTAINER" '{ociVersion: "1.0.2", id: "c0ffee", status: $status,
		pid: $pid, bundle: "/run/bundle", annotations: {}} | '"${2:-.}"
}

# hook STATUS [JQ-FILTER]: with an environment as empty as CRI-O's.
hook() { state "$@" | env -i "$HOOK" --config "$DIR/hook.conf"; }

# fails WORD COMMAND...: status 1, one line on stderr that has the word, no monitor.
fails() {
	local word=$1
	shift
	run -1 --separate-stderr "$@"
	if [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ] || [[ "$stderr" != netnsmon-hook:*"$word"* ]]; then
		echo "for $*: $output / $stderr"
		return 1
	fi
	refute ls "$DIR"/run/hook-*.pid
}

monitor_pid() { cut -d' ' -f1 "$DIR/run/hook-${1:-c0ffee}.pid"; }

# Whether its parent has taken note of its end is not the hook's matter.
is_gone() { [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"; }

@test "creating: a monitor that is ready, detached and outlives the hook; stopped: it is gone, and all of its files" {
	hook creating
	pid=$(monitor_pid)
	kill -0 "$pid"
	is_in_ns "$pid"
	# Already ready: not one change is missed.
	mk eth1
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth1" and .sandbox == "c0ffee"'
	assert_calls 'first | .argv[-3:] == ["add-network", "c0ffee", "-"]'
	[ "$(readlink "/proc/$pid/cwd")" = / ]
	[ "$(readlink "/proc/$pid/fd/0")" = /dev/null ]
	# Its session is its own, and neither its descriptors nor its environment are the hook's caller's.
	[ "$(ps -o sid= -p "$pid" | tr -d ' ')" = "$pid" ]
	refute grep -qz '^NETNSMON=' "/proc/$pid/environ"
	grep -qz '^PATH=' "/proc/$pid/environ"
	kill -KILL "$CONTAINER"
	hook stopped 'del(.pid)'
	is_gone "$pid"
	[ -z "$(ls -A "$DIR/run")" ]
}

@test "no descriptor of the hook's is kept: its caller sees the end of its output at once" {
	# With a further pipe as descriptor 9, as an OCI runtime may have left one open.
	[ "$(state creating | timeout "$BOUND" "$HOOK" --config "$DIR/hook.conf" 9>&1 2>&1)" = '' ]
	kill -0 "$(monitor_pid)"
}

@test "stopped: a monitor that does not end by itself is asked to, and one that hears nothing is killed" {
	echo "option = --watch-pid=$BASHPID" >>"$DIR/hook.conf"
	hook creating
	hook creating '.id = "beef"'
	pid=$(monitor_pid)
	deaf=$(monitor_pid beef)
	kill -STOP "$deaf"
	# Each takes its time: side by side.
	hook stopped '.id = "beef"' &
	hook stopped
	is_gone "$pid"
	wait $!
	is_gone "$deaf"
	refute ls "$DIR"/run/hook-*.pid
}

@test "stopped: without a monitor, twice, or with the number of another process: nothing is ended" {
	hook stopped
	mkdir -p "$DIR/run"
	echo "$CONTAINER 12345" >"$DIR/run/hook-c0ffee.pid"
	hook stopped
	kill -0 "$CONTAINER"
	[ ! -e "$DIR/run/hook-c0ffee.pid" ]
	hook stopped
	echo nonsense >"$DIR/run/hook-c0ffee.pid"
	run -1 hook stopped
	[[ "$output" == *c0ffee* ]]
}

@test "the same namespace again, as for another container of a pod: one that takes over" {
	hook creating
	first=$(monitor_pid)
	ip netns exec "$NS" sleep 1000000 3>&- &
	OTHER=$!
	wait_for "$BOUND" is_in_ns "$OTHER"
	hook creating ".id = \"beef\" | .pid = $OTHER"
	second=$(monitor_pid beef)
	kill -KILL "$CONTAINER"
	hook stopped
	is_gone "$first"
	kill -0 "$second"
	wait_for "$BOUND" grep -q 'msg="watching.*pid='"$second " "$DIR/log"
	mk eth1
	wait_calls 1 '.sandbox == "beef" and .data.Name == "eth1"'
	kill -KILL "$OTHER"
	hook stopped '.id = "beef"'
	is_gone "$second"
}

@test "a sandbox's id from an annotation" {
	echo 'sandbox-annotation = org.example.pod' >>"$DIR/hook.conf"
	fails 'no id' hook creating '.annotations["org.example.pod"] = "../pod"'
	hook creating '.annotations["org.example.pod"] = "pod1"'
	mk eth1
	wait_calls 1 '.sandbox == "pod1"'
}

@test "a container in the hook's own namespace gets no monitor" {
	sleep 1000000 3>&- &
	OTHER=$!
	hook creating ".pid = $OTHER"
	[ ! -e "$DIR/run" ]
}

@test "a monitor that cannot be started, ends, or is not ready in time: status 1 and why; 0 if none is required" {
	cp "$DIR/hook.conf" "$DIR/good"
	echo 'runtime = /nonexistent/runtime' >>"$DIR/hook.conf"
	fails '/nonexistent/runtime' hook creating
	echo 'required = no' >>"$DIR/hook.conf"
	run -0 hook creating
	[[ "$output" == *'/nonexistent/runtime'* ]]
	cp "$DIR/good" "$DIR/hook.conf"
	echo 'option = --frobnicate' >>"$DIR/hook.conf"
	fails '--frobnicate' hook creating
	cp "$DIR/good" "$DIR/hook.conf"
	echo 'monitor = /nonexistent/netnsmon' >>"$DIR/hook.conf"
	fails 'No such file' hook creating
	echo 'monitor = /bin/false' >>"$DIR/hook.conf"
	fails 'status 1' hook creating
	printf '#!/bin/sh\necho $$ >%s/hanging\nexec sleep 1000000\n' "$DIR" >"$DIR/hangs"
	chmod +x "$DIR/hangs"
	printf 'monitor = %s\nready-timeout = 1\n' "$DIR/hangs" >>"$DIR/hook.conf"
	fails 'not ready' hook creating
	is_gone "$(cat "$DIR/hanging")"
	cp "$DIR/good" "$DIR/hook.conf"
	fails 'no monitor' hook creating '.pid = 4194304'
}

@test "states that are none, and settings that are none" {
	for filter in '[]' '.id = "../x"' 'del(.id)' 'del(.pid)' '.pid = -1' '.pid = 1.5' '.pid = 1e99' '.status = "paused"' \
		'del(.status)' '.id = 5' '.id = "-x"' '.id = "a\nb"'; do
		fails '' hook creating "$filter"
	done
	fails 'not the state' sh -c '"$1" --config "$2" </dev/null' sh "$HOOK" "$DIR/hook.conf"
	cp "$DIR/hook.conf" "$DIR/good"
	for line in 'nonsense' 'colour = red' 'option = x' 'option =' 'required = maybe' 'ready-timeout = 0' \
		'ready-timeout = 1s' 'ready-timeout = -1' 'run-dir = relative'; do
		cp "$DIR/good" "$DIR/hook.conf"
		echo "$line" >>"$DIR/hook.conf"
		fails "hook.conf:6:" hook creating
	done
	: >"$DIR/hook.conf"
	fails 'no runtime' hook creating
	cp "$DIR/good" "$DIR/hook.conf"
	chmod 0666 "$DIR/hook.conf"
	fails 'somebody else' hook creating
	rm "$DIR/hook.conf"
	fails 'No such file' hook creating
	mkfifo "$DIR/hook.conf"
	fails 'hook.conf' hook creating
	run -2 "$HOOK" --frobnicate
	run -2 "$HOOK" a b c
}

@test "--version and --help; the hook's JSON names what make install installs, and both stages" {
	run -0 "$HOOK" --version
	[[ "$output" =~ ^netnsmon-hook\ version\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	run -0 "$HOOK" --help
	jq -e '.version == "1.0.0" and .stages == ["createRuntime", "poststop"] and
		.hook.path == "/usr/local/sbin/netnsmon-hook"' "$here/../../monitor/hook/netnsmon-hook.json"
	# All keys of the configuration are in the manual page, and no other.
	page=$here/../../monitor/hook/netnsmon-hook.8
	diff <(grep -oP 'strcmp\(key, "\K[a-z-]+' "$here/../../monitor/hook/config.c" | sort) \
		<(sed -n '/^\.Sh CONFIGURATION/,/^\.Sh FILES/s/^\.It Cm //p' "$page" | sort)
}
