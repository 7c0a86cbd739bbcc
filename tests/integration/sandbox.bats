#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sandbox.bats - the end of a sandbox, signals, and what is said when a monitor is ready

bats_require_minimum_version 1.5.0
load helpers

setup() {
	setup_netns
	PIDS=()
}

teardown() {
	for pid in "${PIDS[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	if [ -e "$DIR/sleepers" ]; then
		while read -r pid; do kill -KILL "$pid" 2>/dev/null || true; done <"$DIR/sleepers"
	fi
	teardown_netns
}

log_has() { grep -qE "$1" "$DIR/log"; }
log_count() { grep -cE "$1" "$DIR/log" || true; }
has_ended() { ! kill -0 "$MONITOR" 2>/dev/null || grep -q '^State:.*zombie' "/proc/$MONITOR/status"; }

# The sandbox's process, in NS; its pid is SANDBOX.
start_sandbox() {
	ip netns exec "$NS" sleep 600 3>&- &
	SANDBOX=$!
	PIDS+=("$SANDBOX")
	wait_for "$BOUND" eval '[ "$(readlink "/proc/$SANDBOX/ns/net")" != "$(readlink /proc/self/ns/net)" ]'
}

end_sandbox() {
	kill -KILL "$SANDBOX"
	wait "$SANDBOX" || true
}

# ended STATUS: the monitor ends with it.
ended() {
	local status=0
	wait_for "$BOUND" has_ended
	wait "$MONITOR" || status=$?
	MONITOR=''
	[ "$status" -eq "$1" ] || {
		echo "exit status $status"
		cat "$DIR/log"
		return 1
	}
}

# The namespace has no name any more: whoever is in it, or holds it, keeps it.
unname() { ip netns del "$NS"; }
peer_is_gone() { ! ip -n "$PEER" link show "$1" 2>/dev/null; }

@test "--watch-pid: the process ends, the monitor too, and the namespace disappears" {
	start_sandbox
	start_monitor --watch-pid "$SANDBOX"
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	# A second one stands by, with a child that waits for the lock.
	"$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" --standby \
		--watch-pid "$SANDBOX" 2>>"$DIR/log" 3>&- &
	standby=$!
	PIDS+=("$standby")
	wait_for "$BOUND" grep -q . "/proc/$standby/task/$standby/children"
	unname
	P link show pmark0
	P link show peth1
	end_sandbox
	ended 0
	wait "$standby"
	log_has "stopping: process $SANDBOX has ended"
	wait_for "$BOUND" peer_is_gone pmark0
	wait_for "$BOUND" peer_is_gone peth1
	# Nobody will ever ask for this state.
	[ -z "$(find "$DIR/run" -mindepth 1)" ]
	[ "$(summary)" = "add-network:eth1" ]
}

@test "a daemon that a call left behind keeps no dead namespace alive (B22)" {
	cat >"$DIR/rt/leave" <<-END
		#!/bin/sh
		cat >/dev/null
		setsid sleep 600 >/dev/null 2>&1 </dev/null &
		echo \$! >>$DIR/sleepers
	END
	chmod +x "$DIR/rt/leave"
	start_sandbox
	: >"$DIR/ready.fd"
	"$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/leave" --run-dir "$DIR/run" --watch-pid "$SANDBOX" \
		--slots 1 --slots-dir "$DIR/slots" --ready-fd 7 7>"$DIR/ready.fd" 2>"$DIR/log" 3>&- &
	MONITOR=$!
	wait_for "$BOUND" test -s "$DIR/ready.fd"
	mk eth1
	wait_for "$BOUND" log_has 'add-network eth1.*done'
	unname
	end_sandbox
	ended 0
	kill -0 "$(cat "$DIR/sleepers")"
	wait_for "$BOUND" peer_is_gone peth1
}

@test "--watch-pid of a process that is not there, or a zombie: exit 0, one line" {
	start_sandbox
	end_sandbox
	run -0 "$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" --watch-pid "$SANDBOX"
	[ "${#lines[@]}" -eq 1 ]
	[[ "${lines[0]}" == *"process $SANDBOX has ended"* ]]
	/usr/bin/python3 -c 'import subprocess, sys, time
child = subprocess.Popen(["true"])
print(child.pid, flush=True)
time.sleep(600)' >"$DIR/zombie" 3>&- &
	PIDS+=($!)
	wait_for "$BOUND" eval 'grep -q "^State:.*zombie" "/proc/$(cat "$DIR/zombie")/status"'
	run -0 timeout "$BOUND" "$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" \
		--watch-pid "$(cat "$DIR/zombie")"
	[[ "${lines[-1]}" == *"has ended"* ]]
}

@test "--watch-path: the path is removed, renamed, or a parent of it goes" {
	for way in 'rm "$DIR/a/b/c"' 'mv "$DIR/a/b/c" "$DIR/a/b/d"' 'mv "$DIR/a" "$DIR/z"' 'rm -r "$DIR/a"'; do
		rm -rf "$DIR/a" "$DIR/z"
		mkdir -p "$DIR/a/b"
		: >"$DIR/a/b/c"
		start_monitor --watch-path "$DIR/a/b/c"
		# What happens beside it does not matter.
		: >"$DIR/a/b/other"
		rm "$DIR/a/b/other"
		barrier
		eval "$way"
		ended 0
		log_has "stopping: $DIR/a/b/c is gone"
		: >"$DIR/log"
	done
}

@test "--watch-path: a path that comes later, with its parents, and then goes" {
	start_monitor --watch-path "$DIR/a/b/c"
	barrier
	mkdir "$DIR/a"
	mkdir "$DIR/a/b"
	rmdir "$DIR/a/b"
	mkdir "$DIR/a/b"
	barrier
	: >"$DIR/a/b/c"
	barrier
	rm "$DIR/a/b/c"
	ended 0
}

@test "--watch-path of the namespace's own name: ip netns del ends the monitor" {
	start_monitor --watch-path "/run/netns/$NS"
	unname
	ended 0
	wait_for "$BOUND" peer_is_gone pmark0
}

@test "no inotify instance left: one warning, works, notices all the same; used when there is one again (B23)" {
	mkdir "$DIR/w"
	/usr/bin/python3 -c 'import ctypes, os, signal, sys
libc = ctypes.CDLL(None)
fds = []
while (fd := libc.inotify_init()) >= 0:
    fds.append(fd)
print(len(fds), flush=True)
signal.pause()' >"$DIR/taken" 3>&- &
	taker=$!
	PIDS+=("$taker")
	wait_for "$BOUND" test -s "$DIR/taken"
	start_monitor --watch-path "$DIR/w"
	barrier
	[ "$(log_count 'level=warning.*max_user_instances')" -eq 1 ]
	kill -KILL "$taker"
	wait "$taker" || true
	T link set mark0 mtu 1400
	wait_for "$BOUND" log_has "$DIR/w can be watched again"
	rmdir "$DIR/w"
	ended 0
	# And without any: at the next change.
	mkdir "$DIR/w"
	: >"$DIR/taken"
	/usr/bin/python3 -c 'import ctypes, signal
libc = ctypes.CDLL(None)
while libc.inotify_init() >= 0:
    pass
print("all", flush=True)
signal.pause()' >"$DIR/taken" 3>&- &
	PIDS+=($!)
	wait_for "$BOUND" test -s "$DIR/taken"
	start_monitor --watch-path "$DIR/w"
	rmdir "$DIR/w"
	T link set mark0 mtu 1300
	ended 0
}

@test "the sandbox ends while a call runs: it may finish, nothing else is asked for" {
	start_sandbox
	start_monitor --watch-pid "$SANDBOX"
	: >"$DIR/rt/gate"
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	mk eth2
	end_sandbox
	wait_for "$BOUND" log_has 'process .* has ended'
	refute has_ended
	rm "$DIR/rt/gate"
	ended 0
	log_has 'add-network eth1.*done'
	[ "$(summary)" = "add-network:eth1" ]
}

@test "the sandbox ends while a call hangs: left alone by plain, ended by kata1" {
	for DIALECT in plain kata1; do
		start_sandbox
		[ "$DIALECT" = plain ] || T link del mark0
		start_monitor --watch-pid "$SANDBOX"
		: >"$DIR/rt/gate"
		mk "eth-$DIALECT"
		wait_calls 1 ".data.Name == \"eth-$DIALECT\""
		end_sandbox
		ended 0
		if [ "$DIALECT" = plain ]; then
			[ -n "$(pids_of "$DIR/rt/runtime")" ]
		else
			wait_for "$BOUND" eval '[ -z "$(pids_of "$DIR/rt/runtime")" ]'
		fi
		rm "$DIR/rt/gate"
		wait_for "$BOUND" eval '[ -z "$(pids_of "$DIR/rt/runtime")" ]'
	done
	log_has 'did not end in 5 s and is left alone'
	log_has 'did not end in 5 s and is ended'
}

@test "SIGTERM and SIGINT: exit 0, the state stays, also while nothing or a retry is pending" {
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	stop_monitor TERM
	[ -n "$(find "$DIR/run" -name '*.json')" ]
	log_has 'stopping: Terminated'
	start_monitor
	echo '1000 1 no' >"$DIR/rt/fail-any"
	mk eth2
	wait_calls 2 '.data.Name? == "eth2"'
	stop_monitor INT
	log_has 'stopping: Interrupt'
	rm "$DIR/rt/fail-any"
	start_monitor
	wait_calls 1 '.data.Name? == "eth2" and .status == 0'
	# Two at once are one.
	kill -TERM "$MONITOR"
	kill -INT "$MONITOR" 2>/dev/null || true
	ended 0
}

@test "SIGUSR1: the status, one line for each interface and one for the routes; nothing else happens" {
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	T addr add 10.1.0.2/24 dev eth1
	T route add 10.50.0.0/16 via 10.1.0.1
	echo '1000 1 no' >"$DIR/rt/fail-name-eth2"
	mk eth2
	wait_calls 2 '.data.Name? == "eth2"'
	wait_calls 1 '.verb == "update-route"'
	barrier
	: >"$DIR/log"
	kill -USR1 "$MONITOR"
	wait_for "$BOUND" log_has 'status: 1 routes applied'
	log_has 'level=info msg="status: eth1 \(index [0-9]+\): applied"'
	log_has 'level=info msg="status: eth2 \(index [0-9]+\): pending, failed [0-9]+ times, next try in [0-9]+ ms"'
	log_has 'level=info msg="status: mark0 \(index [0-9]+\): applied"'
	[ "$(log_count 'msg="status: ')" -eq 4 ]
	# Signals by the hundred do no harm.
	for i in $(seq 200); do kill -USR1 "$MONITOR"; done
	rm "$DIR/rt/fail-name-eth2"
	wait_calls 1 '.data.Name? == "eth2" and .status == 0'
	finish
}

@test "SIGHUP: what was silently changed is found, and a retry is not brought forward for nothing" {
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	before=$(calls | wc -l)
	for i in 1 2 3; do
		kill -HUP "$MONITOR"
		wait_for "$BOUND" eval '[ "$(log_count "taken anew")" -ge '"$i"' ]'
	done
	barrier
	[ "$(calls | wc -l)" -eq "$before" ]
	finish
}

@test "--ready-fd: one newline, then closed; a change right after it is not missed" {
	: >"$DIR/ready.fd"
	kernel_state >"$DIR/start"
	mkfifo "$DIR/fifo"
	"$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" --ready-fd 7 \
		7>"$DIR/fifo" 2>"$DIR/log" 3>&- &
	MONITOR=$!
	# cat ends at end of file: when the descriptor is closed.
	timeout "$BOUND" cat "$DIR/fifo" >"$DIR/ready.fd"
	mk eth1
	[ "$(od -An -tx1 "$DIR/ready.fd")" = " 0a" ]
	wait_calls 1 '.verb == "add-network"'
	finish
}

@test "--ready-fd that nobody reads: the work goes on" {
	kernel_state >"$DIR/start"
	"$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" --ready-fd 7 \
		7> >(exec true) 2>"$DIR/log" 3>&- &
	MONITOR=$!
	wait_for "$BOUND" log_has 'msg="watching'
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	finish
}

# Listens as a service manager would, for one message: listen ADDRESS.
listen() {
	/usr/bin/python3 -c 'import socket, sys
name = sys.argv[1]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind("\0" + name[1:] if name[0] == "@" else name)
print("listening", flush=True)
print(listener.recv(100).decode(), flush=True)
listener.settimeout(1)
try:
    print("more:", listener.recv(100).decode(), flush=True)
except TimeoutError:
    print("end", flush=True)' "$1" >"$DIR/heard" 3>&- &
	LISTENER=$!
	PIDS+=("$LISTENER")
	wait_for "$BOUND" grep -q listening "$DIR/heard"
}

@test "NOTIFY_SOCKET: READY=1, once, to a path or an abstract name" {
	for name in "$DIR/notify" "@nmt-$$-$RANDOM"; do
		listen "$name"
		NOTIFY_SOCKET=$name start_monitor
		wait "$LISTENER"
		[ "$(paste -sd' ' "$DIR/heard")" = 'listening READY=1 end' ]
		barrier
		stop_monitor
	done
	[ "$(log_count 'level=warning')" -eq 0 ]
}

@test "NOTIFY_SOCKET that is nonsense, or that nobody listens at: one warning, and the work goes on" {
	for name in /nonexistent relative "$DIR/$(printf 'x%.0s' $(seq 200))" "@nmt-nobody-$$"; do
		: >"$DIR/log"
		NOTIFY_SOCKET=$name start_monitor
		barrier
		[ "$(log_count 'level=warning.*cannot say that we are ready')" -eq 1 ]
		stop_monitor
	done
	: >"$DIR/log"
	NOTIFY_SOCKET='' start_monitor
	stop_monitor
	[ "$(log_count 'level=warning')" -eq 0 ]
}

@test "a monitor that stands by is ready when it acts, not before" {
	start_monitor
	listen "$DIR/notify"
	NOTIFY_SOCKET=$DIR/notify "$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" \
		--standby 2>>"$DIR/log" 3>&- &
	PIDS+=($!)
	standby=$!
	wait_for "$BOUND" grep -q . "/proc/$standby/task/$standby/children"
	barrier
	refute grep -q READY "$DIR/heard"
	stop_monitor
	wait_for "$BOUND" grep -q READY=1 "$DIR/heard"
}

@test "the systemd unit: systemd has no complaint, and its options are ours" {
	unit=$here/../../monitor/netnsmon@.service
	"$NETNSMON" --help >"$DIR/help"
	sed -n 's/^ExecStart=//p' "$unit" | grep -oE -- '--[a-z-]+' >"$DIR/options"
	[ "$(wc -l <"$DIR/options")" -ge 4 ]
	while read -r option; do
		grep -qE -- "(^|[ ,])$option( |\$)" "$DIR/help"
	done <"$DIR/options"
	# Ready by READY=1 and restarted after crashes, but not when another one watches or an option is wrong; a
	# running call is not killed with us.
	grep -qx 'Type=notify' "$unit"
	grep -qx 'KillMode=process' "$unit"
	grep -qx 'Restart=on-failure' "$unit"
	grep -qx 'RestartPreventExitStatus=2 3' "$unit"
	command -v systemd-analyze >/dev/null || return 0
	sed "s|^ExecStart=[^ ]*|ExecStart=$(realpath "$NETNSMON")|; s|^Documentation=.*||" "$unit" >"$DIR/netnsmon@x.service"
	run systemd-analyze verify "$DIR/netnsmon@x.service"
	echo "$output"
	[ "$status" -eq 0 ]
	refute grep 'netnsmon@' <<<"$output"
}
