# SPDX-License-Identifier: GPL-2.0-or-later
#
# view.jq - what a runtime has, rebuilt from the requests that it acknowledged
#
# Inputs: the recorded calls. $start: what the kernel had when the monitor started, $known: whether the runtime knew it.
# A request that cannot be (adding what is there, removing or updating what is not) is an error; with REPLUG in the
# environment, where acknowledgements were lost, what is added or removed once more is not. Of a call with status -1 nobody
# knows whether it was carried out; what it may have added may be removed, and is listed in .maybe.

def interface: {Name, Index: (.Index // 0), Mtu, HwAddr, IPAddresses: (.IPAddresses | unique)};

def dest: if . == "" then "0.0.0.0/0" else . end;

def route:
  {Dest: (.Dest | dest), Family: (.Family // (if (.Dest + .Gateway) | contains(":") then 10 else 2 end)),
   Metric: (.Metric // 0), Source,
   Onlink: ((.Flags // 0) == 4),
   Hops: ((.NextHops // [{Gateway, Device, Weight: 1}]) | sort)};

def key: (.Index | tostring) + " " + .HwAddr;

def plugged($i): .interfaces | map(.Index) | index($i.Index);

def apply($call):
  ($call.verb | sub("-(network|iface|routes?)$"; "")) as $verb
  | if ($call.data | type) == "array" then .routes = ([$call.data[] | route] | unique)
    else ($call.data | interface) as $i
    | (.maybe // [] | index($i.Index)) as $maybe
    | if $maybe != null and $verb != "update" then .maybe -= [$i.Index] else . end
    | if $verb == "add" then
        if plugged($i) == null then .interfaces += [$i]
        elif $ENV.REPLUG then .interfaces |= map(if .Index == $i.Index then $i else . end)
        else error("added twice: \($i)") end
      elif plugged($i) == null then
        if $verb == "del" and ($maybe != null or $ENV.REPLUG) then . else error("not there: \($call.verb) \($i)") end
      elif $verb == "del" then .interfaces |= map(select(.Index != $i.Index))
      else .interfaces |= map(if .Index == $i.Index then $i else . end) end
    end;

def apply_unknown($call):
  if $call.verb | startswith("add-") then .maybe = ((.maybe // []) + [$call.data.Index] | unique) else . end;

# A runtime that did not read its input knows nothing of it.
reduce (inputs | select(.data != null and ((.data | type) == "array" or .data.Name != "mark0"))) as $call
  ((if $known then $start[0] else {interfaces: [], routes: []} end); if $call.status == -1 then apply_unknown($call) else apply($call) end)
| .interfaces |= sort_by(.Index)
| .routes |= map(select([.Hops[].Device] | index("mark0") | not))
