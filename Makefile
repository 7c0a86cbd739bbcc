# SPDX-License-Identifier: GPL-2.0-or-later
#
# netnsmon: one non-recursive Makefile. `make help` lists the targets.
# CFLAGS, LDFLAGS, PREFIX and DESTDIR are the user's; WERROR=1 makes warnings errors, V=1 shows commands.

VERSION := 0.1.0

PREFIX ?= /usr/local
SBINDIR ?= $(PREFIX)/sbin
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share/netnsmon

BUILD ?= build
CC ?= cc
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g

MONITOR := applied baseline calls dump events filter hint lock log logsink monitor netns nexthop \
	nlparse nlsock notes observe options prefix_set printer process ready reconcile retry \
	route_filter route_notes route_simple settle snapshot
RUNTIME_CLIENT := array client dialect encode fingerprint iface ip request routes spawn utf8

LIB_OBJECTS := $(MONITOR:%=$(BUILD)/monitor/%.o) $(RUNTIME_CLIENT:%=$(BUILD)/runtime-client/%.o)
LIB := $(BUILD)/libnetnsmon.a

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 \
	-Wswitch-enum -Wvla -Wundef -Wpointer-arith -Wcast-align $(if $(WERROR),-Werror)
# _FORTIFY_SOURCE needs optimisation, and the sanitizers check more by themselves.
HARDENING := -fstack-protector-strong -fPIE $(if $(SANITIZE),,-D_FORTIFY_SOURCE=2)
SANITIZERS := $(if $(SANITIZE),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer)

# libev has no .pc file everywhere.
LIBS = $(shell $(PKG_CONFIG) --libs libmnl libcjson) \
	$(shell $(PKG_CONFIG) --libs libev 2>/dev/null || echo -lev)
ALL_CPPFLAGS = -D_GNU_SOURCE -DNETNSMON_VERSION='"$(VERSION)"' -Iruntime-client $(CPPFLAGS) \
	$(shell $(PKG_CONFIG) --cflags libmnl libcjson)
ALL_CFLAGS = -std=c11 $(WARNINGS) $(HARDENING) $(SANITIZERS) $(CFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(SANITIZERS) $(LDFLAGS)

Q := $(if $(V),,@)
SAY = $(if $(V),@:,@printf '  %-4s %s\n')

.PHONY: all
all: $(BUILD)/netnsmon

$(BUILD)/netnsmon: $(BUILD)/monitor/main.o $(LIB)
	$(SAY) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(LIB): $(LIB_OBJECTS)
	$(SAY) AR $@
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	$(SAY) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d)

.PHONY: clean
clean:
	rm -rf $(BUILD)

# --- tests ---------------------------------------------------------------------------------------

UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))

$(BUILD)/tests/unit/test_%: $(BUILD)/tests/unit/test_%.o $(LIB)
	$(SAY) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(shell $(PKG_CONFIG) --libs cmocka)

$(BUILD)/tests/unit/%.o: ALL_CPPFLAGS += -Imonitor

.PHONY: unit
unit: $(UNIT_TESTS)
	$(Q)for test in $(UNIT_TESTS); do $$test || exit 1; done
