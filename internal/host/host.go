package host

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/desktop"
	usersession "github.com/flash-launcher/flash/internal/desktop/session"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/install"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/rank"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/internal/status"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk/quiesce"
)

const (
	// settleQuiet is how long the host waits after the last activity before it
	// collects once and switches the collector off; a burst of typing is over then.
	settleQuiet = 5 * time.Second
	// quietHeadroom is what may be allocated while quiet before a collection:
	// the liveness pings of a day fit.
	quietHeadroom = 8 << 20
	// stopGrace bounds the end of all plugins: the child's own second, TERM,
	// KILL and a reserve.
	stopGrace = 4 * time.Second
)

// Options are what a run of the resident is started with.
type Options struct {
	Version string
	Socket  string
	Verbose bool // log to stderr too
}

// Host is one running resident.
type Host struct {
	opts    Options
	paths   config.Paths
	log     *slog.Logger
	started time.Time

	time       event.Time
	bus        *event.Bus
	clock      *event.Clock
	catalog    *catalog.Store
	rank       *rank.Store
	status     *status.Registry
	broker     *broker.Broker
	facets     atomic.Pointer[desktop.Facets] // of the session in use; see desk
	runner     *sandbox.Runner
	sweep      *supervisor.Sweep
	watchdog   *watchdog
	guard      *quiesce.Guard
	engine     *flashlight.Engine
	apps       appState
	pulse      pulse
	bar        statusBar
	sessions   atomic.Int64 // open flashlights
	performing performing
	session    *usersession.Session
	display    display

	// todo are the steps of the main goroutine, which alone changes the set of
	// plugins and the configuration.
	todo chan step
	end  context.CancelFunc
	up   chan struct{} // closed once the plugins have been started

	cfg       atomic.Pointer[configuration]
	plugins   atomic.Pointer[pluginSet]
	overrides *overrides
	// stateFaults are what was wrong at the start with the files that Flash keeps.
	stateFaults []string
	installs    install.Jobs
	dirs        []manifest.Dir
	watching    context.CancelFunc
	ending      sync.WaitGroup // plugins that are being ended
}

// configuration is the configuration in force and what is wrong with the file.
type configuration struct {
	config.Config
	faults []config.Fault
	theme  []string // what is wrong with the theme that it names
	loaded time.Time
}

// step is one thing for the main goroutine to do; name is for the watchdog.
type step struct {
	name string
	run  func()
}

// Run is the resident: it serves until ctx ends or a client asks it to stop.
func Run(ctx context.Context, o Options) error {
	return desktop.RunMain(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		return run(ctx, cancel, o)
	})
}

func run(ctx context.Context, end context.CancelFunc, o Options) error {
	if err := sandbox.HardenHost(); err != nil {
		return fmt.Errorf("cannot make the host's memory private: %w", err)
	}
	paths, err := config.DefaultPaths()
	if err != nil {
		return err
	}
	if err := paths.Ensure(); err != nil {
		return err
	}
	listener, err := control.Listen(o.Socket, o.Version)
	if err != nil {
		return err
	}
	defer listener.Close()

	first, faults := config.Load(paths.ConfigFile)
	log, closeLog, err := openLog(paths, first, o.Verbose)
	if err != nil {
		return err
	}
	defer closeLog()

	h, err := build(ctx, end, o, paths, log)
	if err != nil {
		return err
	}
	defer h.close()
	h.cfg.Store(&configuration{Config: first, faults: faults, theme: themeFaults(first, paths.ConfigDir), loaded: time.Now()})
	server := control.NewServer(o.Version, log)
	server.Touched = h.guard.Touch
	h.register(server)
	h.registerDisplay(ctx, server)

	var serving sync.WaitGroup
	defer serving.Wait()
	serving.Go(func() {
		if err := server.Serve(ctx, listener); err != nil {
			log.Error("control server ended", "error", err.Error())
			end()
		}
	})
	log.Info("resident starts", "version", o.Version, "pid", os.Getpid())
	if err := h.start(ctx); err != nil {
		end()
		return err
	}
	h.loop(ctx)
	h.closeDisplay()
	log.Info("resident stops", "uptime_s", int64(time.Since(h.started).Seconds()))
	h.stopPlugins()
	return nil
}

// build makes the parts; nothing runs yet but what needs no plugin.
func build(ctx context.Context, end context.CancelFunc, o Options, paths config.Paths, log *slog.Logger) (*Host, error) {
	h := &Host{
		opts:     o,
		paths:    paths,
		log:      log,
		started:  time.Now(),
		time:     event.System(),
		bus:      event.NewBus(),
		catalog:  catalog.NewStore(time.Now),
		status:   status.New(event.System()),
		runner:   sandbox.NewRunner(),
		watchdog: newWatchdog(log),
		guard:    quiesce.NewFunc(settleQuiet, quietHeadroom, trim),
		todo:     make(chan step, 16),
		up:       make(chan struct{}),
		end:      end,
	}
	h.facets.Store(desktop.New(ctx, os.Environ()))
	h.clock = event.NewClock(h.time)
	h.session = usersession.New(usersession.Options{
		Env: os.Environ(), Facets: h.desk(), Time: h.time, Clock: h.clock, Logger: log,
		Emit: func(name string) { h.bus.Send(name, func() *event.Event { return event.Plain(name) }) },
		Copied: func(text string) {
			h.bus.Send(protocol.EventClipboardChanged, func() *event.Event { return event.Clipboard(text) })
		},
		State: h.sessionState,
	})
	h.sweep = supervisor.NewSweep(h.clock, h.time)
	h.plugins.Store(&pluginSet{})
	h.status.SubscribeObserved(func(id string, segments []string) {
		if s := h.plugins.Load().slots[id]; s != nil && s.live != nil {
			s.live.SetObserved(segments)
		}
	})
	var err error
	if h.rank, err = rank.Open(filepath.Join(paths.State, control.FrecencyFile), time.Now); err != nil {
		log.Warn("frecency", "error", err.Error())
		h.stateFaults = append(h.stateFaults, err.Error())
	}
	if h.overrides, err = openOverrides(paths.State + "/plugins.json"); err != nil {
		log.Warn("plugin overrides", "error", err.Error())
		h.stateFaults = append(h.stateFaults, err.Error())
	}
	h.broker = broker.New(broker.Options{
		Opener:        opener{h},
		Clipboard:     clipboard{h},
		Notifier:      notifier{h},
		Windows:       windows{h},
		Accessibility: accessibility{h},
		MediaKeys:     h.session,
		Wifi:          h.session,
		Keys:          h.session,
		Time:          h.time,
		Logger:        log,
		Unavailable:   desktop.ErrUnavailable,
	})
	h.engine = flashlight.New(flashlight.Options{
		Catalog: h.catalog,
		Rank:    h.rank,
		Backend: backend{h},
		Clock:   h.time,
		Context: h.actionContext,
		Openers: func(url string) []string { return h.desk().Opener.Handlers(url) },
	})
	return h, nil
}

func (h *Host) start(ctx context.Context) error {
	h.applyConfig()
	if err := config.Watch(ctx, h.paths.ConfigFile, config.WatchOptions{Logger: h.log}, func(c config.Config, faults []config.Fault) {
		h.do(ctx, "configuration", func() { h.setConfig(ctx, c, faults) })
	}); err != nil {
		h.log.Warn("the configuration is not watched", "error", err.Error())
	}
	h.loadPlugins(ctx)
	close(h.up)
	h.watchManifests(ctx)
	h.openDisplay(ctx, os.Environ())
	h.startApps(ctx)
	h.bus.Send(protocol.EventFlashStarted, event.Started)
	return nil
}

// loop is the main goroutine until ctx ends.
func (h *Host) loop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-h.todo:
			h.watchdog.Begin("main", s.name)
			s.run()
			h.watchdog.End("main", s.name)
		}
	}
}

// do hands a step to the main goroutine; with ctx ended it is dropped.
func (h *Host) do(ctx context.Context, name string, run func()) {
	select {
	case h.todo <- step{name, run}:
	case <-ctx.Done():
	}
}

// ask is do that waits until the step has run.
func (h *Host) ask(ctx context.Context, name string, run func()) error {
	done := make(chan struct{})
	h.do(ctx, name, func() { run(); close(done) })
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *Host) close() {
	h.broker.Close()
	_ = h.session.Close()
	_ = h.desk().Close()
	h.guard.Stop()
}

// pulse lets waiters see every change: Wait's channel closes at the next Beat.
type pulse struct {
	mu sync.Mutex
	ch chan struct{}
}

func (p *pulse) Wait() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch == nil {
		p.ch = make(chan struct{})
	}
	return p.ch
}

func (p *pulse) Beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch != nil {
		close(p.ch)
		p.ch = nil
	}
}
