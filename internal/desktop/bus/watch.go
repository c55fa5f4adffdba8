package bus

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/event"
)

const (
	daemon     = "org.freedesktop.DBus"
	daemonPath = "/org/freedesktop/DBus"
	// maxSignals is how many signals wait while one is looked at. What finds no
	// room is made up for by reading the services' state anew.
	maxSignals = 256
)

// ladder is how long a lost connection is left alone before each attempt. After
// the last one only a call or another watch tries again.
var ladder = [...]time.Duration{1 * time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, 60 * time.Second}

// Watch follows one service. Owner and Signal are called from one goroutine that
// all watches of a bus share; a call of the bus inside them should be short.
// After its stop a watch may be in the last call of one of them.
type Watch struct {
	Name  string // the service's well-known name
	Rules []Rule
	// Owner is told whether the service is there: at first, each time that
	// changes, and when signals were missed.
	Owner func(present bool)
	// Signal gets the signals of the rules, from the name's owner only.
	Signal func(*dbus.Signal)

	stopped atomic.Bool
	owner   string // on the serving goroutine
}

// Rule is one kind of signal; an empty field is any.
type Rule struct{ Path, Under, Interface, Member, Arg0 string }

func (r Rule) match(name string) string {
	var b strings.Builder
	b.WriteString("type='signal'")
	for _, f := range [...][2]string{
		{"sender", name}, {"path", r.Path}, {"path_namespace", r.Under}, {"interface", r.Interface}, {"member", r.Member}, {"arg0", r.Arg0},
	} {
		if f[1] != "" {
			b.WriteString("," + f[0] + "='" + f[1] + "'")
		}
	}
	return b.String()
}

func (r Rule) fits(s *dbus.Signal) bool {
	iface, member := split(s.Name)
	path := string(s.Path)
	return (r.Path == "" || r.Path == path) &&
		(r.Under == "" || path == r.Under || strings.HasPrefix(path, r.Under+"/")) &&
		(r.Interface == "" || r.Interface == iface) && (r.Member == "" || r.Member == member) &&
		(r.Arg0 == "" || arg(s, 0) == r.Arg0)
}

func split(name string) (iface, member string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}

func arg(s *dbus.Signal, i int) string {
	if i >= len(s.Body) {
		return ""
	}
	v, _ := s.Body[i].(string)
	return v
}

func (w *Watch) matches() []string {
	out := []string{"type='signal',sender='" + daemon + "',interface='" + daemon + "',member='NameOwnerChanged',arg0='" + w.Name + "'"}
	for _, r := range w.Rules {
		out = append(out, r.match(w.Name))
	}
	return out
}

// Follow starts a watch, and waits for nothing. Where the bus is away it stands
// once the bus is back.
func (b *Bus) Follow(w *Watch) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.address == "" {
		return func() {}
	}
	b.watches = append(b.watches, w)
	if !b.serving {
		b.serving = true
		b.served.Go(b.serve)
	}
	b.signal()
	return func() {
		w.stopped.Store(true)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.watches = slices.DeleteFunc(b.watches, func(o *Watch) bool { return o == w })
		b.signal()
	}
}

// DeliverSignal is called by the connection's reader.
func (l *link) DeliverSignal(_, _ string, s *dbus.Signal) {
	select {
	case l.signals <- s:
	default:
		select {
		case l.missed <- struct{}{}:
		default:
		}
	}
}

// server is what serve knows.
type server struct {
	*Bus
	link  *link
	armed []*Watch // on link
	tries int
	timer event.Timer
}

// serve runs while there is something to follow.
func (b *Bus) serve() {
	s := &server{Bus: b}
	defer s.rest()
	resting := false // the connection was lost: no attempt before the ladder's first step
	for {
		// What was signalled until here is seen below. Left in the channel it would
		// end a rest that it is older than.
		select {
		case <-b.wake:
		default:
		}
		want, on := s.wanted()
		if !on {
			s.arm(nil)
			return
		}
		if resting {
			resting = false
			s.later()
			<-b.wake
			continue
		}
		if s.link != nil && !s.link.Connected() {
			s.lost()
			resting = true // also a bus that ends each connection at once is asked no faster
			continue
		}
		if s.link == nil && !s.connect() {
			<-b.wake
			continue
		}
		s.arm(want)
		select {
		case <-b.wake:
		case <-s.link.Context().Done():
		case sig := <-s.link.signals:
			s.dispatch(sig)
		case <-s.link.missed:
			for _, w := range s.armed {
				s.read(w)
			}
		}
	}
}

// wanted is what is followed. False ends the serving, also for whoever asks
// next.
func (s *server) wanted() ([]*Watch, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.watches) == 0 {
		s.serving = false
		return nil, false
	}
	return slices.Clone(s.watches), true
}

func (s *server) connect() bool {
	s.rest()
	l, err := s.Bus.link()
	if err != nil {
		s.later()
		return false
	}
	s.link, s.tries = l, 0
	return true
}

// later has the next attempt made after a while.
func (s *server) later() {
	if s.tries < len(ladder) {
		s.timer = s.time.AfterFunc(ladder[s.tries], s.signal)
		s.tries++
	}
}

func (s *server) rest() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

func (s *server) lost() {
	for _, w := range s.armed {
		w.tell(false)
	}
	s.link, s.armed = nil, nil
}

// arm brings the match rules to what is wanted.
func (s *server) arm(want []*Watch) {
	if s.link == nil {
		return
	}
	s.armed = slices.DeleteFunc(s.armed, func(w *Watch) bool {
		if slices.Contains(want, w) {
			return false
		}
		for _, m := range w.matches() {
			s.daemon("RemoveMatch", nil, m)
		}
		return true
	})
	for _, w := range want {
		if slices.Contains(s.armed, w) {
			continue
		}
		for _, m := range w.matches() {
			s.daemon("AddMatch", nil, m)
		}
		s.armed = append(s.armed, w)
		s.read(w)
	}
}

func (s *server) daemon(method string, out []any, args ...any) {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	call := s.link.BusObject().CallWithContext(ctx, daemon+"."+method, 0, args...)
	if call.Err == nil && len(out) > 0 {
		_ = call.Store(out...)
	}
}

func (s *server) read(w *Watch) {
	w.owner = ""
	s.daemon("GetNameOwner", []any{&w.owner}, w.Name)
	w.tell(w.owner != "")
}

func (w *Watch) tell(present bool) {
	if !present {
		w.owner = ""
	}
	if w.Owner != nil && !w.stopped.Load() {
		w.Owner(present)
	}
}

func (s *server) dispatch(sig *dbus.Signal) {
	if sig.Sender == daemon && sig.Name == daemon+".NameOwnerChanged" {
		for _, w := range s.armed {
			if w.Name == arg(sig, 0) && w.owner != arg(sig, 2) {
				w.owner = arg(sig, 2)
				w.tell(w.owner != "")
			}
		}
		return
	}
	for _, w := range s.armed {
		if w.owner == sig.Sender && w.Signal != nil && !w.stopped.Load() && slices.ContainsFunc(w.Rules, func(r Rule) bool { return r.fits(sig) }) {
			w.Signal(sig)
		}
	}
}
