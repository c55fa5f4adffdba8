package ewmh

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/desktop/window"
	"github.com/flash-launcher/flash/internal/x11"
)

// session is one connection. All but its first block is touched on the loop
// only.
type session struct {
	o        Options
	loop     *x11.Loop
	atoms    atoms
	randr    bool
	resource bool
	tell     func(window.Change)
	gone     chan struct{} // closed when the server ended the connection

	subscribed bool
	managed    bool
	shown      map[int64]*client // also those that nobody switches to
	order      []int64           // stacking, from the bottom
	active     int64
	unknown    int64         // a window that has the focus and was looked for in vain
	main       map[int]int64 // the window of a process that had the focus last
	workspaces []string
	screen     box // the primary one
	dirty      rootParts
	flushing   bool        // a flush is queued
	placing    *time.Timer // a reading of places is due
	leaving    *time.Timer // windows that are listed no more are looked at again
	nobody     *time.Timer // nothing has the focus, which may be about to change
	nobodyHas  bool        // and it did not

	stamps  []chan xproto.Timestamp
	stamper xproto.Window
}

// rootParts are what of the root window is to be read again.
type rootParts uint8

const (
	rootList rootParts = 1 << iota
	rootActive
	rootManager
	rootWorkspaces
	rootScreen
	rootAll = rootList | rootActive | rootManager | rootWorkspaces | rootScreen
)

const (
	// placeEvery bounds how often a window that is dragged is looked at.
	placeEvery = 100 * time.Millisecond
	// leaveGrace is how long a window may be there without being listed. A
	// window manager that starts lists windows one after the other.
	leaveGrace = 500 * time.Millisecond
	// nobodyGrace is how long nothing must have the focus to be told so: on its
	// way from one window to another nothing has it.
	nobodyGrace = 50 * time.Millisecond
)

var errLost = errors.New("the X server ended the connection; start Flash inside the session that runs now")

// ask runs fn on the loop and waits for it.
func (s *session) ask(ctx context.Context, fn func()) error {
	done := make(chan struct{})
	s.loop.Do(func() { fn(); close(done) })
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.gone:
		return errLost
	}
}

const clientMask = xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify

func (s *session) selectEvents(w xproto.Window, mask uint32) {
	xproto.ChangeWindowAttributes(s.loop.Conn.Conn, w, xproto.CwEventMask, []uint32{mask})
}

func (s *session) selectScreen(mask uint16) {
	if s.randr {
		randr.SelectInput(s.loop.Conn.Conn, s.loop.Root, mask)
	}
}

// subscribe begins to follow, and reads what there is.
func (s *session) subscribe() {
	if s.subscribed {
		return
	}
	s.subscribed = true
	s.forget()
	s.selectEvents(s.loop.Root, xproto.EventMaskPropertyChange)
	s.selectScreen(randr.NotifyMaskScreenChange | randr.NotifyMaskOutputChange)
	s.load()
}

func (s *session) unsubscribe() {
	if !s.subscribed {
		return
	}
	s.subscribed = false
	s.selectEvents(s.loop.Root, 0)
	s.selectScreen(0)
	for id := range s.shown {
		s.selectEvents(xproto.Window(id), 0)
	}
	s.forget()
}

func (s *session) forget() {
	clear(s.shown)
	clear(s.main)
	s.order, s.active, s.dirty = nil, 0, 0
	for _, t := range []**time.Timer{&s.placing, &s.leaving, &s.nobody} {
		if *t != nil {
			(*t).Stop()
			*t = nil
		}
	}
}

// load reads everything and tells nobody.
func (s *session) load() {
	s.dirty = rootAll
	for _, c := range s.shown {
		c.dirty = partAll
	}
	s.refresh(func(window.Change) {})
}

// event runs on the loop.
func (s *session) event(ev xgb.Event) {
	switch e := ev.(type) {
	case xproto.PropertyNotifyEvent:
		s.property(e)
	case xproto.DestroyNotifyEvent:
		if c := s.shown[int64(e.Window)]; c != nil {
			s.remove(c, s.tell)
		}
	case xproto.ConfigureNotifyEvent:
		s.moved(e.Window)
	case xproto.ReparentNotifyEvent:
		s.moved(e.Window)
	case randr.ScreenChangeNotifyEvent, randr.NotifyEvent:
		s.soon(rootScreen)
	}
}

func (s *session) property(e xproto.PropertyNotifyEvent) {
	a := &s.atoms
	if s.stamper != 0 && e.Window == s.stamper {
		for _, c := range s.stamps {
			c <- e.Time
		}
		s.stamps = nil
		return
	}
	if !s.subscribed {
		return
	}
	if e.Window == s.loop.Root {
		switch e.Atom {
		case a.clientList, a.stacking:
			s.soon(rootList)
		case a.active:
			s.soon(rootActive)
		case a.supporting:
			s.soon(rootManager | rootList | rootActive)
		case a.desktopNames:
			s.soon(rootWorkspaces)
		}
		return
	}
	c := s.shown[int64(e.Window)]
	if c == nil {
		return
	}
	switch e.Atom {
	case a.name, xproto.AtomWmName:
		c.dirty |= partTitle
	case a.pid, xproto.AtomWmClass:
		c.dirty |= partOwner
	case a.state, a.kind, a.desktop:
		c.dirty |= partState
	case a.frame, a.shadow:
		s.moved(e.Window)
		return
	default:
		return
	}
	s.soon(0)
}

// soon has the state read again once all events that wait were taken.
func (s *session) soon(what rootParts) {
	s.dirty |= what
	if !s.flushing {
		s.flushing = true
		s.loop.Do(func() {
			s.flushing = false
			if s.subscribed {
				s.refresh(s.tell)
			}
		})
	}
}

// moved notes a window that moved, to be looked at when it may have come to rest.
func (s *session) moved(w xproto.Window) {
	c := s.shown[int64(w)]
	if c == nil {
		return
	}
	c.dirty |= partPlace
	if s.placing == nil {
		s.placing = time.AfterFunc(placeEvery, func() {
			s.loop.Do(func() {
				s.placing = nil
				s.soon(0)
			})
		})
	}
}

// remove takes a window out that is gone.
func (s *session) remove(c *client, tell func(window.Change)) {
	delete(s.shown, c.ID)
	s.order = slices.DeleteFunc(s.order, func(id int64) bool { return id == c.ID })
	if s.main[c.PID] == c.ID {
		delete(s.main, c.PID)
	}
	if !c.aside {
		tell(window.Change{Notification: "AXUIElementDestroyed", Window: s.wire(c)})
	}
	if s.active == c.ID {
		s.soon(rootActive)
	}
}

// wire is a window as others know it.
func (s *session) wire(c *client) window.Window {
	w := c.Window
	w.Focused = c.ID == s.active
	w.Frame.X, w.Frame.Y = float64(c.box.x-s.screen.x), float64(s.screen.y+s.screen.h-c.box.y-c.box.h)
	w.Frame.Width, w.Frame.Height = float64(c.box.w), float64(c.box.h)
	return w
}

// current makes the state current: what is followed is read where it changed,
// what is not followed, all of it.
func (s *session) current() error {
	if !s.subscribed {
		s.forget()
		s.load()
	} else {
		s.refresh(s.tell)
	}
	if !s.managed && len(s.shown) == 0 {
		// One may have come whose name was not there yet.
		if _, ok := s.manager(); !ok {
			return ErrNoManager
		}
	}
	return nil
}

func (s *session) list() ([]window.Window, error) {
	if err := s.current(); err != nil {
		return nil, err
	}
	var front, minimized []window.Window
	for _, id := range slices.Backward(s.order) {
		c := s.shown[id]
		switch {
		case c == nil || c.aside:
		case c.Minimized:
			minimized = append(minimized, s.wire(c))
		default:
			front = append(front, s.wire(c))
		}
	}
	return append(front, minimized...), nil
}

func (s *session) focused() (window.Window, bool, error) {
	if !s.subscribed {
		return s.focusedAlone()
	}
	if err := s.current(); err != nil {
		return window.Window{}, false, err
	}
	if c := s.shown[s.active]; c != nil {
		return s.wire(c), true, nil
	}
	return window.Window{}, false, nil
}

// focusedAlone reads the one window that has the focus, where nothing is followed.
func (s *session) focusedAlone() (window.Window, bool, error) {
	s.forget()
	if _, ok := s.manager(); !ok {
		return window.Window{}, false, ErrNoManager
	}
	active := words(s.get(s.loop.Root, s.atoms.active))
	if len(active) == 0 || active[0] == 0 {
		return window.Window{}, false, nil
	}
	s.readScreen()
	s.readWorkspaces()
	c := &client{Window: window.Window{ID: int64(active[0])}}
	if !s.begin(c, partAll).end() {
		return window.Window{}, false, nil
	}
	s.active = c.ID
	return s.wire(c), true, nil
}
