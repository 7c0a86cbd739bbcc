#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# runtime.bats - runtimes that fail, hang, are missing, or do what they like

bats_require_minimum_version 1.5.0
load helpers

setup() { setup_netns; }
teardown() { teardown_netns; }

log_has() { grep -qE "$1" "$DIR/log"; }

@test "a runtime that fails twice and then succeeds plugs once" {
	start_monitor
	echo '2 1 not now' >"$DIR/rt/fail-add-network"
	mk eth1
	wait_calls 1 '.verb == "add-network" and .status == 0'
	barrier
	assert_calls 'map(select(.verb == "add-network") | .status) == [1, 1, 0]'
	[ "$(grep -c 'level=warning.*add-network eth1.*not now' "$DIR/log")" -eq 2 ]
	finish
}

@test "what failed is computed anew: the last state is sent, not the first" {
	start_monitor
	echo '1000 1 no' >"$DIR/rt/fail-add-network"
	mk eth1
	wait_calls 2 '.verb == "add-network"'
	T addr add 10.1.0.2/24 dev eth1
	wait_calls 1 '.verb == "add-network" and (.data.IPAddresses | length) == 1'
	rm "$DIR/rt/fail-add-network"
	wait_calls 1 '.status == 0'
	barrier
	[ "$(summary)" = "add-network:eth1" ]
	finish
}

@test "one interface that fails holds up no other (B26)" {
	start_monitor
	echo '1000 1 No more available PCI slots' >"$DIR/rt/fail-name-eth3"
	mk eth3
	wait_calls 2 '.data.Name == "eth3"'
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T addr add 10.3.0.2/24 dev eth3
	T route add 10.61.0.0/16 via 10.1.0.1
	T route add 10.63.0.0/16 via 10.3.0.1
	wait_calls 1 '.verb == "update-route"'
	assert_calls 'map(select(.verb == "update-route")) | last.data | map(.Dest) == ["10.61.0.0/16"]'
	T link set eth1 mtu 1400
	wait_calls 1 '.data.Mtu? == 1400 and .status == 0'
	rm "$DIR/rt/fail-name-eth3"
	wait_calls 1 '.data.Name? == "eth3" and .status == 0'
	finish
}

@test "a removal that fails is repeated, as last acknowledged" {
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	echo '2 1 busy' >"$DIR/rt/fail-del-network"
	T link del eth1
	wait_calls 1 '.verb == "del-network" and .status == 0'
	assert_calls 'map(select(.verb == "del-network").data) | unique | length == 1'
	finish
}

@test "an interface that went while its add failed is not asked for again" {
	start_monitor
	echo '1000 1 no' >"$DIR/rt/fail-add-network"
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	T link del eth1
	barrier_after_loss
	before=$(count_calls '.verb == "add-network"')
	barrier_after_loss
	[ "$(count_calls '.verb == "add-network"')" -eq "$before" ]
	[ "$(count_calls '.verb == "del-network"')" -eq 0 ]
	finish
}

@test "a runtime that hangs is ended, and the call repeated" {
	start_monitor --runtime-timeout 1
	: >"$DIR/rt/hang"
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	rm "$DIR/rt/hang"
	wait_for "$BOUND" log_has 'add-network eth1.*no end within 1 s, killed'
	wait_for "$BOUND" log_has 'add-network eth1.*done'
	[ -z "$(pids_of "$DIR/rt/runtime")" ]
	stop_monitor
}

@test "an interface that may have been added is removed when its link goes" {
	start_monitor --runtime-timeout 1
	: >"$DIR/rt/hang"
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	T link del eth1
	rm "$DIR/rt/hang"
	wait_calls 1 '.verb == "del-network" and .data.Name == "eth1"'
	stop_monitor
}

@test "missing, a directory, not executable at start: exit 2, one line, no call" {
	for runtime in /nonexistent/runtime / "$DIR/rt/calls" no-such-program-anywhere; do
		run -2 "$NETNSMON" --netns "$NS" -s s1 -r "$runtime" --run-dir "$DIR/run"
		[ "${#lines[@]}" -eq 1 ]
		[[ "${lines[0]}" == *"$runtime"* ]]
	done
	[ "$(calls | wc -l)" -eq 0 ]
}

@test "a runtime that goes away and comes back later: failures, then success" {
	start_monitor
	mv "$DIR/rt/runtime" "$DIR/rt/away"
	mk eth1
	wait_for "$BOUND" log_has 'add-network eth1.*ENOENT'
	mkdir "$DIR/rt/runtime"
	wait_for "$BOUND" log_has 'add-network eth1.*EACCES'
	rmdir "$DIR/rt/runtime"
	mv "$DIR/rt/away" "$DIR/rt/runtime"
	wait_calls 1 '.verb == "add-network"'
	finish
}

@test "a runtime that is being written (ETXTBSY) is tried again (B21)" {
	cp /bin/true "$DIR/rt/binary"
	ip netns exec "$NS" true
	kernel_state >"$DIR/start"
	mkfifo "$DIR/ready"
	exec 7<>"$DIR/ready"
	"$NETNSMON" --netns "$NS" -s s1 -r "$DIR/rt/binary" --run-dir "$DIR/run" --ready-fd 7 2>"$DIR/log" 3>&- &
	MONITOR=$!
	await_ready 7
	exec 8>>"$DIR/rt/binary"
	mk eth1
	wait_for "$BOUND" log_has 'add-network eth1.*ETXTBSY'
	exec 8>&-
	wait_for "$BOUND" log_has 'add-network eth1.*done'
	[ "$(grep -c 'add-network eth1.*done' "$DIR/log")" -eq 1 ]
	stop_monitor
}

@test "the child inherits nothing of ours (B19)" {
	: >"$DIR/rt/probe"
	kernel_state >"$DIR/start"
	mkfifo "$DIR/ready"
	exec 7<>"$DIR/ready"
	# SIGTERM blocked, SIGPIPE and SIGCHLD ignored, variables that are meant for us.
	env NOTIFY_SOCKET=/nonexistent WATCHDOG_USEC=1 WATCHDOG_PID=1 LISTEN_FDS=1 LISTEN_PID=1 KEPT=yes \
		/usr/bin/python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGCHLD])
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.set_inheritable(7, True)
os.execv(sys.argv[1], sys.argv[1:])' "$NETNSMON" --netns "$NS" -s s1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" \
		--ready-fd 7 2>"$DIR/log" 3>&- &
	MONITOR=$!
	await_ready 7
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	refute grep -E '^(NOTIFY_SOCKET|WATCHDOG_|LISTEN_)' "$DIR/rt/probed"
	grep -q '^KEPT=yes$' "$DIR/rt/probed"
	grep -qE '^SigBlk:\s*0+$' "$DIR/rt/probed"
	# 32 and 33 are the C library's own: its posix_spawn ignores them, whoever started us by that.
	grep -qE '^SigIgn:\s*0+(180000000)?$' "$DIR/rt/probed"
	# The shell has its script and the file that it writes open, and copies of the first three; nothing else is there.
	refute grep -vE '^/.*/rt/(runtime|probed)$' <(awk '
		$(NF - 1) == "->" { if ($(NF - 2) <= 2) known[$NF] = 1; else open[$NF] = 1 }
		END { for (file in open) if (!(file in known)) print file }' "$DIR/rt/probed")
	grep -q "^netns: $(readlink /proc/self/ns/net | sed 's/[][]/\\&/g')$" "$DIR/rt/probed"
	[ "$(sed -n 's/^pgid: \(.*\) \(.*\)$/\1=\2/p' "$DIR/rt/probed" | awk -F= '$1 == $2' | wc -l)" -eq 1 ]
	stop_monitor
}

@test "--runtime-netns sandbox runs calls in the watched namespace" {
	: >"$DIR/rt/probe"
	start_monitor --runtime-netns sandbox --runtime-arg --global --runtime-arg 'two words'
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	grep -q "^netns: $(ip netns exec "$NS" readlink /proc/self/ns/net | sed 's/[][]/\\&/g')$" "$DIR/rt/probed"
	assert_calls 'first.argv == ["--global", "two words", "add-network", "sandbox1", "-"]'
	finish
}

@test "a grandchild that keeps the output open does not hold up anything (B20)" {
	start_monitor
	: >"$DIR/rt/grandchild"
	mk eth1
	wait_for "$BOUND" log_has 'add-network eth1.*done'
	rm "$DIR/rt/grandchild"
	mk eth2
	wait_for "$BOUND" log_has 'add-network eth2.*done'
	kill -0 "$(cat "$DIR/rt/grandchild.pid")"
	# No pipe to that grandchild is still ours.
	refute grep -qF "$(readlink "/proc/$(cat "$DIR/rt/grandchild.pid")/fd/1")" <(readlink "/proc/$MONITOR/fd"/*)
	finish
}

@test "a runtime that never reads, and one that writes 20 MB, are no trouble" {
	start_monitor
	: >"$DIR/rt/deaf"
	for i in $(seq 1 300); do echo "route add 10.99.$((i / 250)).$((i % 250))/32 dev mark0"; done | T -batch -
	wait_for "$BOUND" log_has 'update-route.*done'
	rm "$DIR/rt/deaf"
	echo 20000000 >"$DIR/rt/noise"
	mk eth1
	wait_for "$BOUND" log_has 'add-network eth1.*done'
	# Nothing of that stays.
	[ "$(awk '/^VmRSS/ { print $2 }' "/proc/$MONITOR/status")" -lt 20000 ]
	stop_monitor
}

@test "what a runtime writes cannot forge log lines (B29)" {
	start_monitor
	printf '%s\n' '1 1 no\nlevel=error msg="all is lost"\n\033]0;x\007' >"$DIR/rt/fail-add-network"
	mk eth1
	wait_calls 1 '.verb == "add-network" and .status == 0'
	refute grep -q '^level=error' "$DIR/log"
	refute env LC_ALL=C grep $'[\001-\010\013-\037\177]' "$DIR/log"
	grep -F 'it wrote: no\nlevel=error msg=\"all is lost\"\n\u001b]0;x\u0007' "$DIR/log"
	finish
}

@test "names of any bytes are data: valid JSON, one log line, no escape on a terminal (B29)" {
	start_monitor
	T link add 'a"b' type veth peer name p1 netns "$PEER"
	T link set 'a"b' name $'a"b\033[2Jc'
	P link set p1 up
	T link set $'a"b\033[2Jc' up
	wait_calls 1 '.verb == "add-network" and .data.Name == "a\"b\u001b[2Jc"'
	T link add tmp1 type veth peer name p2 netns "$PEER"
	T link set tmp1 name $'\xff\xfe'
	P link set p2 up
	T link set $'\xff\xfe' up
	wait_calls 1 '.verb == "add-network" and .data.Name == "\\xff\\xfe"'
	T link add tmp2 type veth peer name p3 netns "$PEER"
	T link set tmp2 name "-x{\$y}\\"
	P link set p3 up
	T link set dev "-x{\$y}\\" up
	wait_calls 1 '.verb == "add-network" and .data.Name == "-x{$y}\\"'
	refute env LC_ALL=C grep $'[\001-\010\013-\037\177-\377]' "$DIR/log"
	grep -F 'add-network a\"b\u001b[2Jc (index' "$DIR/log"
	validate_calls
	stop_monitor
}

@test "SIGTERM lets a running call finish" {
	start_monitor
	echo 1 >"$DIR/rt/slow"
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	stop_monitor
	grep -q 'add-network eth1.*done' "$DIR/log"
}

@test "SIGTERM does not wait for a call that hangs, and leaves it alone" {
	start_monitor
	: >"$DIR/rt/hang"
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	stop_monitor INT
	grep -q 'left alone' "$DIR/log"
	[ -n "$(pids_of "$DIR/rt/runtime")" ]
}

@test "SIGHUP takes everything anew, and changes nothing" {
	mk eth1
	start_monitor
	kill -HUP "$MONITOR"
	wait_for "$BOUND" log_has 'taken anew'
	barrier
	[ "$(calls | wc -l)" -eq 0 ]
	finish
}
