#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kata-mode.bats - the monitor in the place of Kata 1.x's own: its start, its end, and no feedback of what Kata does

load helpers
load kata

setup() { setup_kata; }
teardown() { teardown_kata; }

@test "its version ends in a semantic one, as kata-env reads it" {
	for option in --version -version -v --v; do
		run "$DIR/kata-netmon" "$option"
		[ "$status" -eq 0 ]
		[[ "$output" =~ ^kata-netmon\ version\ [0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]
	done
}

# usage STATUS ARGUMENT...: how it ends with these, its descriptors on /dev/null.
usage() {
	local expected=$1 status=0
	shift
	(kata_host "$DIR/kata-netmon" "$@") </dev/null >/dev/null 2>&1 || status=$?
	[ "$status" -eq "$expected" ] || {
		echo "exit status $status, not $expected: $*"
		return 1
	}
}

@test "exit status: 0 after help and version, 1 where -s or -r is missing, 2 for what is unknown; syslog says why" {
	start_syslog
	for option in -h -help --help -v -version --version; do
		usage 0 "$option"
	done
	[ ! -s "$DIR/log" ]
	usage 1
	usage 1 -r "$DIR/rt/runtime" -log info
	usage 1 -s "$SANDBOX" -d
	usage 2 -r "$DIR/rt/runtime" -s "$SANDBOX" -x
	usage 2 -r "$DIR/rt/runtime" -s "$SANDBOX" -log loud
	usage 2 -r "$DIR/rt/runtime" -s ../x
	wait_for "$BOUND" log_has 'level=error msg="--log loud: expected'
	wait_for "$BOUND" eval '[ "$(log_count level=error)" -eq 6 ]'
	log_has 'level=error msg="--runtime PATH is missing'
	log_has 'level=error msg="-x: no such option'
}

# Each line is what Kata's log parser takes: its syntax, its mandatory fields, no key twice.
validate_log() {
	/usr/bin/python3 - "$DIR/log" "$1" <<-'END'
		import re, sys
		head = re.compile(r'<(\d+)>\w{3} [ \d]\d [\d:]{8} kata-netmon\[(\d+)\]: ')
		pair = re.compile(r'([a-z]+)=(?:([^\s"=]+)|"((?:[^"\\]|\\.)*)")(?: |\n$)')
		time = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(Z|[+-]\d\d:\d\d)')
		count = 0
		for line in open(sys.argv[1]):
		    start = head.match(line)
		    fields, at = {}, start.end()
		    while at < len(line):
		        found = pair.match(line, at)
		        assert found and found[1] not in fields, line
		        fields[found[1]] = found[2] or found[3]
		        at = found.end()
		    assert int(start[1]) >> 3 == 1 and start[2] == fields["pid"] == sys.argv[2], line
		    assert time.fullmatch(fields["time"]), line
		    assert fields["level"] in ("error", "warning", "info", "debug") and fields["msg"], line
		    assert fields["name"] == "kata-netmon" and fields["source"] == "netmon", line
		    assert fields["sandbox"] == "sandbox1", line
		    count += 1
		assert count > 5, count
	END
}

@test "syslog: ident, facility, and Kata's logfmt, whatever is to be said" {
	start_syslog
	kata create "$SANDBOX"
	start_kata -d -log debug
	pid=$MONITOR
	wait_for "$BOUND" log_has 'level=info msg="watching'
	connect eth1 1
	wait_for "$BOUND" log_has 'level=info msg="add-iface .*Container ID \(sandbox1\) does not exist'
	kata_is running
	assert_guest
	mk_bare 'a"b=c'
	T link set 'a"b=c' up
	wait_for "$BOUND" log_has 'level=debug msg="calling: add-iface a'
	kata_barrier
	stop_monitor
	wait_for "$BOUND" log_has 'stopping: Terminated'
	validate_log "$pid"
}

@test "without -log only warnings are said" {
	start_syslog
	kata_is running
	start_kata
	mk_bare eth1
	T link set eth1 up
	wait_calls 1 '.verb == "add-iface" and .status == 0'
	kata_barrier
	refute log_has 'level=(info|debug)'
	stop_monitor
}

@test "no syslog: the monitor lives, and says how much was lost when there is one" {
	kata_is running
	start_kata -log info
	mk_bare eth1
	T addr add 10.1.0.2/24 dev eth1
	mk_bare eth2
	T link set eth2 up
	wait_calls 2 '.message == "Unix syslog delivery error"'
	T link set eth1 up
	T addr add 10.2.0.2/24 dev eth2
	kill -0 "$MONITOR"
	start_syslog
	wait_calls 1 '.data.Name? == "eth2" and .status == 0'
	wait_for "$BOUND" log_has 'level=warning msg="[0-9]+ log lines were lost"'
	# The syslog daemon is restarted.
	stop_syslog
	start_syslog
	T link del eth2
	wait_for "$BOUND" log_has 'level=info msg="del-iface eth2 .* done'
	stop_monitor
}

# The calls that run in NS: their shells' arguments name the verb.
running_calls() {
	local pid
	for pid in $(ip netns pids "$NS"); do
		tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q "kata-network .*-iface $SANDBOX" && echo "$pid"
	done
	return 0
}
has_calls_running() { [ -n "$(running_calls)" ]; }

@test "killed while a call waits for the sandbox's lock: the call never acts, and nothing else is left" {
	boot
	start_sandbox
	kata_barrier
	[ "$(nsenter -t "$MONITOR" -m find /run ! -path '/run/vc*' | paste -sd' ')" = /run ]
	[ "$(nsenter -t "$MONITOR" -m find /run/vc | sort | paste -sd' ')" = "/run/vc /run/vc/sbs /run/vc/sbs/$SANDBOX" ]
	exec {lock}>"$DIR/rt/lock"
	flock "$lock"
	connect eth1 1
	wait_for "$BOUND" has_calls_running
	crash_monitor
	wait_for "$BOUND" refute has_calls_running
	exec {lock}>&-
	kata kata-network list-ifaces "$SANDBOX" | jq -e 'map(.Name) == ["eth0"]'
	[ "$(calls | jq -r .verb)" = list-ifaces ]
	[ ! -e "$DIR/run" ]
	# Nothing keeps the next one from starting either.
	start_kata -log info
	wait_for "$BOUND" eval '[ "$(log_count " msg=\"watching")" -eq 2 ]'
	stop_monitor
}

@test "a runtime that is the shim: one line says at once that it will not do" {
	printf '#!/bin/sh\nexit 1\n' >"$DIR/rt/containerd-shim-kata-v2"
	chmod +x "$DIR/rt/containerd-shim-kata-v2"
	start_syslog
	start_kata -r "$DIR/rt/containerd-shim-kata-v2"
	wait_for "$BOUND" log_has 'level=warning msg=".*containerd-shim-kata-v2 takes no add-iface: every call will fail'
	kata_barrier
	[ "$(log_count containerd-shim)" -eq 1 ]
	stop_monitor
}

@test "a container that was created but does not run yet: all comes once it runs" {
	mk_bare eth0
	T addr add 10.9.0.2/24 dev eth0
	T link set eth0 up
	T route add default via 10.9.0.1 metric 50
	start_syslog
	kata create "$SANDBOX"
	start_kata -log info
	wait_for "$BOUND" log_has ' msg="watching'
	connect eth1 1
	wait_calls 2 '.message == "Container ID (sandbox1) does not exist"'
	kata_is created
	wait_calls 2 '.message == "container sandbox1 is not running"'
	kata_is running
	assert_guest
	kata_barrier_after_loss
	assert_guest
	[ "$(summary)" = "add-iface:eth1 update-routes" ]
	refute log_has 'level=(warning|error) msg="(add|update)'
	validate_calls
	stop_monitor
}

@test "the sandbox's directory comes late, the container never runs: the monitor ends with the directory" {
	start_syslog
	kata create "$SANDBOX"
	start_kata -log info
	wait_for "$BOUND" log_has ' msg="watching'
	connect eth1 1
	wait_calls 2 '.status == 1'
	kata_is created
	kill -0 "$MONITOR"
	rm "$DIR/rt/container"
	rmdir "$DIR/sbs/$SANDBOX"
	await_end
}

@test "no directory, but Kata knows the container no more: the monitor ends" {
	boot
	start_sandbox
	connect eth1 1
	wait_calls 1 '.verb == "add-iface" and .status == 0'
	rmdir "$DIR/sbs/$SANDBOX"
	await_end
	# Without that directory, as if it were elsewhere.
	start_kata -log info
	wait_for "$BOUND" eval '[ "$(log_count " msg=\"watching")" -eq 2 ]'
	connect eth2 2
	wait_calls 1 '.data.Name? == "eth2" and .status == 0'
	rm "$DIR/rt/container"
	connect eth3 3
	await_end
	log_has 'level=info .*the sandbox is gone; it wrote: Container ID \(sandbox1\) does not exist'
}

@test "links of before the VM's start, under a macvtap: removed with their true MAC, and given up" {
	echo macvtap >"$DIR/rt/model"
	mk_bare eth0
	mac=$(T -j link show eth0 | jq -r '.[0].address')
	T addr add 10.9.0.2/24 dev eth0
	T link set eth0 up
	start_sandbox
	[ "$(T -j link show eth0 | jq -r '.[0].address')" != "$mac" ]
	log_has 'known to the runtime: 1 interfaces, 0 routes'
	T link del eth0
	wait_for "$BOUND" log_has 'level=warning msg="del-iface eth0 .*given up; it wrote: device is not present on bridge'
	kata_barrier
	assert_calls "length == 3 and all(.data.HwAddr == \"$mac\" and .message == \"device is not present on bridge\")"
	[ "$(log_count 'level=warning msg="del-iface')" -eq 1 ]
	stop_monitor
}

@test "Kata counts its taps: what collides rests, all else goes on, and comes when the link changes (B25)" {
	start_sandbox
	connect eth1 1
	wait_calls 1 '.data.Name? == "eth1" and .status == 0'
	connect eth2 2
	wait_calls 1 '.data.Name? == "eth2" and .status == 0'
	T link del eth1
	wait_calls 1 '.verb == "del-iface"'
	connect eth3 3
	wait_for "$BOUND" log_has 'level=warning msg="add-iface eth3 .*given up.*Failed to add qdisc .* : file exists'
	T route add 10.200.0.0/16 via 10.2.0.9
	wait_calls 1 '.status == 0 and .verb == "update-routes" and (.data | map(.Dest) | index("10.200.0.0/16"))'
	kata_barrier
	[ "$(count_calls '.verb == "add-iface" and .data.Name == "eth3"')" -eq 3 ]
	[ "$(log_count 'level=warning msg="add-iface eth3')" -eq 1 ]
	T link del eth2
	wait_calls 1 '.verb == "del-iface" and .data.Name == "eth2" and .status == 0'
	T link set eth3 mtu 1400
	assert_guest
	[ "$(count_calls '.verb == "add-iface" and .data.Name == "eth3"')" -eq 4 ]
	stop_monitor
}

@test "an empty list is never sent: the guest keeps its routes, and one line says so" {
	start_sandbox
	connect eth1 1
	wait_calls 1 '.verb == "update-routes" and .status == 0'
	T route flush dev eth1 proto boot
	T -6 route flush dev eth1 proto boot
	wait_for "$BOUND" log_has 'level=warning msg="all routes are gone, but the guest keeps its [1-3]:'
	kata_barrier
	[ "$(count_calls '.data == [] or (.verb == "update-routes" and .data == null)')" -eq 0 ]
	guest_has '.routes | length >= 1'
	stop_monitor
}

@test "two names are swapped: the guest keeps the old ones, one warning for each (B1)" {
	start_sandbox
	connect eth1 1
	connect eth2 2
	wait_calls 2 '.verb == "add-iface" and .status == 0'
	kata_barrier
	: >"$DIR/rt/calls"
	printf 'link set %s\n' 'eth1 down' 'eth2 down' 'eth1 name tmp' 'eth2 name eth1' 'tmp name eth2' 'eth1 up' 'eth2 up' |
		T -batch -
	wait_for "$BOUND" eval '[ "$(log_count "level=warning .*guest keeps the old name")" -ge 2 ]'
	kata_barrier_after_loss
	[ "$(log_count 'level=warning .*link eth1 .*guest keeps the old name')" -eq 1 ]
	[ "$(log_count 'level=warning .*link eth2 .*guest keeps the old name')" -eq 1 ]
	assert_calls 'length == 0'
	stop_monitor
}

@test "the last IPv4 address takes the routes with it: nothing is run, warnings say what the guest still has (B7)" {
	start_sandbox
	mk_bare eth1
	T addr add 10.8.0.2/24 dev eth1
	printf '%s\n' 'link set eth1 up' 'route add 10.81.0.0/16 dev eth1' 'route add 10.82.0.0/16 via 10.8.0.1' | T -batch -
	wait_calls 1 '.verb == "update-routes" and (.data | length) == 2 and .status == 0'
	kata_barrier
	: >"$DIR/rt/calls"
	T addr del 10.8.0.2/24 dev eth1
	wait_for "$BOUND" log_has 'level=warning .*eth1 .*guest keeps the old addresses'
	wait_for "$BOUND" log_has 'level=warning .*all routes are gone, but the guest keeps its 2'
	kata_barrier_after_loss
	assert_calls 'length == 0'
	guest_has '(.routes | length == 2) and (.interfaces[0].IPAddresses | length == 1)'
	stop_monitor
}

@test "a link goes while its add runs, another comes: the guest gets that one, be there a tap left behind" {
	start_sandbox
	echo 1 >"$DIR/rt/slow"
	connect eth1 1
	wait_for "$BOUND" has_calls_running
	T link del eth1
	wait_calls 1 '.verb == "add-iface" and .message == "LinkByName() failed for veth name eth1: Link not found"'
	rm "$DIR/rt/slow"
	T link show tap0_kata
	connect eth2 2
	assert_guest
	kata_barrier_after_loss
	assert_guest
	[ "$(summary)" = "add-iface:eth2 update-routes" ]
	stop_monitor
}

# Kata looks for the link by its name: what it sets down is the new one, which the guest gets when it is up again.
@test "a link is back under its name before its removal was told: removed and, once it is up, added" {
	start_sandbox
	connect eth1 1
	wait_calls 1 '.verb == "add-iface" and .status == 0'
	kata_barrier
	exec {lock}>"$DIR/rt/lock"
	flock "$lock"
	: >"$DIR/rt/calls"
	T link del eth1
	connect eth1 2
	wait_for "$BOUND" has_calls_running
	exec {lock}>&-
	wait_calls 1 '.verb == "del-iface" and .status == 0'
	kata_barrier_after_loss
	assert_calls 'map(select(.verb == "del-iface")) | length == 1'
	[ "$(log_count 'level=warning msg="link eth1 .*: the removal of the old one may set it down')" -eq 1 ]
	T link set eth1 up
	T route replace default via 10.2.0.1
	assert_guest
	stop_monitor
}
