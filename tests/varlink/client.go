// SPDX-License-Identifier: GPL-2.0-or-later
//
// client.go - asks a monitor with a varlink library that is not ours
//
// It reads the interface that the monitor describes with that library's parser, calls all methods, and wants the errors
// that the specification has. The first thing that is wrong ends it with a message.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/varlink/go/varlink"
	"github.com/varlink/go/varlink/idl"
)

const name = "org.netnsmon.Monitor"

func must(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func want(what string, isSo bool) {
	if !isSo {
		must(what, fmt.Errorf("it is not so"))
	}
}

type monitor struct {
	Sandbox string `json:"sandbox"`
	State   string `json:"state"`
}

type link struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
}

func introspect(ctx context.Context, c *varlink.Connection) {
	var vendor, product, version, url string
	var interfaces []string

	must("GetInfo", c.GetInfo(ctx, &vendor, &product, &version, &url, &interfaces))
	want("it is netnsmon", product == "netnsmon" && len(interfaces) == 2)
	for _, known := range interfaces {
		text, err := c.GetInterfaceDescription(ctx, known)
		must("description of "+known, err)
		// The parser of this version knows lower case names only; the specification has io.systemd.Resolve and the like.
		want("it is described under its name", strings.Contains(text, "\ninterface "+known+"\n"))
		text = strings.Replace(text, "\ninterface "+known, "\ninterface "+strings.ToLower(known), 1)
		parsed, err := idl.New(text)
		must("parse "+known, err)
		if known != name {
			continue
		}
		described := map[string]bool{}
		for _, method := range parsed.Methods {
			described[method.Name] = true
		}
		for _, method := range []string{"Summary", "Status", "Watch", "Resync"} {
			want("it describes "+method, described[method])
		}
	}
}

func callAll(ctx context.Context, c *varlink.Connection) {
	var summary struct {
		Monitor monitor `json:"monitor"`
	}
	var status struct {
		Monitor monitor `json:"monitor"`
		Links   []link  `json:"links"`
	}

	must("Summary", c.Call(ctx, name+".Summary", nil, &summary))
	must("Status", c.Call(ctx, name+".Status", nil, &status))
	want("both are of one monitor", summary.Monitor.Sandbox == status.Monitor.Sandbox)
	for _, link := range status.Links {
		fmt.Printf("%s %s %s\n", status.Monitor.Sandbox, link.Name, link.Verdict)
	}
	must("Resync", c.Call(ctx, name+".Resync", nil, nil))
}

func watch(ctx context.Context, c *varlink.Connection, path string) {
	var reply struct {
		Event struct {
			Kind string `json:"kind"`
		} `json:"event"`
	}
	kind := ""

	receive, err := c.Send(ctx, name+".Watch", nil, varlink.More)
	must("Watch", err)
	other, err := varlink.NewConnection(ctx, "unix:"+path)
	must("a second connection", err)
	for kind != "resync" {
		flags, err := receive(ctx, &reply)
		must("an event", err)
		want("there will be more", flags&varlink.Continues != 0)
		if kind == "" {
			want("the first says that it is watched", reply.Event.Kind == "watching")
			must("Resync", other.Call(ctx, name+".Resync", nil, nil))
		}
		kind = reply.Event.Kind
	}
	other.Close()
}

func wantError(ctx context.Context, c *varlink.Connection, method string, parameters interface{}, expected string) {
	err := c.Call(ctx, method, parameters, nil)
	text, _ := json.Marshal(err)
	got := fmt.Sprintf("%T %s", err, text)

	if got != expected {
		must(method, fmt.Errorf("error %s, expected %s", got, expected))
	}
}

func errors(ctx context.Context, c *varlink.Connection) {
	wantError(ctx, c, name+".Nothing", nil,
		`*varlink.MethodNotFound {"method":"org.netnsmon.Monitor.Nothing"}`)
	wantError(ctx, c, "org.example.other.Method", nil,
		`*varlink.InterfaceNotFound {"interface":"org.example.other"}`)
	wantError(ctx, c, name+".Summary", map[string]int{"stray": 1},
		`*varlink.InvalidParameter {"parameter":"stray"}`)
	wantError(ctx, c, "org.varlink.service.GetInterfaceDescription", map[string]int{"interface": 1},
		`*varlink.InvalidParameter {"parameter":"interface"}`)
	err := c.Call(ctx, name+".Watch", nil, nil)
	want("Watch needs more", err != nil && err.Error() == "org.varlink.service.ExpectedMore")
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := varlink.NewConnection(ctx, "unix:"+os.Args[1])
	must("connect", err)
	introspect(ctx, c)
	callAll(ctx, c)
	errors(ctx, c)
	watch(ctx, c, os.Args[1])
}
