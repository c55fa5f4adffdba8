package sandbox

import (
	"fmt"
	"strconv"

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

// memoryOf are the limits of memory, set right after the start: the Go
// programs that come before the plugin would not fit into a small one.
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

// applyBelow sets the limits of a plugin and of whatever it has forked
// meanwhile, from the init of its namespace: what is forked after a limited
// process is limited, so one pass without news ends it.
func (l limits) applyBelow(plugin int) error {
	done := map[int]bool{}
	todo := []int{plugin}
	for len(todo) > 0 {
		for _, pid := range todo {
			if err := l.applyTo(pid); err != nil {
				return err
			}
			done[pid] = true
		}
		todo = todo[:0]
		for _, e := range readDir("/proc") {
			if pid, err := strconv.Atoi(e.Name()); err == nil && pid != 1 && !done[pid] {
				todo = append(todo, pid)
			}
		}
	}
	return nil
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
