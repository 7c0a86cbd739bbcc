# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# vm.bash - a QEMU in the sandbox's namespace, and a look into its guest
#
# Used with tests/integration/helpers.bash: NS, PEER and DIR are its. `make check-vm` builds the guest in GUEST_DIR.

vm_here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
NETNSMON_QEMU=${NETNSMON_QEMU:-$vm_here/../../build/netnsmon-qemu}
GUEST_DIR=${GUEST_DIR:-$vm_here/../../build/vm}
QEMU=${QEMU:-qemu-system-x86_64}

# start_vm [QEMU-ARGUMENT...]: starts the guest and waits until it and its agent answer. Sets VM to QEMU's process. MACHINE (pc) and
# APPEND (for the guest's command line, see guest-init) may be set before.
start_vm() {
	rm -f "$DIR/serial"
	# Emulation is what these tests need; without tb-size it takes 750 MB.
	ip netns exec "$NS" "$QEMU" -machine "${MACHINE:-pc}" -accel tcg,tb-size=64 -cpu max -m 192 -nodefaults \
		-no-user-config -display none -no-reboot -kernel "$GUEST_DIR/vmlinuz" -initrd "$GUEST_DIR/initrd" \
		-append "console=ttyS0 quiet panic=-1 ${APPEND-}" -serial "file:$DIR/serial" \
		-qmp "unix:$DIR/qmp,server=on,wait=off" -device virtio-serial-pci \
		-chardev "socket,id=agent,path=$DIR/agent,server=on,wait=off" \
		-device virtserialport,chardev=agent,name=org.qemu.guest_agent.0 \
		-chardev "socket,id=test,path=$DIR/test,server=on,wait=off" \
		-device virtserialport,chardev=test,name=test "$@" >"$DIR/qemu.log" 2>&1 </dev/null 3>&- &
	VM=$!
	printf '%s\n' "qmp = $DIR/qmp" "agent = $DIR/agent" "netns = /run/netns/$NS" >"$DIR/vm.conf"
	wait_for "$BOUND" guest true || {
		echo "--- QEMU, and the end of the guest's console"
		cat "$DIR/qemu.log"
		tail -n 20 "$DIR/serial"
		return 1
	}
	[[ ${APPEND-} == *guest.agent=none* ]] || wait_for "$BOUND" Q list
}

kill_vm() {
	[ -n "${VM-}" ] || return 0
	kill -KILL "$VM" 2>/dev/null || true
	wait "$VM" 2>/dev/null || true
	VM=''
}

# guest COMMAND: its output and status.
guest() {
	"$vm_here/talk" "$DIR/test" "$BOUND" "$1"
}

# Q VERB [-]: netnsmon-qemu for the sandbox's VM, with QEMU_OPTIONS.
Q() {
	# shellcheck disable=SC2086 # several words
	"$NETNSMON_QEMU" --config "$DIR/vm.conf" ${QEMU_OPTIONS-} "$1" sandbox1 "${@:2}"
}

# The runtime that the monitor calls: netnsmon-qemu, recorded as fake-runtime records.
make_runtime() {
	cat >"$DIR/rt/runtime" <<-END
		#!/bin/bash
		data=\$(cat)
		status=0
		"$NETNSMON_QEMU" --config "$DIR/vm.conf" "\$@" <<<"\$data" || status=\$?
		printf '{"verb":"%s","status":%d,"data":%s}\n' "\$1" "\$status" "\$data" >>"$DIR/rt/calls"
		exit \$status
	END
	chmod +x "$DIR/rt/runtime"
}

# said VERB [NAME]: what the monitor would tell a runtime that has nothing yet.
said() {
	"$NETNSMON" --netns "$NS" --baseline none --ignore 'mark*' --once --format json 2>/dev/null |
		jq -c --arg verb "$1" --arg name "${2-}" \
			'select(.verb == $verb and ($name == "" or .data.Name == $name)).data'
}

taps() {
	T -o link show | grep -o 'nm[0-9a-f]*_kata' || true
}

# What of ours is in the namespace: taps, and qdiscs with their filters.
leftovers() {
	taps
	tc -n "$NS" qdisc show | grep -E 'ingress|clsact' || true
}

nothing_is_left() {
	[ -z "$(leftovers)" ] && [ -z "$(Q list 2>/dev/null)" ]
}

# guest_has NAME JQ-CONDITION: on the object of `ip -j addr` in the guest.
guest_has() {
	guest "ip -j -d addr show dev $1" | jq -e ".[0] | $2"
}

guest_lacks() {
	refute guest "ip link show dev $1"
}

# guest_has_route "DESTINATION WORDS": a line of ip route begins so.
guest_has_route() {
	guest 'ip route; ip -6 route' | grep -q "^$1"
}

guest_lacks_route() {
	refute guest_has_route "$1"
}

# The guest has what Docker says of the network $2, on the interface $1.
guest_is_like_docker() {
	local told
	told=$(inspect "$2")
	guest_has "$1" '{HwAddr: .address, IPAddresses: ([.addr_info[] | select(.scope == "global") |
		{Family: (if .family == "inet" then 2 else 10 end), Address: .local, Mask: (.prefixlen | tostring)}])} == '"$told"
}
