package sandbox

import (
	"fmt"
	"strings"
)

// Support is what a Linux kernel offers to this process. It is a value so
// that the decisions for older kernels are tested on a new one.
type Support struct {
	LandlockABI int
	Seccomp     bool
	// Namespaces: user, pid and mount namespaces can be made and mounts work
	// in them.
	Namespaces bool
	// NamespacesWhy and NamespacesRemedy say what stands in the way.
	NamespacesWhy    string
	NamespacesRemedy string
}

// Landlock ABI versions and what came with them.
const (
	abiFiles    = 1 // reading, writing, executing files
	abiRefer    = 2 // renames and links across directories
	abiTruncate = 3 // truncate(2), O_TRUNC on a read-only descriptor
	abiNet      = 4 // TCP bind and connect
	abiIoctl    = 5 // ioctl on devices
	abiScope    = 6 // signals and abstract sockets leave the domain
	abiKnown    = 7 // the newest whose rights are used here
)

// way is how a child is started.
type way int

const (
	wayPlain     way = iota // sandbox = false
	wayThread               // a restricted OS thread of the host forks and executes
	wayNamespace            // a shim in new namespaces executes (or stays as init)
)

// plan is what a start does.
type plan struct {
	way      way
	init     bool // the shim stays as pid 1 and reaps
	netns    bool // own network namespace: carries abstract sockets below ABI 6
	signals  bool // Landlock scopes signals
	abstract bool // Landlock scopes abstract sockets
	mask     bool // secrets below a grant are masked by mount
	truncate bool // seccomp carries truncation below ABI 3
	metadata bool // seccomp denies chmod, chown, utimes, setxattr (mounts carry them in the namespace way)
}

// RefusedError says why a child is not started: nothing on this machine can
// enforce what its profile denies.
type RefusedError struct {
	PluginID string
	Reason   string
	Remedy   string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("plugin %s is not started unconfined: %s; %s", e.PluginID, e.Reason, e.Remedy)
}

// planFor is the decision table. Each denied right is carried by Landlock, by
// seccomp or by a namespace; a right that nothing carries refuses the start.
//
//	files, exec          Landlock ABI 1+           else refuse
//	truncation           Landlock ABI 3+           else seccomp
//	network              seccomp (socket families), always
//	chmod and the like   seccomp on the thread; read-only mounts in a namespace
//	signals to others    Landlock ABI 6+           else pid namespace, else refuse
//	abstract sockets     Landlock ABI 6+           else network namespace, refused with `network`
//	path sockets         seccomp without unix_sockets; else mount namespace, else refuse
//	descendants          fork denied by seccomp    else pid namespace, else refuse
//	names of secrets     masked by mount           else carved directories cannot be listed
//	/proc/self           pid namespace             else not readable
func planFor(p *Policy, s Support) (plan, error) {
	if p.Disabled {
		return plan{way: wayPlain}, nil
	}
	refuse := func(reason, remedy string) (plan, error) {
		return plan{}, &RefusedError{PluginID: p.PluginID, Reason: reason, Remedy: remedy}
	}
	off := fmt.Sprintf("or set sandbox = false under [plugin.%s] to run it without protection", p.PluginID)
	if !s.Seccomp {
		return refuse("this kernel has no seccomp filters", "use a kernel with CONFIG_SECCOMP_FILTER, "+off)
	}
	if s.LandlockABI < abiFiles {
		return refuse("Landlock is not available",
			"use a kernel 5.13 or newer with `landlock` in its list of security modules (kernel parameter lsm=landlock,…), "+off)
	}
	scoped := s.LandlockABI >= abiScope
	sockets := len(p.UnixSockets) > 0
	var needs []string
	if p.Forks() {
		needs = append(needs, "it may start processes, which only a pid namespace can end with it")
	}
	if sockets {
		needs = append(needs, "it names unix_sockets, and only a mount namespace can hide the others")
	}
	if !scoped && !p.Signal {
		needs = append(needs, fmt.Sprintf("Landlock ABI %d cannot keep it from signalling other processes (ABI %d can)", s.LandlockABI, abiScope))
	}
	pl := plan{
		way:      wayThread,
		signals:  scoped && !p.Signal,
		abstract: scoped,
		truncate: s.LandlockABI < abiTruncate,
		metadata: true,
	}
	if len(needs) == 0 && !(s.Namespaces && (p.carved() || p.OwnProc)) {
		return pl, nil
	}
	if !s.Namespaces {
		return refuse(strings.Join(needs, " and ")+", but "+s.NamespacesWhy, s.NamespacesRemedy+", "+off)
	}
	pl.way, pl.init, pl.mask, pl.metadata = wayNamespace, p.Forks(), true, false
	if sockets && !scoped {
		if p.Network {
			return refuse(fmt.Sprintf("it has network and unix_sockets, and Landlock ABI %d cannot close abstract sockets to it (ABI %d can)", s.LandlockABI, abiScope),
				"use a kernel 6.12 or newer, "+off)
		}
		pl.netns = true
	}
	return pl, nil
}
