#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# chain.bats - from docker network connect to a ping inside the guest: Docker, kernel, monitor, runtime, QEMU, guest

load ../integration/helpers
load ../integration/docker
load vm

setup_file() { start_docker; }
teardown_file() { stop_docker; }

setup() {
	VM=''
	setup_container
	make_runtime
}

teardown() {
	kill_vm
	teardown_container
}

# The VM was started with no NIC at all, so that it gets eth0 too.
start_chain() {
	start_vm "$@"
	BASELINE=none
	start_monitor --ignore 'mark*'
	wait_for "$BOUND" guest_is_like_docker eth0 net-m
}

# The bridge of net-N, which is what the guest shall reach, has these addresses.
make_network() {
	D network create --subnet "10.213.$1.0/24" --ipv6 --subnet "fd00:213:$1::/64" "${@:2}" "net-$1"
}

tap_is_gone() {
	refute T link show "$1"
}

tap_of() {
	printf 'nm%x_kata' "$(T -j link show "$1" | jq '.[0].ifindex')"
}

# The container's interface on a network.
name_of() {
	T -j link show | jq -r --arg mac "$(inspect "$1" | jq -r .HwAddr)" '.[] | select(.address == $mac).ifname'
}

packets_through() {
	T -j -s link show "$1" | jq '.[0].stats64.rx.packets'
}

@test "a network is connected: the guest has the NIC, pings both ways of IP go through it; disconnected: all is gone" {
	start_chain
	make_network 1
	D network connect net-1 box
	wait_for "$BOUND" guest_is_like_docker eth1 net-1
	tap=$(tap_of eth1)
	before=$(packets_through "$tap")
	guest 'ping -c 3 -W 5 10.213.1.1'
	guest 'ping -6 -c 3 -W 5 fd00:213:1::1'
	[ $(($(packets_through "$tap") - before)) -ge 6 ]
	# And from outside to the guest: the namespace itself no longer answers.
	ip netns exec "$DOCKER_ID" busybox ping -c 3 -W 5 "$(inspect net-1 | jq -r '.IPAddresses[0].Address')"
	D network disconnect net-1 box
	wait_for "$BOUND" guest_lacks eth1
	wait_for "$BOUND" tap_is_gone "$tap"
	guest_is_like_docker eth0 net-m
	finish
}

@test "routes, a second address, MTU and name in the namespace are the guest's too" {
	start_chain
	wait_for "$BOUND" guest_has_route 'default via 10.213.0.1 dev eth0'
	make_network 1 --internal
	D network connect net-1 box
	wait_for "$BOUND" guest_is_like_docker eth1 net-1
	T route replace default via 10.213.1.1 dev eth1
	wait_for "$BOUND" guest_has_route 'default via 10.213.1.1 dev eth1'
	guest_lacks_route 'default via 10.213.0.1'
	T route add 10.99.0.0/16 via 10.213.1.77 metric 9
	T route add fd99::/64 via fd00:213:1::77
	wait_for "$BOUND" guest_has_route '10.99.0.0/16 via 10.213.1.77 dev eth1 .*metric 9'
	wait_for "$BOUND" guest_has_route 'fd99::/64 via fd00:213:1::77 dev eth1'
	T addr add 10.213.1.200/24 dev eth1
	T addr add fd00:213:1::200/64 dev eth1 nodad
	wait_for "$BOUND" guest_has eth1 '[.addr_info[].local] | contains(["10.213.1.200", "fd00:213:1::200"])'
	T link set eth1 mtu 1400
	wait_for "$BOUND" guest_has eth1 '.mtu == 1400'
	T addr del 10.213.1.200/24 dev eth1
	wait_for "$BOUND" guest_has eth1 '[.addr_info[].local] | index("10.213.1.200") == null'
	# The routes of before have survived all of that.
	wait_for "$BOUND" guest_has_route '10.99.0.0/16 via 10.213.1.77 dev eth1'
	T link set eth1 name lan0
	wait_for "$BOUND" guest_has lan0 '[.addr_info[].local] | contains(["fd00:213:1::200"])'
	wait_for "$BOUND" guest_has_route '10.99.0.0/16 via 10.213.1.77 dev lan0'
	wait_for "$BOUND" guest_has_route 'fd99::/64 via fd00:213:1::77 dev lan0'
	finish
}

@test "ten connects and disconnects in a row" {
	start_chain
	make_network 1
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		D network connect net-1 box
		# Docker does not use a number again at once.
		name=$(name_of net-1)
		wait_for "$BOUND" guest_is_like_docker "$name" net-1
		D network disconnect net-1 box
		wait_for "$BOUND" guest_lacks "$name"
	done
	# And as fast as Docker can.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		D network connect net-1 box
		D network disconnect net-1 box
	done
	D network connect net-1 box
	wait_for "$BOUND" guest_is_like_docker "$(name_of net-1)" net-1
	guest 'ping -c 3 -W 5 10.213.1.1'
	wait_for "$BOUND" is_view_equal
	[ "$(Q list | wc -l)" -eq 2 ]
	[ "$(taps | wc -l)" -eq 2 ]
	finish
}

@test "QEMU is killed in the middle of an add: the monitor goes on, and the next VM gets the NIC" {
	# Without a driver the guest never shows the NIC, so that the add is in its middle for sure.
	APPEND=guest.net=none start_vm
	BASELINE=none
	start_monitor --ignore 'mark*'
	tap=$(tap_of eth0)
	wait_for "$BOUND" T link show "$tap"
	wait_for "$BOUND" guest 'grep -q 0x0200 /sys/bus/pci/devices/*/class'
	kill_vm
	wait_for "$BOUND" tap_is_gone "$tap"
	wait_for "$BOUND" grep -q 'has it ended?' "$DIR/log"
	[ -z "$(leftovers)" ]
	start_vm
	wait_for "$BOUND" guest_is_like_docker eth0 net-m
	guest 'ping -c 3 -W 5 10.213.0.1'
	wait_for "$BOUND" guest_has_route 'default via 10.213.0.1'
	finish
}

# Holds the QMP socket until its input ends.
hold_qmp() {
	coproc HOLDER { exec /usr/bin/python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.recv(1); print("held", flush=True); sys.stdin.read()' \
		"$DIR/qmp" 3>&-; }
	read -r -t "$BOUND" _ <&"${HOLDER[0]}"
}

@test "the QMP socket is busy, then gone: clear errors, and the NIC when it is there again" {
	start_chain
	make_network 1
	hold_qmp
	D network connect net-1 box
	wait_for "$BOUND" grep -q 'the QMP socket is busy' "$DIR/log"
	holder=$HOLDER_PID
	kill "$holder"
	wait "$holder" || true
	wait_for "$BOUND" guest_is_like_docker eth1 net-1
	mv "$DIR/qmp" "$DIR/qmp.away"
	D network disconnect net-1 box
	wait_for "$BOUND" grep -q "QMP socket $DIR/qmp: No such file or directory" "$DIR/log"
	mv "$DIR/qmp.away" "$DIR/qmp"
	wait_for "$BOUND" guest_lacks eth1
	wait_for "$BOUND" is_view_equal
	[ "$(Q list | wc -l)" -eq 1 ]
	finish
}

@test "no PCI slot is left: a clear error, all else goes on, and a slot that gets free is used" {
	MACHINE=q35
	start_chain -device pcie-root-port,id=rp1,chassis=1,slot=1 -device pcie-root-port,id=rp2,chassis=2,slot=2
	make_network 1
	make_network 2
	D network connect net-1 box
	wait_for "$BOUND" guest_is_like_docker eth1 net-1
	D network connect net-2 box
	wait_for "$BOUND" grep -q 'no free PCI slot' "$DIR/log"
	T addr add 10.213.1.201/24 dev eth1
	wait_for "$BOUND" guest_has eth1 '[.addr_info[].local] | contains(["10.213.1.201"])'
	guest_lacks eth2
	tap_is_gone "$(tap_of eth2)"
	D network disconnect net-1 box
	wait_for "$BOUND" guest_is_like_docker eth2 net-2
	guest_lacks eth1
	guest 'ping -c 3 -W 5 10.213.2.1'
	wait_for "$BOUND" is_view_equal
	stop_monitor
}
