#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# commands.bats - list, status, watch, resync and --explain: what people and programs are told of running monitors

bats_require_minimum_version 1.5.0
load helpers

setup() { setup_netns; }
teardown() {
	local pid
	for pid in "${OTHERS[@]}"; do
		kill -CONT "$pid" 2>/dev/null || true
		kill -KILL "$pid" 2>/dev/null || true
	done
	teardown_netns
}

OTHERS=()

ask() { "$NETNSMON" "$@" --run-dir "$DIR/run"; }

# A namespace with one link that is applied (eth1), one that is pending since the runtime fails (eth2), one that is ignored
# (skip0), one that is down (eth3); a route that is sent and one that cannot be.
start_scene() {
	echo '1000 3 bridge br-x: no such device' >"$DIR/rt/fail-name-eth2"
	start_monitor --ignore 'skip*' "$@"
	mk eth1
	mk eth2
	mk skip0
	mk_bare eth3
	T addr add 10.1.0.2/24 dev eth1
	T route add 10.9.0.0/16 via 10.1.0.1
	T route add 10.8.0.0/16 tos 0x10 via 10.1.0.1
	wait_calls 2 '.data.Name? == "eth2"'
	wait_for "$BOUND" is_scene_settled
}

is_scene_settled() {
	ask status --format json |
		jq -e '.monitor.routes_applied == 1 and (.links | map(select(.name == "eth1"))[0].addresses | length > 0)'
}

# The line of `status` about the link $1.
line_of() { grep -E "^ +[0-9]+ +$1 " "$DIR/status"; }

@test "list: one line for each monitor, aligned; JSON and metrics" {
	start_scene
	ask list >"$DIR/list"
	cat "$DIR/list"
	[ "$(wc -l <"$DIR/list")" -eq 2 ]
	grep -qE '^SANDBOX +NETNS +PID +DIALECT +STATE +APPLIED +PENDING +ROUTES +MEMORY +LAST ERROR$' "$DIR/list"
	grep -qE "^sandbox1 +$NS +$MONITOR +plain +(watching|calling) +2 +1 +1 +[0-9]+ KiB +.*add-network eth2 .*exit status 3: bridge br-x: no such device$" "$DIR/list"
	# Columns begin where their heads do.
	[ "$(awk 'NR == 1 { print index($0, "STATE") }' "$DIR/list")" -eq \
		"$(awk 'NR == 2 { print match($0, /watching|calling/) }' "$DIR/list")" ]
	ask list --format json >"$DIR/json"
	validate_output monitor "$DIR/json"
	jq -e --arg ns "$NS" --argjson pid "$MONITOR" '.sandbox == "sandbox1" and .netns == $ns and .pid == $pid
		and .interfaces_applied == 2 and .interfaces_pending == 1 and .memory_bytes > 65536
		and (.last_error.text | startswith("add-network eth2"))
		and (.counters.requests | map(select(.verb == "add-network"))[0] | .done == 1 and .failed > 0 and .timed_out == 0)
		and .counters.events > 0 and .counters.retries > 0' "$DIR/json"
	[ "$(jq .netns_inode "$DIR/json")" = "$(stat -L -c %i "/run/netns/$NS")" ]
	stop_monitor
}

@test "status: each link with its verdict and the reason in words, routes counted and left out" {
	start_scene
	ask status >"$DIR/status"
	cat "$DIR/status"
	line_of eth1 | grep -qE ' applied +.*10\.1\.0\.2/24.* the runtime has it \(since [0-9-]{10}T[0-9:]{8}Z\)$'
	line_of mark0 | grep -qE ' applied +.*the runtime has it$'
	line_of eth2 | grep -qE ' pending +.*the call failed; failed [0-9]+ times, next try (in [0-9.]+ m?s|now); last error: exit status 3: bridge br-x: no such device$'
	line_of skip0 | grep -qE ' ignored +.*--ignore skip\*$'
	line_of lo | grep -qE ' ignored +.*loopback$'
	line_of eth3 | grep -qE ' not ready +.*the link is down$'
	grep -qE '^ +1 route: the runtime has this list$' "$DIR/status"
	grep -qE '^ +1 left out: +it is for one type of service only \(as 10\.8\.0\.0/16\)$' "$DIR/status"
	refute grep -q $'\033' "$DIR/status"
	stop_monitor
}

@test "status: other verdicts" {
	start_monitor --only 'eth*' --only 'mark*'
	T link add name br0 type bridge 2>/dev/null || skip_bridge=1
	T link add name other type veth peer name pother netns "$PEER"
	mk eth1
	mk_bare eth2
	P link set peth2 down
	T link set eth2 up
	[ -n "${skip_bridge-}" ] || {
		mk_bare eth3
		T link set eth3 master br0
		T link set eth3 up
	}
	mk eth4
	wait_calls 1 '.data.Name? == "eth4"'
	echo '1000 1 busy' >"$DIR/rt/fail-del-network"
	T link del eth4
	wait_calls 2 '.verb == "del-network"'
	T link set eth1 down
	barrier
	ask status >"$DIR/status"
	cat "$DIR/status"
	line_of other | grep -q ' ignored .*matches no --only'
	line_of eth2 | grep -q ' not ready .*no carrier'
	[ -n "${skip_bridge-}" ] || line_of eth3 | grep -q ' ignored .*it belongs to br0'
	line_of eth4 | grep -q ' removing .*the runtime did not let go of it; failed [0-9]* times.*exit status 1: busy'
	line_of eth1 | grep -q ' applied .*its link is down now'
	rm "$DIR/rt/fail-del-network"
	finish
}

@test "status: JSON follows the schema, and the interface has the same fields" {
	start_scene
	ask status --format json sandbox1 >"$DIR/json"
	validate_output status "$DIR/json"
	jq -e '(.links | map({(.name): .verdict}) | add) as $is |
		$is.eth1 == "applied" and $is.eth2 == "pending" and $is.skip0 == "ignored" and $is.eth3 == "not_ready"
		and $is.lo == "ignored" and .links_left_out == 0
		and (.links[] | select(.name == "eth2") | .failures >= 2 and .next_try_ms >= 0
			and .last_error == "exit status 3: bridge br-x: no such device")
		and (.links[] | select(.name == "eth1") | has("since") and (has("failures") | not))
		and (.routes.left_out | map(select(.reason | test("type of service")))[0] | .count == 1 and .example == "10.8.0.0/16")' \
		"$DIR/json"
	/usr/bin/python3 - "$here/../../monitor/org.netnsmon.Monitor.varlink" "$here/../../monitor/status.schema.json" <<-'END'
		import json, re, sys
		text = re.sub(r"#.*", "", open(sys.argv[1]).read())
		schema = json.load(open(sys.argv[2]))["$defs"]
		types = dict(re.findall(r"\btype (\w+) \((.*?)\n\)", text, re.S))
		names = {"LeftOut": "left_out"}
		kinds = {"string": "string", "int": "integer", "bool": "boolean"}
		for name, body in types.items():
		    fields = dict(re.findall(r"(\w+): (\??(?:\([^)]*\)|[\w\[\]]+))", body))
		    defined = schema[names.get(name, name.lower())]
		    only_here = {"sandbox"} if name == "Event" else set()
		    assert set(fields) == set(defined["properties"]) - only_here, (name, set(fields) ^ set(defined["properties"]))
		    for field, kind in fields.items():
		        property = defined["properties"][field]
		        assert kind.startswith("?") == (field not in defined["required"]), (name, field)
		        kind = kind.lstrip("?")
		        if kind in kinds:
		            property = schema[property["$ref"].split("/")[-1]] if "$ref" in property else property
		            assert property["type"] == kinds[kind], (name, field)
		        elif kind.startswith("("):
		            assert re.findall(r"\w+", kind) == property["enum"], (name, field)
		assert len(types) == 9, types.keys()
	END
	stop_monitor
}

@test "status: colour on a terminal only, and not with NO_COLOR" {
	start_scene
	script -qec "$NETNSMON status --run-dir $DIR/run" /dev/null </dev/null >"$DIR/tty"
	grep -q $'\033\[32mapplied' "$DIR/tty"
	grep -q $'\033\[33mpending' "$DIR/tty"
	NO_COLOR=1 script -qec "$NETNSMON status --run-dir $DIR/run" /dev/null </dev/null >"$DIR/tty"
	grep -q pending "$DIR/tty"
	refute grep -q $'\033' "$DIR/tty"
	stop_monitor
}

@test "status: an interface heals, and a call that runs is shown" {
	start_scene
	rm "$DIR/rt/fail-name-eth2"
	wait_for "$BOUND" bash -c "'$NETNSMON' status --run-dir '$DIR/run' | grep -E ' eth2 .* applied .*since '"
	: >"$DIR/rt/gate"
	mk eth4
	wait_calls 1 '.data.Name? == "eth4"'
	ask status >"$DIR/status"
	grep -qE '^sandbox1  calling, ' "$DIR/status"
	grep -qE '; add-network eth4 runs for [0-9.]+ m?s$' "$DIR/status"
	ask list --format json >"$DIR/json"
	validate_output monitor "$DIR/json"
	jq -e '.call.verb == "add-network" and .call.name == "eth4"' "$DIR/json"
	rm "$DIR/rt/gate"
	T route del 10.8.0.0/16 tos 0x10
	T link set eth3 up
	finish_without_ignored
}

# What the runtime has is the kernel's state but for what is ignored.
finish_without_ignored() {
	T link del skip0
	finish
}

@test "watch: events, decisions and results as they happen, until the monitor ends" {
	echo '1 3 no such device' >"$DIR/rt/fail-name-eth1"
	start_monitor
	ask watch >"$DIR/text" 3>&- &
	OTHERS+=($!)
	ask watch sandbox1 --format json >"$DIR/json" 3>&- &
	OTHERS+=($!)
	wait_for "$BOUND" grep -q watching "$DIR/text"
	wait_for "$BOUND" grep -q watching "$DIR/json"
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T route add 10.8.0.0/16 tos 0x10 via 10.1.0.1
	T route add 10.9.0.0/16 via 10.1.0.1
	wait_for "$BOUND" grep -q '"update-route (routes: 1): done' "$DIR/json"
	ask resync
	wait_for "$BOUND" grep -q '"kind":"resync"' "$DIR/json"
	stop_monitor
	wait "${OTHERS[0]}"
	wait "${OTHERS[1]}"
	cat "$DIR/text"
	validate_output event "$DIR/json"
	jq -se '(map(.kind) | unique) == ["end", "kernel", "note", "request", "result", "resync", "snapshot", "watching"]
		and .[0].kind == "watching" and .[-1].kind == "end" and all(.[]; .sandbox == "sandbox1")
		and any(.[]; .kind == "kernel" and .name == "eth1" and (.text | test("link eth1 .index [0-9]+. is up, mtu 1500")))
		and any(.[]; .kind == "kernel" and (.text | test("address 10.1.0.2/24 of index [0-9]+ is there")))
		and any(.[]; .kind == "kernel" and .text == "route 10.9.0.0/16 is there")
		and any(.[]; .kind == "request" and .verb == "add-network" and .name == "eth1" and (.text | test("a new link is up")))
		and any(.[]; .kind == "result" and (.done | not) and .next_try_ms > 0 and (.text | test("exit status 3: no such device")))
		and any(.[]; .kind == "result" and .done and .verb == "add-network" and .elapsed_ms >= 0)
		and any(.[]; .kind == "note" and (.text | test("10.8.0.0/16.* is left out")))' "$DIR/json"
	grep -qE '^[0-9:]{8}\.[0-9]{3}  result    add-network eth1 \(index [0-9]+\): failed after .*: exit status 3: no such device; next try in ' "$DIR/text"
	[ "$(wc -l <"$DIR/text")" -eq "$(wc -l <"$DIR/json")" ]
}

@test "watch: a monitor that is killed is no good end; a storm is summed" {
	start_monitor
	ask watch --format json >"$DIR/json" 2>"$DIR/err" 3>&- &
	OTHERS+=($!)
	wait_for "$BOUND" grep -q watching "$DIR/json"
	T -batch - < <(for i in $(seq 400); do echo "route add 10.20.$((i / 250)).$((i % 250))/32 dev mark0"; done)
	barrier
	crash_monitor
	status=0
	wait "${OTHERS[0]}" || status=$?
	[ "$status" -eq 1 ]
	grep -q 'sandbox1.*does not answer' "$DIR/err"
	jq -se 'any(.[]; .kind == "kernel" and (.text | test("^[0-9]+ more messages$")))' "$DIR/json"
	jq -se 'map(select(.kind == "kernel")) | length < 350' "$DIR/json"
}

@test "resync: everything is taken anew" {
	start_monitor
	before=$(ask list --format json | jq .counters.snapshots)
	ask resync sandbox1 | grep -q 'sandbox1: everything is taken anew'
	ask list --format json | jq -e --argjson before "$before" '.counters.resyncs == 1 and .counters.snapshots > $before'
	grep -q 'everything is taken anew' "$DIR/log"
	ask resync --format json >"$DIR/json"
	validate_output monitor "$DIR/json"
	finish
}

@test "exit status: 0, 1 no such monitor, 2 usage" {
	fails() {
		local status=$1 word=$2
		shift 2
		run --separate-stderr "-$status" "$NETNSMON" "$@"
		if [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ] || [[ "$stderr" != *"$word"* ]]; then
			echo "for: $*: $output $stderr"
			return 1
		fi
	}
	fails 1 "$DIR/run" list --run-dir "$DIR/run"
	mkdir "$DIR/run"
	run -0 --separate-stderr "$NETNSMON" list --run-dir "$DIR/run"
	[ "${#lines[@]}" -eq 1 ]
	for command in status watch resync; do
		fails 1 'no monitor' "$command" --run-dir "$DIR/run"
		fails 1 'no monitor of sandbox x' "$command" x --run-dir "$DIR/run"
		fails 2 'prometheus' "$command" --format prometheus
		fails 2 'stray' "$command" x stray
	done
	fails 2 'stray' list stray
	fails 2 '--frobnicate' list --frobnicate
	fails 2 'xml' status --format xml
	fails 2 'run-dir' status --run-dir
	run -0 "$NETNSMON" status --help
	[[ "$output" == *resync* ]]
}

@test "several monitors: by id, by the start of it, by namespace; standby takes over" {
	start_monitor
	ip netns add "$NS-2"
	"$NETNSMON" --netns "$NS-2" -s sandbox2 -r "$DIR/rt/runtime" --run-dir "$DIR/run" 2>/dev/null 3>&- &
	OTHERS+=($!)
	"$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/run" --standby 2>/dev/null 3>&- &
	OTHERS+=($!)
	wait_for "$BOUND" bash -c "[ \"\$('$NETNSMON' list --run-dir '$DIR/run' | wc -l)\" -eq 3 ]"
	[ "$(ask list --format json | jq -r .sandbox | paste -sd' ')" = 'sandbox1 sandbox2' ]
	[ "$(ask status --format json | wc -l)" -eq 2 ]
	[ "$(ask status sandbox2 --format json | jq -r .monitor.sandbox)" = sandbox2 ]
	[ "$(ask status "$NS-2" --format json | jq -r .monitor.sandbox)" = sandbox2 ]
	run -1 --separate-stderr ask status sand
	[[ "$stderr" == *'several'* ]]
	stop_monitor
	wait_for "$BOUND" bash -c "'$NETNSMON' list --format json --run-dir '$DIR/run' | jq -se 'any(.[]; .pid == ${OTHERS[1]})'"
	[ "$(ask status sandbox1 --format json | jq .monitor.pid)" -eq "${OTHERS[1]}" ]
	kill "${OTHERS[0]}" "${OTHERS[1]}"
	wait "${OTHERS[0]}" "${OTHERS[1]}"
	ip netns del "$NS-2"
	[ -z "$(find "$DIR/run" -name '*.sock')" ]
}

@test "the socket: its owner's only, gone with the monitor, removed if the monitor was killed" {
	start_monitor
	[ "$(stat -c '%F %a' "$(monitor_socket)")" = 'socket 600' ]
	socket=$(monitor_socket)
	stop_monitor
	[ ! -e "$socket" ]
	start_monitor
	crash_monitor
	[ -S "$socket" ]
	# The next one takes its place …
	start_monitor
	ask status >/dev/null
	crash_monitor
	# … and without one it is removed, by whoever looks.
	ask list | grep -c . | grep -qx 1
	[ ! -e "$socket" ]
	[ -z "$(find "$DIR/run" -name '*.stale*' -o -name '*.new')" ]
}

@test "a monitor that hangs: it is said, and delays no other" {
	start_monitor
	kill -STOP "$MONITOR"
	run -1 --separate-stderr ask list
	kill -CONT "$MONITOR"
	[[ "$output" == *"does not answer"* ]]
	[[ "$output" == *"$MONITOR"* ]]
	ask list --format json >"$DIR/json"
	validate_output monitor "$DIR/json"
	stop_monitor
}

@test "names of any bytes are shown, and command nobody's terminal" {
	start_monitor
	name=$(printf 'a"b\033[2Jc')
	T link add "$name" type veth peer name px netns "$PEER"
	T link add "$(printf 'e\377\376')" type veth peer name py netns "$PEER"
	printf '%s\n' '1000 1 no\nlevel=error \033]0;x\007' >"$DIR/rt/fail-any"
	mk eth1
	wait_calls 1 '.data.Name? == "eth1"'
	for command in list status; do
		ask "$command" >"$DIR/text"
		refute grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$DIR/text"
	done
	grep -qF 'a"b\x1b[2Jc' "$DIR/text"
	grep -qF 'e\xff\xfe' "$DIR/text"
	ask status --format json >"$DIR/json"
	validate_output status "$DIR/json"
	jq -e --arg name "$name" 'any(.links[]; .name == $name) and any(.links[]; .name == "e\\xff\\xfe")' "$DIR/json"
	stop_monitor
}

@test "metrics: what promtool wants, and the right numbers" {
	ln -s "/run/netns/$NS" "$DIR/n\"s"
	echo '2 3 no' >"$DIR/rt/fail-name-eth1"
	start_monitor --netns "$DIR/n\"s"
	mk eth1
	wait_calls 3 '.data.Name? == "eth1"'
	barrier
	ask list --format prometheus >"$DIR/metrics"
	run -0 promtool check metrics <"$DIR/metrics"
	[ -z "$output" ]
	value() { grep -F "$1" "$DIR/metrics" | awk '{ print $NF }'; }
	labels='sandbox="sandbox1",netns="'$DIR'/n\"s"'
	[ "$(value "netnsmon_requests_total{$labels,verb=\"add-network\",result=\"failed\"}")" = 2 ]
	[ "$(value "netnsmon_requests_total{$labels,verb=\"add-network\",result=\"done\"}")" = 1 ]
	[ "$(value "netnsmon_retries_total{$labels}")" = 2 ]
	[ "$(value "netnsmon_interfaces{$labels,state=\"applied\"}")" = 2 ]
	[ "$(value "netnsmon_interfaces{$labels,state=\"pending\"}")" = 0 ]
	[ "$(value 'netnsmon_monitors{state="answering"}')" = 1 ]
	[ "$(value "netnsmon_events_total{$labels}")" -gt 0 ]
	[ "$(value "netnsmon_memory_bytes{$labels}")" -gt 65536 ]
	awk '/^netnsmon_runtime_seconds_total.*"add-network"/ { exit !($NF > 0 && $NF < 600) }' "$DIR/metrics"
	# None at all is no broken file either.
	stop_monitor
	ask list --format prometheus | promtool check metrics
}

@test "--explain: the verdict on every link and route" {
	mk eth1
	mk_bare eth3
	mk skip0
	T addr add 10.1.0.2/24 dev eth1
	T route add 10.9.0.0/16 via 10.1.0.1
	T route add 10.8.0.0/16 tos 0x10 via 10.1.0.1
	T route add 10.7.0.0/16 dev skip0
	"$NETNSMON" --netns "$NS" --ignore 'skip*' --explain --format text >"$DIR/text"
	cat "$DIR/text"
	grep -qE '^[0-9]+ +eth1 +veth +counts +up, with a carrier$' "$DIR/text"
	grep -qE '^[0-9]+ +eth3 +veth +not_ready +the link is down$' "$DIR/text"
	grep -qE '^[0-9]+ +skip0 +veth +ignored +--ignore skip\*$' "$DIR/text"
	grep -qE '^10\.9\.0\.0/16 +10\.1\.0\.1 +eth1 +0 +counts ' "$DIR/text"
	grep -qE '^10\.8\.0\.0/16 +10\.1\.0\.1 +eth1 +0 +left out +it is for one type of service only$' "$DIR/text"
	grep -qE '^10\.7\.0\.0/16 +- +skip0 +0 +left out +its interface does not count$' "$DIR/text"
	grep -qE '^10\.1\.0\.0/24 +- +eth1 +0 +left out +the kernel made it' "$DIR/text"
	"$NETNSMON" --netns "$NS" --explain >"$DIR/json"
	validate_output explanation "$DIR/json"
	# Each link and each route of the main table is there.
	[ "$(jq -r '.links[].name' "$DIR/json" | sort)" = "$(T -j link | jq -r '.[].ifname' | sort)" ]
	[ "$(jq -r '.routes[].dest' "$DIR/json" | grep -c '\.')" -eq "$(T route show table main | wc -l)" ]
	"$NETNSMON" --netns "$NS" --explain --dialect kata1 --format text | grep -qE '^10\.8\.0\.0/16 .*left out'
	refute "$NETNSMON" --netns nosuch-netns --explain
}
