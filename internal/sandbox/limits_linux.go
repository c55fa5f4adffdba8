package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	// stackBytes bounds what a main thread can grow its stack to: RLIMIT_DATA
	// does not count stacks. 64 MiB is eight times the usual soft limit.
	stackBytes = 64 << 20
	// namespaceProcesses bounds processes and threads of one plugin in its
	// user namespace. Node with two helpers uses about 40. The kernel does
	// not apply it to the real root.
	namespaceProcesses = 256
)

// limits are the resource limits of one child.
type limits []limit

type limit struct {
	Resource int
	Cur, Max uint64
}

// limitsOf are the limits beside memory. RLIMIT_NPROC counts all of the
// user's processes except in a user namespace.
func limitsOf(p *Policy, userNamespace bool) limits {
	l := limits{{unix.RLIMIT_CORE, 0, 0}}
	if p.FileBytes > 0 {
		l = append(l, limit{unix.RLIMIT_FSIZE, uint64(p.FileBytes), uint64(p.FileBytes)})
	}
	if userNamespace {
		l = append(l, limit{unix.RLIMIT_NPROC, namespaceProcesses, namespaceProcesses})
	}
	return l
}

// memoryOf are the limits of memory. On a thread they are set right after the
// start: the host forks with its own memory, which would not fit into them. The
// end of exec(2) may then put the limit of the stack back to what it was before,
// so the filter also keeps the child from raising that one.
// RLIMIT_AS is not used, because Go and Node reserve address space that they
// never touch.
func memoryOf(p *Policy) limits {
	if p.MemoryBytes == 0 {
		return nil
	}
	return limits{
		{unix.RLIMIT_DATA, uint64(p.MemoryBytes), uint64(p.MemoryBytes)},
		{unix.RLIMIT_STACK, 8 << 20, stackBytes},
	}
}

// within lowers the limits to what this process may still set.
func (l limits) within() (limits, error) {
	out := make(limits, 0, len(l))
	for _, want := range l {
		var now unix.Rlimit
		if err := unix.Getrlimit(want.Resource, &now); err != nil {
			return nil, fmt.Errorf("read resource limit %d: %w", want.Resource, err)
		}
		out = append(out, limit{want.Resource, min(want.Cur, now.Max), min(want.Max, now.Max)})
	}
	return out, nil
}

// applyTo sets the limits of a process, 0 meaning the caller. A limit is
// only ever lowered.
func (l limits) applyTo(pid int) error {
	for _, want := range l {
		var now unix.Rlimit
		if err := unix.Prlimit(pid, want.Resource, nil, &now); err != nil {
			return ignoreGone(fmt.Errorf("read resource limit %d: %w", want.Resource, err))
		}
		set := unix.Rlimit{Cur: min(want.Cur, now.Max), Max: min(want.Max, now.Max)}
		if err := unix.Prlimit(pid, want.Resource, &set, nil); err != nil {
			return ignoreGone(fmt.Errorf("set resource limit %d: %w", want.Resource, err))
		}
	}
	return nil
}
