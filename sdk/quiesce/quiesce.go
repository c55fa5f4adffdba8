// Package quiesce lets a process that has nothing to do be still. Go's forced
// collection every two minutes, and garbage that waits for a heap to fill, are
// the costs of an idle process; a Guard collects once when activity has ended
// (unless there is too little to be worth it) and then switches the collector
// off until activity returns. It owns the
// collector's settings while it lives and never runs a repeating timer.
package quiesce

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Guard watches for the end of activity. One process needs one; they would
// fight over the collector.
type Guard struct {
	settle   time.Duration
	headroom int64
	onQuiet  func()

	state atomic.Uint32

	mu      sync.Mutex // of what follows, and of the way into and out of quiet
	timer   *time.Timer
	stopped bool
	percent int   // the collector's, to restore
	limit   int64 // the memory limit, to restore

	small     bool  // the last look found a process that never needed the collector
	collected bool  // by the Guard, at least once
	allocated int64 // bytes up to then

	needed atomic.Bool // the collector ran since the Guard was made

	stats *runtime.MemStats // six kilobytes, for those who need them
}

const (
	quiet   uint32 = iota // nothing armed, collector off
	armed                 // the timer runs and nothing happened since it was set
	touched               // the timer runs and something happened
)

// New returns a Guard that lets the process fall quiet when nothing touched it
// for settle to twice settle. While quiet, the collector stays off until the
// process has grown by headroom bytes; it then collects whenever the growth
// reaches headroom again, and never lets memory pass a limit that GOMEMLIMIT
// has set. The process counts as active at first.
func New(settle time.Duration, headroom int64) *Guard { return NewFunc(settle, headroom, nil) }

// NewFunc is [New] with a function that runs, on the timer's goroutine, each
// time the process has fallen quiet.
func NewFunc(settle time.Duration, headroom int64, onQuiet func()) *Guard {
	g := &Guard{settle: settle, headroom: headroom, onQuiet: onQuiet}
	g.state.Store(touched)
	runtime.SetFinalizer(&canary{g}, (*canary).gone)
	g.mu.Lock()
	defer g.mu.Unlock()
	// There is no way to ask for the percentage but to set it.
	g.percent = debug.SetGCPercent(-1)
	debug.SetGCPercent(g.percent)
	g.timer = time.AfterFunc(settle, g.fire)
	return g
}

// canary is an object that nothing refers to: the first collection finds it.
// The runtime's own count costs 8 KiB to read where it was never needed, and
// linking runtime/metrics, which builds its tables at init, costs 40.
type canary struct{ guard *Guard }

func (c *canary) gone() { c.guard.needed.Store(true) }

// Touch notes activity. While the process is active it costs one atomic load;
// the touch that ends a quiet time sets the collector up again, some ten
// microseconds.
func (g *Guard) Touch() {
	switch g.state.Load() {
	case touched:
	case armed:
		if !g.state.CompareAndSwap(armed, touched) {
			g.wake()
		}
	default:
		g.wake()
	}
}

func (g *Guard) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped || g.state.Swap(touched) != quiet {
		return
	}
	g.restore()
	g.timer.Reset(g.settle)
}

func (g *Guard) restore() {
	debug.SetMemoryLimit(g.limit)
	debug.SetGCPercent(g.percent)
}

// Quiet reports whether the collector is off.
func (g *Guard) Quiet() bool { return g.state.Load() == quiet }

func (g *Guard) fire() {
	if g.state.CompareAndSwap(touched, armed) {
		g.rearm()
		return
	}
	// The collection runs while touches are still cheap, and what it freed
	// goes back to the system: an idle process keeps no empty pages.
	if g.worthCollecting() {
		debug.FreeOSMemory()
	}
	if g.fallQuiet() && g.onQuiet != nil {
		g.onQuiet()
	}
}

const (
	// smallPercent is up to which GOGC a heap that was never collected since the
	// Guard was made is left alone: it is below 2 MiB, while a first collection
	// brings workers, mark bits and queues of some 300 KiB with it that a small
	// process would keep.
	smallPercent = 50
	// smallHeld bounds what a Go process holds before its first collection at
	// such a percentage: 4 MiB of the runtime's own and the heap.
	smallHeld = 8 << 20
	// worthBytes is what must have been allocated since the last collection of
	// the Guard's own for another: a process that wakes up every ten seconds
	// to move one number must not pay a collection each time.
	worthBytes = 512 << 10
)

// worthCollecting decides, and takes the measure of the memory limit.
func (g *Guard) worthCollecting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.needed.Load() && g.percent >= 0 && g.percent <= smallPercent {
		g.small = true
		return false
	}
	g.small = false
	allocated := int64(g.read().TotalAlloc)
	if g.collected && allocated-g.allocated < worthBytes {
		return false
	}
	g.collected, g.allocated = true, allocated
	return true
}

// read returns the numbers of now. On the stack they would make it, and with it
// what every quiet process keeps, grow.
func (g *Guard) read() *runtime.MemStats {
	if g.stats == nil {
		g.stats = new(runtime.MemStats)
	}
	runtime.ReadMemStats(g.stats)
	return g.stats
}

func (g *Guard) rearm() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.stopped {
		g.timer.Reset(g.settle)
	}
}

func (g *Guard) fallQuiet() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return false
	}
	if !g.state.CompareAndSwap(armed, quiet) {
		g.state.Store(armed)
		g.timer.Reset(g.settle)
		return false
	}
	base := int64(smallHeld)
	if !g.small {
		now := g.read()
		base = int64(now.Sys - now.HeapReleased) // what the runtime holds
	}
	g.limit = debug.SetMemoryLimit(-1)
	g.percent = debug.SetGCPercent(-1)
	debug.SetMemoryLimit(min(g.limit, base+g.headroom))
	return true
}

// Stop gives the collector its settings back and ends the Guard; later touches
// do nothing.
func (g *Guard) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return
	}
	g.stopped = true
	g.timer.Stop()
	if g.state.Swap(touched) == quiet {
		g.restore()
	}
}
