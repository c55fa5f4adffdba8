package supervisor

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/transport"
)

// Limits of the back-off, and of what waits.
const (
	retryLimit  = 5
	retryWindow = 300 * time.Second
	retryMost   = 30 * time.Second
	// maxWaiting bounds the performs that wait for a child to be ready: as many as
	// may be outstanding once it is.
	maxWaiting = 64
	// StatusHold is how long the status values of a planned reload may stand
	// without a successor.
	StatusHold = 10 * time.Second
	// drainGrace is how long an ended child's pipes are read on when something
	// that escaped the kill still holds them open.
	drainGrace = 250 * time.Millisecond
)

// Plugin is one plugin and its child, if it has one. Its methods may be called
// from any goroutine; but for Stop, Close, Evaluate, Search and Perform they do
// not wait.
type Plugin struct {
	id  string
	o   Options
	log *slog.Logger
	box mailbox

	over    chan struct{}            // closed with the lifecycle
	live    atomic.Pointer[child]    // the child that may be talked to
	snap    atomic.Pointer[Snapshot] // for readers
	waiting atomic.Int32             // performs posted or waiting

	life // the lifecycle goroutine's own
}

// life is the state of the lifecycle. Only apply, and what it calls, touches it.
type life struct {
	def       Definition
	state     State
	since     time.Time
	on        bool     // Start was asked for, and Stop not since
	closing   bool     // the goroutine ends once nothing is left to wait for
	observed  []string // declared segments that the bar shows
	commanded bool     // a perform wanted the child when nothing else did

	gen       uint64      // of the newest attempt
	attempt   *attempt    // an attempt that has not come to a child yet
	child     *child      // running, starting or ending; at most one at a time
	wantedAt  time.Time   // when the newest attempt was decided on
	retries   []time.Time // within the window
	retry     event.Timer // set in backoff
	retryAt   time.Time
	holdTimer event.Timer // set while a planned reload holds status values
	holdGen   uint64      // whose values they are

	waiters []*waiter
	acks    []chan struct{} // Stop and Close that wait for the child's end

	last         *transport.Conn // of the newest child, for its stderr
	restarts     int
	lastErr      string
	manifestErr  string
	confinement  string
	initializeMS int64
	startupMS    int64
}

// attempt is a spawn under way. An obsolete one is still waited for: what it
// starts has to be ended.
type attempt struct {
	gen        uint64
	cancel     context.CancelFunc
	installing bool // its install step runs
	obsolete   bool
}

// New returns a plugin in state initial. Close ends its goroutine.
func New(def Definition, o Options) *Plugin {
	o.fill()
	p := &Plugin{id: def.ID(), o: o, log: o.Logger.With("plugin", def.ID()), over: make(chan struct{})}
	p.box.filled.L = &p.box.mu
	p.def, p.state, p.since = def, Initial, o.Time.Now()
	p.snap.Store(p.snapshot())
	go p.run()
	return p
}

// ID returns the plugin's id.
func (p *Plugin) ID() string { return p.id }

// Start lets the plugin live: at once, or once it is wanted, as its manifest says.
func (p *Plugin) Start() { p.box.post(message{kind: msgStart}) }

// Stop ends the plugin and waits until its child is reaped, or for ctx; the
// child is ended in either case. Start lets it live again.
func (p *Plugin) Stop(ctx context.Context) error {
	ack := make(chan struct{})
	p.box.post(message{kind: msgStop, ack: ack})
	return p.await(ctx, ack)
}

// Close is Stop for good: nothing of the plugin is left afterwards.
func (p *Plugin) Close(ctx context.Context) error {
	ack := make(chan struct{})
	p.box.post(message{kind: msgClose, ack: ack})
	return p.await(ctx, ack)
}

// Reload restarts the child and forgives what failed before. A plugin that
// nothing wants now is not started.
func (p *Plugin) Reload() { p.box.post(message{kind: msgReload}) }

// Replace puts a new definition of the same plugin into force, its
// registrations and its child together.
func (p *Plugin) Replace(def Definition) { p.box.post(message{kind: msgReplace, def: def}) }

// SetObserved says which segments the enabled bar shows. A status-bound plugin
// lives while one of its own is among them; a running plugin that listens is
// told.
func (p *Plugin) SetObserved(segments []string) {
	p.box.post(message{kind: msgObserve, segments: segments})
}

// SetManifestError shows why a newer manifest is not in force; "" takes it back.
func (p *Plugin) SetManifestError(text string) {
	p.box.post(message{kind: msgManifestError, text: text})
}

// Snapshot returns the plugin as it is now. It takes no lock.
func (p *Plugin) Snapshot() Snapshot { return *p.snap.Load() }

// Emit hands an event to the running child's lane; without one it is dropped.
func (p *Plugin) Emit(e *event.Event) {
	if ch := p.live.Load(); ch != nil {
		ch.conn.Emit(e)
		return
	}
	if e.Handed != nil {
		e.Handed()
	}
}

// Listener returns what the bus needs to reach the plugin under def's `listen`.
func (p *Plugin) Listener() event.Listener {
	m := p.Snapshot().Manifest
	return event.Listener{
		ID:       p.id,
		Patterns: m.Listen,
		Lacks:    event.Withheld(m.HasCapability),
		Deliver:  p.Emit,
	}
}

// run is the lifecycle goroutine.
func (p *Plugin) run() {
	defer close(p.over)
	defer p.box.close()
	for {
		m := p.box.take()
		step := m.kind.String()
		p.o.Watchdog.Begin(p.id, step)
		p.apply(m)
		done := p.finished()
		p.o.Watchdog.End(p.id, step)
		if done {
			return
		}
	}
}

// finished answers who waited for the end, once nothing is left to wait for. An
// install step is told to end and not waited for.
func (p *Plugin) finished() bool {
	if p.on || p.child != nil || p.attempt != nil && !p.attempt.installing {
		return false
	}
	for _, ack := range p.acks {
		close(ack)
	}
	p.acks = nil
	return p.closing && p.attempt == nil
}

// publishSnapshot makes the state visible and tells the sink.
func (p *Plugin) publishSnapshot() {
	s := p.snapshot()
	if old := p.snap.Swap(s); *old != *s {
		p.o.Sinks.Changed(*s)
	}
}

func (p *Plugin) snapshot() *Snapshot {
	s := &Snapshot{
		ID: p.id, Version: p.def.Manifest.Version, Manifest: p.def.Manifest,
		State: p.state, Activation: p.def.Manifest.Activation(), Official: p.def.Official,
		Generation: p.gen, Restarts: p.restarts,
		LastError: p.lastErr, ManifestError: p.manifestErr, Confinement: p.confinement,
		InitializeMS: p.initializeMS, StartupMS: p.startupMS, Since: p.since,
		conn: p.last,
	}
	if p.child != nil {
		s.PID = p.child.proc.PID()
	}
	if p.retry != nil {
		s.RetryAt = p.retryAt
	}
	return s
}
