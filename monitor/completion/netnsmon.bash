# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# netnsmon.bash - completion for bash: options, values and commands are those that `netnsmon --help` has

# Lines "OPTION VALUE" of the help, the options in both spellings; VALUE is empty if there is none.
_netnsmon_options() {
	"$1" --help 2>/dev/null |
		sed -nE 's/^ *(-., )?(--[a-z-]+)( ([^ ]+))?(  .*|$)/\1\2 \4/p' |
		while read -r first second third; do
			case $first in
			-?,)
				echo "${first%,} $third"
				echo "$second $third"
				;;
			*) echo "$first $second" ;;
			esac
		done
}

# Commands have lines of their own, too: "  list   what it does".
_netnsmon_commands() {
	"$1" --help 2>/dev/null | sed -nE 's/^ +([a-z]+)( .*|$)/\1/p'
}

# Adds to COMPREPLY those that begin with CUR. (Not compgen -W, which runs what is in $() within a word.)
_netnsmon_offer() {
	local cur=$1 word
	shift
	for word; do
		[[ $word != "$cur"* ]] || COMPREPLY+=("$word")
	done
}

# Offers what may stand for VALUE, a name or several with bars between.
_netnsmon_value() {
	local option=$1 value=$2 cur=$3 one path
	local -a kinds names
	IFS='|' read -ra kinds <<<"$value"
	for one in "${kinds[@]}"; do
		case $one in
		NAME)
			names=(/run/netns/*)
			[ "$option" != --netns ] || [ ! -e "${names[0]}" ] || _netnsmon_offer "$cur" "${names[@]##*/}"
			;;
		LEVEL) _netnsmon_offer "$cur" error warn info debug ;;
		PID)
			names=(/proc/[0-9]*)
			_netnsmon_offer "$cur" "${names[@]##*/}"
			;;
		PATH | FILE | DIR)
			compopt -o filenames 2>/dev/null
			while read -r path; do
				COMPREPLY+=("$path")
			done < <(compgen "$([ "$one" = DIR ] && echo -d || echo -f)" -- "$cur")
			;;
		*[!a-z0-9-]*) ;;
		*) _netnsmon_offer "$cur" "$one" ;;
		esac
	done
}

_netnsmon() {
	local cur=${COMP_WORDS[COMP_CWORD]} option value options
	local previous=$((COMP_CWORD - 1))

	options=$(_netnsmon_options "$1")
	COMPREPLY=()
	# bash takes "=" for a word of its own.
	if [ "$cur" = = ]; then
		cur=''
	elif [ "${COMP_WORDS[previous]}" = = ]; then
		previous=$((previous - 1))
	fi
	while read -r option value; do
		if [ -n "$value" ] && [ "$option" = "${COMP_WORDS[previous]}" ]; then
			_netnsmon_value "$option" "$value" "$cur"
			return
		fi
	done <<<"$options"
	case $cur in
	-*)
		while read -r option _; do
			_netnsmon_offer "$cur" "$option"
		done <<<"$options"
		;;
	*)
		[ "$COMP_CWORD" -ne 1 ] || while read -r option; do
			_netnsmon_offer "$cur" "$option"
		done < <(_netnsmon_commands "$1")
		;;
	esac
}

complete -F _netnsmon netnsmon
