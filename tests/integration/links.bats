#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# links.bats - interfaces that appear, change and go

load helpers

setup() { setup_netns; }
teardown() { teardown_netns; }

# As Docker and CNI do it: made elsewhere, moved in, renamed, addressed, up.
docker_like() {
	P link add "veth$1" type veth peer name "pveth$1"
	P link set "pveth$1" up
	P link set "veth$1" netns "$NS"
	T link set "veth$1" name "eth$1"
	T link set "eth$1" address "02:42:0a:d5:00:0$1"
	T addr add "10.213.$1.2/24" dev "eth$1"
	T link set "eth$1" up
}

@test "a docker-like connect is one add with the final name, MAC, MTU and addresses" {
	start_monitor
	docker_like 1
	wait_calls 1 '.verb == "add-network"'
	barrier
	[ "$(summary)" = "add-network:eth1" ]
	assert_calls 'first | .data | .HwAddr == "02:42:0a:d5:00:01" and .Mtu == 1500 and .LinkType == "veth" and .Device == "eth1"
		and .IPAddresses == [{Family: 2, Address: "10.213.1.2", Mask: "24"}]'
	assert_calls 'first | .argv == ["add-network", "sandbox1", "-"]'
	finish
}

@test "a disconnect, renamed on its way out, is one removal with the applied name" {
	start_monitor
	docker_like 1
	wait_calls 1 '.verb == "add-network"'
	printf '%s\n' 'link set eth1 down' 'link set eth1 name vethx' | T -batch -
	T link set vethx netns "$PEER"
	wait_calls 1 '.verb == "del-network"'
	barrier_after_loss
	[ "$(summary)" = "add-network:eth1 del-network:eth1" ]
	assert_calls 'map(select(.verb == "del-network")) | first | .data.HwAddr == "02:42:0a:d5:00:01" and (.data.IPAddresses | length) == 1'
	finish
}

@test "two interfaces at once are one add each" {
	start_monitor
	docker_like 1
	docker_like 2
	wait_calls 2 '.verb == "add-network"'
	barrier
	[ "$(acknowledged | wc -l)" -eq 2 ]
	finish
}

@test "present at start and up: known, nothing is said" {
	mk eth0
	T addr add 10.1.0.2/24 dev eth0
	start_monitor
	barrier
	[ "$(calls | wc -l)" -eq 0 ]
	T link del eth0
	wait_calls 1 '.verb == "del-network"'
	finish
}

@test "present at start but down: added when it comes up" {
	T link add eth0 type veth peer name peth0 netns "$PEER"
	P link set peth0 up
	start_monitor
	barrier
	[ "$(calls | wc -l)" -eq 0 ]
	T link set eth0 up
	wait_calls 1 '.verb == "add-network"'
	finish
}

@test "--baseline none plugs what is there at start" {
	mk eth0
	T addr add 10.1.0.2/24 dev eth0
	T route add default via 10.1.0.1
	BASELINE=none
	start_monitor
	wait_calls 1 '.verb == "update-route"'
	barrier
	[ "$(summary)" = "add-network:eth0 update-route" ]
	finish
}

@test "MTU, MAC and name that change later are one update each" {
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	T link set eth1 mtu 1400
	wait_calls 1 '.verb == "update-network" and .data.Mtu == 1400'
	T link set eth1 address 02:00:00:00:00:42
	wait_calls 1 '.verb == "update-network" and .data.HwAddr == "02:00:00:00:00:42"'
	T link set eth1 name lan0
	wait_calls 1 '.verb == "update-network" and .data.Name == "lan0" and .data.PreviousName == "eth1"'
	barrier
	[ "$(acknowledged | wc -l)" -eq 4 ]
	finish
}

@test "two names are swapped: two updates, no removal, routes with the new names (B1)" {
	mk eth1
	mk eth2
	T addr add 10.1.0.2/24 dev eth1
	T addr add 10.2.0.2/24 dev eth2
	start_monitor
	T route add 10.66.0.0/16 via 10.1.0.1
	wait_calls 1 '.verb == "update-route"'
	printf '%s\n' 'link set eth1 down' 'link set eth2 down' 'link set eth1 name tmp' 'link set eth2 name eth1' \
		'link set tmp name eth2' 'link set eth1 up' 'link set eth2 up' 'route add 10.66.0.0/16 via 10.1.0.1' |
		T -batch -
	wait_calls 2 '.verb == "update-route"'
	barrier_after_loss
	[ "$(summary)" = "update-route update-network:eth2 update-network:eth1 update-route" ]
	assert_calls '[.[] | select(.verb == "update-network") | .data.PreviousName] == ["eth1", "eth2"]'
	assert_calls '[.[] | select(.verb == "update-route") | .data[0].Device] == ["eth1", "eth2"]'
	finish
}

@test "renamed by someone inside, then removed: the removal has the new name (B2)" {
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	T link set eth1 name lan0
	wait_calls 1 '.verb == "update-network"'
	T link del lan0
	wait_calls 1 '.verb == "del-network" and .data.Name == "lan0"'
	finish
}

@test "moved out with addresses and a route: one removal as last acknowledged, then the routes (B4)" {
	start_monitor
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T addr add 2001:db8:1::2/64 dev eth1 nodad
	T route add 10.9.0.0/16 via 10.1.0.1
	wait_calls 1 '.verb == "update-route"'
	wait_for "$BOUND" is_view_equal
	before=$(acknowledged | wc -l)
	T link set eth1 netns "$PEER"
	wait_calls 1 '.verb == "del-network"'
	barrier_after_loss
	[ "$(acknowledged | tail -n "+$((before + 1))" | jq -r .verb | paste -sd' ')" = "del-network update-route" ]
	assert_calls 'map(select(.verb == "del-network")) | first | .data.IPAddresses | length == 2'
	finish
}

@test "nothing there yet, and a tun device that is down: ready, no request, no warning (B5)" {
	T tuntap add mode tun name tunl0
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	barrier
	[ "$(summary)" = "add-network:eth1" ]
	refute grep -E 'level=(warning|error)' "$DIR/log"
	finish
}

@test "deleted and made again under its name within one settle: a removal and an addition" {
	mk eth1
	start_monitor --quiet 400 --max-wait 4000
	printf '%s\n' 'link del eth1' "link add eth1 type veth peer name peth1 netns $PEER" 'link set eth1 up' | T -batch -
	P link set peth1 up
	wait_calls 1 '.verb == "add-network"'
	barrier_after_loss
	[ "$(summary)" = "del-network:eth1 add-network:eth1" ]
	finish
}

@test "deleted and made again with the same name, index and MAC within one settle: a removal and an addition" {
	T link add eth1 index 77 address 02:00:00:00:00:01 type veth peer name peth1 netns "$PEER"
	P link set peth1 up
	T link set eth1 up
	T addr add 10.1.0.2/24 dev eth1
	T route add 10.9.0.0/16 via 10.1.0.1
	start_monitor --quiet 400 --max-wait 4000
	printf '%s\n' 'link del eth1' "link add eth1 index 77 address 02:00:00:00:00:01 type veth peer name peth1 netns $PEER" \
		'link set eth1 up' 'addr add 10.1.0.2/24 dev eth1' "netns set $NS 0" | T -force -batch - || true
	P link set peth1 up
	T route add 10.9.0.0/16 via 10.1.0.1
	wait_calls 1 '.verb == "add-network"'
	barrier_after_loss
	[ "$(summary)" = "del-network:eth1 add-network:eth1 update-route" ]
	finish
}

@test "gone again before it settled: no request at all" {
	start_monitor --quiet 400 --max-wait 4000
	mk eth1
	T link del eth1
	barrier_after_loss
	[ "$(calls | wc -l)" -eq 0 ]
	finish
}

@test "an interface without address is plugged all the same" {
	start_monitor
	mk_bare eth1
	T link set eth1 up
	wait_calls 1 '.verb == "add-network" and .data.IPAddresses == []'
	finish
}

@test "names that are ignored, not asked for, or the runtime's own are left alone" {
	start_monitor --ignore 'dum*' --ignore x1 --only 'eth*' --only mark0 --only x1
	mk dum0
	mk x1
	mk other0
	mk tap0_kata
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	barrier
	[ "$(summary)" = "add-network:eth1" ]
	validate_calls
	stop_monitor
}

@test "ports of a bridge are not plugged, the bridge is; joining one later unplugs nothing" {
	start_monitor
	T link add br0 type bridge
	T link add port1 type veth peer name pport1 netns "$PEER"
	T link set port1 master br0
	P link set pport1 up
	T link set port1 up
	T link set br0 up
	wait_calls 1 '.verb == "add-network" and .data.Name == "br0"'
	mk eth1
	wait_calls 1 '.verb == "add-network" and .data.Name == "eth1"'
	T link set eth1 master br0
	T link set eth1 nomaster
	barrier_after_loss
	[ "$(calls | jq -r 'select(.verb == "del-network").verb')" = "" ]
	[ "$(calls | jq -r 'select(.data.Name == "port1").verb')" = "" ]
	stop_monitor
}

@test "down and up, and a carrier that is lost and comes back, unplug nothing (B12)" {
	mk_bare eth1
	T link set eth1 up
	T addr add 10.1.0.2/24 dev eth1
	T addr add 2001:db8:1::2/64 dev eth1 nodad
	T route add 10.9.0.0/16 via 10.1.0.1
	T route add 2001:db8:9::/48 via 2001:db8:1::1
	start_monitor
	P link set peth1 down
	wait_for "$BOUND" sh -c "ip -n $NS -6 route | grep -q linkdown"
	barrier_after_loss
	P link set peth1 up
	barrier_after_loss
	[ "$(calls | wc -l)" -eq 0 ]
	T link set eth1 down
	T link set eth1 up
	barrier_after_loss
	[ "$(calls | jq -r 'select(.verb == "del-network").verb')" = "" ]
	finish
}

@test "a new link under the name of one whose removal fails waits for that (B27)" {
	start_monitor
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	echo '3 1 busy' >"$DIR/rt/fail-del-network"
	T link del eth1
	T link add eth1 address 02:00:00:00:00:99 type veth peer name peth1 netns "$PEER"
	P link set peth1 up
	T link set eth1 up
	mk eth2
	wait_calls 2 '.verb == "add-network" and .data.Name == "eth1"'
	assert_calls '[.[] | select(.verb == "del-network")] | length == 4 and (map(.data.HwAddr) | unique | length) == 1'
	[ "$(summary)" = "add-network:eth1 add-network:eth2 del-network:eth1 add-network:eth1" ]
	assert_calls 'last | .verb == "add-network" and .data.HwAddr == "02:00:00:00:00:99"'
	finish
}
