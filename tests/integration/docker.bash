# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# docker.bash - a Docker daemon of the test's own, and containers whose namespaces are watched
#
# The daemon lives in a network namespace, a mount namespace and a PID namespace of its own: its bridges, mounts and
# processes are out of the host's way, and all go with one process. It needs no iptables, registry or systemd.

export DOCKER=${DOCKER:-/usr/bin/docker} DOCKERD=${DOCKERD:-/usr/sbin/dockerd}

D() { timeout "$BOUND" "$DOCKER" -H "unix://$DOCKER_DIR/sock" "$@"; }

# Starts the daemon and makes the image "box". Exports DOCKER_ID, DOCKER_DIR and UNSHARE, which stop_docker needs.
start_docker() {
	export DOCKER_ID=nmt-$$-$RANDOM-docker DOCKER_DIR='' UNSHARE=''
	# Not below BATS_FILE_TMPDIR: the paths of sockets are short.
	DOCKER_DIR=$(mktemp -d /tmp/nmt.XXXXXX)
	ip netns add "$DOCKER_ID"
	ip -n "$DOCKER_ID" link set lo up
	nsenter --net="/run/netns/$DOCKER_ID" unshare --mount --propagation slave --pid --fork --mount-proc \
		--kill-child bash -c "$(declare -f run_dockerd); run_dockerd" >"$DOCKER_DIR/log" 2>&1 </dev/null 3>&- &
	UNSHARE=$!
	wait_for "$BOUND" is_up_or_dead
	D info || {
		cat "$DOCKER_DIR/log"
		return 1
	}
	mkdir -p "$DOCKER_DIR/box/bin"
	cp "$(command -v busybox)" "$DOCKER_DIR/box/bin/sleep"
	tar -C "$DOCKER_DIR/box" -c . | D import - box
}

is_up_or_dead() {
	D info || refute kill -0 "$UNSHARE"
}

# In the daemon's namespaces. What it would leave behind in /run, /etc/docker and /opt/containerd goes into memory.
run_dockerd() {
	export PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
	mkdir "$DOCKER_DIR/etc"
	cp -a /etc/passwd /etc/group /etc/hosts /etc/nsswitch.conf /etc/alternatives "$DOCKER_DIR/etc"
	mount -n --bind "$DOCKER_DIR/etc" /etc
	mount -n -t tmpfs tmpfs /opt
	mount -n -t tmpfs tmpfs /run
	echo '{}' >"$DOCKER_DIR/config"
	exec "$DOCKERD" --config-file "$DOCKER_DIR/config" --pidfile "$DOCKER_DIR/pid" -H "unix://$DOCKER_DIR/sock" \
		--data-root "$DOCKER_DIR/data" --exec-root "$DOCKER_DIR/exec" --storage-driver vfs \
		--bridge none --iptables=false --ip6tables=false \
		--exec-opt native.cgroupdriver=cgroupfs --cgroup-parent "/$DOCKER_ID"
}

# Removes all of it, however far start_docker has come. With the first process of a PID namespace all of its others end.
stop_docker() {
	local dockerd=''
	read -r dockerd _ 2>/dev/null <"/proc/$UNSHARE/task/$UNSHARE/children" || true
	[ -z "$dockerd" ] || kill -KILL "$dockerd" || true
	[ -z "$UNSHARE" ] || wait_for "$BOUND" refute kill -0 "$UNSHARE" || kill -KILL "$UNSHARE"
	find /sys/fs/cgroup -depth -type d -path "*/${DOCKER_ID:?}*" -exec rmdir {} + || true
	ip netns del "$DOCKER_ID" || true
	[ -z "$DOCKER_DIR" ] || rm -rf "$DOCKER_DIR"
}

# The host's number of a container's first process; docker inspect tells that of the daemon's namespace.
pid_of_container() {
	local id
	id=$(D inspect -f '{{.Id}}' "$1")
	grep -lF "$id" /proc/[0-9]*/cgroup 2>/dev/null | sed -n '1s|/proc/\([0-9]*\)/cgroup|\1|p'
}

# Like setup_netns, but NS is the namespace of a container "box" on the network "net-m". Sets CONTAINER to its process.
setup_container() {
	setup_netns
	D network create --subnet 10.213.0.0/24 net-m
	D run -d --name box --network net-m --stop-timeout 0 box /bin/sleep 1000000
	CONTAINER=$(pid_of_container box)
	T link del mark0
	ip netns del "$NS"
	ip netns attach "$NS" "$CONTAINER"
	T link add mark0 type veth peer name pmark0 netns "$PEER"
	T link set mark0 addrgenmode none up
	P link set pmark0 addrgenmode none up
}

teardown_container() {
	local name
	teardown_netns
	D rm -f box || true
	for name in $(D network ls -q --filter type=custom); do
		D network rm "$name" || true
	done
}

# inspect NETWORK: what Docker says of the container's end of it, in the words of a request.
inspect() {
	D inspect box | jq -c --arg network "$1" '.[0].NetworkSettings.Networks[$network] |
		{HwAddr: .MacAddress, IPAddresses: ([{Family: 2, Address: .IPAddress, Mask: (.IPPrefixLen | tostring)},
		(select(.GlobalIPv6Address != "") |
			{Family: 10, Address: .GlobalIPv6Address, Mask: (.GlobalIPv6PrefixLen | tostring)})])}'
}
