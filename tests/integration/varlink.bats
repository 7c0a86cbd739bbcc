#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# varlink.bats - a monitor's socket: the protocol, a client that is not ours, and clients that mean harm

bats_require_minimum_version 1.5.0
load helpers

setup() { setup_netns; }
teardown() {
	exec 7>&-
	[ -z "${CLIENT-}" ] || kill -KILL "$CLIENT" 2>/dev/null || true
	teardown_netns
}

send() { "$here/varlink" "$(monitor_socket)" "$@"; }

# Runs a client that goes on until end_client.
start_client() {
	[ -e "$DIR/stdin" ] || mkfifo "$DIR/stdin"
	"$here/varlink" "$(monitor_socket)" "$@" <"$DIR/stdin" >"$DIR/client" 2>&1 3>&- &
	CLIENT=$!
	exec 7>"$DIR/stdin"
	wait_for "$BOUND" grep -qxE 'open|watching' "$DIR/client"
}

end_client() {
	exec 7>&-
	wait "$CLIENT"
	CLIENT=''
}

# What a monitor may cost more than before once clients have come and gone, in KiB: some pages of code that had not run yet.
GROWTH=160

assert_small() {
	local memory
	# AddressSanitizer keeps what was freed.
	! grep -q libasan "/proc/$MONITOR/maps" || return 0
	memory=$(private_memory)
	echo "private memory: $BEFORE KiB before, $memory KiB now"
	[ "$memory" -le $((BEFORE + ${1:-$GROWTH})) ]
}

# The runtime is called as ever.
assert_calls_go_on() {
	local name=$1
	mk "$name"
	wait_calls 1 ".verb == \"add-network\" and .data.Name == \"$name\""
	T link del "$name"
	wait_calls 1 ".verb == \"del-network\" and .data.Name == \"$name\""
}

@test "the specification's methods and errors" {
	start_monitor
	send call '{"method":"org.varlink.service.GetInfo"}' \
		'{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.netnsmon.Monitor"}}' \
		'{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.varlink.service"}}' >"$DIR/replies"
	jq -se '.[0].parameters | .product == "netnsmon" and .interfaces == ["org.varlink.service", "org.netnsmon.Monitor"]
		and (.version | test("^[0-9]+[.]"))' "$DIR/replies"
	jq -se '.[2].parameters.description | test("\ninterface org.varlink.service\n")' "$DIR/replies"
	jq -sj '.[1].parameters.description' "$DIR/replies" | diff - "$here/../../monitor/org.netnsmon.Monitor.varlink"
	send call '{"method":"org.netnsmon.Monitor.No"}' '{"method":"nodots"}' '{"method":"org.other.X"}' \
		'{"method":"org.netnsmon.Monitor.Watch"}' '{"method":"org.netnsmon.Monitor.Status","parameters":{"x":1}}' \
		'{"method":"org.varlink.service.GetInterfaceDescription"}' \
		'{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"a.b"}}' \
		'{"method":"org.netnsmon.Monitor.Summary","upgrade":true}' >"$DIR/replies"
	jq -c '[.error, .parameters]' "$DIR/replies" | diff - <(cat <<-'END'
		["org.varlink.service.MethodNotFound",{"method":"org.netnsmon.Monitor.No"}]
		["org.varlink.service.InterfaceNotFound",{"interface":"nodots"}]
		["org.varlink.service.InterfaceNotFound",{"interface":"org.other"}]
		["org.varlink.service.ExpectedMore",{}]
		["org.varlink.service.InvalidParameter",{"parameter":"x"}]
		["org.varlink.service.InvalidParameter",{"parameter":"interface"}]
		["org.varlink.service.InterfaceNotFound",{"interface":"a.b"}]
		["org.varlink.service.InvalidParameter",{"parameter":"upgrade"}]
	END
	)
	stop_monitor
}

@test "many calls at once are answered one after the other; oneway ones are not" {
	start_monitor
	calls=()
	for i in $(seq 60); do
		calls+=("{\"method\":\"org.netnsmon.Monitor.Nr$i\"}" '{"method":"org.netnsmon.Monitor.Summary","oneway":true}')
	done
	send call "${calls[@]}" '{"method":"org.netnsmon.Monitor.Status"}' '{"method":"org.netnsmon.Monitor.Resync"}' >"$DIR/replies"
	jq -se 'length == 62 and ([.[:60][].parameters.method] == [range(60) | "org.netnsmon.Monitor.Nr\(. + 1)"])
		and (.[60].parameters | has("links")) and .[61] == {parameters: {}}' "$DIR/replies"
	stop_monitor
}

@test "a client that is not ours: Go's varlink library" {
	(cd "$here/../varlink" && GOPATH=/usr/share/gocode GO111MODULE=off GOCACHE="$DIR/cache" GOFLAGS='' GOPROXY=off \
		go build -o "$DIR/client" client.go)
	start_monitor
	mk eth1
	wait_calls 1 '.data.Name? == "eth1"'
	run -0 "$DIR/client" "$(monitor_socket)"
	[[ "$output" == *"sandbox1 eth1 applied"* ]]
	[[ "$output" == *"sandbox1 lo ignored"* ]]
	finish
}

@test "garbage, and messages without an end: the connection is closed, nothing else happens" {
	start_monitor
	BEFORE=$(private_memory)
	for text in 'GET / HTTP/1.1\r\n\r\n\x00' '\x00' '{}\x00' '[]\x00' '{"method":1}\x00' \
		'\xff\xfe\x00' '{"method":"a.b","more":2}\x00' '{"method":"a.b"}{"method":"a.b"}\x00'; do
		[ "$(send bytes "$text")" = closed ]
	done
	deep=$(printf '[%.0s' $(seq 8000))
	[ "$(send bytes "$deep\x00")" = closed ]
	# The kernel's buffers take more than the monitor does.
	[ "$(send endless)" -lt 1000000 ]
	for _ in $(seq 20); do send endless >/dev/null; done
	wait_for "$BOUND" assert_small
	assert_calls_go_on eth1
	finish
}

@test "a thousand connections: the latest are served, memory is bounded and comes back" {
	start_monitor
	ulimit -n 4096
	BEFORE=$(private_memory)
	start_client crowd 1000
	assert_small 512
	[ "$(find "/proc/$MONITOR/fd" | wc -l)" -lt 60 ]
	# Whoever comes now is answered all the same.
	"$NETNSMON" status --run-dir "$DIR/run" | grep -q mark0
	assert_calls_go_on eth1
	end_client
	wait_for "$BOUND" assert_small
	finish
}

@test "clients that call without end and never read: bounded, and the runtime is called as ever" {
	for i in $(seq 100); do echo "link add many$i type dummy"; done >"$DIR/batch"
	start_monitor --ignore 'many*'
	T -batch "$DIR/batch" 2>/dev/null || for i in $(seq 100); do T link add "many$i" type veth peer name "pmany$i"; done
	barrier
	BEFORE=$(private_memory)
	start_client deaf 40 '{"method":"org.netnsmon.Monitor.Status"}'
	for i in 1 2 3; do
		assert_calls_go_on "eth$i"
		# At most a megabyte waits for those that do not read, beside one reply and what a look takes.
		assert_small 4096
	done
	end_client
	wait_for "$BOUND" assert_small
	finish
}

@test "clients that call as fast as they can: the runtime is called as ever" {
	start_monitor
	BEFORE=$(private_memory)
	for method in Summary Status Resync; do
		start_client flood 20 "{\"method\":\"org.netnsmon.Monitor.$method\"}"
		assert_calls_go_on "eth-$method"
		assert_small 4096
		end_client
	done
	# At most one resync a second, whoever asks for it.
	[ "$(grep -c 'everything is taken anew' "$DIR/log")" -le $((SECONDS + 2)) ]
	wait_for "$BOUND" assert_small
	finish
}

@test "a slow watcher is told how many events it has missed, the others get all" {
	start_monitor
	"$NETNSMON" watch --format json --run-dir "$DIR/run" >"$DIR/quick" 3>&- &
	watcher=$!
	start_client lazy
	wait_for "$BOUND" test -s "$DIR/quick"
	for i in $(seq 60); do
		for j in $(seq 40); do
			echo "route add 10.20.$i.$j/32 dev mark0"
		done
		for j in $(seq 40); do
			echo "route del 10.20.$i.$j/32 dev mark0"
		done
	done >"$DIR/batch"
	missed=''
	for _ in 1 2 3 4 5 6 7 8; do
		split -l 200 "$DIR/batch" "$DIR/part-"
		for part in "$DIR"/part-*; do
			T -batch "$part"
			sleep 0.08
		done
		[ "$(wc -c <"$DIR/quick")" -lt 600000 ] || break
	done
	# It reads on, and gets one more.
	exec 7>&-
	sleep 0.5
	barrier
	wait "$CLIENT"
	CLIENT=''
	stop_monitor
	wait "$watcher"
	grep -v '"open"' "$DIR/client" | sed 1d >"$DIR/lazy"
	validate_output event "$DIR/lazy"
	jq -se 'any(.[]; .kind == "missed" and .missed > 0)' "$DIR/lazy"
	jq -se 'all(.[]; .kind != "missed")' "$DIR/quick"
	# What it got and what it missed are all that the quick one got since, but for the events of its own end.
	jq -se --slurpfile quick "$DIR/quick" '(map(.missed // 1) | add) <= ($quick | length)' "$DIR/lazy"
}

@test "nothing stays of clients: no system call in 10 s, no descriptor, no memory" {
	start_monitor
	BEFORE=$(private_memory)
	descriptors=$(find "/proc/$MONITOR/fd" | wc -l)
	"$NETNSMON" status --run-dir "$DIR/run" >/dev/null
	"$NETNSMON" resync --run-dir "$DIR/run" >/dev/null
	timeout 1 "$NETNSMON" watch --run-dir "$DIR/run" >/dev/null || true
	barrier_after_loss
	sleep 2.5
	is_silent || is_silent
	[ "$(find "/proc/$MONITOR/fd" | wc -l)" -eq "$descriptors" ]
	assert_small
	finish
}

@test "without a free descriptor: nobody is served, the monitor goes on, and later they are" {
	start_monitor
	start_client crowd 20
	# As many as it has now, and two for the next call's pipes.
	used=$(find "/proc/$MONITOR/fd" -mindepth 1 | wc -l)
	prlimit --pid "$MONITOR" --nofile="$used:"
	"$here/varlink" "$(monitor_socket)" call '{"method":"org.netnsmon.Monitor.Summary"}' >"$DIR/replies"
	[ -s "$DIR/replies" ]
	end_client
	prlimit --pid "$MONITOR" --nofile=1024:
	"$NETNSMON" status --run-dir "$DIR/run" >/dev/null
	finish
}

@test "a socket that cannot be made: the monitor does without" {
	mkdir -m 700 "$DIR/run"
	inode=$(stat -L -c '%d-%i' "/run/netns/$NS")
	mkdir "$DIR/run/netns-$inode.sock"
	start_monitor
	grep -q 'cannot be asked for its status' "$DIR/log"
	assert_calls_go_on eth1
	finish
}
