#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# package.bats - make install, make dist and make deb; the package is installed, used and purged
#
# It is installed for real, with the host's dpkg and libraries, but in a mount namespace in which all that is written to
# goes into memory.

bats_require_minimum_version 1.5.0
load helpers

TOP=$(cd "$here/../.." && pwd)

# make as someone would call it: the test run's own variables are none of its business.
clean_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u SANITIZE -u BUILD -u CFLAGS -u LDFLAGS make "$@"; }

# Builds the package from the tarball, once for all tests.
setup_file() {
	export MADE=''
	MADE=$(mktemp -d /tmp/nmt.XXXXXX)
	clean_make -C "$TOP" dist BUILD="$MADE"
	tar -C "$MADE" -xzf "$MADE"/netnsmon-*.tar.gz
	clean_make -C "$MADE"/netnsmon-*/ -j2 deb >"$MADE/log" 2>&1 || {
		cat "$MADE/log"
		return 1
	}
	mv "$MADE"/netnsmon-*/build/*.deb "$MADE/netnsmon.deb"
}
teardown_file() { rm -rf "${MADE:?}"; }

setup() { setup_netns; }
teardown() { teardown_netns; }

@test "the tarball has the tracked files and no other, and is the same each time" {
	diff <(git -C "$TOP" ls-files | sort) \
		<(tar -tzf "$MADE"/netnsmon-*.tar.gz | grep -v '/$' | sed 's|^netnsmon-[0-9.]*/||' | sort)
	clean_make -C "$TOP" dist BUILD="$DIR/again"
	cmp "$MADE"/netnsmon-*.tar.gz "$DIR"/again/netnsmon-*.tar.gz
}

@test "lintian has no error to tell; the control file has version, libraries and checksums" {
	lintian --allow-root --fail-on error "$MADE/netnsmon.deb"
	version=$(sed -n 's/^VERSION := //p' "$TOP/Makefile")
	[ "$(dpkg-deb -f "$MADE/netnsmon.deb" Version)" = "$version" ]
	for library in libc6 libcjson1 libev4 libmnl0; do
		dpkg-deb -f "$MADE/netnsmon.deb" Depends | grep -qw "$library"
	done
	dpkg-deb -R "$MADE/netnsmon.deb" "$DIR/raw"
	(cd "$DIR/raw" && md5sum --quiet -c DEBIAN/md5sums)
	diff <(cd "$DIR/raw" && find . -type f ! -path './DEBIAN/*' ! -path './etc/*' | sed 's|^./||' | sort) \
		<(cut -c35- "$DIR/raw/DEBIAN/md5sums" | sort)
}

# Runs the script on stdin in a copy of this system that nothing comes out of but DIR/out; its changes are in /changes.
in_copy() {
	cat >"$DIR/script"
	cat >"$DIR/enter" <<-'END'
		set -e
		memory=$1/memory
		mkdir "$memory"
		mount -n -t tmpfs tmpfs "$memory"
		mkdir "$memory/changes" "$memory/work" "$memory/root"
		mount -n -t overlay overlay -o "lowerdir=/,upperdir=$memory/changes,workdir=$memory/work" "$memory/root"
		mount -n --rbind /dev "$memory/root/dev"
		mount -n --rbind /sys "$memory/root/sys"
		mount -n -t proc proc "$memory/root/proc"
		mount -n -t tmpfs tmpfs "$memory/root/run"
		mkdir -p "$memory/root/changes" "$memory/root/files"
		mount -n --bind "$memory/changes" "$memory/root/changes"
		mount -n --bind "$1/files" "$memory/root/files"
		exec chroot "$memory/root" /bin/bash -eux /files/script
	END
	mkdir -p "$DIR/files"
	mv "$DIR/script" "$DIR/files/script"
	cp "$MADE/netnsmon.deb" "$DIR/files"
	nsenter --net="/run/netns/$PEER" timeout 120 \
		unshare --mount --propagation private --pid --fork --mount-proc --kill-child \
		bash "$DIR/enter" "$DIR" 3>&-
}

@test "installed, used by hand and by the hook, purged: nothing is left behind" {
	in_copy <<-'END'
		export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
		cd /
		ls -A /etc /usr/share /usr/libexec /lib/systemd/system /var/lib >/files/before
		dpkg -i /files/netnsmon.deb
		dpkg --verify netnsmon

		# By hand, in the namespace that this runs in.
		netnsmon --version
		/usr/libexec/netnsmon/kata-netmon --version | grep '^kata-netmon version'
		ip link add eth7 type veth peer name peer7
		ip link set peer7 up
		ip link set eth7 up
		netnsmon --baseline none --once --only eth7 | jq -e '.verb == "add-network" and .data.Name == "eth7"'
		for page in netnsmon.8 netnsmon-hook.8 netnsmon-json.5; do
			zcat "/usr/share/man/man${page##*.}/$page.gz" | mandoc -T lint -W error
		done
		jq -e .title /usr/share/netnsmon/request.schema.json
		grep -F 'ExecStart=/usr/sbin/netnsmon ' '/lib/systemd/system/netnsmon@.service'
		bash -c 'source /usr/share/bash-completion/completions/netnsmon && complete -p netnsmon'
		test -e /usr/share/zsh/vendor-completions/_netnsmon

		# By the hook, with a container that is a process in a namespace of its own.
		hook=$(jq -r .hook.path /usr/share/containers/oci/hooks.d/netnsmon-hook.json)
		unshare --net sleep 1000000 &
		until [ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
		if echo "{\"id\": \"c1\", \"pid\": $!, \"status\": \"creating\"}" | "$hook" 2>/files/refused; then exit 1; fi
		grep -F '/etc/netnsmon/hook.conf: it names no runtime' /files/refused
		echo 'runtime = /bin/true' >>/etc/netnsmon/hook.conf
		echo "{\"id\": \"c1\", \"pid\": $!, \"status\": \"creating\"}" | "$hook"
		test -e /run/netnsmon/hook-c1.pid
		kill $!
		echo '{"id": "c1", "status": "stopped"}' | "$hook"
		test ! -e /run/netnsmon/hook-c1.pid

		# The administrator's configuration outlives removal, but not purging.
		dpkg -r netnsmon
		grep 'runtime = /bin/true' /etc/netnsmon/hook.conf
		dpkg -P netnsmon
		test ! -e /run/netnsmon
		ls -A /etc /usr/share /usr/libexec /lib/systemd/system /var/lib >/files/after
		# What has changed but for dpkg's own records.
		find /changes -mindepth 1 ! -type d ! -path '/changes/var/lib/dpkg/*' ! -path '/changes/var/log/*' \
			! -path '/changes/var/cache/*' ! -path '/changes/etc/ld.so.cache' >/files/changed
		dpkg-query -W -f '${db:Status-Status}' netnsmon >/files/status 2>/dev/null || true
	END
	diff "$DIR/files/before" "$DIR/files/after"
	[ ! -s "$DIR/files/changed" ] || {
		cat "$DIR/files/changed"
		return 1
	}
	[ ! -s "$DIR/files/status" ] || grep -qx not-installed "$DIR/files/status"
}

@test "make install below a prefix, for whatever umask; make uninstall takes all of it away" {
	(umask 077 && clean_make -C "$MADE"/netnsmon-*/ install DESTDIR="$DIR/dest" PREFIX=/opt/nm)
	[ "$(find "$DIR/dest" -type f | wc -l)" -eq 14 ]
	[ -z "$(find "$DIR/dest" -type f ! -perm -444)" ]
	grep -rq '/opt/nm/sbin/netnsmon-hook' "$DIR/dest/opt/nm/share/containers/oci/hooks.d"
	grep -rq '/opt/nm/sbin/netnsmon ' "$DIR/dest/opt/nm/lib/systemd/system"
	[ "$(readlink "$DIR/dest/opt/nm/libexec/netnsmon/kata-netmon")" = /opt/nm/sbin/netnsmon ]
	refute grep -rqIE '/usr/local/(sbin|libexec|share)' "$DIR/dest"
	clean_make -C "$MADE"/netnsmon-*/ uninstall DESTDIR="$DIR/dest" PREFIX=/opt/nm
	[ -z "$(find "$DIR/dest" ! -type d)" ]
	[ -z "$(find "$DIR/dest" -name '*netnsmon*')" ]
}
