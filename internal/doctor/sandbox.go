package doctor

import (
	"fmt"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/sandbox"
)

// Sandbox puts what confines plugins on this machine into lines for people.
func Sandbox(r sandbox.Report) []control.Check {
	var out []control.Check
	add := func(name string, ok bool, yes, no string) {
		c := control.Check{Name: name, OK: ok, Detail: yes}
		if !ok {
			c.Detail = no
		}
		out = append(out, c)
	}
	if r.Platform == "darwin" {
		add("seatbelt", r.Seatbelt, "/usr/bin/sandbox-exec", "/usr/bin/sandbox-exec is missing; no plugin is started")
	} else {
		add("landlock", r.LandlockABI > 0, fmt.Sprintf("ABI %d", r.LandlockABI), "the kernel has none")
		add("seccomp", r.Seccomp, "filters system calls", "the kernel has none")
		add("namespaces", r.Namespaces, "for plugins that run helpers", "cannot be made here")
	}
	add("private host", r.HostPrivate, "its memory cannot be read by plugins", "its memory can be dumped")
	for _, p := range r.Problems {
		out = append(out, control.Check{Name: p.What, Detail: p.Refused + "; " + p.Remedy})
	}
	return out
}
