package seatbelttest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Profile is a read profile.
type Profile struct {
	allowDefault bool
	Rules        []Rule
}

// Rule is one allow or deny.
type Rule struct {
	Allow      bool
	Operations []string // as written, wildcards included
	Filters    []Filter // any of them; none = always
}

// Filter is one condition. Require-all, require-any and require-not have Of,
// the others Values.
type Filter struct {
	Kind   string
	Values []string
	Of     []Filter
}

// written are the operations that the generator writes. Another one in a
// profile is a reason to look at it and to extend this evaluator first.
var written = []string{
	"appleevent-send", "file-ioctl", "file-map-executable", "file-read*", "file-read-data", "file-read-metadata",
	"file-read-xattr", "file-test-existence", "file-write*", "file-write-create", "file-write-data", "file-write-unlink",
	"ipc-posix-shm-read-data", "mach-lookup", "network-outbound", "process-exec*", "process-fork", "process-info*",
	"signal", "sysctl-read", "system-fcntl", "system-socket",
}

// argument is what an operation is about, which decides the filters that it
// takes.
type argument string

const (
	argNone    argument = "none"
	argPath    argument = "path"
	argPeer    argument = "peer"    // a socket's path, or HOST:PORT
	argService argument = "service" // a Mach service, or xpc:NAME
	argSysctl  argument = "sysctl"
	argProcess argument = "process" // self, same-sandbox, others
	argSocket  argument = "socket"  // FAMILY or FAMILY/PROTOCOL
	argCommand argument = "command" // a number of fcntl(2)
	argShared  argument = "shared memory"
)

// Operations are the concrete operations that can be asked about. Those that
// no rule of the generator names are here to be denied.
var operations = map[string]argument{
	"appleevent-send": argNone, "authorization-right-obtain": argNone, "device-camera": argNone, "device-microphone": argNone,
	"distributed-notification-post": argNone, "file-chroot": argPath, "file-clone": argPath, "file-ioctl": argPath,
	"file-link": argPath, "file-map-executable": argPath, "file-mknod": argPath, "file-mount": argPath, "file-read-data": argPath,
	"file-read-metadata": argPath, "file-read-xattr": argPath, "file-revoke": argPath, "file-test-existence": argPath, "file-unmount": argPath,
	"file-write-create": argPath, "file-write-data": argPath, "file-write-flags": argPath, "file-write-mode": argPath,
	"file-write-owner": argPath, "file-write-setugid": argPath, "file-write-times": argPath, "file-write-unlink": argPath,
	"file-write-xattr": argPath, "generic-issue-extension": argNone, "hid-control": argNone, "iokit-open": argNone,
	"iokit-set-properties": argNone, "ipc-posix-sem": argNone, "ipc-posix-shm-read-data": argShared,
	"ipc-posix-shm-write-create": argShared, "ipc-posix-shm-write-data": argShared, "ipc-sysv-msg": argNone,
	"ipc-sysv-sem": argNone, "ipc-sysv-shm": argNone, "job-creation": argNone, "lsopen": argNone, "mach-lookup": argService,
	"mach-priv-host-port": argNone, "mach-priv-task-port": argProcess, "mach-register": argService, "mach-task-name": argProcess,
	"network-bind": argPeer, "network-inbound": argPeer, "network-outbound": argPeer, "nvram-set": argNone,
	"process-exec": argPath, "process-exec-interpreter": argPath, "process-fork": argNone,
	"process-info-codesignature": argProcess, "process-info-dirtycontrol": argProcess, "process-info-listpids": argProcess,
	"process-info-pidfdinfo": argProcess, "process-info-pidinfo": argProcess, "process-info-rusage": argProcess,
	"process-info-setcontrol": argProcess, "pseudo-tty": argNone, "signal": argProcess, "sysctl-read": argSysctl,
	"sysctl-write": argSysctl, "system-acct": argNone, "system-audit": argNone, "system-fcntl": argCommand,
	"system-kext-load": argNone, "system-privilege": argNone, "system-reboot": argNone, "system-sched": argProcess,
	"system-set-time": argNone, "system-socket": argSocket, "system-swap": argNone, "user-preference-read": argNone,
	"user-preference-write": argNone,
}

// filterKinds are the filters that the generator writes, by what they look at.
var filterKinds = map[string]argument{
	"literal": argPath, "subpath": argPath, "remote": argPeer, "global-name": argService, "xpc-service-name-prefix": argService,
	"sysctl-name": argSysctl, "sysctl-name-prefix": argSysctl, "target": argProcess, "socket-domain": argSocket,
	"socket-protocol": argSocket, "fcntl-command": argCommand, "ipc-posix-name": argShared,
}

// Parse reads a profile; an error names what is unknown or cannot be meant.
func Parse(text string) (*Profile, error) {
	nodes, err := readAll(text)
	if err != nil {
		return nil, err
	}
	at := func(n node) string { return fmt.Sprintf("line %d: ", 1+strings.Count(text[:n.at], "\n")) }
	if len(nodes) < 2 || !isForm(nodes[0], "version", "1") {
		return nil, fmt.Errorf("a profile begins with (version 1) and its default")
	}
	p := &Profile{}
	switch {
	case isForm(nodes[1], "deny", "default"):
	case isForm(nodes[1], "allow", "default"):
		p.allowDefault = true
	default:
		return nil, fmt.Errorf("%sthe second form is (deny default) or (allow default)", at(nodes[1]))
	}
	for _, n := range nodes[2:] {
		r, err := parseRule(n)
		if err != nil {
			return nil, fmt.Errorf("%s%w", at(n), err)
		}
		p.Rules = append(p.Rules, r)
	}
	return p, nil
}

func isForm(n node, words ...string) bool {
	if n.kind != isList || len(n.list) != len(words) {
		return false
	}
	for i, w := range words {
		if n.list[i].kind != isWord || n.list[i].text != w {
			return false
		}
	}
	return true
}

func parseRule(n node) (Rule, error) {
	var r Rule
	if n.kind != isList || len(n.list) < 2 || n.list[0].kind != isWord {
		return r, fmt.Errorf("not a rule")
	}
	switch n.list[0].text {
	case "allow":
		r.Allow = true
	case "deny":
	default:
		return r, fmt.Errorf("unknown form %q", n.list[0].text)
	}
	rest := n.list[1:]
	for len(rest) > 0 && rest[0].kind == isWord {
		if !slices.Contains(written, rest[0].text) {
			return r, fmt.Errorf("unknown operation %q", rest[0].text)
		}
		r.Operations = append(r.Operations, rest[0].text)
		rest = rest[1:]
	}
	if len(r.Operations) == 0 {
		return r, fmt.Errorf("a rule without an operation")
	}
	for _, n := range rest {
		f, err := parseFilter(n)
		if err != nil {
			return r, err
		}
		for _, op := range r.Operations {
			if err := f.fits(op); err != nil {
				return r, err
			}
		}
		r.Filters = append(r.Filters, f)
	}
	return r, nil
}

func parseFilter(n node) (Filter, error) {
	if n.kind != isList || len(n.list) < 2 || n.list[0].kind != isWord {
		return Filter{}, fmt.Errorf("not a filter")
	}
	f := Filter{Kind: n.list[0].text}
	if strings.HasPrefix(f.Kind, "require-") {
		return parseRequire(f, n.list[1:])
	}
	for _, v := range n.list[1:] {
		if v.kind == isList {
			return f, fmt.Errorf("a list in %q", f.Kind)
		}
		f.Values = append(f.Values, v.text)
	}
	kindOf := func(kind nodeKind, count int) bool {
		return len(f.Values) == count && !slices.ContainsFunc(n.list[1:], func(v node) bool { return v.kind != kind })
	}
	ok := false
	switch f.Kind {
	case "literal", "subpath":
		if ok = kindOf(isString, 1); ok {
			if err := canonical(f.Values[0]); err != nil {
				return f, err
			}
		}
	case "global-name", "sysctl-name", "sysctl-name-prefix", "ipc-posix-name":
		ok = kindOf(isString, 1) && f.Values[0] != ""
	case "xpc-service-name-prefix":
		ok = kindOf(isString, 1)
	case "target":
		ok = kindOf(isWord, 1) && slices.Contains([]string{"self", "same-sandbox"}, f.Values[0])
	case "remote":
		// An address other than everything is not written, and the port of
		// none is a profile that macOS refuses.
		ok = len(n.list) == 3 && n.list[1].kind == isWord && n.list[2].kind == isString && slices.Equal(f.Values, []string{"ip", "*:*"})
	case "socket-domain":
		ok = kindOf(isWord, 1) && slices.Contains([]string{"AF_ROUTE", "AF_SYSTEM"}, f.Values[0])
	case "socket-protocol", "fcntl-command":
		ok = kindOf(isWord, len(f.Values))
		for _, v := range f.Values {
			if _, err := strconv.ParseUint(v, 10, 16); err != nil {
				ok = false
			}
		}
	default:
		return f, fmt.Errorf("unknown filter %q", f.Kind)
	}
	if !ok {
		return f, fmt.Errorf("unknown values of filter %q: %q", f.Kind, f.Values)
	}
	return f, nil
}

func parseRequire(f Filter, of []node) (Filter, error) {
	switch f.Kind {
	case "require-all", "require-any":
	case "require-not":
		if len(of) != 1 {
			return f, fmt.Errorf("require-not takes one filter")
		}
	default:
		return f, fmt.Errorf("unknown filter %q", f.Kind)
	}
	for _, n := range of {
		inner, err := parseFilter(n)
		if err != nil {
			return f, err
		}
		f.Of = append(f.Of, inner)
	}
	return f, nil
}

// fits says whether the filter can be asked of the operation: one that cannot
// is a profile that seatbelt refuses.
func (f Filter) fits(operation string) error {
	for _, inner := range f.Of {
		if err := inner.fits(operation); err != nil {
			return err
		}
	}
	if len(f.Of) > 0 {
		return nil
	}
	for name, arg := range operations {
		if !covers(operation, name) {
			continue
		}
		if arg == filterKinds[f.Kind] || arg == argPeer && filterKinds[f.Kind] == argPath {
			continue
		}
		return fmt.Errorf("operation %q takes no filter %q", operation, f.Kind)
	}
	return nil
}

// covers says whether a rule for the written operation is about the concrete one.
func covers(written, concrete string) bool {
	if stem, ok := strings.CutSuffix(written, "*"); ok {
		return strings.HasPrefix(concrete, stem)
	}
	return written == concrete
}

// canonical wants the path of a vnode: seatbelt never sees another, so that a
// rule for one matches nothing.
func canonical(path string) error {
	if !strings.HasPrefix(path, "/") || filepath.Clean(path) != path {
		return fmt.Errorf("%q is not a clean absolute path", path)
	}
	for _, link := range []string{"/etc", "/tmp", "/var"} {
		if within(path, link) {
			return fmt.Errorf("%q is not canonical: %s is a link to /private%s", path, link, link)
		}
	}
	return nil
}

func within(path, dir string) bool {
	return dir == "/" || path == dir || strings.HasPrefix(path, dir+"/")
}

// String writes the filter as the profile has it.
func (f Filter) String() string {
	var b strings.Builder
	b.WriteString("(" + f.Kind)
	for _, v := range f.Values {
		fmt.Fprintf(&b, " %q", v)
	}
	for _, inner := range f.Of {
		b.WriteString(" " + inner.String())
	}
	return b.String() + ")"
}
