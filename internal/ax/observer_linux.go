package ax

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/event"
)

// Observer observes apps over AT-SPI. All methods may be called from any
// goroutine; those that tell it something return at once.
type Observer struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc
	queue  *queue
	heard  atomic.Uint64 // signals of apps that the bus delivered
	wake   chan struct{} // something changed that the worker has to settle
	work   sync.WaitGroup
	dial   chan struct{} // held while connecting

	mu      sync.Mutex
	plan    *plan          // nil: nobody wants anything
	apps    map[int]string // bundle id of each observed app, by pid
	link    *link          // nil: not connected
	users   int            // calls that use link
	linger  time.Time      // link is kept until then without need
	trouble error          // of the last try to connect, nil when it succeeded
	backoff backoff
	timer   event.Timer
	said    string // stage of the last failure that was logged
}

const (
	// callTimeout bounds a call that nobody gave a deadline. A service that
	// has to be started first takes a second or two.
	callTimeout = 5 * time.Second
	// lingering keeps the connection for further snapshots after one that
	// nothing else needed it for.
	lingering = 30 * time.Second
)

// New returns an observer that observes nothing yet and connects when somebody
// wants something. It ends with ctx or Close.
func New(ctx context.Context, options Options) *Observer {
	options.complete()
	o := &Observer{
		o: options, queue: newQueue(), wake: make(chan struct{}, 1), dial: make(chan struct{}, 1), apps: map[int]string{},
	}
	o.ctx, o.cancel = context.WithCancel(ctx)
	context.AfterFunc(o.ctx, o.queue.close)
	o.work.Add(2)
	go o.settleAll()
	go o.emitAll()
	return o
}

// Close ends all observation and returns when nothing is left of it.
func (o *Observer) Close() error {
	o.cancel()
	o.work.Wait()
	return nil
}

// SetWanted replaces the set of notifications that anybody wants. None: nothing
// is subscribed and no connection is kept.
func (o *Observer) SetWanted(notifications []string) {
	p := planFor(notifications)
	o.mu.Lock()
	o.plan = p
	o.backoff.touched(o.o.Time.Now())
	o.mu.Unlock()
	o.queue.drop(func(n note) bool { return p != nil && p.wants(n.notification) })
	o.poke()
}

// Focused says that an app has the focus: it is observed from now on until Gone,
// and its notifications carry this bundle id.
func (o *Observer) Focused(pid int, bundleID string) {
	if pid <= 0 {
		return
	}
	o.mu.Lock()
	old, known := o.apps[pid]
	o.apps[pid] = bundleID
	o.backoff.touched(o.o.Time.Now())
	idle := o.plan == nil || known && old == bundleID && o.link != nil && o.link.knows(pid)
	o.mu.Unlock()
	if !idle {
		o.poke()
	}
}

// Gone says that an app ended.
func (o *Observer) Gone(pid int) {
	o.mu.Lock()
	_, known := o.apps[pid]
	delete(o.apps, pid)
	o.mu.Unlock()
	if known {
		o.queue.drop(func(n note) bool { return n.pid != pid })
		o.poke()
	}
}

// Describe says what serves accessibility, or what to do for it.
func (o *Observer) Describe() desktop.Facet {
	f := desktop.Facet{Name: facetName, Backend: "AT-SPI"}
	if desktop.SessionBusAddress(o.o.Env) == "" {
		return desktop.Facet{Name: facetName, Remedy: noBusRemedy}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.link == nil && o.trouble != nil {
		return desktop.Facet{Name: facetName, Remedy: noServiceRemedy}
	}
	return f
}

const (
	noBusRemedy     = "start Flash in a desktop session, or set DBUS_SESSION_BUS_ADDRESS: accessibility needs its session bus"
	noServiceRemedy = "install at-spi2-core: the session bus has no accessibility service"
)

// Heard counts the signals of apps that were delivered here, each of which woke
// the process up.
func (o *Observer) Heard() uint64 { return o.heard.Load() }

func (o *Observer) poke() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *Observer) emitAll() {
	defer o.work.Done()
	for {
		n, bundleID, ok := o.queue.next()
		if !ok {
			return
		}
		o.o.Emit(n.pid, n.notification, bundleID)
	}
}

// settleAll makes what is subscribed match what is wanted, whenever one of them
// changed. It is the only goroutine that subscribes.
func (o *Observer) settleAll() {
	defer o.work.Done()
	for {
		select {
		case <-o.ctx.Done():
			o.mu.Lock()
			l := o.link
			o.link = nil
			o.arm(0)
			o.mu.Unlock()
			l.close()
			return
		case <-o.wake:
		}
		if err := o.settle(); err != nil && o.ctx.Err() == nil {
			o.stumble(err)
		}
	}
}

// errLost is the loss of a connection, or of a service behind it.
var errLost = errors.New("the accessibility bus went away")

func (o *Observer) settle() error {
	now := o.o.Time.Now()
	o.mu.Lock()
	l, p := o.link, o.plan
	if l != nil && l.lost() {
		o.link = nil
		o.mu.Unlock()
		l.close()
		return errLost
	}
	if p == nil && l != nil && o.users == 0 {
		wait := o.linger.Sub(now)
		if wait > 0 && len(l.rules) == 0 {
			o.arm(wait)
			o.mu.Unlock()
			return nil
		}
		o.link = nil
		o.mu.Unlock()
		l.close()
		return nil
	}
	idle := p == nil && l == nil
	if idle {
		o.arm(0)
	}
	due := o.backoff.due(now)
	o.mu.Unlock()
	if idle || !due {
		return nil
	}
	ctx, cancel := context.WithTimeout(o.ctx, 2*callTimeout)
	defer cancel()
	if l == nil {
		var err error
		if l, err = o.connect(ctx); err != nil {
			return err
		}
	}
	return o.subscribe(ctx, l, p)
}

// stumble notes that settling failed and has it tried again later.
func (o *Observer) stumble(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.plan == nil {
		return
	}
	wait, again := o.backoff.failed(o.o.Time.Now())
	level, stage := slog.LevelDebug, stageOf(err)
	if stage != o.said {
		level, o.said = slog.LevelInfo, stage // what goes on failing is said once
	}
	o.o.Logger.Log(o.ctx, level, "accessibility: not observing", "stage", stage, "retry_ms", wait.Milliseconds(), "dormant", !again)
	if again {
		o.arm(wait)
	}
}

// arm has the worker woken in d, and no more for what it was to be woken
// before; 0 is never. mu is held.
func (o *Observer) arm(d time.Duration) {
	if o.timer != nil {
		o.timer.Stop()
		o.timer = nil
	}
	if d > 0 {
		o.timer = o.o.Time.AfterFunc(d, o.poke)
	}
}

// subscribe brings the rules and the registrations of a connection in line with
// the plan and the observed apps.
func (o *Observer) subscribe(ctx context.Context, l *link, p *plan) error {
	if err := o.resolve(ctx, l, p); err != nil {
		return err
	}
	var events []string
	wanted := map[string]struct{}{}
	var senders []string
	if p != nil {
		o.mu.Lock()
		for name, pid := range l.names {
			if _, observed := o.apps[pid]; observed {
				senders = append(senders, name)
			}
		}
		o.mu.Unlock()
		slices.Sort(senders)
		if len(senders) > 0 {
			events = p.events
		}
		for _, sender := range senders {
			for _, r := range p.rules {
				wanted[r.String(sender)] = struct{}{}
			}
		}
	}
	// Rules come first and go last but for the apps that nobody observes: an
	// app that is told to speak is heard.
	if err := l.match(ctx, wanted); err != nil {
		return err
	}
	return l.register(ctx, events, senders)
}

// resolve learns the pids of connections that came since it last looked. With
// nobody to observe it puts that off.
func (o *Observer) resolve(ctx context.Context, l *link, p *plan) error {
	o.mu.Lock()
	look := l.fresh && p != nil && len(o.apps) > 0
	if look {
		l.fresh = false
	}
	o.mu.Unlock()
	if !look {
		return nil
	}
	return o.identify(ctx, l)
}

// identify learns the pids of all connections on the bus.
func (o *Observer) identify(ctx context.Context, l *link) error {
	o.mu.Lock()
	l.reads = true
	o.mu.Unlock()
	pids, err := o.unknown(ctx, l)
	o.mu.Lock()
	defer o.mu.Unlock()
	for name, pid := range pids {
		l.names[name] = pid
	}
	for _, name := range l.left {
		delete(l.names, name)
	}
	l.left, l.reads = nil, false
	if err != nil {
		l.fresh = true
	}
	return err
}

// unknown gives the pids of the connections that are not in the table.
func (o *Observer) unknown(ctx context.Context, l *link) (map[string]int, error) {
	names, err := l.list(ctx)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	names = slices.DeleteFunc(names, func(n string) bool { _, known := l.names[n]; return known })
	o.mu.Unlock()
	return l.pids(ctx, names)
}
