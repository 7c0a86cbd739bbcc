# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kata.bash - the monitor as Kata 1.x starts it, beside a Kata that does what the real one does to namespace and guest
#
# Both live in a mount namespace with a /dev and a /run of their own: there /dev/log is DIR/syslog, and /run/vc/sbs is
# DIR/sbs. To be loaded after helpers.bash.

SANDBOX=sandbox1

# Like setup_netns, with Kata's command line as the runtime and without the marker, which kata1 cannot update.
setup_kata() {
	setup_netns
	setup_kata_files
	T link del mark0
}

# What start_kata and kata_barrier need.
setup_kata_files() {
	MARKS=0 SYSLOG=''
	cp "$here/kata-runtime" "$DIR/rt/runtime"
	ln -s "$(realpath "$NETNSMON")" "$DIR/kata-netmon"
	mkdir "$DIR/dev" "$DIR/sbs"
	: >"$DIR/log"
	P link add pmark1 type veth peer name pmark2
	P link set pmark1 addrgenmode none up
	P link set pmark2 addrgenmode none up
}

# What teardown_netns does not know of. The processes in NS go there.
teardown_kata() {
	stop_syslog
	teardown_netns
}

# --- Kata's side ---------------------------------------------------------------------------------

# Writes each datagram that comes to DIR/syslog as one line to DIR/log.
start_syslog() {
	/usr/bin/python3 -c '
import os, socket, sys
log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
log.bind(sys.argv[1])
while True:
	with open(sys.argv[2], "ab") as lines:
		lines.write(log.recv(65536) + b"\n")' "$DIR/syslog" "$DIR/log" </dev/null >/dev/null 2>&1 3>&- &
	SYSLOG=$!
	wait_for "$BOUND" test -S "$DIR/syslog"
}

stop_syslog() {
	[ -n "$SYSLOG" ] || return 0
	kill "$SYSLOG" || true
	wait "$SYSLOG" || true
	rm -f "$DIR/syslog"
	SYSLOG=''
}

# kata_host COMMAND...: in NS, with the /dev and the /run described above. It becomes the command, with the same pid.
kata_host() {
	export DIR
	exec nsenter --net="/run/netns/$NS" unshare --mount --propagation private \
		bash -c "$(declare -f become_kata_host); become_kata_host \"\$@\"" - "$@"
}

become_kata_host() {
	local device
	mount -n -t tmpfs tmpfs "$DIR/dev"
	mkdir "$DIR/dev/net"
	for device in null urandom net/tun; do
		: >"$DIR/dev/$device"
		mount -n --bind "/dev/$device" "$DIR/dev/$device"
	done
	ln -s "$DIR/syslog" "$DIR/dev/log"
	mount -n --move "$DIR/dev" /dev
	mount -n -t tmpfs tmpfs /run
	mkdir -p /run/vc/sbs
	mount -n --bind "$DIR/sbs" /run/vc/sbs
	exec "$@"
}

# kata COMMAND...: Kata's command line, by hand.
kata() {
	(kata_host "$DIR/rt/runtime" "$@")
}

# kata_is created|running|paused|stopped: from now on. Its directory is there once the creation has ended.
kata_is() {
	mkdir -p "$DIR/sbs/$SANDBOX"
	echo "$1" >"$DIR/rt/container.new"
	mv "$DIR/rt/container.new" "$DIR/rt/container"
}

# The end of the sandbox, but for the monitor.
delete_sandbox() {
	kata delete "$SANDBOX"
	rmdir "$DIR/sbs/$SANDBOX"
}

# --- the monitor ---------------------------------------------------------------------------------

# Starts the monitor as Kata does, with its standard descriptors on /dev/null.
start_kata() {
	kata_host "$DIR/kata-netmon" -r "$DIR/rt/runtime" -s "$SANDBOX" "$@" </dev/null >/dev/null 2>&1 3>&- &
	MONITOR=$!
}

# All of it, as in a sandbox that has been created and runs: syslog, what Kata finds in NS, the monitor.
start_sandbox() {
	start_syslog
	kata create "$SANDBOX"
	start_kata -log info
	wait_for "$BOUND" log_has ' msg="watching'
	kata_is running
}

log_has() { grep -qE -- "$1" "$DIR/log"; }
log_count() { grep -cE -- "$1" "$DIR/log" || true; }

# The monitor must end by itself, with status 0.
await_end() {
	local status=0
	wait_for "$BOUND" refute kill -0 "$MONITOR"
	wait "$MONITOR" || status=$?
	MONITOR=''
	[ "$status" -eq 0 ] || {
		echo "exit status $status"
		cat "$DIR/log"
		return 1
	}
}

# What the monitor was to do is done: it has looked at the namespace three times more, since it says so of each of three
# links that Kata cannot plug.
kata_barrier() {
	local mark
	for _ in 1 2 3; do
		MARKS=$((MARKS + 1))
		mark=mk$MARKS
		P link add "$mark" link pmark1 type macvlan
		P link set "$mark" addrgenmode none netns "$NS"
		T link set "$mark" up
		wait_for "$BOUND" log_has "link $mark .* is left out"
		T link del "$mark"
	done
}

# After a loss the namespace is looked at once more, a second later. A tap with a carrier gets its own address after one
# or two: that is the last of what Kata does.
kata_barrier_after_loss() {
	sleep 1.3
	wait_for "$BOUND" have_taps_addresses
	kata_barrier
}

have_taps_addresses() {
	T -j -6 addr | jq -se 'flatten | map(select((.ifname // "" | endswith("_kata")) and (.flags | index("LOWER_UP")) and
		(.addr_info | any(.tentative | not) | not))) == []'
}

# --- what the user does --------------------------------------------------------------------------

# What the sandbox was created with, in both families.
boot() {
	mk_bare eth0
	T addr add 10.9.0.2/24 dev eth0
	T addr add 2001:db8:9::2/64 dev eth0 nodad
	T link set eth0 up
	T route add default via 10.9.0.1 metric 50
}

# A link that is ready with all that the guest is to have, in one go: NAME NUMBER.
connect() {
	mk_bare "$1"
	T addr add "10.$2.0.2/24" dev "$1"
	T addr add "2001:db8:$2::2/64" dev "$1" nodad
	printf '%s\n' "link set $1 up" "route add default via 10.$2.0.1 metric $2" "route add 10.10$2.0.0/16 via 10.$2.0.3" \
		"route add 2001:db8:10$2::/64 via 2001:db8:$2::1" | T -batch -
}

# --- the guest -----------------------------------------------------------------------------------

# What the guest has: DIR/guest; what it should have, by the kernel: DIR/expected. Both in Kata's words.
make_guests() {
	local words='
		def dest: if .Dest != "" then .Dest elif .Gateway | contains(":") then "::/0" else "0.0.0.0/0" end;
		{interfaces: ([.interfaces[] | {Name, HwAddr, Mtu, IPAddresses: (.IPAddresses | sort)}] | sort_by(.Name)),
		 routes: ([.routes[] | {Dest: dest, Gateway, Device, Source}] | sort)}'
	jq -S "$words" "$DIR/rt/guest" >"$DIR/guest"
	# Of the routes to one destination the guest can have the best only.
	kernel_state | jq --argjson plugged "${PLUGGED:-[]}" -f "$here/kernel.jq" |
		jq '.routes |= (group_by([.Family, .Dest]) | map(min_by(.Metric) | . + .Hops[0]))' |
		jq -S "$words" >"$DIR/expected"
}

is_guest_equal() {
	make_guests
	cmp -s "$DIR/expected" "$DIR/guest"
}

# The guest has what the namespace has, at the latest after a while.
assert_guest() {
	wait_for "$BOUND" is_guest_equal || {
		diff -u "$DIR/expected" "$DIR/guest"
		return 1
	}
}

# guest_has JQ-CONDITION
guest_has() { jq -e "$1" "$DIR/rt/guest" >/dev/null; }
