package ewmh

import (
	"slices"
	"time"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// refresh reads again what is dirty, and tells what came out different.
func (s *session) refresh(tell func(window.Change)) {
	dirty := s.dirty
	s.dirty = 0
	if dirty&rootManager != 0 {
		_, s.managed = s.manager()
	}
	if dirty&rootScreen != 0 {
		s.readScreen()
	}
	if dirty&rootWorkspaces != 0 {
		s.readWorkspaces()
		for _, c := range s.shown {
			c.dirty |= partState
		}
	}
	var added []*client
	if dirty&rootList != 0 {
		added = s.readList()
		if s.unknown != 0 && s.shown[s.unknown] != nil {
			dirty |= rootActive
		}
	}
	s.readClients(tell)
	for _, c := range added {
		if s.shown[c.ID] != nil && !c.aside {
			tell(window.Change{Notification: "AXWindowCreated", Window: s.wire(c)})
		}
	}
	if dirty&rootActive != 0 {
		s.readActive(tell)
	}
}

// readList takes the window manager's list and returns what is new on it.
func (s *session) readList() (added []*client) {
	list, stacking := s.get(s.loop.Root, s.atoms.clientList), s.get(s.loop.Root, s.atoms.stacking)
	ids := words(list)
	order := words(stacking)
	if len(order) == 0 {
		order = ids
	}
	if ids == nil {
		ids = order
	}
	listed := make(map[int64]bool, len(ids))
	for _, n := range ids {
		id := int64(n)
		listed[id] = true
		if c := s.shown[id]; c != nil {
			c.unlisted = false
			continue
		}
		c := &client{Window: window.Window{ID: id}, dirty: partAll}
		if s.subscribed {
			s.selectEvents(xproto.Window(id), clientMask)
		}
		s.shown[id] = c
		added = append(added, c)
	}
	// A window that is there and not on the list keeps its place.
	next := make([]int64, 0, len(s.shown))
	for _, id := range s.order {
		if c := s.shown[id]; c != nil && !listed[id] {
			next = append(next, id)
			c.unlisted = true
		}
	}
	if len(next) > 0 {
		s.lookAgain()
	}
	for _, n := range order {
		if id := int64(n); s.shown[id] != nil && !slices.Contains(next, id) {
			next = append(next, id)
		}
	}
	for _, n := range ids {
		if id := int64(n); !slices.Contains(next, id) {
			next = append(next, id)
		}
	}
	s.order = next
	return added
}

// lookAgain drops the windows that stay off the list while there is a window
// manager to list them: withdrawn ones. Those that are destroyed say so.
func (s *session) lookAgain() {
	if s.leaving != nil {
		s.leaving.Stop()
	}
	s.leaving = time.AfterFunc(leaveGrace, func() {
		s.loop.Do(func() {
			s.leaving = nil
			if !s.subscribed {
				return
			}
			if _, s.managed = s.manager(); !s.managed {
				return // the next one's list decides
			}
			for _, c := range s.shown {
				if c.unlisted {
					s.selectEvents(xproto.Window(c.ID), 0)
					s.remove(c, s.tell)
				}
			}
		})
	})
}

// readClients reads the windows that have something to read, all at once.
func (s *session) readClients(tell func(window.Change)) {
	var readings []*reading
	var before []client
	for _, id := range s.order {
		c := s.shown[id]
		if c == nil || c.dirty == 0 {
			continue
		}
		what := c.dirty
		c.dirty = 0
		before = append(before, *c)
		readings = append(readings, s.begin(c, what))
	}
	for i, r := range readings {
		if !r.end() {
			if s.shown[r.c.ID] == r.c {
				was := before[i]
				r.c.Window, r.c.aside, r.c.box = was.Window, was.aside || r.what == partAll, was.box
				s.remove(r.c, tell)
			}
			continue
		}
		if r.what != partAll {
			s.compare(&before[i], r.c, tell)
		}
	}
}

// compare tells what of a window is different.
func (s *session) compare(was, is *client, tell func(window.Change)) {
	say := func(notification string) { tell(window.Change{Notification: notification, Window: s.wire(is)}) }
	if was.aside != is.aside {
		if is.aside {
			say("AXUIElementDestroyed")
		} else {
			say("AXWindowCreated")
		}
		return
	}
	if is.aside {
		return
	}
	if was.Title != is.Title {
		say("AXTitleChanged")
	}
	if was.Minimized != is.Minimized {
		if is.Minimized {
			say("AXWindowMiniaturized")
		} else {
			say("AXWindowDeminiaturized")
		}
	}
	if was.box.x != is.box.x || was.box.y != is.box.y {
		say("AXWindowMoved")
	}
	if was.box.w != is.box.w || was.box.h != is.box.h {
		say("AXWindowResized")
	}
}

// readActive takes who has the focus. A process whose window it is not the last
// one of has another main window now.
func (s *session) readActive(tell func(window.Change)) {
	var id int64
	if w := words(s.get(s.loop.Root, s.atoms.active)); len(w) > 0 {
		id = int64(w[0])
	}
	c := s.shown[id]
	if c == nil {
		if id != 0 && s.subscribed && s.dirty&rootList == 0 && s.unknown != id {
			// The list may name it in a moment, or may just have.
			s.unknown = id
			s.soon(rootList | rootActive)
			return
		}
		id = 0
	} else {
		s.unknown = 0
	}
	if s.nobody != nil {
		s.nobody.Stop()
		s.nobody = nil
	}
	confirmed := s.nobodyHas
	s.nobodyHas = false
	if id == s.active {
		return
	}
	if c == nil && s.subscribed && !confirmed && s.active != 0 {
		s.nobody = time.AfterFunc(nobodyGrace, func() {
			s.loop.Do(func() {
				s.nobody, s.nobodyHas = nil, true
				s.soon(rootActive)
			})
		})
		return
	}
	s.active = id
	if c == nil {
		tell(window.Change{Focus: true})
		return
	}
	other := s.main[c.PID] != id
	s.main[c.PID] = id
	if !other {
		tell(window.Change{Window: s.wire(c), Focus: true})
		return
	}
	tell(window.Change{Notification: "AXFocusedWindowChanged", Window: s.wire(c), Focus: true})
	tell(window.Change{Notification: "AXMainWindowChanged", Window: s.wire(c)})
}

// manager asks for the window manager's name, and whether there is one: the
// window that it names must name itself.
func (s *session) manager() (name string, ok bool) {
	check := words(s.get(s.loop.Root, s.atoms.supporting))
	if len(check) == 0 || check[0] == 0 {
		return "", false
	}
	w := xproto.Window(check[0])
	self, title := s.get(w, s.atoms.supporting), s.get(w, s.atoms.name)
	same := words(self)
	b, _ := data(title)
	if len(same) == 0 || same[0] != check[0] {
		return "", false
	}
	return decodeUTF8(b), true
}

// readScreen takes the place of the primary monitor, else the whole screen.
func (s *session) readScreen() {
	s.screen = box{0, 0, int(s.loop.Screen.WidthInPixels), int(s.loop.Screen.HeightInPixels)}
	if g, err := xproto.GetGeometry(s.loop.Conn.Conn, xproto.Drawable(s.loop.Root)).Reply(); err == nil && g != nil {
		s.screen = box{0, 0, int(g.Width), int(g.Height)}
	}
	if !s.randr {
		return
	}
	r, err := randr.GetMonitors(s.loop.Conn.Conn, s.loop.Root, true).Reply()
	if err != nil || r == nil || len(r.Monitors) == 0 {
		return
	}
	m := r.Monitors[0]
	for _, other := range r.Monitors {
		if other.Primary {
			m = other
		}
	}
	s.screen = box{int(m.X), int(m.Y), int(m.Width), int(m.Height)}
}
