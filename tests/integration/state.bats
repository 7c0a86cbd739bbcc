#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# state.bats - what is saved for the next monitor: killed at any moment, full disks, files of strangers

bats_require_minimum_version 1.5.0
load helpers

setup() {
	setup_netns
	TRACER=''
}

teardown() {
	[ -z "$TRACER" ] || kill "$TRACER" 2>/dev/null || true
	if mountpoint -q "$DIR/disk"; then
		chattr -i "$DIR/disk" || true
		umount -l "$DIR/disk"
	fi
	teardown_netns
}

log_has() { grep -qE "$1" "$DIR/log"; }
log_count() { grep -cE "$1" "$DIR/log" || true; }
state_file() { find "$DIR/run/" -name "netns-*.$1"; }
is_dead() { ! kill -0 "$1" 2>/dev/null || [ "$(ps -o stat= -p "$1" | cut -c1)" = Z ]; }
no_runtime() { [ -z "$(pids_of "$DIR/rt/runtime")" ]; }

# Everything was told, acknowledged and saved: as long as a call is not, a note of it is there.
is_quiet() { is_view_equal && [ -z "$(state_file call)" ]; }
settled() { wait_for "$BOUND" is_quiet || { diff -u "$DIR/expected" "$DIR/view" && false; }; }

# eth1 with an address and a route, and eth9, which is never touched as a whole.
furnish() {
	local link
	for link in eth1 eth2 eth9; do
		T link del "$link" 2>/dev/null || true
	done
	mk eth9
	T addr add 10.9.0.2/24 dev eth9
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T route add 10.50.0.0/16 via 10.1.0.1
	settled
}

# The request that is to be lost.
request() {
	case $1 in
	add-network)
		mk eth2
		T addr add 10.2.0.2/24 dev eth2
		;;
	del-network) T link del eth1 ;;
	update-network) T link set eth1 mtu 1400 ;;
	update-route) T route add 10.51.0.0/16 via 10.1.0.1 ;;
	esac
}

# What happens while nobody watches, to the link $2.
meanwhile() {
	case $1 in
	nothing) ;;
	gone) T link del "$2" ;;
	recreated)
		T link del "$2"
		mk "$2"
		T addr add 10.3.0.2/24 dev "$2"
		T route add 10.53.0.0/16 via 10.3.0.1
		;;
	addresses)
		T addr add 10.4.0.2/24 dev "$2"
		T addr add 2001:db8:4::2/64 dev "$2" nodad
		T link set "$2" mtu 1300
		;;
	routes)
		T route flush dev "$2" proto boot
		T route add 10.54.0.0/16 dev "$2"
		;;
	esac
}

# lose WHEN VERB MEANWHILE: the monitor is killed while the call of VERB runs, or when it has ended and the
# acknowledgement was not read yet; MEANWHILE something happens; the next monitor goes on.
lose() {
	local link=eth1 before
	[ "$2" != add-network ] || link=eth2
	[ "$2" != del-network ] || link=eth9
	furnish
	before=$(count_calls ".verb == \"$2\"")
	: >"$DIR/rt/gate"
	request "$2"
	wait_calls $((before + 1)) ".verb == \"$2\""
	if [ "$1" = after ]; then
		kill -STOP "$MONITOR"
		rm "$DIR/rt/gate"
		wait_for "$BOUND" child_is_zombie
	fi
	crash_monitor
	if [ "$1" = during ]; then
		rm "$DIR/rt/gate"
		wait_for "$BOUND" no_runtime
	fi
	# Only what was plugged for the first time and stayed is plugged again.
	if [ "$2" = add-network ] && [ "$3" != gone ] && [ "$3" != recreated ]; then
		LOST+=("$(T -j link show eth2 | jq '.[].ifindex')")
	fi
	meanwhile "$3" "$link"
	restart_monitor
	if [ "$1" = still ]; then
		rm "$DIR/rt/gate"
	fi
	settled
}

child_is_zombie() {
	local child
	read -r child <"/proc/$MONITOR/task/$MONITOR/children"
	grep -q '^State:.*zombie' "/proc/$child/status"
}

# After any number of lose(): whatever was plugged twice had its acknowledgement lost, and no monitor plugged twice.
assert_plugged_once() {
	assert_calls 'map(select(.verb == "add-network" and .status == 0)) | group_by([.parent, .data.Index])
		| all(length == 1)'
	echo "acknowledgements lost: ${LOST[*]}"
	calls
	[ "$(calls | jq -s -c 'map(select(.verb == "add-network") | .data.Index) | group_by(.)
		| map(select(length > 1)[0])')" = "$(jq -n -c '$ARGS.positional | map(tonumber) | sort' --args "${LOST[@]}")" ]
}

# lose_all WHEN VERB:MEANWHILE...
lose_all() {
	local when=$1 case
	shift
	LOST=()
	export REPLUG=yes
	start_monitor
	for case; do
		echo "${case%:*} lost $when its end, meanwhile: ${case#*:}"
		lose "$when" "${case%:*}" "${case#*:}"
	done
	assert_plugged_once
	finish
}

@test "killed before the call: the next one makes it, once" {
	start_monitor --quiet 5000 --max-wait 5000
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T route add 10.50.0.0/16 via 10.1.0.1
	crash_monitor
	[ "$(calls | wc -l)" -eq 0 ]
	restart_monitor
	settled
	barrier
	[ "$(summary)" = "add-network:eth1 update-route" ]
	finish
}

@test "killed while a call runs, which goes on" {
	lose_all during add-network:{nothing,gone,recreated,addresses,routes} del-network:{nothing,recreated} \
		update-network:{nothing,gone,addresses} update-route:{nothing,recreated,routes}
}

@test "killed when a call has ended, before its end is seen" {
	lose_all after {add-network,del-network,update-network,update-route}:{nothing,recreated}
}

@test "killed while a call runs that still runs when the next monitor starts" {
	lose_all still {add-network,del-network,update-network,update-route}:recreated
}

# strace kills the monitor at the $2-th call of system call $1. Returns when it is attached.
kill_at() {
	strace -qq -o "$DIR/trace" -e trace=epoll_wait,epoll_pwait,"$1" -e inject="$1":signal=KILL:when="$2" \
		-p "$MONITOR" 3>&- &
	TRACER=$!
	wait_for "$BOUND" grep -q epoll "$DIR/trace"
}

# One round with a removal, an addition, an update and routes: link $1 goes, $2 comes; eth9 gets mtu $3.
change_all() {
	T -batch - <<-END
		link del $1
		link add $2 type veth peer name p$2 netns $PEER
		link set $2 up
		addr add 10.2.0.2/24 dev $2
		link set eth9 mtu $3
		route add 10.52.0.0/16 via 10.2.0.1
	END
	P link set "p$2" up
}

# killed_at SYSCALL STEP: fails if the monitor made fewer of these calls. Swaps $from and $to.
killed_at() {
	local add called applied=0 is_killed='' index
	kill_at "$1" "$2"
	change_all "$from" "$to" $((1400 + $2))
	index=$(T -j link show "$to" | jq '.[].ifindex')
	add=".verb == \"add-network\" and .data.Index == $index"
	wait_for "$BOUND" eval 'is_dead "$MONITOR" || is_quiet'
	if is_dead "$MONITOR"; then
		is_killed=yes
		wait "$MONITOR" 2>/dev/null || true
		wait_for "$BOUND" no_runtime
		called=$(count_calls "$add")
		applied=$(jq "[.plugs[] | select(.index == $index and .applied)] | length" "$(state_file json)")
		T addr add 10.4.0.2/24 dev "$to"
		T link set eth9 mtu 1500
		T route add 10.54.0.0/16 via 10.2.0.1
		restart_monitor
		settled
		echo "$1 $2: called $called times, saved $applied times; $(tail -n 2 "$DIR/trace" | head -n 1)"
		# It is plugged again only if it was called for, and the state does not say that this succeeded.
		[ "$(count_calls "$add")" -eq $((called + 1 - applied)) ] || : >"$DIR/wrong"
	else
		kill "$TRACER"
	fi
	wait "$TRACER" || true
	TRACER='' swap=$from from=$to to=$swap
	[ -n "$is_killed" ]
}

@test "killed at each step between two files and calls, and everything changed meanwhile" {
	local step steps=0 from=eth1 to=eth2
	export REPLUG=yes
	start_monitor
	furnish
	# Of three removals the third is of a file that counts, the note of the call.
	for call in renameat:1 vfork:1 unlinkat:3; do
		step=${call#*:}
		while killed_at "${call%:*}" "$step"; do
			[ ! -e "$DIR/wrong" ]
			step=$((step + ${call#*:}))
			steps=$((steps + 1))
		done
	done
	# Four calls, each with two renames, a removal and a fork.
	[ "$steps" -ge 16 ]
	finish
}

@test "what changed while nobody watched is sent, what did not is not" {
	start_monitor
	furnish
	mk eth2
	mk eth3
	mk eth4
	mk eth5
	settled
	before=$(calls | wc -l)
	crash_monitor
	T link del eth2
	mac=$(T -j link show eth3 | jq -r '.[].address')
	index=$(T -j link show eth3 | jq -r '.[].ifindex')
	T link del eth3
	mk eth3
	# Another one under the old index: only the MAC tells.
	T link del eth4
	T link add eth4 index "$index" type veth peer name peth4 netns "$PEER"
	P link set peth4 up
	T link set eth4 up
	T link set eth5 name lan5
	T addr add 10.1.0.9/24 dev eth1
	T route replace 10.50.0.0/16 via 10.1.0.7
	restart_monitor
	settled
	barrier
	calls | tail -n +$((before + 1)) | jq -s -e --arg mac "$mac" '
		(map(.verb + ":" + (.data.Name? // "")) | sort)
			== (["del-network:eth2", "del-network:eth3", "del-network:eth4", "add-network:eth3", "add-network:eth4",
			     "update-network:lan5", "update-network:eth1", "update-route:"] | sort)
		and (map(select(.verb == "del-network" and .data.Name == "eth3"))[0].data.HwAddr == $mac)
		and (map(select(.verb == "update-network" and .data.Name == "lan5"))[0].data.PreviousName == "eth5")'
	log_has 'watching again, from saved state'
	finish
}

@test "stopped and started, crashed and started: nothing is asked for again (B28)" {
	start_monitor
	furnish
	T route add 10.92.0.0/16 via 10.1.0.1 metric 4294967295
	T route add default nexthop via 10.1.0.1 weight 3 nexthop via 10.9.0.1
	T route add 10.93.0.0/16 via 192.0.2.200 dev eth1 onlink
	T route add 10.94.0.0/16 via inet6 fe80::1 dev eth1
	T -6 addr add 2001:db8::2 peer 2001:db8:1::/64 dev eth1 nodad
	T link set eth9 name "é\"\\\\"
	settled
	before=$(calls | wc -l)
	stop_monitor
	restart_monitor
	barrier
	crash_monitor
	restart_monitor
	barrier
	[ "$(calls | wc -l)" -eq "$before" ]
	assert_calls 'map(select(.verb == "update-route")) | last.data | map(select(.Metric == 4294967295)) | length == 1'
	finish
}

@test "--no-state keeps nothing and takes nothing" {
	start_monitor --no-state
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	barrier
	[ -z "$(state_file json)$(state_file call)" ]
	crash_monitor
	mk eth2
	start_monitor
	barrier
	[ "$(summary)" = "add-network:eth1" ]
	stop_monitor
}

# A run directory with a file system of its own, of $1 KiB.
mount_disk() {
	mkdir "$DIR/disk"
	mount -t tmpfs -o "size=${1}k,mode=0700" none "$DIR/disk"
	ln -s disk "$DIR/run"
}

@test "a full disk: said once, and that it is over; never half a file" {
	mount_disk 256
	start_monitor --run-dir "$DIR/disk"
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	settled
	head -c 1000000 /dev/zero >"$DIR/disk/full" 2>/dev/null || true
	cp "$DIR/run"/netns-*.json "$DIR/old"
	mk eth2
	wait_calls 1 '.data.Name == "eth2"'
	mk eth3
	wait_calls 1 '.data.Name == "eth3"'
	barrier
	[ "$(log_count 'level=warning msg="cannot save state: No space left on device')" -eq 1 ]
	cmp "$DIR/old" "$DIR/run"/netns-*.json
	# Now there is room for the first pages of what is to be written, and none for the last.
	truncate -s 240000 "$DIR/disk/full"
	for i in $(seq 1 400); do echo "route add 10.50.$((i / 250)).$((i % 250))/32 via 10.1.0.1"; done | T -batch -
	wait_calls 1 '.verb == "update-route" and (.data | length) == 400'
	barrier
	[ -z "$(find "$DIR/run/" -name '*.new')" ]
	rm "$DIR/disk/full"
	T link set eth2 mtu 1400
	settled
	[ "$(wc -c <"$(state_file json)")" -gt 30000 ]
	[ "$(log_count 'cannot save state')" -eq 1 ]
	[ "$(log_count 'state can be saved again')" -eq 1 ]
	crash_monitor
	: >"$DIR/log"
	restart_monitor --run-dir "$DIR/disk"
	barrier
	log_has 'watching again, from saved state'
	[ "$(count_calls '.verb == "add-network"')" -eq 3 ]
	finish
}

@test "a directory that takes no file any more, or goes: said once, and the work goes on" {
	mount_disk 1024
	start_monitor --run-dir "$DIR/disk"
	chattr +i "$DIR/disk"
	mk eth1
	mk eth2
	wait_calls 2 '.verb == "add-network"'
	barrier
	[ "$(log_count 'level=warning msg="cannot save state: Operation not permitted')" -eq 1 ]
	chattr -i "$DIR/disk"
	T link set eth1 mtu 1400
	wait_for "$BOUND" log_has 'state can be saved again'
	stop_monitor
	rm "$DIR/run"
	start_monitor
	rm -r "$DIR/run"
	T link set eth1 mtu 1300
	wait_calls 1 '.data.Mtu? == 1300'
	barrier
	[ "$(log_count 'level=warning msg="cannot save state: No such file or directory')" -eq 1 ]
	stop_monitor
}

@test "a directory that is read-only at start: said once, no state, all else goes on; a second monitor is still kept out" {
	mount_disk 1024
	mount -o remount,ro "$DIR/disk"
	start_monitor --run-dir "$DIR/disk"
	mk eth1
	wait_calls 1 '.verb == "add-network"'
	run -3 "$NETNSMON" --netns "$NS" -s sandbox1 -r "$DIR/rt/runtime" --run-dir "$DIR/disk"
	[[ "${lines[0]}" == *"another monitor watches this namespace"* ]]
	[ "$(grep -c 'level=warning' "$DIR/log")" -eq 1 ]
	grep -q "cannot write to $DIR/disk: no state is saved" "$DIR/log"
	finish
}

# After a normal end with eth1 plugged: the state file is in $STATE.
leave_state() {
	start_monitor
	mk eth1
	T addr add 10.1.0.2/24 dev eth1
	T route add 10.50.0.0/16 via 10.1.0.1
	settled
	stop_monitor
	STATE=$(state_file json)
	cp -p "$STATE" "$DIR/good"
}

# The monitor starts with what is now in place of the state: one warning that has $1, the baseline is used, and a good
# state takes its place.
refuses_state() {
	: >"$DIR/log"
	: >"$DIR/rt/calls"
	start_monitor
	[ "$(log_count 'level=(warning|error)')" -eq 1 ]
	grep 'level=warning' "$DIR/log" | grep -F "$1"
	[ -n "$(find "$DIR/run" -name 'netns-*.bad')" ]
	[ "$(stat -c '%F %a %u' "$STATE")" = 'regular file 600 0' ]
	jq -e '.plugs | map(.name) == ["mark0", "eth1"]' "$STATE"
	stop_monitor
	[ "$(calls | wc -l)" -eq 0 ]
	rm -rf "$DIR/run"/*.bad
	[ -z "$(find "$DIR/run" -mindepth 1 ! -name 'netns-*.json')" ]
}

@test "a state file that makes no sense: truncated, garbage, absurd numbers, deep as a well" {
	leave_state
	nonsense() {
		echo "case: $1"
		refuses_state 'it makes no sense'
	}
	: >"$STATE"
	nonsense empty
	for size in 1 50 200 $(($(wc -c <"$DIR/good") - 3)); do
		head -c "$size" "$DIR/good" >"$STATE"
		nonsense "truncated to $size"
	done
	head -c 5000 /dev/urandom >"$STATE"
	nonsense garbage
	head -c 5000 /dev/zero >"$STATE"
	nonsense zeroes
	{ head -c 200000 /dev/zero | tr '\0' '['; } >"$STATE"
	nonsense 'deeply nested'
	for edit in '.version = 2' '.version = 1e300' '.plugs[0].index = 4294967297' '.plugs[0].index = -1' \
		'.plugs[0].index = 0' '.plugs[0].index = 1.5' '.plugs[0].mtu = 1e99' '.plugs = 7' '.plugs += [{}]' \
		'.plugs[0].name = "a name that is longer than any"' '.plugs[0].name = ""' '.plugs[0].mac = "zz:zz"' \
		'.plugs[0].mac = ("00:" * 100) + "00"' '.plugs += .plugs' '.plugs[1].addresses[0].prefix_len = 33' \
		'.plugs[1].addresses[0].ip = "10.1.0.999"' '.plugs[1].addresses[0].family = 77' '.routes[0].prefix_len = 200' \
		'.routes[0].hops = []' '.routes[0].hops[0].device = 1e10' '.routes[0].family = 6' \
		'.devices += .devices' 'del(.routes)' 'del(.plugs[0].gone)' '[.]' '"text"' 'null'; do
		jq -c "$edit" "$DIR/good" >"$STATE"
		[ -s "$STATE" ]
		nonsense "$edit"
	done
}

@test "a state file of another sandbox, namespace, dialect or boot" {
	leave_state
	for edit in '.sandbox = "another"' '.netns_cookie = "1"' '.dialect = "kata1"' \
		'.boot_id = "00000000-0000-0000-0000-000000000000"' 'del(.boot_id)' '.netns_cookie = 1'; do
		jq -c "$edit" "$DIR/good" >"$STATE"
		echo "case: $edit"
		refuses_state 'it belongs to another sandbox, namespace, dialect or boot'
	done
}

@test "a state file that a stranger put there: never followed, never waited for, its target untouched" {
	leave_state
	echo precious >"$DIR/target"
	rm "$STATE"
	ln -s "$DIR/target" "$STATE"
	refuses_state 'it is a symbolic link'
	cp -p "$DIR/good" "$DIR/target"
	rm "$STATE"
	ln -s "$DIR/target" "$STATE"
	refuses_state 'it is a symbolic link'
	cmp "$DIR/good" "$DIR/target"
	rm "$STATE"
	ln -s "$DIR/nowhere" "$STATE"
	refuses_state 'it is a symbolic link'
	[ ! -e "$DIR/nowhere" ]
	chown 65534 "$STATE"
	refuses_state 'it is no file that is ours alone to write'
	chmod 660 "$STATE"
	refuses_state 'it is no file that is ours alone to write'
	chmod 602 "$STATE"
	refuses_state 'it is no file that is ours alone to write'
	rm "$STATE"
	mkfifo -m 600 "$STATE"
	refuses_state 'it is no file that is ours alone to write'
	rm "$STATE"
	mkdir "$STATE"
	: >"$STATE/file"
	refuses_state 'it is no file that is ours alone to write'
	rm "$STATE"
	truncate -s 8G "$STATE"
	refuses_state 'File too large'
}

@test "names that are written to, and are links, directories or FIFOs of a stranger" {
	echo precious >"$DIR/target"
	leave_state
	name=${STATE%.json}
	ln -s "$DIR/target" "$name.json.new"
	ln -s "$DIR/target" "$name.json.bad"
	ln -s "$DIR/target" "$name.call.new"
	echo '{' >"$STATE"
	: >"$DIR/log"
	: >"$DIR/rt/calls"
	start_monitor
	T link set eth1 mtu 1400
	settled
	[ "$(log_count 'level=(warning|error)')" -eq 1 ]
	stop_monitor
	[ "$(cat "$DIR/target")" = precious ]
	[ "$(cat "$name.json.bad")" = '{' ]
	# A note of a call that makes no sense is put aside like a state, and the state is used.
	ln -s "$DIR/target" "$name.call"
	: >"$DIR/log"
	start_monitor
	[ "$(log_count 'level=(warning|error)')" -eq 1 ]
	log_has 'netns-[0-9-]*.call cannot be used.*it is a symbolic link'
	log_has 'watching again, from saved state'
	stop_monitor
	[ "$(cat "$DIR/target")" = precious ]
	# What cannot even be put aside is said as it is; nothing can be saved then.
	rm -f "$STATE" "$name".*.bad
	mkdir -p "$STATE/full" "$STATE.bad/full"
	: >"$DIR/log"
	start_monitor
	T link set eth1 mtu 1300
	wait_calls 1 '.data.Mtu? == 1300'
	barrier
	log_has 'cannot be used, and not be renamed'
	[ "$(log_count 'level=warning.*cannot save state')" -eq 1 ]
	[ "$(log_count 'level=(warning|error)')" -eq 2 ]
	stop_monitor
}
