package windows

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

const (
	source  = "windows.items"
	command = "windows"

	// quiet and ceiling settle what happens in one application: a shell retitles
	// its window around each command, and a window that closes destroys all that
	// was in it.
	quiet   = 300 * time.Millisecond
	ceiling = 10 * time.Second
	// sweepAfter lets an application that starts show its windows first.
	sweepAfter = time.Second
	// sweepEvery bounds the sweeps of the flashlight's openings. They are for
	// applications that the host does not observe as they never had the focus.
	sweepEvery = time.Minute
	// complainEvery bounds the warnings.
	complainEvery = time.Minute

	// patience is how long one application may take to answer, and slow when
	// that is worth a warning.
	patience = 2 * time.Second
	slow     = time.Second
	// parallel is how many applications are asked at once in a sweep, so that
	// one that hangs does not hold up all others.
	parallel = 4

	maxWindows = 256 // of one application
)

// New returns the plugin. What its shutdown ends, in a test, ends here with the
// process; to be told of SIGTERM for it would take two threads.
func New() sdk.Plugin {
	p := newPlugin(nil)
	p.Shutdown = nil
	return p
}

func newPlugin(clock sdk.Clock) sdk.Plugin {
	p := &plugin{
		clock: clock, apps: map[int]*app{},
		opened:   sdk.NewRefreshGate(clock, sweepEvery),
		complain: sdk.NewRefreshGate(clock, complainEvery),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.host, _ = strconv.Atoi(os.Getenv("FLASH_PLUGIN_PARENT_PID"))
	return sdk.Plugin{Event: p.event, Perform: p.perform, Shutdown: p.shutdown}
}

type plugin struct {
	clock    sdk.Clock
	opened   *sdk.RefreshGate
	complain *sdk.RefreshGate
	ctx      context.Context // ends at the shutdown
	cancel   context.CancelFunc
	host     int // its own windows are nothing to go to

	mu      sync.Mutex
	h       *sdk.Host // from the first event on
	closed  bool
	sweep   *sdk.Settle
	apps    map[int]*app
	focused int  // process
	ready   bool // a first sweep has ended: until then there is nothing to publish

	publishing sync.Mutex // keeps catalogues in the order of their readings
}

// app is one process that has, or may have, windows.
type app struct {
	pid     int
	changes *sdk.Settle
	focus   *sdk.Settle
	reading sync.Mutex // one snapshot at a time: a handle is good until the next

	// What follows is guarded by plugin.mu.
	bundleID string
	name     string
	listed   bool // among the running applications, not only heard of
	windows  []win
}

// win is one window.
type win struct {
	id    int64
	title string
	main  bool
}

// relevant says whether a notification can change a row.
func relevant(notification string) bool {
	switch notification {
	case "AXTitleChanged", "AXWindowCreated", "AXUIElementDestroyed":
		return true
	}
	return false
}

// event is called in wire order on one goroutine and does nothing that waits.
func (p *plugin) event(_ context.Context, h *sdk.Host, ev sdk.Event) {
	if !p.begin(h) {
		return
	}
	switch ev.Name {
	case protocol.EventAXChanged:
		if c, err := ev.AX(); err == nil && relevant(c.Notification) {
			if a := p.app(c.PID, c.BundleID); a != nil {
				a.changes.Trigger()
			}
		}
	case protocol.EventFocusChanged:
		if f, err := ev.Focus(); err == nil {
			p.focus(f.PID, f.BundleID)
		}
	case protocol.EventWindowFocusChanged:
		if c, err := ev.WindowFocus(); err == nil {
			p.focus(c.PID, c.BundleID)
		}
	case protocol.EventAppsChanged:
		if apps, err := ev.Applications(); err == nil {
			p.setApps(apps)
		}
	case protocol.EventSessionOpened:
		if ok, _ := p.opened.Allow(); ok {
			p.sweepSoon(0)
		}
	}
}

func (p *plugin) begin(h *sdk.Host) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	if p.h == nil {
		p.h = h
		p.sweep = sdk.NewSettle(p.clock, sweepAfter, ceiling, p.readAll)
	}
	return true
}

// app returns the process, which it begins to know if it does not; nil for one
// that cannot have windows to go to.
func (p *plugin) app(pid int, bundleID string) *app {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.appLocked(pid, bundleID)
}

func (p *plugin) appLocked(pid int, bundleID string) *app {
	if pid <= 0 || pid == p.host || p.closed {
		return nil
	}
	a := p.apps[pid]
	if a == nil {
		a = &app{pid: pid}
		read := func(ctx context.Context) { p.readOne(ctx, a) }
		a.changes = sdk.NewSettle(p.clock, quiet, ceiling, read)
		a.focus = sdk.NewSettle(p.clock, quiet, ceiling, read)
		p.apps[pid] = a
	}
	if bundleID != "" && a.bundleID == "" {
		a.bundleID = bundleID
	}
	return a
}

// focus notes who has the focus and has it read again: what happened in an
// application before it had the focus, nobody told.
func (p *plugin) focus(pid int, bundleID string) {
	p.mu.Lock()
	moved := p.focused != pid
	p.focused = pid
	a := p.appLocked(pid, bundleID)
	p.mu.Unlock()
	if a != nil {
		a.focus.Trigger()
	} else if moved {
		p.publish()
	}
}

// setApps takes the running applications. What ended has no windows any more;
// what is new is read once it had the time to show some.
func (p *plugin) setApps(apps []protocol.Application) {
	p.mu.Lock()
	first := !p.ready
	was := map[*app]bool{}
	for _, a := range p.apps {
		was[a] = a.listed
		a.listed = false
	}
	for _, running := range apps {
		if a := p.appLocked(running.PID, running.BundleID); a != nil {
			a.listed = true
			a.name = running.LocalizedName
			a.bundleID = running.BundleID
		}
	}
	gone := p.dropLocked(func(a *app) bool { return was[a] && !a.listed })
	p.mu.Unlock()
	p.stop(gone)
	if len(gone) > 0 {
		p.publish()
	}
	if first {
		p.sweepSoon(0)
	} else {
		p.sweepSoon(sweepAfter)
	}
}

// sweepSoon has all applications read, at once or when things have settled.
func (p *plugin) sweepSoon(after time.Duration) {
	p.mu.Lock()
	sweep, closed := p.sweep, p.closed
	p.mu.Unlock()
	switch {
	case closed:
	case after > 0:
		sweep.Trigger()
	default:
		go p.readAll(p.ctx)
	}
}

func (p *plugin) dropLocked(which func(*app) bool) []*app {
	var gone []*app
	for pid, a := range p.apps {
		if which(a) {
			gone = append(gone, a)
			delete(p.apps, pid)
		}
	}
	return gone
}

// stop ends what would read applications that are gone. It is not called with
// mu, which a reading that is under way takes.
func (p *plugin) stop(gone []*app) {
	for _, a := range gone {
		go func() { // a reading may be in it
			a.changes.Stop()
			a.focus.Stop()
		}()
	}
}

func (p *plugin) list() []*app {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]*app, 0, len(p.apps))
	for _, a := range p.apps {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *app) int { return a.pid - b.pid })
	return out
}

// readAll reads every application and publishes once.
func (p *plugin) readAll(ctx context.Context) {
	list := p.list()
	queue := make(chan *app)
	var wg sync.WaitGroup
	for range min(parallel, len(list)) {
		wg.Go(func() {
			for a := range queue {
				_ = p.read(ctx, a)
			}
		})
	}
	for _, a := range list {
		queue <- a
	}
	close(queue)
	wg.Wait()
	p.mu.Lock()
	p.ready = true
	gone := p.dropLocked(func(a *app) bool { return !a.listed && len(a.windows) == 0 })
	p.mu.Unlock()
	p.stop(gone)
	p.publish()
}

func (p *plugin) readOne(ctx context.Context, a *app) {
	if p.read(ctx, a) == nil {
		p.publish()
	}
}

// read takes the windows of one application. Where that fails its last ones stay.
func (p *plugin) read(ctx context.Context, a *app) error {
	a.reading.Lock()
	defer a.reading.Unlock()
	p.mu.Lock()
	h := p.h
	p.mu.Unlock()
	began := time.Now()
	s, err := h.AXSnapshot(ctx, sdk.AXQuery{
		PID: a.pid, Roots: "windows", Collect: []string{"AXTitle", "AXSubrole", "AXWindowNumber", "AXMain"},
		MaxNodes: maxWindows, Deadline: patience,
	})
	if took := time.Since(began); err != nil || took >= slow {
		p.warn(a, err, took)
	}
	if err != nil {
		return err
	}
	windows := make([]win, 0, len(s.Nodes))
	for _, n := range s.Nodes {
		if n.Parent != "" || n.Attrs.String("AXSubrole", "") == "AXUnknown" {
			continue // not a window, or one that an application uses for something else
		}
		windows = append(windows, win{
			id:    n.Attrs.Int("AXWindowNumber", 0),
			title: n.Attrs.String("AXTitle", ""),
			main:  n.Attrs.Bool("AXMain", false),
		})
	}
	// By number and not by which is in front: that changes with each focus.
	slices.SortStableFunc(windows, func(a, b win) int {
		switch {
		case a.id < b.id:
			return -1
		case a.id > b.id:
			return 1
		}
		return 0
	})
	p.mu.Lock()
	a.windows = windows
	p.mu.Unlock()
	return nil
}

func (p *plugin) warn(a *app, err error, took time.Duration) {
	if errors.Is(err, context.Canceled) {
		return
	}
	ok, more := p.complain.Allow()
	switch {
	case !ok:
	case err != nil:
		p.h.Log(sdk.LevelWarn, "the windows of an application cannot be read", "pid", a.pid, "error", err, "more_since", more)
	default:
		p.h.Log(sdk.LevelWarn, "an application is slow to tell its windows", "pid", a.pid, "took", took, "more_since", more)
	}
}

func (p *plugin) shutdown(context.Context, *sdk.Host) {
	p.mu.Lock()
	p.closed = true
	sweep := p.sweep
	gone := p.dropLocked(func(*app) bool { return true })
	p.mu.Unlock()
	p.cancel()
	if sweep != nil {
		sweep.Stop()
	}
	for _, a := range gone {
		a.changes.Stop()
		a.focus.Stop()
	}
}
