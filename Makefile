# SPDX-License-Identifier: GPL-2.0-or-later
#
# netnsmon: one non-recursive Makefile. `make help` lists the targets.
# CFLAGS, LDFLAGS, PREFIX and DESTDIR are the user's; WERROR=1 makes warnings errors, V=1 shows commands.

VERSION := 0.1.0

PREFIX ?= /usr/local
SBINDIR ?= $(PREFIX)/sbin
LIBEXECDIR ?= $(PREFIX)/libexec
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share/netnsmon
UNITDIR ?= $(PREFIX)/lib/systemd/system
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
# Of podman and CRI-O, which look for hooks below /usr and /etc.
HOOKSDIR ?= $(PREFIX)/share/containers/oci/hooks.d

BUILD ?= build
CC ?= cc
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g

MONITOR := alarm applied baseline calls delivery dump events feed filter hint inbox intake kernel_words limit_notes \
	lock log logsink monitor monitor_round monitor_view nexthop nlparse notes nowait observe \
	option_values options outbox oversized own_memory pathwatch pidwatch policy prefix_set printer process ready \
	reconcile retry route_census route_filter route_notes route_simple session settle snapshot state_parse \
	state_print statefile status status_log trim varlink_call varlink_peer varlink_server varlink_service verdict
COMMANDS := command command_options explain monitors paint prometheus show varlink_client
RUNTIME_CLIENT := array client dialect encode fingerprint iface ip json lockwait netns nlsock request routes \
	sandbox_id slots spawn utf8
QEMU := agent agent_parse base64 channel config fault guest guest_routes input list nic qmp rtnl tap tc verbs

# The OCI hook: libc and cJSON only.
HOOK := config container launch main record say

LIB_OBJECTS := $(MONITOR:%=$(BUILD)/monitor/%.o) $(RUNTIME_CLIENT:%=$(BUILD)/runtime-client/%.o) \
	$(COMMANDS:%=$(BUILD)/monitor/commands/%.o)
LIB := $(BUILD)/libnetnsmon.a
QEMU_LIB := $(BUILD)/libnetnsmon-qemu.a

# The interface that is served and installed is one text, compiled in.
INTERFACE := monitor/org.netnsmon.Monitor.varlink
LIB_OBJECTS += $(BUILD)/interface_text.o

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 \
	-Wswitch-enum -Wvla -Wundef -Wpointer-arith -Wcast-align $(if $(WERROR),-Werror)
# _FORTIFY_SOURCE needs optimisation, and the sanitizers check more by themselves.
HARDENING := -fstack-protector-strong -fPIE $(if $(SANITIZE),,-D_FORTIFY_SOURCE=2)
SANITIZERS := $(if $(SANITIZE),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer)

# libev has no .pc file everywhere.
LIBS = $(shell $(PKG_CONFIG) --libs libmnl libcjson) \
	$(shell $(PKG_CONFIG) --libs libev 2>/dev/null || echo -lev)
ALL_CPPFLAGS = -D_GNU_SOURCE -DNETNSMON_VERSION='"$(VERSION)"' -Iruntime-client -Imonitor/commands $(CPPFLAGS) \
	$(shell $(PKG_CONFIG) --cflags libmnl libcjson)
ALL_CFLAGS = -std=c11 $(WARNINGS) $(HARDENING) $(SANITIZERS) $(CFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(SANITIZERS) $(LDFLAGS)

Q := $(if $(V),,@)
SAY = $(if $(V),@:,@printf '  %-4s %s\n')

.PHONY: all
all: $(BUILD)/netnsmon $(BUILD)/kata-netmon $(BUILD)/netnsmon-qemu $(BUILD)/netnsmon-hook

$(BUILD)/netnsmon: $(BUILD)/monitor/main.o $(LIB)
	$(SAY) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# The same program: under this name it is Kata's monitor.
$(BUILD)/kata-netmon: $(BUILD)/netnsmon
	$(Q)ln -sf netnsmon $@

$(BUILD)/netnsmon-qemu: $(BUILD)/runtime-client/qemu/main.o $(QEMU_LIB) $(LIB)
	$(SAY) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/netnsmon-hook: $(HOOK:%=$(BUILD)/monitor/hook/%.o)
	$(SAY) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(shell $(PKG_CONFIG) --libs libcjson)

$(QEMU_LIB): $(QEMU:%=$(BUILD)/runtime-client/qemu/%.o)
$(LIB): $(LIB_OBJECTS)
$(LIB) $(QEMU_LIB):
	$(SAY) AR $@
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(COMMANDS:%=$(BUILD)/monitor/commands/%.o) $(BUILD)/monitor/main.o: ALL_CPPFLAGS += -Imonitor

$(BUILD)/%.o: %.c Makefile
	$(SAY) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/interface_text.c: $(INTERFACE) Makefile
	$(Q)mkdir -p $(@D)
	$(Q){ echo '#include "monitor/interface_text.h"'; echo 'const char interface_text[] ='; \
		sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $<; echo ';'; } >$@

$(BUILD)/interface_text.o: $(BUILD)/interface_text.c
	$(SAY) CC $@
	$(Q)$(CC) $(ALL_CPPFLAGS) -I. $(ALL_CFLAGS) -c -o $@ $<

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d)

# --- install --------------------------------------------------------------------------------------

# What is installed, but for directories of our own, that uninstall takes away if they are empty.
INSTALLED = $(SBINDIR)/netnsmon $(SBINDIR)/netnsmon-hook $(SBINDIR)/netnsmon-qemu \
	$(LIBEXECDIR)/netnsmon/kata-netmon $(MANDIR)/man8/netnsmon.8 $(MANDIR)/man8/netnsmon-hook.8 \
	$(MANDIR)/man8/netnsmon-qemu.8 $(MANDIR)/man5/netnsmon-json.5 $(DATADIR)/request.schema.json \
	$(DATADIR)/status.schema.json $(DATADIR)/$(notdir $(INTERFACE)) $(UNITDIR)/netnsmon@.service $(HOOKSDIR)/netnsmon-hook.json \
	$(BASHCOMPDIR)/netnsmon $(ZSHCOMPDIR)/_netnsmon

# Makes paths below /usr/local, in files that are installed already, our own.
RELOCATE = sed -i -e 's|/usr/local/sbin|$(SBINDIR)|g' -e 's|/usr/local/libexec|$(LIBEXECDIR)|g' \
	-e 's|/usr/local/share/netnsmon|$(DATADIR)|g' -e 's|/usr/local/share/containers/oci/hooks.d|$(HOOKSDIR)|g'

.PHONY: install
install: all
	install -d $(sort $(patsubst %/,$(DESTDIR)%,$(dir $(INSTALLED))))
	install -m 755 $(BUILD)/netnsmon $(BUILD)/netnsmon-hook $(BUILD)/netnsmon-qemu $(DESTDIR)$(SBINDIR)
	ln -sf $(SBINDIR)/netnsmon $(DESTDIR)$(LIBEXECDIR)/netnsmon/kata-netmon
	install -m 644 monitor/netnsmon.8 monitor/hook/netnsmon-hook.8 runtime-client/qemu/netnsmon-qemu.8 \
		$(DESTDIR)$(MANDIR)/man8
	install -m 644 runtime-client/netnsmon-json.5 $(DESTDIR)$(MANDIR)/man5
	install -m 644 monitor/netnsmon@.service $(DESTDIR)$(UNITDIR)
	install -m 644 monitor/hook/netnsmon-hook.json $(DESTDIR)$(HOOKSDIR)
	install -m 644 runtime-client/request.schema.json monitor/status.schema.json $(INTERFACE) \
		$(DESTDIR)$(DATADIR)
	install -m 644 monitor/completion/netnsmon.bash $(DESTDIR)$(BASHCOMPDIR)/netnsmon
	install -m 644 monitor/completion/_netnsmon $(DESTDIR)$(ZSHCOMPDIR)
	$(RELOCATE) $(patsubst %,$(DESTDIR)%,$(filter $(MANDIR)/% $(UNITDIR)/% $(HOOKSDIR)/%,$(INSTALLED)))

.PHONY: uninstall
uninstall:
	rm -f $(INSTALLED:%=$(DESTDIR)%)
	-rmdir $(DESTDIR)$(DATADIR) $(DESTDIR)$(LIBEXECDIR)/netnsmon

# --- packages -------------------------------------------------------------------------------------

.PHONY: dist
dist:
	$(Q)scripts/dist $(VERSION) $(BUILD)/netnsmon-$(VERSION).tar.gz

DEB := $(BUILD)/netnsmon_$(VERSION)_$(shell dpkg --print-architecture 2>/dev/null).deb

.PHONY: deb
deb: package-deps
	$(Q)rm -rf $(BUILD)/deb
	$(Q)$(MAKE) --no-print-directory install DESTDIR=$(abspath $(BUILD))/deb PREFIX=/usr SBINDIR=/usr/sbin \
		LIBEXECDIR=/usr/libexec MANDIR=/usr/share/man DATADIR=/usr/share/netnsmon HOOKSDIR=/usr/share/containers/oci/hooks.d \
		BASHCOMPDIR=/usr/share/bash-completion/completions ZSHCOMPDIR=/usr/share/zsh/vendor-completions \
		UNITDIR=/lib/systemd/system >/dev/null
	$(Q)scripts/deb $(VERSION) $(BUILD)/deb $(DEB)
	$(Q)lintian --allow-root --fail-on error --suppress-tags initial-upload-closes-no-bugs $(DEB)

# --- demonstration and tests ----------------------------------------------------------------------

# Installs only what is missing, and says so.
.PHONY: build-deps check-deps lint-deps package-deps
build-deps:
	$(Q)scripts/install-deps build
check-deps:
	$(Q)scripts/install-deps build check
lint-deps:
	$(Q)scripts/install-deps build check lint
package-deps:
	$(Q)scripts/install-deps build package

.PHONY: demo
demo: build-deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)NETNSMON=$(BUILD)/netnsmon scripts/demo

UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))
# The longest first, so that all end at about the same time. valgrind, by which growth.bats counts, cannot run what the
# sanitizers have instrumented.
LONG_TESTS := $(patsubst %,tests/integration/%.bats,state faults growth slots links kata-feedback)
INTEGRATION_TESTS := $(filter-out $(if $(SANITIZE),tests/integration/growth.bats),$(LONG_TESTS) \
	$(filter-out $(LONG_TESTS),$(wildcard tests/integration/*.bats)))

$(BUILD)/tests/unit/test_%: $(BUILD)/tests/unit/test_%.o $(BUILD)/tests/unit/scene.o $(QEMU_LIB) $(LIB)
	$(SAY) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(shell $(PKG_CONFIG) --libs cmocka)

$(BUILD)/tests/unit/%.o: ALL_CPPFLAGS += -Imonitor -Iruntime-client/qemu -DTEST_DATA='"$(abspath tests/data)"'
.SECONDARY:

.PHONY: unit
unit: $(UNIT_TESTS)
	$(Q)scripts/run-tests $(UNIT_TESTS)

.PHONY: check
check: check-deps
	$(Q)$(MAKE) --no-print-directory run-check

.PHONY: run-check
run-check: all $(UNIT_TESTS)
	$(Q)NETNSMON=$(abspath $(BUILD)/netnsmon) scripts/run-tests $(INTEGRATION_TESTS) $(UNIT_TESTS)

# With a real VM: QEMU's emulation, so that no hardware virtualisation is needed. The guest is fetched and built once.
GUEST := $(abspath $(BUILD))/vm
VM_TESTS := $(wildcard tests/vm/*.bats)

.PHONY: vm-deps guest
vm-deps:
	$(Q)scripts/install-deps build check vm
guest: vm-deps
	$(Q)tests/vm/build-guest $(GUEST)

.PHONY: check-vm
check-vm: guest
	$(Q)$(MAKE) --no-print-directory all
	$(Q)NETNSMON=$(abspath $(BUILD)/netnsmon) NETNSMON_QEMU=$(abspath $(BUILD)/netnsmon-qemu) GUEST_DIR=$(GUEST) \
		scripts/run-tests --jobs 2 $(VM_TESTS)

.PHONY: demo-vm
demo-vm: guest
	$(Q)$(MAKE) --no-print-directory all
	$(Q)NETNSMON=$(abspath $(BUILD)/netnsmon) NETNSMON_QEMU=$(abspath $(BUILD)/netnsmon-qemu) GUEST_DIR=$(GUEST) \
		scripts/demo-vm

.PHONY: check-asan
check-asan:
	$(Q)$(MAKE) --no-print-directory check BUILD=build/asan SANITIZE=1

# libFuzzer comes with clang. SECONDS is how long each target runs.
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
GIVEN_SECONDS := $(if $(filter environment% command%,$(origin SECONDS)),$(SECONDS))
FUZZ_SECONDS := $(or $(GIVEN_SECONDS),60)

.PHONY: fuzz
fuzz: lint-deps
	$(Q)$(MAKE) --no-print-directory run-fuzz BUILD=build/fuzz CC=clang SANITIZE=1 \
		CFLAGS='-O1 -g -fsanitize=fuzzer-no-link' FUZZ_SECONDS=$(FUZZ_SECONDS)

.PHONY: run-fuzz
run-fuzz: $(FUZZERS:%=$(BUILD)/tests/fuzz/%)
	$(Q)scripts/fuzz $(FUZZ_SECONDS) $^

$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/recording.o $(LIB)
	$(SAY) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/tests/fuzz/%.o: ALL_CPPFLAGS += -Imonitor

# The same SEED makes the same random choices; without one each run makes others.
.PHONY: stress
stress: check-deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)NETNSMON=$(abspath $(BUILD)/netnsmon) scripts/stress $(or $(GIVEN_SECONDS),120) $(SEED)

# --- figures --------------------------------------------------------------------------------------

# QUICK=1: less than a minute, to see that it works. BENCH_ARGS: see tests/bench/run --help.
BENCH_PROGRAMS := $(patsubst tests/bench/%.c,$(BUILD)/tests/bench/%,$(wildcard tests/bench/*.c))
BENCH_STAMPS = $(abspath $(BUILD))/tests/bench/stamps

.PHONY: bench
bench: check-deps
	$(Q)$(MAKE) --no-print-directory run-bench

.PHONY: run-bench
run-bench: $(BUILD)/netnsmon $(BENCH_PROGRAMS)
	$(Q)tests/bench/run $(if $(QUICK),--quick) --build $(abspath $(BUILD)) $(BENCH_ARGS)

$(BUILD)/tests/bench/%: tests/bench/%.c Makefile
	$(SAY) LD $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -DSTAMPS='"$(BENCH_STAMPS)"' $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(LIBS)

$(BUILD)/tests/bench/runtime: tests/bench/runtime.c Makefile
	$(SAY) LD $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -DSTAMPS='"$(BENCH_STAMPS)"' $(ALL_CFLAGS) -fno-stack-protector -fno-pie -no-pie \
		-static -nostartfiles -o $@ $<

.PHONY: lint
lint: lint-deps
	$(Q)scripts/lint $(ALL_CPPFLAGS)

.PHONY: clean
clean:
	rm -rf $(BUILD)

.PHONY: help
help:
	@echo 'make             build $(BUILD)/netnsmon, netnsmon-qemu and netnsmon-hook'
	@echo 'make demo        install what the build needs, build, show the main job live (root)'
	@echo 'make check       install what the tests need, build, run all tests (root)'
	@echo 'make check-vm    from docker network connect to a ping in the guest of a real (emulated) VM (root)'
	@echo 'make demo-vm     the same for people to watch, with times (root)'
	@echo 'make check-asan  the same with AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make unit        only the tests that need neither root nor a namespace'
	@echo 'make stress      random changes for SECONDS=120 against a runtime that misbehaves; SEED= (root)'
	@echo 'make bench       memory, CPU and latency against floors in the same run; QUICK=1: in a minute (root)'
	@echo 'make fuzz        libFuzzer on the pure parts, SECONDS=60 each'
	@echo 'make lint        clang-format, clang-tidy, cppcheck, shellcheck, mandoc'
	@echo 'make install     PREFIX=$(PREFIX), DESTDIR= ; make uninstall takes it away again'
	@echo 'make dist        $(BUILD)/netnsmon-$(VERSION).tar.gz of the tracked files'
	@echo 'make deb         install what it needs, build $(DEB)'
	@echo 'make clean       remove $(BUILD)'
	@echo 'Variables: CC, CFLAGS, LDFLAGS, BUILD, WERROR=1 (warnings are errors), V=1 (show commands)'
