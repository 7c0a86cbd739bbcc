# SPDX-License-Identifier: GPL-2.0-or-later
#
# kernel.jq - what a runtime should have, by what iproute2 says of a namespace
#
# Input: {links, addresses, routes} of kernel_state(). Output: {interfaces, routes}, both sorted, in the words of the view.
# The rules are those of the manual: which interfaces, addresses and routes count. $plugged: indexes of what was plugged while it
# was up, and so stays until its link is gone.

def counts:
  (.link_type == "loopback" | not) and (.ifname | endswith("_kata") | not)
  and ((.ifindex as $i | $plugged | index($i)) != null
       or ((.flags | index("UP")) != null and (.flags | index("LOWER_UP")) != null and ((.master // null) == null)));

def bits: if .family == "inet" then 32 else 128 end;

# With a peer outside its prefix (iproute2 shows any other address as peer "address") the prefix is the peer's.
def address:
  {Family: (if .family == "inet" then 2 else 10 end), Address: .local,
   Mask: ((if .address != null then bits else .prefixlen end) | tostring)};

# iproute2 6.1 does not say who made an address: no test adds a link-local IPv6 address of its own and compares.
def address_counts:
  (.dadfailed | not) and (.tentative | not) and ((.temporary // false) | not)
  and ((.family == "inet6" and .scope == "link") | not);

def interface($addresses):
  {Name: .ifname, Index: .ifindex, Mtu: .mtu, HwAddr: (.address // ""),
   IPAddresses: ([$addresses[] | select(address_counts) | address] | unique)};

def prefix($family):
  if . == "default" then (if $family == 2 then "0.0.0.0/0" else "::/0" end)
  elif contains("/") then . else . + (if $family == 2 then "/32" else "/128" end) end;

def hop: {Gateway: (.gateway // .via.host // ""), Device: .dev, Weight: (.weight // 1)};

def dead: (.flags // []) | index("dead") != null;

# iproute2 with -d names types; protocols are numbers because of -N: 2 is the kernel.
def route($names; $peers):
  . as $route
  | [(.nexthops // [$route])[] | select(dead | not) | select(.dev as $d | $names | index($d))] as $legs
  | [$legs[] | hop] as $hops
  | select(($hops | length) > 0)
  | select(.type == null or .type == "unicast" or .type == "1")
  | select((.protocol | tostring) != "2" or
           ((.dst | prefix($route.family)) as $dst | $peers | index($route.dev + " " + $dst)))
  | select(((.tos // "0") == "0") and (.encap == null) and (.from == null))
  | select(dead | not)
  | {Dest: (.dst | prefix($route.family)), Family: .family, Metric: (.metric // 0), Source: (.prefsrc // ""),
     Onlink: ([$legs[].flags // []] | add | index("onlink") != null),
     # A leg that is left alone is a plain route, which has no weight.
     Hops: (if ($hops | length) == 1 then [$hops[0] + {Weight: 1}] else $hops | sort end)};

(.addresses | map({key: (.ifindex | tostring), value: .addr_info}) | from_entries) as $addresses
| [.links[] | select(counts)] as $links
| ($links | map(.ifname)) as $names
| [.addresses[] | .ifname as $dev | .addr_info[]? | select(.address != null)
   | $dev + " " + (.address + "/" + (.prefixlen | tostring))] as $peers
| {interfaces: ([$links[] | interface($addresses[.ifindex | tostring] // [])] | sort_by(.Index)),
   routes: ([.routes[] | route($names; $peers)] | unique)}
| .interfaces |= map(select(.Name != "mark0"))
| .routes |= map(select([.Hops[].Device] | index("mark0") | not))
