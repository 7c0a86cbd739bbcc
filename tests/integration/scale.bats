#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# scale.bats - many interfaces and routes at once, and more of them than the limits allow

load helpers

setup() { setup_netns; }
teardown() { teardown_netns; }

LINKS=100
ROUTES=1000

# for_each FIRST LAST FORMAT: FORMAT once for each number, which stands for each % in it.
for_each() {
	local i
	for ((i = $1; i <= $2; i++)); do
		echo "${3//%/$i}"
	done
}

# Routes, spread over the interfaces.
many_routes() {
	local i
	for ((i = 0; i < ROUTES; i++)); do
		echo "route add 10.$((64 + i / 256)).$((i % 256)).0/24 via 10.213.$((i % LINKS + 1)).1"
	done
}

# Made outside, moved in, addressed and up, as Docker does it, and then routes over them.
plug_all() {
	for_each 1 $LINKS $'link add e% type veth peer name pe%\nlink set pe% up' | P -batch -
	for_each 1 $LINKS "link set e% netns $NS" | P -batch -
	{
		for_each 1 $LINKS $'addr add 10.213.%.2/24 dev e%\nlink set e% up'
		many_routes
	} | T -batch -
}

# Each interface was in exactly one acknowledged request with the verb $1.
assert_one_each() {
	assert_calls "map(select(.status == 0 and .verb == \"$1\") | .data.Name) | sort ==
		([range(1; $LINKS + 1) | \"e\(.)\"] | sort)"
}

# Half of them are deleted, half moved out.
unplug_all() {
	{
		for_each 1 $((LINKS / 2)) 'link del e%'
		for_each $((LINKS / 2 + 1)) $LINKS "link set e% netns $PEER"
	} | T -batch -
}

# The last list of routes has so many.
last_list_has() {
	calls | jq -se --argjson count "$1" 'map(select(.verb == "update-route")) | last | . != null and (.data | length) == $count'
}

# Nothing is read while the change is made, and little of it fits into the buffer.
unheard() {
	kill -STOP "$MONITOR"
	"$@"
	kill -CONT "$MONITOR"
}

log_has() { grep -qE "$1" "$DIR/log"; }

# log_has_times N PATTERN: exactly so many lines.
log_has_times() { [ "$(grep -cE "$2" "$DIR/log")" -eq "$1" ]; }

@test "$LINKS interfaces and $ROUTES routes at once: one add each, few lists of routes; then all go at once" {
	start_monitor
	plug_all
	wait_for "$BOUND" last_list_has $ROUTES
	barrier
	assert_one_each add-network
	[ "$(count_calls '.verb == "update-route"')" -le 20 ]
	assert_view
	unplug_all
	wait_calls $LINKS '.verb == "del-network"'
	wait_for "$BOUND" last_list_has 0
	barrier_after_loss
	assert_one_each add-network
	assert_one_each del-network
	[ "$(count_calls '.verb == "update-network"')" -eq 0 ]
	[ "$(count_calls '.verb == "update-route"')" -le 40 ]
	finish
}

@test "the same when nearly all events are lost" {
	start_monitor --receive-buffer 4096
	unheard plug_all
	wait_for "$BOUND" last_list_has $ROUTES
	wait_for "$BOUND" log_has 'events were lost'
	barrier
	assert_one_each add-network
	assert_view
	unheard unplug_all
	wait_calls $LINKS '.verb == "del-network"'
	wait_for "$BOUND" last_list_has 0
	barrier_after_loss
	assert_one_each add-network
	assert_one_each del-network
	[ "$(count_calls '.verb == "update-route"')" -le 40 ]
	finish
}

TOO_MANY_ROUTES='level=warning msg="more than 50 routes or addresses, or 200 next hops: no routes are sent; see --max-routes"'
ROUTES_FIT='level=info msg="no more than 50 routes or addresses again: all are handled"'

@test "over --max-routes nothing is said of routes but one warning, and all else goes on; below, all are sent" {
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	start_monitor --max-routes 50
	for_each 1 30 'route add 10.64.%.0/24 via 10.1.0.1' | T -batch -
	wait_for "$BOUND" last_list_has 30
	lists=$(count_calls '.verb == "update-route"')
	for_each 31 200 'route add 10.64.%.0/24 via 10.1.0.1' >"$DIR/batch"
	unheard T -batch "$DIR/batch"
	wait_for "$BOUND" log_has "$TOO_MANY_ROUTES"
	mk eth2
	T addr add 10.2.0.2/24 dev eth2
	wait_calls 1 '.verb == "add-network"'
	T route del 10.64.1.0/24
	barrier
	[ "$(count_calls '.verb == "update-route"')" -eq "$lists" ]
	assert_calls 'map(select(.verb == "add-network")) | length == 1'
	log_has_times 1 "$TOO_MANY_ROUTES"
	log_has_times 0 "$ROUTES_FIT"
	for_each 21 200 'route del 10.64.%.0/24' | T -batch -
	wait_for "$BOUND" last_list_has 19
	log_has_times 1 "$TOO_MANY_ROUTES"
	log_has_times 1 "$ROUTES_FIT"
	finish
}

@test "over --max-routes at start: nothing is known of routes, and when they fit all are sent" {
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	for_each 1 60 'route add 10.64.%.0/24 via 10.1.0.1' | T -batch -
	start_monitor --max-routes 50
	barrier
	log_has_times 1 "$TOO_MANY_ROUTES"
	[ "$(calls | wc -l)" -eq 0 ]
	for_each 31 60 'route del 10.64.%.0/24' | T -batch -
	wait_for "$BOUND" last_list_has 30
	log_has_times 1 "$ROUTES_FIT"
	finish
}

@test "more addresses than --max-routes: the guest keeps its own, and no routes are sent" {
	mk_bare eth1
	mk_bare eth2
	T link set eth1 up
	T link set eth2 up
	T addr add 10.1.0.2/24 dev eth1
	T addr add 10.2.0.2/24 dev eth2
	T addr add 2001:db8:1::2/64 dev eth2 nodad
	T route add 10.64.0.0/16 via 10.2.0.1
	start_monitor --max-routes 50
	for_each 3 100 'addr add 10.1.0.%/24 dev eth1' >"$DIR/batch"
	unheard T -batch "$DIR/batch"
	wait_for "$BOUND" log_has "$TOO_MANY_ROUTES"
	T route add 10.65.0.0/16 via 10.2.0.1
	mk eth3
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth3"'
	T link set eth2 mtu 1400
	wait_calls 1 '.verb == "update-network" and .data.Name == "eth2" and .data.Mtu == 1400'
	assert_calls 'all(.[] | select(.data.Name? == "eth2"); .data.IPAddresses | length == 2)'
	assert_calls 'all(.[]; .verb != "update-route")'
	for_each 11 100 'addr del 10.1.0.%/24 dev eth1' | T -batch -
	wait_for "$BOUND" is_view_equal
	log_has_times 1 "$TOO_MANY_ROUTES"
	log_has_times 1 "$ROUTES_FIT"
	assert_calls 'map(select(.data.Name? == "eth1")) | last.data.IPAddresses | length == 9'
	finish
}

TOO_MANY_LINKS='level=warning msg="more than 5 links: only those with the lowest indexes are handled; see --max-links"'
LINKS_FIT='level=info msg="no more than 5 links again: all are handled"'

@test "over --max-links the lowest indexes are handled, with one warning; below, all are" {
	start_monitor --max-links 5
	for i in 1 2 3 4 5; do
		mk "eth$i"
	done
	wait_calls 3 '.verb == "add-network"'
	wait_for "$BOUND" log_has "$TOO_MANY_LINKS"
	barrier
	# The loopback interface and the marker are two of the five.
	[ "$(summary)" = "add-network:eth1 add-network:eth2 add-network:eth3" ]
	T link del eth1
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth4"'
	barrier_after_loss
	log_has_times 0 "$LINKS_FIT"
	T link del eth3
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth5"'
	barrier_after_loss
	log_has_times 1 "$TOO_MANY_LINKS"
	log_has_times 1 "$LINKS_FIT"
	[ "$(summary | cut -d' ' -f4-)" = "del-network:eth1 add-network:eth4 del-network:eth3 add-network:eth5" ]
	finish
}

@test "an interface that lower indexes push over --max-links stays plugged, with its routes, until it goes" {
	for i in 1 2 3; do
		T link add "eth$i" index $((100 + i)) type veth peer name "peth$i" netns "$PEER"
		T link set "eth$i" addrgenmode none up
		P link set "peth$i" up
		T addr add "10.$i.0.2/24" dev "eth$i"
	done
	T route add 10.66.0.0/16 via 10.3.0.1
	start_monitor --max-links 5
	T link add eth0 index 50 type veth peer name peth0 netns "$PEER"
	P link set peth0 up
	T link set eth0 up
	wait_calls 1 '.verb == "add-network"'
	barrier_after_loss
	[ "$(summary)" = "add-network:eth0" ]
	log_has_times 1 "$TOO_MANY_LINKS"
	T route add 10.67.0.0/16 via 10.3.0.1
	wait_for "$BOUND" last_list_has 2
	T link del eth3
	wait_calls 1 '.verb == "del-network" and .data.Name == "eth3"'
	wait_for "$BOUND" last_list_has 0
	log_has_times 1 "$LINKS_FIT"
	finish
}

@test "what a dump over the limit leaves behind disturbs no other question" {
	mk eth1
	mk eth2
	T addr add 10.1.0.2/24 dev eth1
	start_monitor --max-routes 50
	stop_monitor
	# While nobody watches a link goes, and more routes come than are handled: it is asked for by its index.
	T link del eth2
	ip netns exec "$NS" sh -c 'echo 0 >/proc/sys/net/ipv4/nexthop_compat_mode'
	T nexthop add id 5 via 10.1.0.1 dev eth1
	T route add 10.50.0.0/16 nhid 5
	for_each 1 3000 'route add unicast 10.0.0.0/8 via 10.1.0.1 metric %' | T -batch -
	start_monitor --max-routes 50
	wait_calls 1 '.verb == "del-network" and .data.Name == "eth2"'
	mk eth3
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth3"'
	refute log_has 'cannot take a snapshot'
	assert_calls 'map(select(.verb == "update-route")) == []'
	validate_calls
	stop_monitor
}

@test "next hops are bounded too: a group that many routes share counts for each" {
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	ip netns exec "$NS" sh -c 'echo 0 >/proc/sys/net/ipv4/nexthop_compat_mode'
	for_each 1 30 'nexthop add id % via 10.1.0.% dev eth1' | T -batch -
	T nexthop add id 100 group "$(seq -s / 1 30)"
	start_monitor --max-routes 50
	for_each 1 5 'route add 10.64.%.0/24 nhid 100' | T -batch -
	wait_for "$BOUND" last_list_has 5
	for_each 6 10 'route add 10.64.%.0/24 nhid 100' | T -batch -
	wait_for "$BOUND" log_has "$TOO_MANY_ROUTES"
	for_each 6 10 'route del 10.64.%.0/24' | T -batch -
	wait_for "$BOUND" log_has "$ROUTES_FIT"
	# As ip(8) shows them, too.
	ip netns exec "$NS" sh -c 'echo 1 >/proc/sys/net/ipv4/nexthop_compat_mode'
	finish
}
