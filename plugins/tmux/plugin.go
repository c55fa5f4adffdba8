package tmux

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

const (
	source  = "tmux.windows"
	command = "tmux"

	// axQuiet and axCeiling settle the retitles of terminals: a shell retitles
	// its window around each command.
	axQuiet   = 300 * time.Millisecond
	axCeiling = 10 * time.Second

	// complainEvery bounds the warnings about servers that cannot be read.
	complainEvery = time.Minute

	retryTimer = "retry"
	sshTimer   = "ssh"
	// shortest is the least that the host's clock takes.
	shortest = 50 * time.Millisecond
)

// retrySteps are the waits after which a failing server is read again, each
// once. What happens later brings it back: a change of its socket, the focus,
// the flashlight.
var retrySteps = [...]time.Duration{5 * time.Second, 15 * time.Second, 60 * time.Second}

// New returns the plugin.
func New() sdk.Plugin {
	p := &plugin{servers: map[string]*server{}, gate: sdk.NewRefreshGate(nil, complainEvery)}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return sdk.Plugin{Start: p.start, Event: p.event, Perform: p.perform, Shutdown: p.shutdown}
}

type plugin struct {
	once    sync.Once
	h       *sdk.Host
	program string
	dir     string   // of tmux's own sockets
	sockets []string // further ones that the user named
	watcher watcher
	found   *sdk.Settle // changes in the socket directory
	ax      *sdk.Settle // retitles while an unattached server runs
	gate    *sdk.RefreshGate

	ctx    context.Context // ends at the shutdown
	cancel context.CancelFunc
	wg     sync.WaitGroup

	versions sync.Mutex // held while tmux is asked for its version
	tmuxIs   *version

	mu      sync.Mutex
	closed  bool
	ready   bool // the first reading of every server has ended
	servers map[string]*server
	armed   time.Time // when the retry timer fires, zero while it is off
	apps    []int     // pids of the running applications, sorted

	publishing sync.Mutex // keeps catalogues in the order of their readings
	segments   map[string]string
}

// setup runs before anything else that needs the host. It reports false when the
// plugin ended before it began.
func (p *plugin) setup(h *sdk.Host) bool {
	p.once.Do(func() {
		p.h = h
		c := h.Config()
		p.program = c.String("program", "tmux")
		tmpdir := c.String("tmux_tmpdir", os.Getenv("TMUX_TMPDIR"))
		if tmpdir == "" {
			tmpdir = "/tmp"
		}
		p.dir = socketDir(home(tmpdir))
		for _, s := range c.Strings("sockets", nil) {
			if s = home(s); filepath.IsAbs(s) && len(p.sockets) < maxSockets {
				p.sockets = append(p.sockets, filepath.Clean(s))
			}
		}
		p.found = sdk.NewSettle(nil, quiet, ceiling, func(context.Context) { p.discover() })
		p.ax = sdk.NewSettle(nil, axQuiet, axCeiling, func(context.Context) { p.readUnattached() })
		p.addRemotes(c.Strings("ssh_hosts", nil))
		p.startWatch()
	})
	return p.h != nil
}

// home resolves a leading ~ of a path in the configuration.
func home(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(os.Getenv("HOME"), rest)
	}
	return path
}

func (p *plugin) addRemotes(hosts []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, host := range hosts {
		if !goodHost(host) {
			p.h.Log(sdk.LevelWarn, "an entry of ssh_hosts is no host name and is left out")
			continue
		}
		p.servers["ssh:"+host] = newServer(p, "ssh:"+host, "", host)
	}
}

func (p *plugin) start(ctx context.Context, h *sdk.Host) error {
	if !p.setup(h) {
		return nil
	}
	for _, done := range p.discover() {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	p.mu.Lock()
	p.ready = true
	remote := slices.ContainsFunc(p.list(), func(s *server) bool { return s.host != "" })
	p.mu.Unlock()
	p.publish()
	if remote {
		p.readRemotes()
		h.Every(sshTimer, sshEvery, func(context.Context) { p.readRemotes() })
	}
	return nil
}

func (p *plugin) shutdown(context.Context, *sdk.Host) {
	p.mu.Lock()
	p.closed = true
	servers := p.list()
	p.mu.Unlock()
	p.cancel()
	p.once.Do(func() {}) // waits for a setup that is under way
	if p.h == nil {
		return
	}
	if p.watcher != nil {
		_ = p.watcher.Close()
	}
	p.found.Stop()
	p.ax.Stop()
	for _, s := range servers {
		s.stop()
	}
	p.wg.Wait() // after it no control client starts
	var leaving sync.WaitGroup
	for _, s := range servers {
		if c := s.control(); c != nil {
			leaving.Go(func() { s.unfollow(c) })
		}
	}
	leaving.Wait()
}

// event is called in wire order on one goroutine and does nothing that waits.
func (p *plugin) event(_ context.Context, h *sdk.Host, ev sdk.Event) {
	if !p.setup(h) {
		return
	}
	switch ev.Name {
	case "core:session.opened":
		p.discover()
		p.readLocal(func(*server) bool { return true })
	case "core:focus.changed", "core:apps.terminated":
		p.found.Trigger()
		for _, s := range p.local() {
			s.settle.Trigger()
		}
	case "core:ax.changed":
		change, err := ev.AX()
		if err == nil && (change.Notification == "AXTitleChanged" || change.Notification == "AXWindowCreated") && p.anyUnattached() {
			p.ax.Trigger()
		}
	case "core:apps.changed":
		if apps, err := ev.Applications(); err == nil {
			p.setApps(apps)
		}
	case "core:poll:" + retryTimer:
		p.retry()
	}
}

func (p *plugin) setApps(apps []protocol.Application) {
	pids := make([]int, 0, len(apps))
	for _, a := range apps {
		pids = append(pids, a.PID)
	}
	slices.Sort(pids)
	p.mu.Lock()
	p.apps = pids
	p.mu.Unlock()
}

// list returns the servers by name, tmux's default one first. Called with mu.
func (p *plugin) list() []*server {
	list := make([]*server, 0, len(p.servers))
	for _, s := range p.servers {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *server) int {
		if (a.name == defaultSocket) != (b.name == defaultSocket) {
			if a.name == defaultSocket {
				return -1
			}
			return 1
		}
		if (a.host == "") != (b.host == "") {
			if a.host == "" {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	return list
}

func (p *plugin) local() []*server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(p.list(), func(s *server) bool { return s.host != "" })
}

// readLocal reads the servers of this machine that want it.
func (p *plugin) readLocal(want func(*server) bool) {
	for _, s := range p.local() {
		p.mu.Lock()
		ok := want(s)
		p.mu.Unlock()
		if ok {
			s.read()
		}
	}
}

// unattached says whether nothing tells of what happens in a server.
func (s *server) unattached() bool { return s.host == "" && s.known && s.ctl == nil }

func (p *plugin) readUnattached() { p.readLocal((*server).unattached) }

func (p *plugin) anyUnattached() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.servers {
		if s.unattached() {
			return true
		}
	}
	return false
}

func (p *plugin) readRemotes() {
	p.expireRemotes(time.Now())
	p.publish()
	p.mu.Lock()
	list := slices.DeleteFunc(p.list(), func(s *server) bool { return s.host == "" })
	p.mu.Unlock()
	for _, s := range list {
		s.read()
	}
}

// spawnLocked runs fn on a goroutine that the shutdown waits for, and reports
// whether it does. Called with mu.
func (p *plugin) spawnLocked(fn func()) bool {
	if p.closed {
		return false
	}
	p.wg.Go(fn)
	return true
}

// version returns the version of the tmux that is called, which is looked up
// once a server is there to be asked.
func (p *plugin) version(ctx context.Context) (version, error) {
	p.versions.Lock()
	defer p.versions.Unlock()
	if p.tmuxIs != nil {
		return *p.tmuxIs, nil
	}
	out, err := run(ctx, []string{p.program, "-V"}, patience)
	if err != nil {
		return version{}, err
	}
	v := parseVersion(string(out))
	p.tmuxIs = &v
	if v.before(oldest) {
		p.h.Log(sdk.LevelWarn, "tmux before 3.2 cannot be followed; its windows are read when the focus changes and when the flashlight opens")
	}
	return v, nil
}

// complain logs a warning at most once a minute.
func (p *plugin) complain(message string, kv ...any) {
	if ok, more := p.gate.Allow(); ok {
		p.h.Log(sdk.LevelWarn, message, append(kv, "more_since", more)...)
	}
}

// armRetry sets the host's clock to the first retry that is due, or off.
func (p *plugin) armRetry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	var first time.Time
	for _, s := range p.servers {
		if !s.due.IsZero() && (first.IsZero() || s.due.Before(first)) {
			first = s.due
		}
	}
	if first.Equal(p.armed) {
		return
	}
	p.armed = first
	if first.IsZero() {
		p.h.Poll()
		return
	}
	p.h.Poll(protocol.Registration{Name: retryTimer, After: max(time.Until(first), shortest).Seconds()})
}

// retry reads the servers whose wait is over.
func (p *plugin) retry() {
	p.mu.Lock()
	var list []*server
	for _, s := range p.servers {
		if !s.due.IsZero() && !s.due.After(p.armed) {
			s.due = time.Time{}
			list = append(list, s)
		}
	}
	p.armed = time.Time{}
	p.mu.Unlock()
	for _, s := range list {
		s.read()
	}
	p.armRetry()
}
