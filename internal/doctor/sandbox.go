package doctor

import (
	"fmt"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/sandbox"
)

// Sandbox puts what confines the plugins of this resident into lines for people.
func Sandbox(r sandbox.Report) []control.Check {
	return append(append(means(r), check("private host", r.HostPrivate, "its memory cannot be read by plugins", "its memory can be dumped")), problems(r)...)
}

// Machine is Sandbox where there is no resident: what one would find here. That
// its memory is private it sees to when it starts.
func Machine(r sandbox.Report) []control.Check { return append(means(r), problems(r)...) }

func check(name string, ok bool, yes, no string) control.Check {
	if ok {
		return control.Check{Name: name, OK: true, Detail: yes}
	}
	return control.Check{Name: name, Detail: no}
}

func means(r sandbox.Report) []control.Check {
	if r.Platform == "darwin" {
		return []control.Check{check("seatbelt", r.Seatbelt, "/usr/bin/sandbox-exec", "/usr/bin/sandbox-exec is missing; no plugin is started")}
	}
	return []control.Check{
		check("landlock", r.LandlockABI > 0, fmt.Sprintf("ABI %d", r.LandlockABI), "the kernel has none"),
		check("seccomp", r.Seccomp, "filters system calls", "the kernel has none"),
		check("namespaces", r.Namespaces, "for plugins that run helpers", "cannot be made here"),
	}
}

func problems(r sandbox.Report) []control.Check {
	var out []control.Check
	for _, p := range r.Problems {
		out = append(out, control.Check{Name: p.What, Detail: p.Refused + "; " + p.Remedy})
	}
	return out
}
