#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# overflow.bats - lost events, dumps that are interrupted or cut: the end is exact all the same

load helpers

setup() {
	setup_netns
	TRACER='' CHURN=''
	mk_bare eth1
	T link set eth1 up
	T addr add 10.1.0.2/24 dev eth1
	T addr add 2001:db8:1::2/64 dev eth1 nodad
}
teardown() {
	[ -z "$CHURN" ] || kill "$CHURN" || true
	[ -z "$TRACER" ] || kill "$TRACER" || true
	teardown_netns
}

log_has() { grep -qE "$1" "$DIR/log"; }

# The warnings of lost events.
count_lost() { grep -c 'level=warning.*events were lost' "$DIR/log" || true; }

# 2 * $1 changes of routes in 10.$2.0.0/16, of which the 100 last ones stay. (bats makes loops of the shell slow.)
storm() {
	awk -v count="$1" -v net="10.$2" '
		function dest(i) { return net "." int(i / 250) "." i % 250 "/32" }
		BEGIN {
			for (i = 0; i < count; i++) {
				print "route replace", dest(i), "via 10.1.0.1"
				if (i >= 100)
					print "route del", dest(i - 100)
			}
		}' | T -batch -
}

# How many datagrams the monitor's event socket has lost. (The one for dumps has joined no groups.)
dropped() {
	awk 'NR > 1 && $4 != "00000000" && $2 == 0 { sum += $9 } END { print sum + 0 }' "/proc/$MONITOR/net/netlink"
}

# Runs COMMAND... while the monitor sleeps, and makes sure that it has lost events by that.
overflow() {
	local before
	before=$(dropped)
	kill -STOP "$MONITOR"
	"$@"
	storm 500 200
	[ "$(dropped)" -gt "$before" ]
	kill -CONT "$MONITOR"
}

# trace CALLS [OPTION...]: traces these system calls of the monitor into DIR/trace.
trace() {
	local calls=$1
	shift
	strace -qq -s 64 -e trace="$calls" -e signal=none "$@" -o "$DIR/trace" -p "$MONITOR" 2>"$DIR/strace" 3>&- &
	TRACER=$!
	wait_for "$BOUND" grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$MONITOR/status"
}

end_trace() {
	kill "$TRACER"
	wait "$TRACER" || true
	TRACER=''
}

# strace does not know the protocol of a socket in another namespace, and then shows numbers.
DUMP='nlmsg_flags=NLM_F_REQUEST.(NLM_F_DUMP|0x300)'
LINK_DUMP="nlmsg_type=(RTM_GETLINK|0x12)[^=]*$DUMP"

count_traced() { grep -cE "$1" "$DIR/trace" || true; }

# The time that the monitor has been running on a core, in ns.
cpu_ns() { cut -d' ' -f1 "/proc/$MONITOR/schedstat"; }

many_changes() {
	storm 5000 201
	mk eth2
	T addr add 10.2.0.2/24 dev eth2
	T addr add 2001:db8:1::3/64 dev eth1 nodad
	T addr del 2001:db8:1::2/64 dev eth1
	T link set eth1 mtu 1400
	T link del eth0
	storm 5000 202
}

@test "20,000 changes into the smallest buffer: said once, exact, few calls, then at rest (B17)" {
	mk eth0
	start_monitor --receive-buffer 4096
	overflow many_changes
	wait_calls 1 '.data.Name? == "eth2"'
	barrier_after_loss
	[ "$(count_lost)" -eq 1 ]
	assert_calls 'map(select(.verb == "update-route")) | length >= 1 and length <= 4'
	assert_calls 'map(select(.data.Name? == "eth0").verb) == ["del-network"]'
	assert_calls 'map(select(.data.Name? == "eth2").verb) | .[0] == "add-network" and length <= 2'
	assert_view
	before=$(cpu_ns)
	sleep 5
	[ $(($(cpu_ns) - before)) -lt 10000000 ]
	# A second one is handled just so; the warning of it may wait a minute.
	overflow storm 5000 203
	barrier_after_loss
	[ "$(count_lost)" -le 2 ]
	finish
}

recreate_same_name() {
	old=$(T -j link show eth1 | jq -r '.[0].address')
	T link del eth1
	mk eth1
}

recreate_same_index() {
	local index
	index=$(T -j link show eth1 | jq '.[0].ifindex')
	T link del eth1
	T link add eth1 index "$index" address 02:00:00:00:00:77 type veth peer name peth1 netns "$PEER"
	P link set peth1 up
	T link set eth1 up
}

# Runs COMMAND... while the monitor does not read; unlike overflow it needs no eth1.
lose_events() {
	local before
	before=$(dropped)
	seq 1 200 | sed 's|.*|route replace 10.210.0.&/32 dev mark0|' | T -batch -
	"$@"
	[ "$(dropped)" -gt "$before" ]
}

lose_events_stopped() {
	kill -STOP "$MONITOR"
	lose_events "$@"
	kill -CONT "$MONITOR"
}

@test "deleted and made again under the same name while events are lost: removed and added" {
	start_monitor --receive-buffer 4096
	old=$(T -j link show eth1 | jq -r '.[0].address')
	lose_events_stopped recreate_same_name
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth1"'
	barrier_after_loss
	[ "$(summary | sed 's/ update-route//g; s/update-route //g')" = "del-network:eth1 add-network:eth1" ]
	assert_calls "first | .verb == \"del-network\" and .data.HwAddr == \"$old\""
	assert_calls "map(select(.verb == \"add-network\")) | first.data.HwAddr != \"$old\""
	finish
}

@test "the same with the same index and another MAC" {
	start_monitor --receive-buffer 4096
	lose_events_stopped recreate_same_index
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth1"'
	barrier_after_loss
	[ "$(summary | sed 's/ update-route//g; s/update-route //g')" = "del-network:eth1 add-network:eth1" ]
	assert_calls 'first.data.HwAddr != "02:00:00:00:00:77"'
	assert_calls 'map(select(.verb == "add-network")) | first.data.HwAddr == "02:00:00:00:00:77"'
	assert_calls '(map(.data.Index? // empty) | unique | length) == 1'
	finish
}

@test "the same while the dumps run: the loss is found after the snapshot, and still counts" {
	start_monitor --receive-buffer 4096
	barrier
	# The request for the addresses, after that for the links, takes its time.
	trace sendto -e inject=sendto:delay_enter=3000000:when=2
	T addr add 10.1.0.3/24 dev eth1
	wait_for "$BOUND" grep -qE "$LINK_DUMP" "$DIR/trace"
	lose_events recreate_same_index
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth1"'
	end_trace
	barrier_after_loss
	assert_calls 'map(select(.verb == "del-network").data.HwAddr != "02:00:00:00:00:77") == [true]'
	assert_calls 'map(select(.verb == "add-network").data.HwAddr) == ["02:00:00:00:00:77"]'
	assert_calls 'all(.[]; .verb != "update-network" or .data.Name != "eth1" or .data.HwAddr != "02:00:00:00:00:77")'
	finish
}

@test "many overflows lead to a bounded number of dumps" {
	start_monitor --receive-buffer 4096 --quiet 1000 --max-wait 10000
	trace sendto,recvmsg
	began=$SECONDS
	for i in $(seq 1 30); do
		overflow true
		enough() { [ "$(count_traced 'recvmsg.*ENOBUFS')" -ge "$i" ]; }
		wait_for "$BOUND" enough
	done
	elapsed=$((SECONDS - began + 1))
	barrier_after_loss
	end_trace
	dumps=$(count_traced "sendto.*$LINK_DUMP")
	echo "$(count_traced 'recvmsg.*ENOBUFS') overflows in $elapsed s, $dumps dumps"
	[ "$dumps" -ge 1 ]
	# One for each second of quiet, another for the look after a loss; two barriers of two changes each.
	[ "$dumps" -le $((2 * elapsed + 12)) ]
	finish
}

# Links, and routes of a range of their own, come and go until the process is ended.
churn() {
	exec 3>&-
	trap 'kill $!' TERM
	{
		seq 1 6 | sed "s|.*|link add churn& type veth peer name pchurn& netns $PEER|"
		seq 1 1000 | sed 's|.*|route replace 10.220.0.0/16 via 10.1.0.1 metric &|'
		seq 1 6 | sed 's|.*|link del churn&|'
		seq 1 1000 | sed 's|.*|route del 10.220.0.0/16 metric &|'
	} >"$DIR/churn"
	while :; do
		ip -n "$NS" -force -batch "$DIR/churn" >"$DIR/churn.out" 2>&1 &
		wait $! || break
	done
}

# A link dump that is followed by another one was interrupted.
count_interrupted() {
	grep -E "$DUMP" "$DIR/trace" |
		awk -v link="$LINK_DUMP" '$0 ~ link { if (last) n++; last = 1; next } { last = 0 } END { print n + 0 }'
}

interrupted_enough() { [ "$(count_interrupted)" -ge 3 ]; }

@test "dumps that are interrupted all the time: nothing stable is ever withdrawn, and the end is exact (B18)" {
	seq 1 60 | sed "s|.*|link add s& type veth peer name ps& netns $PEER|" | T -batch -
	seq 1 100 | sed 's|.*|route add 10.50.&.0/24 via 10.1.0.1|' | T -batch -
	T -6 route add 2001:db8:50::/48 via 2001:db8:1::1
	start_monitor --receive-buffer 4096
	# Some requests take longer: the first part of the answer is of then, the second of 30 ms later.
	trace sendto -e inject=sendto:delay_exit=30000:when=1+4
	churn &
	CHURN=$!
	i=0
	until interrupted_enough && has_calls 2 '.verb == "update-route"' && [ $i -ge 5 ]; do
		i=$((i + 1))
		T addr replace "10.1.0.$((10 + i))/24" dev eth1
		[ $i -lt $((2 * BOUND)) ]
		sleep 0.5
	done
	kill "$CHURN"
	wait "$CHURN" || true
	CHURN=''
	end_trace
	grep -E '^route del' "$DIR/churn" | ip -n "$NS" -force -batch - 2>/dev/null || true
	barrier_after_loss
	assert_calls 'all(.[]; .verb != "del-network" or (.data.Name | startswith("churn")))'
	assert_calls 'map(select(.verb == "update-route").data | map(.Dest) | map(select(startswith("10.50."))) | length) |
		all(.[]; . == 100)'
	assert_calls 'map(select(.verb == "update-route").data | map(.Dest) | index("2001:db8:50::/48")) | all(.[]; . != null)'
	finish
}

@test "a route too large for a dump: one line, nothing is withdrawn, and all is well when it goes" {
	for i in 40 45 60 65; do T route add 10.$i.0.0/16 via 10.1.0.1; done
	T -6 route add 2001:db8:60::/48 via 2001:db8:1::1
	start_monitor
	ip netns exec "$NS" "$here/oversized-route" 10.50.0.0/16 10.1.0.1 eth1 3000
	barrier
	# The dump ends there, as if it were complete.
	[ -z "$(T route show 10.60.0.0/16)" ]
	mk_bare eth2
	T link set eth2 up
	T addr add 10.2.0.2/24 dev eth2
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth2"'
	T route add 10.30.0.0/16 via 10.1.0.1
	wait_calls 1 '.verb == "update-route" and (.data | map(.Dest) | index("10.30.0.0/16"))'
	# What is deleted now and what lies behind the large one cannot be told, and waits.
	T route del 10.40.0.0/16
	T route add 10.70.0.0/16 via 10.1.0.1
	barrier_after_loss
	assert_calls 'map(select(.verb == "update-route").data | map(.Dest)) |
		all(.[]; contains(["10.40.0.0/16", "10.45.0.0/16", "10.60.0.0/16", "10.65.0.0/16", "2001:db8:60::/48"]))'
	[ "$(grep -c 'level=warning.*10\.50\.0\.0/16 has too many next hops' "$DIR/log")" -eq 1 ]
	T route del 10.50.0.0/16
	wait_calls 1 '.verb == "update-route" and (.data | map(.Dest) |
		index("10.70.0.0/16") and index("10.60.0.0/16") and (index("10.40.0.0/16") | not))'
	[ "$(grep -c 'too many next hops' "$DIR/log")" -le 2 ]
	finish
}
