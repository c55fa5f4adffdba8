//go:build linux || (darwin && cgo)

package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/clip"
	"github.com/flash-launcher/flash/protocol"
)

// Session is the user's session. It serves the broker's Clipboard, MediaKeys,
// Wifi and Keys. All methods may be called from any goroutine.
type Session struct {
	o     Options
	watch *clip.Watch

	mu     sync.Mutex
	parts  *parts
	wanted map[string]bool
	closed bool

	asked   sync.Mutex
	next    map[string]bool // what Want was told last, nil once it is done
	working bool            // work runs
	works   sync.WaitGroup
}

// New looks at a session and waits for nothing: connections are made when
// something needs them.
func New(o Options) *Session {
	s := &Session{o: o, parts: newParts(o), wanted: map[string]bool{}}
	s.watch = clip.NewWatch(nil, o.Time, o.Copied)
	if src := s.parts.source(); src != nil {
		s.watch.Use(src)
	}
	return s
}

// Close lets go of the session. What the host put on the clipboard of an X
// server goes with it.
func (s *Session) Close() error {
	defer s.works.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.watch.Use(nil)
	s.parts.close()
	return nil
}

// Move leaves the session for another one, which env describes and facets are
// of. What is listened to is followed there; a pause of the clipboard stands. It
// may wait for a moment.
func (s *Session) Move(env []string, facets *desktop.Facets) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.watch.Use(nil)
	s.parts.close()
	s.o.Env, s.o.Facets = env, facets
	s.parts = newParts(s.o)
	if src := s.parts.source(); src != nil {
		s.watch.Use(src)
	}
	s.settle()
}

// Want says which events anybody listens to now, such as event.Bus.Wanted. What
// nobody listens to is not followed. It waits for nothing: connections are made
// and ended behind it.
func (s *Session) Want(listened func(event string) bool) {
	next := map[string]bool{protocol.EventClipboardChanged: listened(protocol.EventClipboardChanged)}
	for _, e := range events {
		next[e.name] = listened(e.name)
	}
	s.asked.Lock()
	defer s.asked.Unlock()
	s.next = next
	if !s.working {
		s.working = true
		s.works.Go(s.work)
	}
}

func (s *Session) work() {
	for {
		s.asked.Lock()
		next := s.next
		s.next, s.working = nil, next != nil
		s.asked.Unlock()
		if next == nil {
			return
		}
		s.mu.Lock()
		if !s.closed {
			s.wanted = next
			s.settle()
		}
		s.mu.Unlock()
	}
}

// settle follows what is wanted. What failed is tried again.
func (s *Session) settle() {
	for _, e := range events {
		f := s.parts.followed[e.name]
		if f != nil && (!s.wanted[e.name] || f.err != nil) {
			s.parts.leave(e.name)
			f = nil
		}
		if f == nil && s.wanted[e.name] {
			if f = s.parts.follow(e.name, e.wait, s.o); f.err != nil {
				s.o.Logger.Warn("an event cannot be followed", "event", e.name, "error", f.err.Error())
			}
		}
	}
	if err := s.watch.Want(s.wanted[protocol.EventClipboardChanged]); err != nil {
		s.o.Logger.Warn("the clipboard cannot be followed", "error", err.Error())
	}
}

func (s *Session) now() *parts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parts
}

// Used says that the user acts in the session: it is not locked, whatever a
// locker forgot to say.
func (s *Session) Used() {
	if l := s.now().locks; l != nil {
		l.used()
	}
}

// PauseClipboard stops the following of the clipboard for d, or until it is
// resumed when d is not above zero. Nothing remembers it.
func (s *Session) PauseClipboard(d time.Duration) { s.watch.Pause(d) }

// ResumeClipboard ends a pause. What was copied meanwhile is not told.
func (s *Session) ResumeClipboard() { s.watch.Resume() }

// ClipboardState is what the clipboard watch does.
func (s *Session) ClipboardState() ClipboardState {
	w := s.watch.State()
	out := ClipboardState{Watching: w.Watching, Paused: w.Paused, Until: w.Until}
	if w.Err != nil {
		out.Problem = w.Err.Error()
	} else if s.now().source() == nil {
		out.Problem = errNoClipboard.Error()
	}
	return out
}

// WriteText copies a text. It is not told as a copy of another program.
func (s *Session) WriteText(ctx context.Context, text string) error {
	p := s.now()
	s.watch.Wrote(text)
	var first error
	for _, write := range p.writers() {
		err := write(ctx, text)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// PostMediaKey presses a media key.
func (s *Session) PostMediaKey(ctx context.Context, code int) error {
	return s.now().media.PostMediaKey(ctx, code)
}

// SSID names the wireless network.
func (s *Session) SSID(ctx context.Context, authorize bool) (string, bool, error) {
	return s.now().wifi.SSID(ctx, authorize)
}

// PostKeys presses keys in a program that has the focus.
func (s *Session) PostKeys(ctx context.Context, pid int, keys []broker.Key, interval time.Duration) error {
	return s.now().postKeys(ctx, pid, keys, interval)
}

// PostGlobalKey presses a chord for whoever has it as a hot key.
func (s *Session) PostGlobalKey(ctx context.Context, key broker.Key) error {
	return s.now().postGlobalKey(ctx, key)
}

// Describe says what serves each facet, those of the desktop with them, and
// what to do about those that nothing serves. It may wait for a moment.
func (s *Session) Describe() []desktop.Facet {
	p := s.now()
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	var out []desktop.Facet
	if p.facets != nil {
		out = p.facets.Describe()
	}
	for _, f := range p.describe(ctx) {
		// Of two that serve the same, this package's is asked first.
		if i := slices.IndexFunc(out, func(o desktop.Facet) bool { return o.Name == f.Name }); i >= 0 {
			out[i] = f
		} else {
			out = append(out, f)
		}
	}
	return out
}

// lookTime bounds what Describe asks of each service.
const lookTime = time.Second
