package sandbox

import (
	"path/filepath"
	"slices"
)

// Seatbelt writes the policy as a profile for /usr/bin/sandbox-exec.
//
// Deny is the default, and the last rule that matches decides: first what is
// allowed, then the denies. Secrets get a deny of their own behind the allows;
// what a manifest names inside a secret is carved out within that deny's
// filter, because a later allow does not reopen a denied parent. Paths are
// canonical vnode paths (/private/var/…), which the policy has resolved.
//
// Every form written here is one that the evaluator of the tests knows
// (seatbelttest): a new one goes there first.
//
// No answer may depend on how wide a rule's operation is: macOS was seen to ask
// the rules that name an operation itself before those of its wildcard, whatever
// their order, and describes the order alone. What is allowed by the name of one
// operation is therefore denied by that name too.
func (p *Policy) Seatbelt() (string, error) {
	var w profile
	w.line("(version 1)")
	if p.Disabled {
		w.line("(allow default)")
		return w.text()
	}
	w.line("(deny default)")
	p.seatbeltFiles(&w)
	p.seatbeltProcesses(&w)
	p.seatbeltPeers(&w)
	for _, secret := range p.DenyRead {
		p.seatbeltSecret(&w, secret)
	}
	w.rule("deny", "file-write-create file-write-unlink", filters("literal", p.pinned()...))
	// Two commands of fcntl(2) change a file through a descriptor that may only
	// read it (F_MAKECOMPRESSED, F_TRANSFEREXTENTS), and services of XPC run
	// outside of the sandbox: version 1 allows both by itself.
	w.line("(deny system-fcntl (fcntl-command 80 110))")
	w.line(`(deny mach-lookup (xpc-service-name-prefix ""))`)
	return w.text()
}

// looks are what stat(2) and access(2) ask for; the second is no part of
// file-read*.
const looks = "file-read-metadata file-test-existence"

func (p *Policy) seatbeltFiles(w *profile) {
	// Every path may be looked at, outside of secrets: without it, programs that
	// walk a path or look for what is not there fail with EPERM where they
	// expect ENOENT. It is what a plugin on a thread may do on Linux.
	w.line("(allow " + looks + ")")
	w.allow("file-read*", filters("literal", rootDir))
	w.allow("file-read*", filters("subpath", p.SystemRead...))
	w.allow("file-map-executable", filters("subpath", append(slices.Clone(p.SystemRead), p.Root)...))
	w.allow("file-write-data", filters("literal", p.SystemWrite...))
	w.allow("file-ioctl", filters("literal", p.SystemWrite...))
	w.allow("file-read*", filters("literal", p.SystemWrite...))
	w.allow("file-read*", filters("subpath", p.Root, p.DataDir))
	w.allow("file-read*", filters("subpath", p.Read...))
	w.allow("file-read*", filters("subpath", p.Write...))
	w.allow("file-read*", filters("literal", p.SocketDirs...))
	w.allow("file-write*", filters("subpath", p.writable()...))
}

func (p *Policy) seatbeltProcesses(w *profile) {
	programs := filters("literal", sortedUnique(slices.Concat(p.Start, p.Exec))...)
	w.allow("file-read*", programs)
	w.allow("file-map-executable", programs)
	// With the star: a script needs the right to run its interpreter as such,
	// which is among the programs.
	w.allow("process-exec*", programs)
	w.line("(allow process-info* (target self))")
	if p.Forks() {
		w.line("(allow process-fork)")
		w.line("(allow process-info* (target same-sandbox))")
	}
	switch {
	case p.Signal:
		w.line("(allow signal)")
	case p.Forks():
		w.line("(allow signal (target same-sandbox))")
	default:
		w.line("(allow signal (target self))")
	}
	names := slices.Concat(filters("sysctl-name", machineNames...), filters("sysctl-name-prefix", machinePrefixes...))
	if p.Network {
		names = append(names, filters("sysctl-name-prefix", networkPrefix)...)
	}
	w.allow("sysctl-read", names)
	w.line(`(allow ipc-posix-shm-read-data (ipc-posix-name "apple.shm.notification_center"))`)
}

func (p *Policy) seatbeltPeers(w *profile) {
	if p.Network {
		w.line(`(allow network-outbound (remote ip "*:*"))`)
		w.allow("network-outbound", filters("literal", resolverSocket))
		// The routing table, and kernel controls as the network's own libraries
		// ask for them; AF_INET and AF_UNIX are no system sockets.
		w.line("(allow system-socket (socket-domain AF_ROUTE) (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))")
	}
	w.allow("network-outbound", filters("subpath", p.UnixSockets...))
	if p.AppleEvents {
		w.line("(allow appleevent-send)")
	}
	w.allow("mach-lookup", filters("global-name", p.machServices()...))
}

// seatbeltSecret denies a secret but for what the policy grants inside, each
// right for itself: a file that may be read there may still not be written
// although a wider grant would let it.
func (p *Policy) seatbeltSecret(w *profile, secret string) {
	var reads, writes, sockets inside
	for _, g := range p.grants() {
		if !within(g.Path, secret) {
			continue
		}
		if g.Rights&rightRead != 0 {
			reads.add(g.Path, g.Rights&rightList != 0)
		}
		if g.Rights&(rightWrite|rightStore) != 0 {
			writes.add(g.Path, g.Rights&rightWrite != 0)
		}
	}
	for _, s := range p.UnixSockets {
		if within(s, secret) {
			sockets.add(s, true)
		}
	}
	// The directories on the way to what is granted may be looked at, like any
	// other path, and not be listed: databases resolve their own name so.
	way := between(secret, slices.Concat(reads.trees, reads.alone, sockets.trees))
	shut := way
	for _, dir := range p.SocketDirs {
		if within(dir, secret) {
			reads.add(dir, false)
			shut = slices.DeleteFunc(slices.Clone(shut), func(d string) bool { return d == dir })
		}
	}

	if slices.ContainsFunc(p.UnixSockets, func(s string) bool { return within(secret, s) }) {
		w.deny("network-outbound", secret, sockets)
	}
	if reads.none() && writes.none() && len(way) == 0 {
		w.deny("file-read* "+looks+" file-write*", secret, inside{})
		return
	}
	reads.alone = append(reads.alone, way...)
	w.deny("file-read* "+looks, secret, reads)
	w.rule("deny", "file-read-data file-read-xattr", filters("literal", shut...))
	w.deny("file-write*", secret, writes)
}

// inside is what is carved out of a secret: trees, and paths without what is
// below them.
type inside struct{ trees, alone []string }

func (i *inside) add(path string, tree bool) {
	if tree {
		i.trees = append(i.trees, path)
	} else {
		i.alone = append(i.alone, path)
	}
}

func (i inside) none() bool { return len(i.trees)+len(i.alone) == 0 }

// between lists the directories from top down to what holds each of the paths,
// top included.
func between(top string, paths []string) []string {
	var list []string
	for _, path := range paths {
		for dir := filepath.Dir(path); within(dir, top); dir = filepath.Dir(dir) {
			list = append(list, dir)
			if dir == top {
				break
			}
		}
	}
	return slices.DeleteFunc(sortedUnique(list), func(dir string) bool {
		return slices.ContainsFunc(paths, func(granted string) bool { return within(dir, granted) })
	})
}

// writable lists what may be changed.
func (p *Policy) writable() []string {
	return slices.DeleteFunc(append([]string{p.DataDir}, p.Write...), func(path string) bool { return path == "" })
}

// pinned lists what must keep its name although it lies in something writable.
// Rules are about names: a directory that is moved takes the secret below it
// out of its deny, and a link in the place of a granted directory would lead
// the next policy, which resolves it, to wherever the plugin wants.
func (p *Policy) pinned() []string {
	writable := p.writable()
	granted := slices.Concat(writable, p.Read, p.UnixSockets, []string{p.Root})
	names := slices.Clone(granted)
	for _, path := range slices.Concat(granted, p.DenyRead) {
		names = append(names, parents(path)...)
	}
	return sortedUnique(slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(writable, func(dir string) bool { return within(name, dir) })
	}))
}

// ExplainSeatbeltExit says what sandbox-exec's own exit codes mean; "" for
// any other code.
func ExplainSeatbeltExit(code int) string {
	switch code {
	case 65:
		return "seatbelt refused the profile (exit 65): a path or service in the manifest's sandbox table cannot be expressed; see flash plugin-dev profile --explain"
	case 71:
		return "seatbelt denied executing the plugin (exit 71): its executable or interpreter is not where the manifest says, or not readable"
	}
	return ""
}
