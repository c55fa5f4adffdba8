package tmux

import (
	"context"
	"slices"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

const (
	// tableWindow is the shortest time over which the host measures the use of
	// the CPU, which is of no interest here.
	tableWindow = time.Millisecond
	// tableLimit bounds the wait for the table: the window is selected anyway,
	// and raising its terminal is not worth a pause that is felt.
	tableLimit = 400 * time.Millisecond
	// maxDepth bounds the way up from a client, also around a loop.
	maxDepth = 64
)

// terminals finds the applications that processes run in. It holds one process
// table; nil when the host lends none.
type terminals struct {
	parent map[int]int
	apps   []int // sorted
}

func (p *plugin) terminals(ctx context.Context) *terminals {
	ctx, cancel := context.WithTimeout(ctx, tableLimit)
	defer cancel()
	table, err := p.h.ProcessTable(ctx, tableWindow)
	if err != nil {
		return nil
	}
	p.mu.Lock()
	apps := p.apps
	p.mu.Unlock()
	return newTerminals(table, apps)
}

func newTerminals(table []protocol.Process, apps []int) *terminals {
	t := &terminals{parent: make(map[int]int, len(table)), apps: apps}
	for _, proc := range table {
		t.parent[proc.PID] = proc.PPID
	}
	return t
}

// of returns the application that pid runs in, 0 when it is in none: it came by
// ssh, or it is on a console.
func (t *terminals) of(pid int) int {
	for range maxDepth {
		if pid <= 1 {
			return 0
		}
		if _, ok := slices.BinarySearch(t.apps, pid); ok {
			return pid
		}
		pid = t.parent[pid]
	}
	return 0
}

// raise is the pid for the host to bring to the front. Without a table it is
// the client's own: a host that knows more can climb from there.
func (p *plugin) raise(ctx context.Context, c client) int {
	t := p.terminals(ctx)
	if t == nil || len(t.apps) == 0 {
		return c.pid
	}
	return t.of(c.pid)
}
