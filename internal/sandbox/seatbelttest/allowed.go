package seatbelttest

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
)

// Allowed says whether the profile allows one concrete operation on one
// argument: the last rule that matches decides, then the default. A rule for
// a wildcard is a rule for all that begins like it.
//
// Seatbelt was seen to read it otherwise: rules that name the operation itself
// are asked before those of a wildcard. Where the two readings differ there is no
// answer but an error.
//
// What the argument is depends on the operation:
//
//	file-*, process-exec*       a canonical path
//	network-*                   HOST:PORT, or the canonical path of a socket
//	mach-lookup, mach-register  a service, or xpc: and the name of an XPC service
//	sysctl-*                    a name
//	signal, process-info-*, …   self, same-sandbox or others
//	system-socket               a family, or FAMILY/PROTOCOL
//	system-fcntl                the number of a command
//	ipc-posix-shm-*             a name
//	the rest                    ""
func (p *Profile) Allowed(operation, arg string) (bool, error) {
	i, err := p.decides(operation, arg)
	if err != nil {
		return false, err
	}
	if i < 0 {
		return p.allowDefault || implicit(operation, arg), nil
	}
	return p.Rules[i].Allow, nil
}

// decides finds the rule that decides, -1 for the default.
func (p *Profile) decides(operation, arg string) (int, error) {
	kind, ok := operations[operation]
	if !ok {
		return 0, fmt.Errorf("unknown operation %q", operation)
	}
	if err := kind.check(arg); err != nil {
		return 0, fmt.Errorf("%s: %w", operation, err)
	}
	last, narrowest, width := -1, -1, 0
	for i, r := range p.Rules {
		if n := r.matches(operation, arg); n > 0 {
			last = i
			if n >= width {
				narrowest, width = i, n
			}
		}
	}
	if last >= 0 && p.Rules[last].Allow != p.Rules[narrowest].Allow {
		return 0, fmt.Errorf("%s %q: rule %d and rule %d, which names the operation more closely, disagree", operation, arg, last, narrowest)
	}
	return last, nil
}

// implicit is what a profile of version 1 is known to allow before its own
// first rule, whatever its default: services of XPC, and the commands of fcntl.
// Where that has changed, a deny of it changes nothing.
func implicit(operation, arg string) bool {
	return operation == "mach-lookup" && strings.HasPrefix(arg, xpcPrefix) || operation == "system-fcntl"
}

const xpcPrefix = "xpc:"

func (a argument) check(arg string) error {
	switch a {
	case argNone:
		if arg != "" {
			return fmt.Errorf("takes no argument, not %q", arg)
		}
	case argPath:
		return canonical(arg)
	case argPeer:
		if strings.HasPrefix(arg, "/") {
			return canonical(arg)
		}
		_, _, err := net.SplitHostPort(arg)
		return err
	case argProcess:
		if !slices.Contains([]string{"self", "same-sandbox", "others"}, arg) {
			return fmt.Errorf("%q is none of self, same-sandbox and others", arg)
		}
	case argCommand:
		if _, err := strconv.ParseUint(arg, 10, 16); err != nil {
			return err
		}
	default:
		if arg == "" {
			return fmt.Errorf("takes a %s", a)
		}
	}
	return nil
}

// matches is how closely the rule names an operation that it is about: longer
// wildcards more closely, and the operation itself most. 0 is not at all.
func (r Rule) matches(operation, arg string) int {
	if len(r.Filters) > 0 && !slices.ContainsFunc(r.Filters, func(f Filter) bool { return f.matches(arg) }) {
		return 0
	}
	closest := 0
	for _, op := range r.Operations {
		switch {
		case op == operation:
			return len(operation) + 1
		case covers(op, operation):
			closest = max(closest, len(op))
		}
	}
	return closest
}

func (f Filter) matches(arg string) bool {
	switch f.Kind {
	case "require-all":
		return !slices.ContainsFunc(f.Of, func(f Filter) bool { return !f.matches(arg) })
	case "require-any":
		return slices.ContainsFunc(f.Of, func(f Filter) bool { return f.matches(arg) })
	case "require-not":
		return !f.Of[0].matches(arg)
	case "subpath":
		return within(arg, f.Values[0])
	case "remote":
		return !strings.HasPrefix(arg, "/")
	case "xpc-service-name-prefix":
		name, xpc := strings.CutPrefix(arg, xpcPrefix)
		return xpc && strings.HasPrefix(name, f.Values[0])
	case "sysctl-name-prefix":
		return strings.HasPrefix(arg, f.Values[0])
	case "target":
		// What is the plugin itself is in its own sandbox too.
		return arg == "self" || arg == f.Values[0]
	case "socket-domain":
		family, _, _ := strings.Cut(arg, "/")
		return family == f.Values[0]
	case "socket-protocol":
		_, protocol, _ := strings.Cut(arg, "/")
		return protocol == f.Values[0]
	}
	// literal, global-name, sysctl-name, ipc-posix-name, fcntl-command
	return slices.Contains(f.Values, arg)
}

// Operations lists what can be asked about, sorted.
func Operations() []string {
	var list []string
	for name := range operations {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
