#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# completion.bats - what bash and zsh offer is what --help has

bats_require_minimum_version 1.5.0
load helpers

COMPLETION=$here/../../monitor/completion

setup() {
	DIR=$(mktemp -d "${BATS_TEST_TMPDIR:-/tmp}/nmt.XXXXXX")
	ln -s "$NETNSMON" "$DIR/netnsmon"
	PATH=$DIR:$PATH
	"$NETNSMON" --help >"$DIR/help"
}
teardown() { rm -rf "$DIR"; }

# Every option of the help, in both spellings, and those that take a value.
all_options() { grep -oE '^ +(-., )?--[a-z-]+' "$DIR/help" | grep -oE -- '--?[a-z-]+' | sort -u; }
# "OPTION VALUE" of those whose value is one of a few words.
choices() { sed -nE 's/^ +(-., )?(--[a-z-]+) ([a-z0-9]+(\|[a-z0-9]+)+) .*/\2 \3/p' "$DIR/help"; }

# in_bash WORD...: what is offered for the last of them, as bash splits a line.
in_bash() {
	bash --norc -c 'source "$1"; shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_netnsmon netnsmon; printf "%s\n" "${COMPREPLY[@]}"' bash "$COMPLETION/netnsmon.bash" netnsmon "$@"
}

@test "bash: all options that --help has, and no other" {
	[ "$(all_options | wc -l)" -gt 30 ]
	diff <(all_options) <(in_bash - | sort)
	diff <(all_options | grep '^--run') <(in_bash --run | sort)
}

@test "bash: values, after a blank and after =" {
	[ "$(choices | wc -l)" -ge 4 ]
	while read -r option value; do
		diff <(tr '|' '\n' <<<"$value" | sort) <(in_bash "$option" '' | sort)
		diff <(tr '|' '\n' <<<"$value" | sort) <(in_bash "$option" = | sort)
		[ "$(in_bash "$option" = "${value%%|*}")" = "${value%%|*}" ]
	done < <(choices)
	[ "$(in_bash --log w)" = warn ]
	# The levels are in the text only.
	for level in $(in_bash --log ''); do
		grep -E -- '--log LEVEL .*\<'"$level"'\>' "$DIR/help"
	done
	mkdir "$DIR/directory"
	: >"$DIR/document"
	[ "$(in_bash --run-dir "$DIR/d")" = "$DIR/directory" ]
	[ "$(in_bash -r "$DIR/do")" = "$DIR/document" ]
	in_bash --watch-pid "$$" | grep -x "$$"
	[ -z "$(in_bash --quiet '')" ]
}

@test "bash: names of namespaces; a namespace with a strange name does no harm" {
	NS="nmt-$$-$RANDOM\$(touch $BASHPID)"
	cd "$DIR"
	ip netns add "$NS"
	offered=$(in_bash --netns "${NS%touch*}" || true)
	ip netns del "$NS"
	[ "$offered" = "$NS" ]
	[ ! -e "$BASHPID" ]
}

# The file's specs for _arguments, one a line.
zsh_specs() {
	zsh -fc '_arguments() { print -rl -- "$@" }; _call_program() { shift; eval "$@" }
		words=(netnsmon); source $1' zsh "$COMPLETION/_netnsmon"
}

@test "zsh: all options that --help has, and no other, with their values" {
	zsh_specs >"$DIR/specs"
	diff <(all_options) <(grep -oE '^\*?--?[a-z-]+' "$DIR/specs" | tr -d '*' | sort -u)
	while read -r option value; do
		grep -qF -- "${value//|/ })" <(grep -E -- "^\*?$option=" "$DIR/specs")
	done < <(choices)
	grep -q '^\*--ignore=' "$DIR/specs"
	grep -q '^--run-dir=.*:_files -/$' "$DIR/specs"
	grep -q '^-r\[.*:_files$' "$DIR/specs"
}

# type_in_zsh TEXT WANTED: a real shell with TEXT and a tab typed shows WANTED.
type_in_zsh() {
	cat >"$DIR/type" <<-'END'
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell "PS1='ready> ' fpath=($1 \$fpath); autoload -U compinit; compinit -u -d $2/dump; print set''up"
		output=''
		zpty -r shell output '*setup*'
		zpty -w -n shell "$3"$'\t'
		zpty -r shell output "*$4*"
		zpty -d shell
		print -r -- "$output"
	END
	timeout "$BOUND" zsh -f "$DIR/type" "$COMPLETION" "$DIR" "$1" "$2"
}

@test "zsh: typed in a real shell" {
	type_in_zsh 'netnsmon --dial' 'netnsmon --dialect'
	type_in_zsh 'netnsmon --dialect ka' 'kata1'
	type_in_zsh 'netnsmon --log-to=sys' '--log-to=syslog'
}
