package ax

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/desktop"
)

const (
	busName      = "org.freedesktop.DBus"
	busPath      = "/org/freedesktop/DBus"
	launcherName = "org.a11y.Bus"
	launcherPath = "/org/a11y/bus"
	registryName = "org.a11y.atspi.Registry"
	registryPath = "/org/a11y/atspi/registry"
)

// link is a connection to the accessibility bus, with the one to the session
// bus that it was found through: the session bus tells if its launcher is
// replaced while the old bus lives on.
type link struct {
	// address names this bus among all that there ever were: it has its unique
	// id, where the launcher tells it. Names on the bus mean nothing elsewhere.
	address      string
	session, bus *dbus.Conn
	cancel       context.CancelFunc

	// These are guarded by the observer's mu.
	names map[string]int // pids of unique names
	fresh bool           // there may be names that are not in names
	left  []string       // names that went while the table is being read
	reads bool           // the table is being read

	// These are the worker's.
	rules    map[string]struct{}
	events   map[registration]struct{}
	argument int // form of RegisterEvent that the registry takes

	mu       sync.Mutex
	gone     bool
	replaced bool // the registry's owner changed: it has forgotten everything
}

// registration is one event that one app is to send.
type registration struct{ event, app string }

func (l *link) lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone
}

// knows says whether an app is on the bus. The observer's mu is held.
func (l *link) knows(pid int) bool {
	for _, p := range l.names {
		if p == pid {
			return true
		}
	}
	return false
}

func (l *link) close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.gone = true
	l.mu.Unlock()
	for _, c := range []*dbus.Conn{l.bus, l.session} {
		if c != nil {
			_ = c.Close()
		}
	}
	l.cancel()
}

type stageError struct {
	stage string
	err   error
}

func (e *stageError) Error() string { return e.stage + ": " + e.err.Error() }
func (e *stageError) Unwrap() error { return e.err }

// stageOf is what a log may say of an error: never the text of a bus.
func stageOf(err error) string {
	var s *stageError
	switch {
	case errors.As(err, &s):
		return s.stage
	case errors.Is(err, errLost):
		return "connection"
	}
	return "subscription"
}

// connect makes the connection, or returns the one that there is.
func (o *Observer) connect(ctx context.Context) (*link, error) {
	select {
	case o.dial <- struct{}{}:
		defer func() { <-o.dial }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	o.mu.Lock()
	l := o.link
	o.mu.Unlock()
	if l != nil && !l.lost() {
		return l, nil
	}
	fresh, err := o.open(ctx)
	if err == nil && o.ctx.Err() != nil {
		fresh.close()
		err = o.ctx.Err()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.trouble = err; err != nil {
		return nil, err
	}
	o.link, o.said = fresh, ""
	return fresh, nil
}

func (o *Observer) open(ctx context.Context) (_ *link, err error) {
	address := desktop.SessionBusAddress(o.o.Env)
	if address == "" {
		return nil, fmt.Errorf("%w: %s", desktop.ErrUnavailable, noBusRemedy)
	}
	alive, cancel := context.WithCancel(o.ctx)
	l := &link{
		cancel: cancel, fresh: true, names: map[string]int{}, rules: map[string]struct{}{}, events: map[registration]struct{}{},
	}
	// A bus that accepts and does not answer must not hold up anybody.
	stop := context.AfterFunc(ctx, cancel)
	defer func() {
		if stop(); err == nil && alive.Err() != nil {
			err = alive.Err()
		}
		if err != nil {
			l.close()
		}
	}()
	if l.session, err = dbus.Connect(address, dbus.WithContext(alive), dbus.WithSignalHandler(handler(o.sessionSignal(l)))); err != nil {
		return nil, &stageError{"session bus", err}
	}
	if err = l.find(ctx); err != nil {
		return nil, &stageError{"accessibility service", err}
	}
	if l.bus, err = dbus.Connect(l.address, dbus.WithContext(alive), dbus.WithSignalHandler(handler(o.signal(l)))); err != nil {
		return nil, &stageError{"accessibility bus", err}
	}
	if err = watchOwners(ctx, l.bus, ""); err != nil {
		return nil, &stageError{"accessibility bus", err}
	}
	for _, c := range []*dbus.Conn{l.session, l.bus} {
		context.AfterFunc(c.Context(), func() { o.lose(l) })
	}
	return l, nil
}

// find has the accessibility bus started and learns its address. Apps that
// start from now on find that somebody looks at them; it stays that way, for a
// screen reader may have asked for the same since.
func (l *link) find(ctx context.Context) error {
	if err := watchOwners(ctx, l.session, launcherName); err != nil {
		return err
	}
	launcher := l.session.Object(launcherName, launcherPath)
	on := launcher.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Set", 0, "org.a11y.Status", "IsEnabled", dbus.MakeVariant(true))
	if on.Err != nil {
		return on.Err
	}
	return launcher.CallWithContext(ctx, "org.a11y.Bus.GetAddress", 0).Store(&l.address)
}

// watchOwners subscribes to the coming and going of names, of one or of all.
func watchOwners(ctx context.Context, c *dbus.Conn, name string) error {
	rule := "type='signal',sender='" + busName + "',path='" + busPath + "',interface='" + busName + "',member='NameOwnerChanged'"
	if name != "" {
		rule += ",arg0='" + name + "'"
	}
	return c.BusObject().CallWithContext(ctx, busName+".AddMatch", 0, rule).Err
}

// lose notes that a connection is gone, or worth nothing any more.
func (o *Observer) lose(l *link) {
	l.mu.Lock()
	again := l.gone
	l.gone = true
	l.mu.Unlock()
	if !again {
		o.poke()
	}
}

// handler takes signals on the connection's reading goroutine, in their order.
type handler func(*dbus.Signal)

// DeliverSignal implements dbus.SignalHandler.
func (h handler) DeliverSignal(_, _ string, s *dbus.Signal) { h(s) }

func ownerChange(s *dbus.Signal) (name, old, now string, ok bool) {
	if s.Sender != busName || s.Name != busName+".NameOwnerChanged" {
		return "", "", "", false
	}
	return name, old, now, dbus.Store(s.Body, &name, &old, &now) == nil
}

func (o *Observer) sessionSignal(l *link) func(*dbus.Signal) {
	return func(s *dbus.Signal) {
		if name, old, _, ok := ownerChange(s); ok && name == launcherName && old != "" {
			o.lose(l)
		}
	}
}

// signal takes what the accessibility bus delivers. It must not wait.
func (o *Observer) signal(l *link) func(*dbus.Signal) {
	return func(s *dbus.Signal) {
		if name, old, now, ok := ownerChange(s); ok {
			o.ownerChanged(l, name, old, now)
			return
		}
		if !strings.HasPrefix(s.Name, eventPrefix) {
			return
		}
		o.heard.Add(1)
		sig := signal{name: s.Name, path: string(s.Path)}
		if len(s.Body) > 1 {
			sig.detail, _ = s.Body[0].(string)
			sig.value, _ = s.Body[1].(int32)
		}
		o.mu.Lock()
		p := o.plan
		pid, known := l.names[s.Sender]
		bundleID, observed := o.apps[pid]
		o.mu.Unlock()
		if known && observed {
			p.notifications(sig, func(name string) { o.queue.put(note{pid, name}, bundleID) })
		}
	}
}

func (o *Observer) ownerChanged(l *link, name, old, now string) {
	switch {
	case name == registryName && old != "":
		l.mu.Lock()
		l.replaced = true
		l.mu.Unlock()
		o.poke()
	case !strings.HasPrefix(name, ":"):
	case now == "":
		o.mu.Lock()
		pid := l.names[name]
		delete(l.names, name)
		if l.reads {
			l.left = append(l.left, name)
		}
		_, observed := o.apps[pid]
		o.mu.Unlock()
		if observed {
			o.poke()
		}
	case old == "":
		// Whose it is has to be asked, which is put off unless an app that
		// had the focus is still to come.
		o.mu.Lock()
		l.fresh = true
		awaited := o.plan != nil && o.awaits(l)
		o.mu.Unlock()
		if awaited {
			o.poke()
		}
	}
}

// awaits says whether an observed app is not on the bus. mu is held.
func (o *Observer) awaits(l *link) bool {
	on := make(map[int]bool, len(l.names))
	for _, pid := range l.names {
		on[pid] = true
	}
	for pid := range o.apps {
		if !on[pid] {
			return true
		}
	}
	return false
}

// list gives the unique names on the bus.
func (l *link) list(ctx context.Context) ([]string, error) {
	var names []string
	if err := l.bus.BusObject().CallWithContext(ctx, busName+".ListNames", 0).Store(&names); err != nil {
		return nil, err
	}
	own := l.bus.Names()
	out := names[:0]
	for _, n := range names {
		if strings.HasPrefix(n, ":") && (len(own) == 0 || n != own[0]) {
			out = append(out, n)
		}
	}
	return out, nil
}

// pids asks whose each name is, all at once. One that went meanwhile is left out.
func (l *link) pids(ctx context.Context, names []string) (map[string]int, error) {
	calls := make([]*dbus.Call, len(names))
	for i, n := range names {
		calls[i] = l.bus.BusObject().GoWithContext(ctx, busName+".GetConnectionUnixProcessID", 0, make(chan *dbus.Call, 1), n)
	}
	out := map[string]int{}
	for i, c := range calls {
		<-c.Done
		var pid uint32
		if err := c.Store(&pid); err == nil {
			out[names[i]] = int(pid)
		} else if !isBusError(err) {
			return nil, err
		}
	}
	return out, nil
}

// isBusError says whether an error is an answer, and not the lack of one.
func isBusError(err error) bool {
	var e dbus.Error
	var p *dbus.Error
	return errors.As(err, &e) || errors.As(err, &p)
}
