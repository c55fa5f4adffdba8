package broker

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// Processes is the machine's process table.
type Processes interface {
	// Table lists the processes that can be seen, in order of pid, with their
	// use of the CPU over the window.
	Table(ctx context.Context, window time.Duration) ([]protocol.Process, error)
	// Terminate sends SIGTERM to the process that pid and start name; a start
	// of 0 is whichever has the pid now. It must not hit a later process that
	// was given the same pid. allow is asked, with the process held fast and
	// its parent known, before the signal goes out.
	Terminate(ctx context.Context, pid int, start int64, allow func(start int64) error) error
	// Parent is the pid of a process's parent, 0 when there is none.
	Parent(pid int) int
}

// Errors of Terminate.
var (
	errNoProcess    = errors.New("no such process")
	errOtherProcess = errors.New("another process has that pid now")
	errNotPermitted = errors.New("not permitted")
)

const (
	defaultWindow = 250 // ms: long enough to count several clock ticks
	maxWindow     = 3000
	// maxProcesses and maxPath keep a table well below the frame cap.
	maxProcesses = 8192
	maxPath      = 1024
)

func (b *Broker) processTable(ctx context.Context, c *call) ([]byte, error) {
	window := c.within("sample_window_ms", 0, maxWindow, defaultWindow)
	if err := c.done(); err != nil {
		return nil, err
	}
	table, err := b.o.Processes.Table(ctx, time.Duration(window)*time.Millisecond)
	if err != nil {
		return nil, err
	}
	if len(table) > maxProcesses {
		table = table[:maxProcesses]
	}
	for i := range table {
		if len(table[i].Path) > maxPath {
			table[i].Path = ""
		}
	}
	b.listed.note(c.PluginID, table)
	return success().With("processes", func(dst []byte) []byte { return protocol.AppendProcesses(dst, table) }).Bytes(), nil
}

// signal ends the process that the plugin was shown. The host itself, and what
// it was started by, are out of reach: ending them would end every plugin.
func (b *Broker) signal(ctx context.Context, c *call) ([]byte, error) {
	pid := c.params.PID("pid")
	start := c.startTime()
	if c.params.Err() == nil && pid < 2 {
		c.params.Fail("pid", "is not above 1")
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	if start == 0 {
		start = b.listed.start(c.PluginID, pid)
	}
	err := b.o.Processes.Terminate(ctx, pid, start, func(int64) error {
		if b.isOurs(pid) {
			return refusal("that process is the host or one that it depends on")
		}
		return nil
	})
	var r refusal
	switch {
	case err == nil:
		return success().Bytes(), nil
	case errors.As(err, &r):
		return nil, r
	case errors.Is(err, errNoProcess), errors.Is(err, errOtherProcess), errors.Is(err, errNotPermitted):
		return nil, refusal("pid " + strconv.Itoa(pid) + ": " + err.Error())
	}
	return nil, err
}

// startTime reads the optional token of process_table, as the number that it
// is or as text for languages whose only number is a double.
func (c *call) startTime() int64 {
	raw := c.params.Raw("start_time")
	if raw == nil {
		return 0
	}
	if raw[0] != '"' {
		return c.params.Int("start_time")
	}
	n, err := strconv.ParseInt(c.params.String("start_time"), 10, 64)
	if err != nil {
		c.params.Fail("start_time", "is no start time of process_table")
	}
	return n
}

// isOurs walks from this process to the first one.
func (b *Broker) isOurs(pid int) bool {
	// A bound, should parents be given new parents while they are walked.
	const deepest = 256
	for at, n := os.Getpid(), 0; at > 0 && n < deepest; at, n = b.o.Processes.Parent(at), n+1 {
		if at == pid {
			return true
		}
	}
	return false
}

// listedProcesses remembers which process each plugin was last shown under
// which pid, so that a pid given to another since is told apart.
type listedProcesses struct {
	mu    sync.Mutex
	shown map[string]map[int]int64
}

func (l *listedProcesses) note(plugin string, table []protocol.Process) {
	starts := make(map[int]int64, len(table))
	for _, p := range table {
		starts[p.PID] = p.StartTime
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown == nil {
		l.shown = map[string]map[int]int64{}
	}
	l.shown[plugin] = starts
}

func (l *listedProcesses) start(plugin string, pid int) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown[plugin][pid]
}

func (l *listedProcesses) forget(plugin string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.shown, plugin)
}

func sortByPID(table []protocol.Process) {
	slices.SortFunc(table, func(a, b protocol.Process) int { return a.PID - b.PID })
}
