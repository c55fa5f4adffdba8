package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// Decide says whether the sandbox allows one access and which rule decides,
// in the words of the manifest. Kinds: read, write, exec, unix, network,
// fork, signal, appleevents, mach. Targets of the first four are paths, of
// mach a service name; the rest need none.
//
// It answers for the sandbox alone: the file's own permissions still apply.
func (p *Policy) Decide(kind, target string) (allowed bool, why string) {
	if p.Disabled {
		return true, "sandbox = false in the config"
	}
	switch kind {
	case "read":
		return p.decidePath(target, rightRead)
	case "write":
		return p.decidePath(target, rightWrite)
	case "exec":
		return p.decidePath(target, rightExec)
	case "unix":
		return p.decideSocket(target)
	case "network":
		return decideFlag(p.Network, "capability network")
	case "fork":
		if len(p.Exec) > 0 {
			return true, "sandbox.exec"
		}
		return decideFlag(p.Subprocess, "capability subprocess")
	case "signal":
		return decideFlag(p.Signal, "sandbox.signal")
	case "appleevents":
		return decideFlag(p.AppleEvents, "sandbox.appleevents")
	case "mach":
		if !slices.Contains(p.Mach, target) && p.GOOS == "darwin" && slices.Contains(p.machServices(), target) {
			return true, "system service"
		}
		return decideFlag(slices.Contains(p.Mach, target), "sandbox.mach "+target)
	}
	return false, fmt.Sprintf("unknown kind %q", kind)
}

func decideFlag(on bool, name string) (bool, string) {
	if on {
		return true, name
	}
	return false, "no " + name
}

// decidePath: the longest matching path wins; a grant that names a secret
// itself wins over the secret.
func (p *Policy) decidePath(target string, want right) (bool, string) {
	target = resolveFar(osFiles{}, target)
	best, reason, ok := -1, "not granted", false
	for _, g := range append(p.labelled(), p.listed()...) {
		// A narrower grant of another kind does not take a wider one away:
		// rights of nested rules add up.
		grants := g.Rights&want != 0 || want == rightWrite && g.Rights&rightStore != 0
		if grants && (target == g.Path || !g.alone && within(target, g.Path)) && len(g.Path) > best {
			best, reason, ok = len(g.Path), g.label+" "+g.Path, true
		}
	}
	if secret := p.secretOf(target); secret != "" && len(secret) > best {
		return false, "secret " + secret
	}
	return ok, reason
}

// decideSocket: the longest matching path wins, as for files.
func (p *Policy) decideSocket(target string) (bool, string) {
	target = resolveFar(osFiles{}, target)
	best := ""
	for _, s := range p.UnixSockets {
		if within(target, s) && len(s) > len(best) {
			best = s
		}
	}
	if secret := p.secretOf(target); len(secret) > len(best) {
		return false, "secret " + secret
	}
	switch {
	case best != "":
		return true, "sandbox.unix_sockets " + best
	case p.GOOS == "darwin" && p.Network && target == resolverSocket:
		return true, "capability network, the system's resolver"
	}
	return false, "not named in sandbox.unix_sockets"
}

// secretOf is the innermost secret that holds the path, "" for none.
func (p *Policy) secretOf(target string) string {
	best := ""
	for _, secret := range p.DenyRead {
		if within(target, secret) && len(secret) > len(best) {
			best = secret
		}
	}
	return best
}

type labelled struct {
	rule
	label string
	alone bool // the path itself, nothing below it
}

// listed are the directories that may be opened for their names alone.
func (p *Policy) listed() []labelled {
	var out []labelled
	for _, dir := range p.SocketDirs {
		out = append(out, labelled{rule{dir, rightRead}, "sandbox.unix_sockets", true})
	}
	if p.GOOS == "darwin" {
		out = append(out, labelled{rule{rootDir, rightRead}, "system", true})
	}
	return out
}

func (p *Policy) labelled() []labelled {
	var out []labelled
	add := func(label string, rights right, paths ...string) {
		for _, path := range paths {
			if path != "" {
				out = append(out, labelled{rule{path, rights}, label, rights&(rightExec|rightStore) != 0})
			}
		}
	}
	add("data directory", rightsWrite, p.DataDir)
	add("plugin root", rightsRead, p.Root)
	add("plugin executable", rightRead|rightExec, p.Start...)
	add("sandbox.exec", rightRead|rightExec, p.Exec...)
	add("sandbox.read", rightsRead, p.Read...)
	add("config write", rightsWrite, p.Write...)
	add("system", rightsRead, p.SystemRead...)
	add("system", rightRead|rightStore, p.SystemWrite...)
	if p.ownProc() {
		add("own pid namespace", rightsRead, "/proc")
	}
	return out
}

// Line is one line of an explained policy.
type Line struct {
	Allowed bool
	Kind    string
	Target  string
	Reason  string
}

func (l Line) String() string {
	verb := "deny "
	if l.Allowed {
		verb = "allow"
	}
	return strings.TrimRight(fmt.Sprintf("%s  %-11s %s  (%s)", verb, l.Kind, l.Target, l.Reason), " ")
}

// Explain lists the policy for a person: what is allowed and by which key,
// then what is denied.
func (p *Policy) Explain() []Line {
	if p.Disabled {
		return []Line{{true, "everything", "", "sandbox = false in the config"}}
	}
	var lines []Line
	for _, g := range p.labelled() {
		kind := "read"
		switch {
		case g.Rights&(rightWrite|rightStore) != 0:
			kind = "read, write"
		case g.Rights&rightExec != 0:
			kind = "read, exec"
		}
		lines = append(lines, Line{true, kind, g.Path, g.label})
	}
	for _, s := range p.UnixSockets {
		lines = append(lines, Line{true, "unix", s, "sandbox.unix_sockets"})
	}
	for _, m := range p.Mach {
		lines = append(lines, Line{true, "mach", m, "sandbox.mach"})
	}
	for _, kind := range []string{"network", "fork", "signal", "appleevents"} {
		if kind == "appleevents" && p.GOOS != "darwin" {
			continue
		}
		allowed, why := p.Decide(kind, "")
		lines = append(lines, Line{allowed, kind, "", why})
	}
	for _, s := range p.DenyRead {
		lines = append(lines, Line{false, "read", s, "secret"})
	}
	if p.MemoryBytes > 0 && p.GOOS != "darwin" { // nothing caps it there
		lines = append(lines, Line{false, "memory", fmt.Sprintf("above %d MiB", p.MemoryBytes>>20), "cap"})
	}
	return append(lines, Line{false, "everything", "else", "default"})
}
