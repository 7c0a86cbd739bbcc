# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# podman.bash - a podman of the test's own, whose containers get monitors by the OCI hook
#
# All that it runs is in a network namespace, a mount namespace and a PID namespace of its own, as Docker's daemon is in
# docker.bash; there is no daemon, so a shell holds them.

HOOK=${NETNSMON%/*}/netnsmon-hook

# Runs in the namespaces.
inside() { nsenter -t "$INIT" --mount --pid --net --wdns="$PODMAN_DIR" "$@"; }

# Descriptors 3 and above are bats's own, and conmon would keep them.
podman() {
	inside timeout "$BOUND" /usr/bin/podman --root "$PODMAN_DIR/root" --runroot /run/root --tmpdir /run/tmp \
		--storage-driver vfs --network-backend netavark --network-config-dir "$PODMAN_DIR/networks" \
		--cgroup-manager cgroupfs --events-backend none --runtime /usr/bin/crun --hooks-dir "$PODMAN_DIR/hooks" \
		"$@" 3>&- 4>&-
}

# Makes the namespaces and the image "box". Exports PODMAN_ID, PODMAN_DIR, UNSHARE and INIT.
start_podman() {
	export PODMAN_ID=nmt-$$-$RANDOM-podman PODMAN_DIR='' UNSHARE='' INIT=''
	PODMAN_DIR=$(mktemp -d /tmp/nmt.XXXXXX)
	mkdir -p "$PODMAN_DIR/networks" "$PODMAN_DIR/hooks" "$PODMAN_DIR/box/bin"
	ip netns add "$PODMAN_ID"
	ip -n "$PODMAN_ID" link set lo up
	nsenter --net="/run/netns/$PODMAN_ID" unshare --mount --propagation slave --pid --fork --mount-proc \
		--kill-child bash -c "$(declare -f hold_namespaces); hold_namespaces" \
		>"$PODMAN_DIR/log" 2>&1 </dev/null 3>&- &
	UNSHARE=$!
	wait_for "$BOUND" test -e "$PODMAN_DIR/held"
	read -r INIT _ <"/proc/$UNSHARE/task/$UNSHARE/children" || [ -n "$INIT" ]
	cp "$(command -v busybox)" "$PODMAN_DIR/box/bin/sleep"
	tar -C "$PODMAN_DIR/box" -c . | podman import - box
}

# The first process of the namespaces: it takes note of the end of whatever has lost its parent. What podman would leave
# behind in /run and, as a cache of layers that no option moves, in /var/lib goes into memory.
hold_namespaces() {
	mount -n -t tmpfs tmpfs /run
	mount -n -t tmpfs tmpfs /var/lib
	mkdir -p /run/netns
	# crun refuses where both versions of control groups are mounted.
	[ ! -d /sys/fs/cgroup/unified ] || umount /sys/fs/cgroup/unified
	: >"$PODMAN_DIR/held"
	while :; do sleep 0.1; done
}

# Removes all of it, however far start_podman has come. With the first process of a PID namespace all of its others end.
stop_podman() {
	[ -z "$INIT" ] || kill -KILL "$INIT" || true
	[ -z "$UNSHARE" ] || wait_for "$BOUND" refute kill -0 "$UNSHARE" || kill -KILL "$UNSHARE"
	ip netns del "$PODMAN_ID" || true
	[ -z "$PODMAN_DIR" ] || rm -rf "$PODMAN_DIR"
}

# A directory of the test's own, the hook, and three networks.
setup_podman() {
	setup_netns
	ip netns del "$NS"
	cat >"$DIR/hook.conf" <<-END
		runtime = $DIR/rt/runtime
		monitor = $NETNSMON
		run-dir = $DIR/run
		option = --log-to=$DIR/log
	END
	jq --arg hook "$HOOK" --arg config "$DIR/hook.conf" \
		'.hook += {path: $hook, args: ["netnsmon-hook", "--config", $config]}' \
		"$here/../../monitor/hook/netnsmon-hook.json" >"$PODMAN_DIR/hooks/netnsmon-hook.json"
	podman network create --disable-dns --subnet 10.213.0.0/24 net-m
	podman network create --disable-dns --subnet 10.213.1.0/24 --subnet fd00:213:1::/64 net-x
}

teardown_podman() {
	podman rm -f -t 0 -a || true
	podman network rm -f net-m net-x || true
	teardown_netns
}

# box NAME [OPTION...]: a container with a monitor.
box() {
	local name=$1
	shift
	podman run -d --name "$name" --network net-m --cgroups=disabled --annotation org.netnsmon.watch=true "$@" \
		box /bin/sleep 1000000
}

# The container's namespace becomes NS, with a marker in it that the monitor hears of; its state goes into DIR/start.
enter_box() {
	touch "/run/netns/$NS"
	mount -n --bind "/proc/$INIT/root/proc/$(podman inspect -f '{{.State.Pid}}' "$1")/ns/net" "/run/netns/$NS"
	kernel_state >"$DIR/start"
	T link add mark0 type veth peer name pmark0 netns "$PEER"
	T link set mark0 addrgenmode none up
	P link set pmark0 addrgenmode none up
}

# The number, in podman's namespace, of a container's monitor.
monitor_of() { cut -d' ' -f1 "$DIR/run/hook-$(podman inspect -f '{{.Id}}' "$1").pid"; }

is_running() { [ -e "/proc/$INIT/root/proc/$1" ]; }

# inspect NAME NETWORK: what podman says of the container's end of it, in the words of a request.
inspect() {
	podman inspect "$1" | jq -c --arg network "$2" '.[0].NetworkSettings.Networks[$network] |
		{HwAddr: .MacAddress, IPAddresses: ([{Family: 2, Address: .IPAddress, Mask: (.IPPrefixLen | tostring)},
		(select(.GlobalIPv6Address != "") |
			{Family: 10, Address: .GlobalIPv6Address, Mask: (.GlobalIPv6PrefixLen | tostring)})])}'
}
