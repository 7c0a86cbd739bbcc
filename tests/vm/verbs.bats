#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# verbs.bats - netnsmon-qemu's verbs one by one: repeated, interrupted anywhere, with guests that lack something

load ../integration/helpers
load vm

setup() {
	VM=''
	setup_netns
	mk_bare eth1
	T addr add 10.214.1.2/24 dev eth1
	T addr add fd00:214:1::2/64 dev eth1 nodad
	T link set eth1 up
	P addr add 10.214.1.1/24 dev peth1
	P addr add fd00:214:1::1/64 dev peth1 nodad
	P link set peth1 addrgenmode none
	TAP=$(printf 'nm%x_kata' "$(T -j link show eth1 | jq '.[0].ifindex')")
}

teardown() {
	kill_vm
	teardown_netns
}

# fails PATTERN COMMAND...: with status 1 and one line on stderr, in which PATTERN is.
fails() {
	local pattern=$1 status=0
	shift
	"$@" >"$DIR/stdout" 2>"$DIR/stderr" || status=$?
	cat "$DIR/stderr"
	[ "$status" -eq 1 ] && [ "$(wc -l <"$DIR/stderr")" -eq 1 ] && grep -q "^netnsmon-qemu: .*$pattern" "$DIR/stderr"
}

guest_pings() {
	guest 'ping -c 2 -W 5 10.214.1.1 && ping -6 -c 2 -W 5 fd00:214:1::1'
}

is_set_up() {
	guest_has eth1 '[.addr_info[] | select(.scope == "global").local] == ["10.214.1.2", "fd00:214:1::2"]'
}

# Checksums and segments are left to the hardware, which is not there: both sides must be told so.
@test "TCP goes through in both directions, byte for byte" {
	start_vm
	said add-network eth1 | Q add-network -
	mkdir "$DIR/www"
	head -c 8388608 /dev/urandom >"$DIR/www/bytes"
	sum=$(md5sum <"$DIR/www/bytes")
	# Ends with the namespace, in teardown.
	ip netns exec "$PEER" busybox httpd -f -p 9999 -h "$DIR/www" 3>&- &
	wait_for "$BOUND" guest 'wget -q -O /run/bytes http://10.214.1.1:9999/bytes'
	[ "$(guest 'md5sum </run/bytes')" = "$sum" ]
	guest 'httpd -p 9999 -h /run'
	ip netns exec "$PEER" timeout "$BOUND" busybox wget -q -O "$DIR/back" http://10.214.1.2:9999/bytes
	[ "$(md5sum <"$DIR/back")" = "$sum" ]
}

@test "each verb twice, and what list says" {
	start_vm
	said add-network eth1 >"$DIR/eth1"
	[ -z "$(Q list)" ]
	Q del-network - <"$DIR/eth1"
	Q add-network - <"$DIR/eth1"
	is_set_up
	guest_pings
	Q list | jq -es --arg tap "$TAP" 'length == 1 and (.[0] | .GuestName == "eth1" and .Tap == $tap and
		.Name == "eth1" and (.Addresses | contains(["10.214.1.2/24", "fd00:214:1::2/64"])))'
	before=$(guest 'cat /sys/class/net/eth1/ifindex')
	filters=$(tc -n "$NS" filter show dev eth1 ingress)
	Q add-network - <"$DIR/eth1"
	[ "$(guest 'cat /sys/class/net/eth1/ifindex')" = "$before" ]
	[ "$(tc -n "$NS" filter show dev eth1 ingress)" = "$filters" ]
	T addr add 10.214.1.3/24 dev eth1
	for _ in 1 2; do
		said add-network eth1 | Q update-network -
		guest_has eth1 '[.addr_info[].local] | contains(["10.214.1.2", "10.214.1.3"])'
	done
	Q del-network - <"$DIR/eth1"
	guest_lacks eth1
	nothing_is_left
	Q del-network - <"$DIR/eth1"
	nothing_is_left
}

# How many system calls $1 a verb makes.
count_syscalls() {
	strace -f -e "trace=$1" -o "$DIR/trace" "$NETNSMON_QEMU" --config "$DIR/vm.conf" "$2" sandbox1 - <"$DIR/eth1"
	grep -c "$1(" "$DIR/trace"
}

# kill_at SYSCALL N VERB: the verb is killed before its Nth such system call; fails if it has not so many.
kill_at() {
	local status=0
	strace -e "trace=$1" -e "inject=$1:signal=KILL:when=$2" -o "$DIR/trace" \
		"$NETNSMON_QEMU" --config "$DIR/vm.conf" "$3" sandbox1 - <"$DIR/eth1" 2>/dev/null || status=$?
	[ "$status" -eq 137 ]
}

@test "killed at any step, a verb is repeated: all is there, and all is gone" {
	start_vm
	said add-network eth1 >"$DIR/eth1"
	for syscall in sendmsg sendto; do
		steps=$(count_syscalls "$syscall" add-network)
		Q del-network - <"$DIR/eth1"
		[ "$steps" -gt 5 ]
		for ((step = 1; step <= steps; step++)); do
			# Polling may have ended before this step.
			kill_at "$syscall" "$step" add-network 2>"$DIR/killed" || true
			if ((step % 2)); then
				Q add-network - <"$DIR/eth1"
				is_set_up
			fi
			kill_at "$syscall" $((step % 6 + 1)) del-network 2>"$DIR/killed" || true
			Q del-network - <"$DIR/eth1"
			nothing_is_left
		done
	done
	Q add-network - <"$DIR/eth1"
	guest_pings
}

@test "a failed add leaves nothing behind" {
	# The guest has no driver for the NIC yet.
	APPEND=guest.net=none start_vm
	said add-network eth1 >"$DIR/eth1"
	QEMU_OPTIONS='--timeout 4' fails 'the guest does not show the NIC for eth1' Q add-network - <"$DIR/eth1"
	nothing_is_left
	guest 'insmod /modules/virtio_net.ko'
	Q add-network - <"$DIR/eth1"
	guest_pings
	# An interface that is not there, one without a MAC, and one whose MAC the guest has already.
	fails 'has no interface 999' Q add-network - < <(jq -c '.Index = 999' "$DIR/eth1")
	fails 'no Ethernet address' Q add-network - < <(jq -c '.HwAddr = ""' "$DIR/eth1")
	fails 'this MAC already, for eth1' Q add-network - \
		< <(jq -c ".Index = $(T -j link show mark0 | jq '.[0].ifindex')" "$DIR/eth1")
	is_set_up
	[ "$(Q list | wc -l)" -eq 1 ]
	# The agent has stopped answering.
	Q del-network - <"$DIR/eth1"
	guest 'kill -STOP $(pidof qemu-ga)'
	QEMU_OPTIONS='--timeout 4' fails 'guest agent does not answer in time' Q add-network - <"$DIR/eth1"
	guest 'kill -CONT $(pidof qemu-ga)'
	Q add-network - <"$DIR/eth1"
	guest_pings
}

@test "a guest without agent gets the NIC with its MTU, and a warning, if that is enough" {
	APPEND=guest.agent=none start_vm
	T link set eth1 mtu 1400
	said add-network eth1 >"$DIR/eth1"
	QEMU_OPTIONS='--agent-wait 1' fails 'no agent has started' Q add-network - <"$DIR/eth1"
	nothing_is_left
	QEMU_OPTIONS='--agent-wait 1 --agent-required no' Q add-network - <"$DIR/eth1" 2>"$DIR/stderr"
	grep -q '^netnsmon-qemu: warning: no agent has started in the guest' "$DIR/stderr"
	[ "$(wc -l <"$DIR/stderr")" -eq 1 ]
	mac=$(jq -r .HwAddr "$DIR/eth1")
	wait_for "$BOUND" guest "grep $mac /sys/class/net/*/address"
	guest 'ip link set eth0 up; ip addr add 10.214.1.2/24 dev eth0; sleep 0.2; ping -c 2 -W 5 10.214.1.1'
	guest_has eth0 '.mtu == 1400'
	QEMU_OPTIONS='--agent-wait 1 --agent-required no' Q update-route - <<<'[]' 2>"$DIR/stderr"
	grep -q 'warning: no agent' "$DIR/stderr"
	sed -i '/^agent/d' "$DIR/vm.conf"
	Q del-network - <"$DIR/eth1"
	guest_lacks eth0
	nothing_is_left
	Q add-network - <"$DIR/eth1" 2>"$DIR/stderr"
	grep -q 'warning: no guest agent is configured' "$DIR/stderr"
	[ "$(Q list 2>/dev/null | wc -l)" -eq 1 ]
}

@test "a guest with busybox only: its NICs are set up; that routes need iproute2 is said" {
	APPEND=guest.ip=busybox start_vm
	said add-network eth1 >"$DIR/eth1"
	Q add-network - <"$DIR/eth1"
	wait_for "$BOUND" guest_pings
	Q list | jq -e '.GuestName == "eth1" and (.Addresses | contains(["10.214.1.2/24", "fd00:214:1::2/64"]))'
	jq -c '.Name = "lan0" | .PreviousName = "eth1" | .Mtu = 1400 | .IPAddresses |= map(select(.Family == 10))' \
		"$DIR/eth1" | Q update-network -
	Q list | jq -e '.GuestName == "lan0" and (.Addresses | contains(["fd00:214:1::2/64"]) and
		(contains(["10.214.1.2/24"]) | not))'
	guest 'grep -x 1400 /sys/class/net/lan0/mtu'
	fails 'no iproute2' Q update-route - <<<'[]'
}

@test "two NICs swap their names; a MAC and an MTU below IPv6's change and change back" {
	# The guest has one of its own.
	start_vm -device virtio-net-pci,mac=52:54:00:00:00:01,romfile=
	mk_bare eth2
	T addr add 10.214.2.2/24 dev eth2
	T link set eth2 up
	said add-network eth1 >"$DIR/eth1"
	said add-network eth2 >"$DIR/eth2"
	Q add-network - <"$DIR/eth2"
	Q add-network - <"$DIR/eth1"
	jq -c '.Name = "eth2" | .PreviousName = "eth1"' "$DIR/eth1" | Q update-network -
	jq -c '.Name = "eth1" | .PreviousName = "eth2"' "$DIR/eth2" | Q update-network -
	guest_has eth2 '[.addr_info[].local] | contains(["10.214.1.2", "fd00:214:1::2"])'
	guest_has eth1 '[.addr_info[].local] | contains(["10.214.2.2"])'
	guest_pings
	# As B3 has it.
	jq -c '.Name = "eth2" | .Mtu = 1000 | .IPAddresses |= map(select(.Family == 2))' "$DIR/eth1" | Q update-network -
	guest_has eth2 '.mtu == 1000 and ([.addr_info[].family] | index("inet6") == null)'
	jq -c '.Name = "eth2"' "$DIR/eth1" | Q update-network -
	guest_has eth2 '.mtu == 1500 and ([.addr_info[].local] | contains(["fd00:214:1::2"]))'
	jq -c '.Name = "eth2" | .HwAddr = "02:00:00:00:00:99"' "$DIR/eth1" | Q update-network -
	guest_has eth2 '.address == "02:00:00:00:00:99"'
	# The interface's index tells which NIC it is.
	jq -c '.Name = "eth2" | .HwAddr = "02:00:00:00:00:99"' "$DIR/eth1" | Q del-network -
	guest_lacks eth2
	# A name that the guest has for its own NIC stays its own; what was tried goes again.
	jq -c '.Name = "eth0"' "$DIR/eth1" >"$DIR/eth0"
	fails 'the guest has an interface eth0 that was not plugged by us' Q add-network - <"$DIR/eth0"
	[ "$(Q list | wc -l)" -eq 1 ]
	guest_has eth0 '.address == "52:54:00:00:00:01"'
	fails 'the guest has no NIC for eth1' Q update-network - <"$DIR/eth1"
}

@test "an update of the name, the addresses and their order, with the bytes that a name may have" {
	start_vm
	said add-network eth1 >"$DIR/eth1"
	Q add-network - <"$DIR/eth1"
	# The primary address goes, its secondary one stays.
	jq -c '.IPAddresses += [{Family: 2, Address: "10.214.1.9", Mask: "24"}]' "$DIR/eth1" | Q update-network -
	jq -c '.IPAddresses |= map(select(.Family == 10)) + [{Family: 2, Address: "10.214.1.9", Mask: "24"}]' "$DIR/eth1" |
		Q update-network -
	guest_has eth1 '[.addr_info[] | select(.scope == "global").local] | sort == ["10.214.1.9", "fd00:214:1::2"]'
	for name in '$(reboot)' 'a;reboot' "'\`reboot\`" '-batch' '..' 'ä' '#x"'; do
		jq -c --arg name "$name" '.Name = $name | .IPAddresses += [{Family: 10, Address: "fd00::7", Mask: "128"}]' \
			"$DIR/eth1" | Q update-network -
		guest_name=$(Q list | jq -r .GuestName)
		[[ $guest_name == nm-* ]]
		jq -nc --arg name "$name" '[{Dest: "10.99.0.0/16", Gateway: "", Device: $name, Source: "", Scope: 253,
			Family: 2, Metric: 0, Mtu: 0, Flags: 0}]' | Q update-route -
		guest_has_route "10.99.0.0/16 dev $guest_name"
	done
	Q update-network - <"$DIR/eth1"
	is_set_up
}

# route DEST GATEWAY DEVICE [JQ-UPDATE]: a route as the monitor tells it.
route() {
	jq -nc --arg dest "$1" --arg gateway "$2" --arg device "$3" '{Dest: $dest, Gateway: $gateway, Device: $device,
		Source: "", Scope: (if $gateway == "" then 253 else 0 end), Family: (if $dest | contains(":") then 10 else 2
		end), Metric: 0, Mtu: 0, Flags: 0} | '"${4-.}"
}

@test "routes of all kinds; a route that stays is never missing; one that is bad does not stop the others" {
	start_vm
	said add-network eth1 | Q add-network -
	{
		route 10.98.0.0/16 '' eth1
		route 0.0.0.0/0 '' lo
		route fd98::/64 '' eth1 '.Metric = 1024'
		route 10.99.0.0/16 10.214.1.1 eth1 '.Metric = 4294967295 | .Mtu = 1300 | .Source = "10.214.1.2"'
		route 10.97.0.0/16 192.0.2.1 eth1 '.Flags = 4'
		route 10.96.0.0/16 fd00:214:1::1 eth1
		route 10.95.0.0/16 '' '' '.Scope = 0 | .NextHops = [{Gateway: "10.214.1.7", Device: "eth1", Weight: 1},
			{Gateway: "10.214.1.8", Device: "eth1", Weight: 3}]'
		route fd95::/64 '' '' '.Metric = 1024 | .NextHops = [{Gateway: "fd00:214:1::7", Device: "eth1", Weight: 1},
			{Gateway: "fd00:214:1::8", Device: "eth1", Weight: 1}]'
		route 0.0.0.0/0 10.214.1.1 eth1
		route ::/0 fd00:214:1::1 eth1 '.Metric = 1024'
	} >"$DIR/list"
	# The guest's own.
	guest 'ip route add 10.1.0.0/16 dev lo; ip -6 route add fd01::/64 dev lo'
	jq -sc . "$DIR/list" | Q update-route -
	all_are_there() {
		local pattern
		guest 'ip route; ip -6 route' >"$DIR/routes"
		for pattern in '10.98.0.0/16 dev eth1' 'fd98::/64 dev eth1' \
			'10.99.0.0/16 via 10.214.1.1 dev eth1 .*src 10.214.1.2 metric 4294967295 mtu 1300' \
			'10.97.0.0/16 via 192.0.2.1 dev eth1 .*onlink' '10.96.0.0/16 via inet6 fd00:214:1::1 dev eth1' \
			'10.95.0.0/16' '.*nexthop via 10.214.1.8 dev eth1 weight 3' 'fd95::/64' \
			'.*nexthop via fd00:214:1::8' 'default via 10.214.1.1 dev eth1' 'default dev lo' \
			'default via fd00:214:1::1 dev eth1' '10.1.0.0/16 dev lo' 'fd01::/64 dev lo'; do
			grep -q "^$pattern" "$DIR/routes" || {
				echo "no $pattern in"
				cat "$DIR/routes"
				return 1
			}
		done
	}
	all_are_there
	# Once more: the kernel tells of no route that is deleted and not there at once in its new form.
	guest 'ip monitor route >/run/monitor 2>&1 & echo $! >/run/monitor.pid; sleep 0.5'
	jq -sc . "$DIR/list" | Q update-route -
	all_are_there
	guest 'sleep 0.2; kill $(cat /run/monitor.pid); cat /run/monitor' >"$DIR/events"
	grep -q '^10.98.0.0/16 dev eth1' "$DIR/events"
	# Of two with one destination and metric the second is added before its old form is deleted.
	refute grep '^Deleted' <(grep -v 'default via 10.214' "$DIR/events")
	grep -m 1 'default via 10.214' "$DIR/events" | refute grep Deleted
	# A bad one, and fewer: those that are not in the list go, the guest's own stay.
	jq -sc '[.[0], (.[3] | .Gateway = "203.0.113.1"), (.[0] | .Dest = "10.94.0.0/16" | .Device = "eth7"), .[8]]' \
		"$DIR/list" >"$DIR/bad"
	fails 'does not take 2 of the routes; the first: 10.99.0.0/16 .*via 203.0.113.1' Q update-route - <"$DIR/bad"
	guest 'ip route; ip -6 route' >"$DIR/routes"
	[ "$(grep -c 'proto 11[0-3]' "$DIR/routes")" -eq 2 ]
	guest_has_route '10.98.0.0/16 dev eth1'
	guest_has_route 'default via 10.214.1.1 dev eth1'
	guest_has_route '10.1.0.0/16 dev lo'
	Q update-route - <<<'[]'
	refute grep 'proto 11[0-3]' <(guest 'ip route; ip -6 route')
	guest_has_route 'fd01::/64 dev lo'
}

@test "a list of routes is interrupted, again and again, and then goes through" {
	start_vm
	said add-network eth1 | Q add-network -
	# What interrupted lists may leave behind: some of all numbers.
	guest 'for p in 110 111 112 113; do ip route add 10.$p.0.0/16 dev eth1 proto $p; done;
		ip -6 route add fd11::/64 dev eth1 proto 112'
	route 10.113.0.0/16 '' eth1 | jq -sc . | Q update-route -
	guest 'ip route; ip -6 route' | grep 'proto 11[0-3]' >"$DIR/routes"
	[ "$(wc -l <"$DIR/routes")" -eq 1 ]
	grep '^10.113.0.0/16 dev eth1' "$DIR/routes"
}

@test "ten thousand routes" {
	start_vm
	said add-network eth1 | Q add-network -
	jq -nc '[range(10000) | {Dest: "10.\(200 + . / 65536 | floor).\(. / 256 | floor).\(. % 256)/32", Gateway: "10.214.1.1",
		Device: "eth1", Source: "", Scope: 0, Family: 2, Metric: 0, Mtu: 0, Flags: 0}]' >"$DIR/list"
	Q update-route - <"$DIR/list"
	[ "$(guest 'ip route | grep -c "^10\.2.*proto 11"')" -eq 10000 ]
	Q update-route - <<<'[]'
	[ "$(guest 'ip route | grep -c "^10\.2.*proto 11"')" -eq 0 ]
}

@test "a former life of the index, and a NIC whose interface has gone, do not stand in the way" {
	start_vm
	said add-network eth1 >"$DIR/eth1"
	Q add-network - <"$DIR/eth1"
	T link del eth1
	# The same index with another MAC, without a del-network between them.
	T link add eth1 index "$(jq .Index "$DIR/eth1")" type veth peer name peth1 netns "$PEER"
	P link set peth1 up
	T link set eth1 up
	said add-network eth1 | Q add-network -
	[ "$(Q list | jq -r .HwAddr)" = "$(T -j link show eth1 | jq -r '.[0].address')" ]
	# Another index with the same MAC.
	mac=$(T -j link show eth1 | jq -r '.[0].address')
	T link del eth1
	mk eth1
	T link set eth1 address "$mac"
	said add-network eth1 | Q add-network -
	[ "$(Q list | jq .Index)" = "$(T -j link show eth1 | jq '.[0].ifindex')" ]
	[ "$(taps | wc -l)" -eq 1 ]
}

@test "what is not right on the command line or on standard input" {
	for arguments in '' 'add-network' 'fly s1 -' 'add-network -s1 -' '--qmp x add-network s1 file' '--qmp' '--nothing'; do
		status=0
		# shellcheck disable=SC2086
		"$NETNSMON_QEMU" $arguments </dev/null 2>"$DIR/stderr" || status=$?
		[ "$status" -eq 2 ]
		[ "$(wc -l <"$DIR/stderr")" -eq 1 ]
	done
	printf 'qmp = %s\nagent = /nowhere\ntimeout = soon\n' "$DIR/qmp" >"$DIR/vm.conf"
	status=0
	Q list 2>"$DIR/stderr" || status=$?
	[ "$status" -eq 2 ]
	grep -qF "$DIR/vm.conf:3: timeout: expected SECONDS" "$DIR/stderr"
	printf 'qmp = %s\n' "$DIR/qmp" >"$DIR/vm.conf"
	fails 'bad input: no JSON' Q add-network - <<<'{'
	fails 'bad input: route 1' Q update-route - <<<'[{}]'
	fails "QMP socket $DIR/qmp: No such file or directory" Q list
	echo 'netns = nowhere' >>"$DIR/vm.conf"
	fails 'namespace nowhere: No such file' Q list
	"$NETNSMON_QEMU" --help | grep -q -- '--agent-wait'
}
