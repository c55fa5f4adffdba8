package kitty

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
	source  = "kitty.windows"
	command = "kitty"

	quiet   = 300 * time.Millisecond
	ceiling = 10 * time.Second
	// sweepEvery bounds the readings of the flashlight's openings.
	sweepEvery = time.Minute
	// complainEvery bounds the warnings, slow is what is worth one.
	complainEvery = time.Minute
	slow          = time.Second
)

// New returns the plugin. What its shutdown ends, in a test, ends here with the
// process; to be told of SIGTERM for it would take two threads.
func New() sdk.Plugin {
	p := newPlugin(nil, os.Getenv)
	p.Shutdown = nil
	return p
}

func newPlugin(clock sdk.Clock, env func(string) string) sdk.Plugin {
	p := &plugin{clock: clock, env: env, opened: sdk.NewRefreshGate(clock, sweepEvery), complain: sdk.NewRefreshGate(clock, complainEvery)}
	return sdk.Plugin{Start: p.start, Event: p.event, Perform: p.perform, Shutdown: p.shutdown}
}

type plugin struct {
	clock    sdk.Clock
	env      func(string) string
	opened   *sdk.RefreshGate
	complain *sdk.RefreshGate
	flight   sdk.SingleFlight

	mu      sync.Mutex
	h       *sdk.Host
	closed  bool
	settle  *sdk.Settle
	pids    []int // of kitties that run
	focused bool  // one of them has the focus
	known   map[string][]window
}

func (p *plugin) begin(h *sdk.Host) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	if p.h == nil {
		p.h = h
		p.settle = sdk.NewSettle(p.clock, quiet, ceiling, func(ctx context.Context) { _ = p.refresh(ctx) })
	}
	return true
}

func (p *plugin) start(ctx context.Context, h *sdk.Host) error {
	if p.begin(h) {
		_ = p.refresh(ctx)
	}
	return nil
}

func (p *plugin) shutdown(context.Context, *sdk.Host) {
	p.mu.Lock()
	p.closed = true
	settle := p.settle
	p.mu.Unlock()
	if settle != nil {
		settle.Stop()
	}
}

// isKitty knows kitty by its ids on both platforms.
func isKitty(bundleID string) bool {
	return bundleID == "kitty" || bundleID == "net.kovidgoyal.kitty"
}

func relevant(notification string) bool {
	switch notification {
	case "AXTitleChanged", "AXWindowCreated", "AXUIElementDestroyed", "AXFocusedWindowChanged", "AXMainWindowChanged":
		return true
	}
	return false
}

// event does nothing that waits.
func (p *plugin) event(ctx context.Context, h *sdk.Host, ev sdk.Event) {
	if !p.begin(h) {
		return
	}
	switch ev.Name {
	case protocol.EventAXChanged:
		if c, err := ev.AX(); err == nil && relevant(c.Notification) && (isKitty(c.BundleID) || p.runs(c.PID)) {
			p.settle.Trigger()
		}
	case protocol.EventFocusChanged:
		if f, err := ev.Focus(); err == nil {
			into := isKitty(f.BundleID) || p.runs(f.PID)
			p.mu.Lock()
			left := p.focused && !into
			p.focused = into
			p.mu.Unlock()
			if into {
				p.settle.Trigger()
			} else if left {
				p.publish()
			}
		}
	case protocol.EventAppsChanged:
		if apps, err := ev.Applications(); err == nil && p.setApps(apps) {
			p.settle.Trigger()
		}
	case protocol.EventAppsTerminated:
		if f, err := ev.Focus(); err == nil && isKitty(f.BundleID) {
			p.settle.Trigger()
		}
	case protocol.EventSessionOpened:
		if ok, _ := p.opened.Allow(); ok {
			p.settle.Trigger()
		}
	}
}

func (p *plugin) runs(pid int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.pids, pid)
}

// setApps takes the running applications, and says whether other kitties run.
func (p *plugin) setApps(apps []protocol.Application) bool {
	var pids []int
	for _, a := range apps {
		if isKitty(a.BundleID) {
			pids = append(pids, a.PID)
		}
	}
	slices.Sort(pids)
	p.mu.Lock()
	defer p.mu.Unlock()
	changed := !slices.Equal(p.pids, pids)
	p.pids = pids
	return changed
}

// refresh reads every kitty and publishes what changed. One that fails keeps its
// last rows, one that is gone has none. The error is of the first that failed,
// or says that there is no way to any.
func (p *plugin) refresh(ctx context.Context) error {
	_, err := p.flight.Fresh(ctx, p.read)
	return err
}

func (p *plugin) read(ctx context.Context) error {
	p.mu.Lock()
	h, before := p.h, p.known
	p.mu.Unlock()
	began := time.Now()
	known := map[string][]window{}
	var failed error
	paths := p.routes()
	for _, path := range paths {
		data, err := ask(ctx, path, "ls", nil)
		var windows []window
		if err == nil {
			windows, err = parse(path, data)
		}
		switch {
		case err == nil:
			known[path] = windows
		case errors.Is(err, errDead):
			// A socket that kitty left behind.
			if failed == nil {
				failed = err
			}
		default:
			failed = err
			if rows, was := before[path]; was {
				known[path] = rows
			}
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.mu.Lock()
	p.known = known
	running := len(p.pids) > 0
	p.mu.Unlock()
	p.publish()
	if len(known) > 0 && errors.Is(failed, errDead) {
		failed = nil
	}
	if len(paths) == 0 {
		failed = errNothing
	}
	took := time.Since(began)
	if failed != nil && running || took >= slow {
		if ok, more := p.complain.Allow(); ok {
			if failed != nil {
				h.Log(sdk.LevelWarn, "kitty's windows cannot be read", "error", failed, "more_since", more)
			} else {
				h.Log(sdk.LevelWarn, "kitty is slow to tell its windows", "took", took, "more_since", more)
			}
		}
	}
	return failed
}

func (p *plugin) routes() []string {
	c := p.h.Config()
	named := c.Strings("listen_on", nil)
	if one := c.String("listen_on", ""); one != "" {
		named = []string{one}
	}
	return routes(named, p.env)
}

// windows are all that are known, by socket and as kitty orders them.
func (p *plugin) windows() []window {
	paths := make([]string, 0, len(p.known))
	for path := range p.known {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	var out []window
	for _, path := range paths {
		out = append(out, p.known[path]...)
	}
	return out
}

func (p *plugin) publish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.known == nil {
		return
	}
	p.h.PublishChanged(rowsOf(p.windows(), p.focused))
}

func (p *plugin) perform(ctx context.Context, h *sdk.Host, r protocol.Perform) protocol.Outcome {
	if !p.begin(h) {
		return protocol.Unhandled()
	}
	switch {
	case r.Kind == protocol.PerformResolve:
		return p.resolve(ctx, r.Row)
	case r.Kind != protocol.PerformCommand || r.Command != command:
		return protocol.Unhandled()
	}
	switch r.Subcommand {
	case "refresh":
		if err := p.refresh(ctx); err != nil {
			return protocol.Failed(err.Error())
		}
		return protocol.Done("")
	case "focus", "tab":
		return p.find(ctx, r.Subcommand, r.Args)
	case "new":
		return p.open(ctx)
	}
	return protocol.Failed("unsupported subcommand: " + r.Subcommand)
}

// resolve goes to the window of a row.
func (p *plugin) resolve(ctx context.Context, row protocol.Row) protocol.Outcome {
	socket, ok := row.Metadata.Get(metaSocket)
	id, _ := row.Metadata.Get(metaWindow)
	n, err := strconv.ParseInt(id, 10, 64)
	if !ok || err != nil {
		return protocol.Unhandled()
	}
	w := window{socket: socket, id: n}
	pid, _ := row.Metadata.Get(protocol.MetaPID)
	w.pid, _ = strconv.Atoi(pid)
	platform, _ := row.Metadata.Get(metaPlatform)
	w.platform, _ = strconv.ParseInt(platform, 10, 64)
	return p.goTo(ctx, w, "focus-window", n)
}

// goTo has kitty show a window or a tab, and the host bring it to the front:
// kitty itself may not take the focus from another application.
func (p *plugin) goTo(ctx context.Context, w window, cmd string, id int64) protocol.Outcome {
	if !slices.Contains(p.routes(), w.socket) {
		p.settle.Trigger()
		return protocol.Failed(errDead.Error())
	}
	payload := protocol.NewObject(nil).Str("match", "id:"+strconv.FormatInt(id, 10)).Bytes()
	if _, err := ask(ctx, w.socket, cmd, payload); err != nil {
		p.settle.Trigger()
		return protocol.Failed(err.Error())
	}
	if w.pid > 0 {
		if err := p.h.Activate(ctx, w.pid, w.platform); err != nil {
			p.h.Log(sdk.LevelDebug, "kitty could not be brought to the front", "error", err)
		}
	}
	return protocol.Done("")
}

// find goes to the window or tab that is named by its id or, if it is the only
// one of that name, by its title.
func (p *plugin) find(ctx context.Context, what string, args []string) protocol.Outcome {
	if len(args) == 0 {
		return protocol.Failed("say the id or the title of one")
	}
	if err := p.refresh(ctx); err != nil {
		return protocol.Failed(err.Error())
	}
	name := args[0]
	for _, more := range args[1:] {
		name += " " + more
	}
	p.mu.Lock()
	all := p.windows()
	p.mu.Unlock()
	var hits []window
	for _, w := range all {
		id, title, cmd := w.id, w.title, "focus-window"
		if what == "tab" {
			id, title, cmd = w.tab, w.tabTitle, "focus-tab"
		}
		if strconv.FormatInt(id, 10) == name {
			return p.goTo(ctx, w, cmd, id)
		}
		if title == name && !slices.ContainsFunc(hits, func(o window) bool { return what == "tab" && o.tab == w.tab && o.socket == w.socket }) {
			hits = append(hits, w)
		}
	}
	switch {
	case len(hits) == 0:
		return protocol.Failed("no " + map[string]string{"focus": "window", "tab": "tab"}[what] + " has this id or title")
	case len(hits) > 1:
		return protocol.Failed(strconv.Itoa(len(hits)) + " have this title; say an id")
	case what == "tab":
		return p.goTo(ctx, hits[0], "focus-tab", hits[0].tab)
	}
	return p.goTo(ctx, hits[0], "focus-window", hits[0].id)
}

// open has the first kitty that answers open a window.
func (p *plugin) open(ctx context.Context) protocol.Outcome {
	var err error = errNothing
	for _, path := range p.routes() {
		if _, err = ask(ctx, path, "launch", []byte(`{"type":"os-window","cwd":"current","args":[]}`)); err == nil {
			return protocol.Done("")
		}
	}
	return protocol.Failed(err.Error())
}
