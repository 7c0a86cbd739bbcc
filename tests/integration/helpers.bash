# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# helpers.bash - namespaces, a monitor in one of them, and what its runtime was told
#
# A test makes its changes, waits for what must happen, and calls barrier before it says what must not have happened.
# After each test the runtime's view, rebuilt from the requests alone, must equal the kernel's.

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
NETNSMON=${NETNSMON:-$here/../../build/netnsmon}
SCHEMA=$here/../../runtime-client/request.schema.json

# A generous bound for whatever is waited for: the machine may be slow, the test is not.
BOUND=${BOUND:-30}

# Makes NS and PEER, both with lo up, a directory DIR, and in NS a marker interface that barrier() uses.
setup_netns() {
	local id
	id=nmt-$$-$RANDOM$RANDOM
	NS=$id-t PEER=$id-p
	DIR=$(mktemp -d "${BATS_TEST_TMPDIR:-/tmp}/nmt.XXXXXX")
	MONITOR='' BARRIERS=0
	ip netns add "$NS"
	ip netns add "$PEER"
	ip -n "$NS" link set lo up
	ip -n "$PEER" link set lo up
	mkdir "$DIR/rt"
	cp "$here/fake-runtime" "$DIR/rt/runtime"
	: >"$DIR/rt/calls"
	ip -n "$NS" link add mark0 type veth peer name pmark0 netns "$PEER"
	ip -n "$NS" link set mark0 addrgenmode none up
	ip -n "$PEER" link set pmark0 addrgenmode none up
}

# Ends what the test has started and removes what it has made, whatever state it is in.
teardown_netns() {
	local pid
	if [ -n "$MONITOR" ]; then
		kill -KILL "$MONITOR" 2>/dev/null || true
		wait "$MONITOR" 2>/dev/null || true
	fi
	[ ! -e "$DIR/rt/grandchild.pid" ] || kill "$(cat "$DIR/rt/grandchild.pid")" 2>/dev/null || true
	for pid in $(ip netns pids "$NS" 2>/dev/null) $(ip netns pids "$PEER" 2>/dev/null) \
		$(pids_of "$DIR/rt/runtime"); do
		kill -KILL "$pid" 2>/dev/null || true
	done
	ip netns del "$NS" 2>/dev/null || true
	ip netns del "$PEER" 2>/dev/null || true
	rm -rf "$DIR"
}

# The shells that run the script $1.
pids_of() {
	local dir
	for dir in /proc/[0-9]*; do
		if [ "$(tr '\0' '\n' <"$dir/cmdline" 2>/dev/null | sed -n 2p)" = "$1" ]; then
			echo "${dir#/proc/}"
		fi
	done 2>/dev/null
}

# refute COMMAND...: it must fail. (A bare "!" never ends a test.)
refute() {
	if "$@"; then
		echo "must not be so: $*"
		return 1
	fi
}

T() { ip -n "$NS" "$@"; }
P() { ip -n "$PEER" "$@"; }

# An interface in NS with its other end in PEER, both up.
mk() {
	T link add "$1" type veth peer name "p$1" netns "$PEER"
	P link set "p$1" up
	T link set "$1" up
}

# The same without any address of its own, and with its end in NS still down.
mk_bare() {
	T link add "$1" type veth peer name "p$1" netns "$PEER"
	T link set "$1" addrgenmode none
	P link set "p$1" up
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
	local seconds=$1 end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		if [ $SECONDS -ge $end ]; then
			echo "not within $seconds s: $*"
			echo "--- log"
			cat "$DIR/log" 2>/dev/null
			echo "--- calls"
			cat "$DIR/rt/calls" 2>/dev/null
			return 1
		fi
		sleep 0.05
	done
}

# wait_calls COUNT JQ-CONDITION: until so many recorded calls (or more) meet the condition.
wait_calls() {
	wait_for "$BOUND" has_calls "$1" "$2"
}

has_calls() {
	[ "$(count_calls "$2")" -ge "$1" ]
}

count_calls() {
	calls | jq -s "map(select($1)) | length"
}

# Ends when the monitor's ready-fd has a line, or it has died.
await_ready() {
	if ! read -r -t "$BOUND" _ <&"$1"; then
		echo "not ready:"
		cat "$DIR/log"
		return 1
	fi
}

# Starts the monitor with the fake runtime and waits until it is ready. DIALECT and BASELINE may be set before.
start_monitor() {
	local fd
	kernel_state >"$DIR/start"
	[ -e "$DIR/ready" ] || mkfifo "$DIR/ready"
	exec {fd}<>"$DIR/ready"
	"$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" \
		--dialect "${DIALECT:-plain}" --baseline "${BASELINE:-existing}" --ready-fd "$fd" "$@" \
		>"$DIR/out" 2>>"$DIR/log" 3>&- &
	MONITOR=$!
	await_ready "$fd"
	exec {fd}>&-
}

# Ends the monitor as nothing can be handled.
crash_monitor() {
	kill -KILL "$MONITOR"
	wait "$MONITOR" || true
	MONITOR=''
}

# Starts the next monitor; what the runtime has is still counted from the first one's start.
restart_monitor() {
	cp "$DIR/start" "$DIR/first"
	start_monitor "$@"
	mv "$DIR/first" "$DIR/start"
}

# Starts the monitor without a runtime; its requests go to DIR/out.
start_standalone() {
	local fd
	kernel_state >"$DIR/start"
	[ -e "$DIR/ready" ] || mkfifo "$DIR/ready"
	exec {fd}<>"$DIR/ready"
	"$NETNSMON" --netns "$NS" --ready-fd "$fd" "$@" >"$DIR/out" 2>>"$DIR/log" 3>&- &
	MONITOR=$!
	await_ready "$fd"
	exec {fd}>&-
}

# stop_monitor [SIGNAL]: it must end with status 0.
stop_monitor() {
	local status=0
	kill "-${1:-TERM}" "$MONITOR"
	wait "$MONITOR" || status=$?
	MONITOR=''
	[ "$status" -eq 0 ] || {
		echo "exit status $status"
		cat "$DIR/log"
		return 1
	}
}

# The recorded calls, without those about the marker.
calls() {
	jq -c 'select((.data | type) != "object" or .data.Name != "mark0")' "$DIR/rt/calls"
}

# The same, as far as they were acknowledged.
acknowledged() {
	calls | jq -c 'select(.status == 0)'
}

# assert_calls JQ-CONDITION on the array of recorded calls.
assert_calls() {
	calls | jq -se "$1" >/dev/null || {
		echo "not so: $1"
		calls
		return 1
	}
}

# Verbs and names in one line: "add-network:eth1 update-route".
summary() {
	acknowledged | jq -r '.verb + (if (.data | type) == "object" then ":" + .data.Name else "" end)' |
		paste -sd' '
}

has_mark() {
	grep -F '"Name":"mark0"' "$DIR/rt/calls" | grep -qF "\"Address\":\"192.0.2.$1\""
}

# Ends when all that happened before has been seen, judged and told: the marker's address is changed, and a round that sees
# that sees everything before it. Twice, since routes come last in a round. Does not end while a call hangs.
barrier() {
	for _ in 1 2; do
		BARRIERS=$((BARRIERS + 1))
		T addr flush dev mark0 scope global
		T addr add "192.0.2.$BARRIERS/32" dev mark0
		wait_for "$BOUND" has_mark "$BARRIERS"
	done
}

# After a loss the namespace is looked at once more, a second later.
barrier_after_loss() {
	sleep 1.3
	barrier
}

# Everything that the kernel says of the namespace, as one JSON object.
kernel_state() {
	jq -n --slurpfile links <(T -j -d link) --slurpfile addresses <(T -j addr) \
		--slurpfile routes4 <(T -j -d -N route show table main) \
		--slurpfile routes6 <(T -j -d -N -6 route show table main) \
		'{links: $links[0], addresses: $addresses[0],
		  routes: (($routes4[0] | map(. + {family: 2})) + ($routes6[0] | map(. + {family: 10})))}'
}

# What a runtime should have now, by the kernel: DIR/expected; what it has, by the requests: DIR/view.
make_views() {
	jq -S -n --slurpfile start <(jq --argjson plugged '[]' -f "$here/kernel.jq" "$DIR/start") \
		--argjson known "$([ "${BASELINE:-existing}" = none ] && echo false || echo true)" \
		-f "$here/view.jq" <(jq -c 'select(.status == 0)' "$DIR/rt/calls") >"$DIR/view"
	kernel_state | jq -S --argjson plugged "$(jq -c '[.interfaces[].Index]' "$DIR/view")" \
		-f "$here/kernel.jq" >"$DIR/expected"
}

is_view_equal() {
	make_views
	# What jq refuses is empty, and two of that are not equal.
	[ -s "$DIR/view" ] && cmp -s "$DIR/expected" "$DIR/view"
}

# The runtime's view equals the kernel's, at the latest after a while.
assert_view() {
	if ! wait_for "$BOUND" is_view_equal; then
		diff -u "$DIR/expected" "$DIR/view"
		return 1
	fi
}

# All requests that were recorded follow the schema.
validate_calls() {
	/usr/bin/python3 - "$SCHEMA" "$DIR/rt/calls" <<-'END'
		import json, sys
		import jsonschema
		schema = json.load(open(sys.argv[1]))
		validators = {name: jsonschema.Draft202012Validator(dict(schema, **{"$ref": "#/$defs/" + name}))
		              for name in ("interface", "routes")}
		kinds = {"add-network": "interface", "del-network": "interface", "update-network": "interface",
		         "add-iface": "interface", "del-iface": "interface",
		         "update-route": "routes", "update-routes": "routes"}
		for line in open(sys.argv[2]):
		    call = json.loads(line)
		    if call["data"] is not None:
		        validators[kinds[call["verb"]]].validate(call["data"])
	END
}

# Watches the monitor for ten seconds. The call in which it waits is shown when strace attaches and detaches.
is_silent() {
	timeout 10 strace -f -o "$DIR/strace" -p "$MONITOR" || [ $? -eq 124 ]
	cat "$DIR/strace"
	refute grep -vE '^[0-9]+ +(epoll_wait\(.*<detached \.\.\.>|restart_syscall\(.*<detached \.\.\.>)$' "$DIR/strace"
}

# The socket of the only monitor.
monitor_socket() {
	echo "$DIR"/run/netns-*.sock
}

# Memory of the monitor that no file backs, in KiB: whether pages of the program itself are shared depends on who else runs it.
private_memory() {
	awk '/^Anonymous:/ { print $2 }' "/proc/$MONITOR/smaps_rollup"
}

# validate_output DEFINITION FILE: each line of the file is such an object of status.schema.json, and there is one at least.
validate_output() {
	/usr/bin/python3 - "$here/../../monitor/status.schema.json" "$@" <<-'END'
		import json, sys
		import jsonschema
		schema = json.load(open(sys.argv[1]))
		jsonschema.Draft202012Validator.check_schema(schema)
		del schema["anyOf"]
		validator = jsonschema.Draft202012Validator(dict(schema, **{"$ref": "#/$defs/" + sys.argv[2]}))
		lines = open(sys.argv[3]).readlines()
		assert lines
		for line in lines:
		    validator.validate(json.loads(line))
	END
}

# What every test ends with, unless it says otherwise.
finish() {
	validate_calls
	assert_view
	stop_monitor
}
