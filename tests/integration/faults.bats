#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# faults.bats - every way in which a runtime call can fail, and what is left of it: nothing
#
# The last lines are a table, filled by the tests as they pass: fault, what the monitor did, view equals the kernel's.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	setup_netns
	TRACER=''
}

teardown() {
	[ -z "$TRACER" ] || kill "$TRACER" 2>/dev/null || true
	teardown_netns
}

teardown_file() {
	{
		echo '# fault | what the monitor did | view equals the kernel'"'"'s'
		cat "$BATS_FILE_TMPDIR/rows"
	} >&3
}

log_has() { grep -qE "$1" "$DIR/log"; }
log_count() { grep -cE "$1" "$DIR/log" || true; }
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$MONITOR/stat"; }
fds() { find "/proc/$MONITOR/fd" -mindepth 1 | wc -l; }
children() { cat "/proc/$MONITOR/task/$MONITOR/children"; }
no_child() { [ -z "$(children)" ]; }

# The monitor has plugged eth0 and rests; what it has and has used is noted.
begin() {
	start_monitor --runtime-timeout 1 "$@"
	mk eth0
	T addr add 10.0.0.2/24 dev eth0
	T route add 10.40.0.0/16 via 10.0.0.1
	wait_for "$BOUND" is_view_equal
	barrier
	wait_for "$BOUND" no_child
	FDS=$(fds)
	TICKS=$(ticks)
	: >"$DIR/log"
}

# One change of each kind: none of these may be lost.
change_all() {
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T link set eth0 mtu 1400
	T route add 10.50.0.0/16 via 10.1.0.1
}

# survived FAULT WHAT: the fault is over. Everything was told in the end, and no child, descriptor or time was lost.
survived() {
	local view=no
	validate_calls
	assert_view && view=yes
	barrier
	wait_for "$BOUND" no_child
	[ -z "$(ps -o pid= --ppid "$MONITOR")" ]
	[ "$(fds)" -eq "$FDS" ]
	# Two seconds of it would be a busy loop; what it had to do takes some hundredths.
	echo "ticks: $(($(ticks) - TICKS))"
	[ $(($(ticks) - TICKS)) -lt "${MAX_TICKS:-100}" ]
	[ "$view" = yes ]
	stop_monitor
	echo "# $1 | $2 | $view" >>"$BATS_FILE_TMPDIR/rows"
}

@test "exits 1" {
	begin
	echo '4 1 no luck' >"$DIR/rt/fail-any"
	change_all
	wait_for "$BOUND" log_has 'add-network eth1.*done'
	[ "$(log_count 'failed after [0-9]+ ms: exit status 1; next try in [0-9]+ ms; it wrote: no luck')" -eq 4 ]
	[ "$(log_count 'level=warning')" -eq 4 ]
	survived 'exits 1, four times' "4 warnings, each tried again with growing pauses"
}

@test "exits 127" {
	begin
	echo '3 127 sh: runtime: not found' >"$DIR/rt/fail-add-network"
	change_all
	wait_for "$BOUND" log_has 'add-network eth1.*done'
	[ "$(log_count 'add-network eth1.*exit status 127; next try.*it wrote: sh: runtime: not found')" -eq 3 ]
	survived 'exits 127' 'a failure like any other: 3 warnings, 4 tries'
}

@test "is killed by a signal" {
	local signal
	begin
	for signal in 9 11 6 15; do
		echo "1 $((128 + signal))" >"$DIR/rt/fail-update-network"
		T link set eth0 mtu $((1400 + signal))
		wait_for "$BOUND" log_has "update-network eth0.*killed by signal $signal \("
		wait_calls 1 ".data.Mtu? == $((1400 + signal)) and .status == 0"
	done
	[ "$(log_count 'level=warning')" -eq 4 ]
	survived 'killed by SIGKILL, SEGV, ABRT, TERM' 'named the signal, one line each, and tried again'
}

@test "hangs, ignores SIGTERM, and leaves a child that does" {
	begin
	: >"$DIR/rt/hang"
	change_all
	wait_for "$BOUND" log_has 'no end within 1 s, killed'
	rm "$DIR/rt/hang"
	wait_for "$BOUND" is_view_equal_again
	wait_for "$BOUND" eval '[ -z "$(pids_of "$DIR/rt/runtime")" ]'
	[ "$(log_count 'level=warning')" -eq "$(log_count 'level=warning.*no end within 1 s, killed; next try in')" ]
	survived 'hangs, ignores SIGTERM' 'SIGTERM after the time-out, SIGKILL 2 s later to its group, tried again'
}

# What may have been added is added again: the acknowledgement was lost.
is_view_equal_again() {
	export REPLUG=yes
	is_view_equal
}

@test "answers after the time-out, on SIGTERM, with success" {
	export REPLUG=yes
	begin
	cat >"$DIR/rt/late" <<-'END'
		#!/bin/sh
		trap 'exit 0' TERM
		cat >/dev/null
		while :; do sleep 0.05; done
	END
	chmod +x "$DIR/rt/late"
	mv "$DIR/rt/runtime" "$DIR/rt/kept"
	mv "$DIR/rt/late" "$DIR/rt/runtime"
	change_all
	wait_for "$BOUND" log_has 'no end within 1 s, killed'
	mv "$DIR/rt/kept" "$DIR/rt/runtime"
	wait_for "$BOUND" is_view_equal
	survived 'succeeds after the time-out' 'its success does not count: tried again'
}

@test "writes 100 MB" {
	begin
	echo 100000000 >"$DIR/rt/noise"
	echo '1 1 the last words' >"$DIR/rt/fail-update-network"
	change_all
	wait_for $((BOUND * 2)) log_has 'update-network eth0.*done'
	rm "$DIR/rt/noise"
	wait_for "$BOUND" is_view_equal
	log_has 'update-network eth0.*exit status 1.*it wrote: x+.{0,2}the last words'
	# The last 4 KiB are kept, in one line.
	[ "$(awk '{ if (length > most) most = length } END { print most }' "$DIR/log")" -lt 6000 ]
	[ "$(awk '/^VmHWM/ { print $2 }' "/proc/$MONITOR/status")" -lt 20000 ]
	MAX_TICKS=1000 survived 'writes 100 MB' 'read it all, kept and logged the last 4 KiB'
}

# A list of routes that no pipe takes at once.
many_routes() {
	local i
	for i in $(seq "$1"); do echo "route add 10.60.$((i / 250)).$((i % 250))/32 via 10.0.0.1"; done | T -batch -
}

@test "closes its input at once, with a list that no pipe takes" {
	begin
	: >"$DIR/rt/closed"
	echo '2 1 not today' >"$DIR/rt/fail-update-route"
	many_routes 2000
	wait_for "$BOUND" log_has 'update-route.*exit status 1.*not today'
	rm "$DIR/rt/closed"
	wait_calls 1 '.verb == "update-route" and .status == 0'
	change_all
	wait_for "$BOUND" is_view_equal
	refute log_has 'EPIPE|[Bb]roken pipe'
	survived 'closes its input at once (EPIPE)' 'no error of its own; the exit status counts'
}

@test "never reads its input, a list that no pipe takes" {
	begin
	: >"$DIR/rt/deaf"
	echo '2 1 did not listen' >"$DIR/rt/fail-update-route"
	many_routes 2000
	wait_for "$BOUND" log_has 'update-route.*exit status 1.*did not listen'
	rm "$DIR/rt/deaf"
	change_all
	wait_for "$BOUND" is_view_equal
	survived 'never reads its input' 'fed it no more than the pipe takes; the exit status counts'
}

@test "hangs without reading: the loop is not held by the list" {
	export REPLUG=yes
	begin
	: >"$DIR/rt/deaf"
	: >"$DIR/rt/gate"
	many_routes 2000
	wait_calls 1 '.verb == "update-route" and .data == null'
	# Meanwhile it answers.
	kill -USR1 "$MONITOR"
	wait_for "$BOUND" log_has 'status: '
	echo '1 1 no' >"$DIR/rt/fail-update-route"
	wait_for "$BOUND" log_has 'update-route.*no end within 1 s, killed'
	rm "$DIR/rt/deaf" "$DIR/rt/gate"
	change_all
	wait_for "$BOUND" is_view_equal
	survived 'hangs without reading' 'answered signals meanwhile, ended it after the time-out'
}

@test "a grandchild keeps the output open" {
	begin
	: >"$DIR/rt/grandchild"
	change_all
	wait_for "$BOUND" is_view_equal
	rm "$DIR/rt/grandchild"
	kill -0 "$(cat "$DIR/rt/grandchild.pid")"
	survived 'a grandchild keeps the output open' 'acknowledged by the exit; the grandchild lives'
}

# Attaches strace with fault injection $1 and waits until it is there.
inject() {
	strace -qq -o "$DIR/trace" -e trace=epoll_wait,epoll_pwait,"${1%%:*}" -e inject="$1" -p "$MONITOR" 3>&- &
	TRACER=$!
	wait_for "$BOUND" grep -q epoll "$DIR/trace"
}

end_injection() {
	kill "$TRACER"
	wait "$TRACER" || true
	TRACER=''
}

@test "out of processes: fork says EAGAIN" {
	begin
	inject vfork:error=EAGAIN:when=1..3
	change_all
	wait_for "$BOUND" log_has 'add-network eth1.*done'
	end_injection
	[ "$(log_count 'level=warning.*failed after [0-9]+ ms: cannot be run: EAGAIN \(.*\); next try in')" -eq 3 ]
	[ "$(log_count 'level=warning')" -eq 3 ]
	survived 'no process to be had (EAGAIN)' '3 warnings that name it, tried again'
}

@test "out of memory: pipes say ENOMEM, then fork does" {
	begin
	inject pipe2:error=ENOMEM:when=1..2
	change_all
	wait_for "$BOUND" log_has 'add-network eth1.*done'
	end_injection
	[ "$(log_count 'level=warning.*cannot be run: ENOMEM')" -eq 2 ]
	inject vfork:error=ENOMEM:when=1
	T link set eth0 mtu 1300
	wait_calls 1 '.data.Mtu? == 1300 and .status == 0'
	end_injection
	[ "$(log_count 'level=warning.*cannot be run: ENOMEM')" -eq 3 ]
	survived 'no memory for pipe or fork (ENOMEM)' '3 warnings that name it, tried again'
}

@test "out of file descriptors, and then there are some again" {
	local limit free highest
	begin
	limit=$(awk '/^Max open files/ { print $4 ":" $5 }' "/proc/$MONITOR/limits")
	# None at all: not even a snapshot can be taken.
	prlimit --pid "$MONITOR" --nofile=3:"${limit#*:}"
	change_all
	wait_for "$BOUND" log_has 'warning msg="cannot take a snapshot of the namespace: Too many open files; trying again'
	sleep 2
	[ "$(count_calls '.data.Name? == "eth1"')" -eq 0 ]
	[ "$(log_count 'level=warning')" -eq 1 ]
	prlimit --pid "$MONITOR" --nofile="$limit"
	wait_calls 1 '.data.Name? == "eth1"'
	wait_for "$BOUND" is_view_equal
	# Some, but not enough for the pipes of a call: the third one from below that is free is the last.
	free=0 highest=0
	while [ "$free" -lt 3 ]; do
		[ -e "/proc/$MONITOR/fd/$highest" ] || free=$((free + 1))
		highest=$((highest + 1))
	done
	prlimit --pid "$MONITOR" --nofile="$highest:${limit#*:}"
	T link set eth0 mtu 1300
	wait_for "$BOUND" log_has 'update-network eth0.*cannot be run: EMFILE'
	prlimit --pid "$MONITOR" --nofile="$limit"
	wait_calls 1 '.data.Mtu? == 1300'
	survived 'no descriptor to be had (EMFILE)' 'said once for the snapshot, once per call; tried again'
}

@test "is replaced between calls, while one runs, and by something that cannot be executed" {
	begin
	: >"$DIR/rt/gate"
	change_all
	wait_calls 1 '.data.Name? == "eth1" or .data.Mtu? == 1400'
	# By rename, as package managers do; the running one is not disturbed.
	cp "$DIR/rt/runtime" "$DIR/rt/new"
	mv "$DIR/rt/new" "$DIR/rt/runtime"
	rm "$DIR/rt/gate"
	wait_for "$BOUND" is_view_equal
	[ "$(log_count 'level=warning')" -eq 0 ]
	mv "$DIR/rt/runtime" "$DIR/rt/kept"
	head -c 1000 /dev/urandom >"$DIR/rt/runtime"
	chmod +x "$DIR/rt/runtime"
	T link set eth0 mtu 1300
	wait_for "$BOUND" log_has 'update-network eth0.*cannot be run: ENOEXEC'
	printf '#!/no/such/interpreter\n' >"$DIR/rt/runtime"
	wait_for "$BOUND" log_has 'update-network eth0.*cannot be run: ENOENT'
	chmod -x "$DIR/rt/runtime"
	wait_for "$BOUND" log_has 'update-network eth0.*cannot be run: EACCES'
	mv "$DIR/rt/kept" "$DIR/rt/runtime"
	wait_calls 1 '.data.Mtu? == 1300'
	survived 'replaced between calls and in one' 'used what is there; ENOEXEC, ENOENT, EACCES named, tried again'
}

@test "a storm of failures costs no time: pauses grow" {
	begin
	echo '1000 1 no' >"$DIR/rt/fail-any"
	change_all
	wait_for "$BOUND" eval '[ "$(log_count "level=warning.*add-network eth1")" -ge 5 ]'
	# 250 ms, doubled each time, with a fifth of it up or down.
	grep -o 'add-network eth1.*next try in [0-9]* ms' "$DIR/log" | awk '{ pause = $(NF - 1) }
		NR > 1 && pause < last * 1.3 { bad = 1 } { last = pause } END { exit bad }'
	rm "$DIR/rt/fail-any"
	kill -HUP "$MONITOR"
	wait_for "$BOUND" is_view_equal
	survived 'fails all the time' 'each thing tried with pauses that double'
}
