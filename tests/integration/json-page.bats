#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# json-page.bats - the manual page of the request format says what the schema says

bats_require_minimum_version 1.5.0
load helpers

PAGE=$here/../../runtime-client/netnsmon-json.5

setup() { DIR=$(mktemp -d "${BATS_TEST_TMPDIR:-/tmp}/nmt.XXXXXX"); }
teardown() { rm -rf "$DIR"; }

# The properties of the page's object $1 are the tags between its heading and the next list's end.
of_page() {
	awk -v heading="$1" '
		tolower($0) ~ "^\\.s[hs] " { inside = ($0 == ".Ss " heading) }
		inside && /^\.It Li / { print $3 }' "$PAGE" | sort
}

of_schema() {
	jq -r --arg name "$1" '.["$defs"][$name].properties | keys[]' "$SCHEMA" | sort
}

@test "each object has the schema's properties, and no other" {
	for pair in Interface:interface Address:address Routes:route 'Next hop:nexthop'; do
		of_schema "${pair#*:}" >"$DIR/schema"
		[ -s "$DIR/schema" ]
		diff "$DIR/schema" <(of_page "${pair%:*}")
	done
	[ "$(jq '[.["$defs"][] | select(.properties)] | length' "$SCHEMA")" -eq 4 ]
}

@test "what the schema has in one dialect only is said to be of that one" {
	# The text of a property, up to the next one.
	text() { awk -v name="$1" '/^\.(It|Ss|Sh|El)/ { inside = ($2 == "Li" && $3 == name) } inside' "$PAGE"; }
	for name in $(jq -r '[.["$defs"][].properties // {} | to_entries[] |
			select(.value.description // "" | test("^plain")).key] | unique[]' "$SCHEMA"); do
		text "$name" | grep -q '^\.Cm plain' || {
			echo "$name"
			return 1
		}
	done
	text RawFlags | grep -q '^\.Cm kata1'
}

@test "the examples are requests as the schema has them, one at least for each verb with a value of its own" {
	awk '/^\.Ed/ { print ""; inside = 0 } inside { printf "%s", $0 } /^\.Bd -literal/ { inside = 1 }' "$PAGE" \
		>"$DIR/examples"
	[ "$(grep -c . "$DIR/examples")" -ge 5 ]
	/usr/bin/python3 - "$SCHEMA" "$DIR/examples" <<-'EOF'
		import json, sys
		import jsonschema
		validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
		for line in open(sys.argv[2]):
		    validator.validate(json.loads(line))
	EOF
	for key in $(jq -r '[.["$defs"][].properties // {} | keys[]] | unique[]' "$SCHEMA"); do
		grep -qF "\"$key\":" "$DIR/examples" || {
			echo "no example of $key"
			return 1
		}
	done
}

@test "mandoc finds nothing to complain of" {
	run -0 mandoc -T lint -W warning "$PAGE"
	[ -z "$output" ]
}
