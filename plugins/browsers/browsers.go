package browsers

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

const (
	command = "browsers"

	quiet   = 300 * time.Millisecond
	ceiling = 10 * time.Second
	// sweepEvery bounds the readings of the flashlight's openings.
	sweepEvery = time.Minute
	// complainEvery bounds the warnings of one browser.
	complainEvery = time.Minute
	slow          = time.Second
)

// Ways to read a browser, as they are logged.
const (
	wayTools  = "DevTools"
	wayScript = "Apple events"
	wayStore  = "session store"
	wayTitles = "window titles"
)

// New returns the plugin. What its shutdown ends, in a test, ends here with the
// process; to be told of SIGTERM for it would take two threads.
func New() sdk.Plugin {
	p := newPlugin(nil, os.Getenv("HOME"), here())
	p.Shutdown = nil
	return p
}

// system is what the platform has to do with it.
type system struct {
	mac       bool
	osascript string        // the program that sends Apple events, "" where there are none
	patience  time.Duration // how long a browser may take to answer one
}

func here() system {
	if runtime.GOOS == "darwin" {
		return system{mac: true, osascript: "/usr/bin/osascript", patience: scriptPatience}
	}
	return system{}
}

func newPlugin(clock sdk.Clock, home string, s system) sdk.Plugin {
	p := &plugin{system: s, clock: clock, home: home, opened: sdk.NewRefreshGate(clock, sweepEvery), focused: -1}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return sdk.Plugin{Event: p.event, Perform: p.perform, Shutdown: p.shutdown}
}

type plugin struct {
	system
	clock  sdk.Clock
	home   string
	opened *sdk.RefreshGate
	ctx    context.Context // ends at the shutdown
	cancel context.CancelFunc

	mu       sync.Mutex
	h        *sdk.Host // from the first event on
	closed   bool
	browsers [len(kinds)]*browser
	focused  int // pid
	watcher  *fsnotify.Watcher
	watched  string // the folder of a session store
	watching sync.WaitGroup
	greeting sync.WaitGroup

	publishing sync.Mutex // keeps catalogues in the order of their readings
}

// browser is what is known of one kind of browser.
type browser struct {
	*kind
	settle   *sdk.Settle
	complain *sdk.RefreshGate
	again    *sdk.RefreshGate // when macOS has refused it
	flight   sdk.SingleFlight

	// What follows is guarded by plugin.mu.
	pids   []int
	ids    map[int]string    // the id of each, by its pid
	hellos map[string]*hello // by id: macOS asks about each
	read   bool              // once at least since it runs
	way    string
	reason error // why it is not read in a better way
	tabs   []tab
}

func (p *plugin) begin(h *sdk.Host) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	if p.h != nil {
		return true
	}
	p.h = h
	for i := range kinds {
		b := &browser{kind: &kinds[i], complain: sdk.NewRefreshGate(p.clock, complainEvery), again: sdk.NewRefreshGate(p.clock, askAgain)}
		b.settle = sdk.NewSettle(p.clock, quiet, ceiling, func(ctx context.Context) { _ = p.refresh(ctx, b) })
		p.browsers[i] = b
	}
	return true
}

func (p *plugin) shutdown(context.Context, *sdk.Host) {
	p.mu.Lock()
	p.closed = true
	begun, watcher := p.h != nil, p.watcher
	p.mu.Unlock()
	p.cancel()
	if !begun {
		return
	}
	p.greeting.Wait()
	for _, b := range p.browsers {
		b.settle.Stop()
	}
	if watcher != nil {
		_ = watcher.Close()
		p.watching.Wait()
	}
}

// of returns the browser of an id or a process, nil for other applications.
func (p *plugin) of(bundleID string, pid int) *browser {
	k := kindOf(bundleID)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.browsers {
		if b.kind == k || slices.Contains(b.pids, pid) {
			return b
		}
	}
	return nil
}

// event does nothing that waits.
func (p *plugin) event(_ context.Context, h *sdk.Host, ev sdk.Event) {
	if !p.begin(h) {
		return
	}
	switch ev.Name {
	case protocol.EventAXChanged:
		c, err := ev.AX()
		// Never elements that come and go: a page does that all the time.
		if err != nil || c.Notification != "AXTitleChanged" && c.Notification != "AXWindowCreated" {
			return
		}
		if b := p.of(c.BundleID, c.PID); b != nil {
			b.settle.Trigger()
		}
	case protocol.EventFocusChanged:
		if f, err := ev.Focus(); err == nil {
			p.focus(f)
		}
	case protocol.EventAppsChanged:
		if apps, err := ev.Applications(); err == nil {
			p.setApps(apps)
		}
	case protocol.EventSessionOpened:
		if ok, _ := p.opened.Allow(); ok {
			p.mu.Lock()
			list := p.browsers
			p.mu.Unlock()
			for _, b := range list {
				if p.running(b) {
					b.settle.Trigger()
				}
			}
		}
	}
}

func (p *plugin) running(b *browser) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(b.pids) > 0
}

func (p *plugin) focus(f protocol.Application) {
	b := p.of(f.BundleID, f.PID)
	p.mu.Lock()
	was := p.focused
	p.focused = f.PID
	left := slices.ContainsFunc(p.browsers[:], func(o *browser) bool { return o != b && slices.Contains(o.pids, was) })
	p.mu.Unlock()
	if b != nil {
		b.settle.Trigger()
	}
	if left {
		p.publish()
	}
}

// setApps takes the running applications. A browser that ended has no tabs at
// once; one that started is read when it had the time to show a window.
func (p *plugin) setApps(apps []protocol.Application) {
	var started []*browser
	ended := false
	p.mu.Lock()
	for _, b := range p.browsers {
		var pids []int
		ids := map[int]string{}
		for _, a := range apps {
			if slices.Contains(b.kind.ids, a.BundleID) {
				pids = append(pids, a.PID)
				ids[a.PID] = a.BundleID
			}
		}
		slices.Sort(pids)
		if slices.Equal(pids, b.pids) {
			continue
		}
		b.pids, b.ids = pids, ids
		if len(pids) > 0 {
			started = append(started, b)
			continue
		}
		ended = true
		b.tabs, b.read, b.way = nil, false, ""
		p.h.Log(sdk.LevelInfo, "a browser ended", "browser", b.name)
	}
	p.mu.Unlock()
	for _, b := range started {
		b.settle.Trigger()
	}
	// None at all is an answer too, and the first one.
	if ended || len(started) == 0 {
		p.publish()
	}
}

// refresh reads one browser, once at a time, and publishes what changed.
func (p *plugin) refresh(ctx context.Context, b *browser) error {
	_, err := b.flight.Fresh(ctx, func(ctx context.Context) error { return p.readOne(ctx, b) })
	return err
}

func (p *plugin) readOne(ctx context.Context, b *browser) error {
	p.mu.Lock()
	pids := b.pids
	p.mu.Unlock()
	if len(pids) == 0 {
		return nil
	}
	began := time.Now()
	tabs, way, reason, err := p.look(ctx, b, pids)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	took := time.Since(began)
	p.mu.Lock()
	if err == nil && slices.Equal(pids, b.pids) {
		if way != b.way {
			fields := []any{"browser", b.name, "way", way}
			if reason != nil {
				fields = append(fields, "reason", reason)
			}
			p.h.Log(sdk.LevelInfo, "a browser is read another way", fields...)
		}
		b.tabs, b.way, b.reason = tabs, way, reason
	}
	b.read = true // also in vain: the others are not held up
	p.mu.Unlock()
	if err != nil || took >= slow && !errors.Is(reason, errAsking) {
		if ok, more := b.complain.Allow(); ok {
			if err != nil {
				p.h.Log(sdk.LevelWarn, "the tabs of a browser cannot be read", "browser", b.name, "error", err, "more_since", more)
			} else {
				p.h.Log(sdk.LevelWarn, "a browser is slow to tell its tabs", "browser", b.name, "took", took, "more_since", more)
			}
		}
	}
	p.publish()
	return err
}
