package wlipc

import (
	"context"
	"time"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// settle is how long events are gathered before everything is read again: one
// window that opens in a tiled workspace moves all others.
const settle = 20 * time.Millisecond

// retrySteps are the waits before a compositor that went away is looked for
// again, each once: i3 that restarts is there in a moment, and any other took the
// session with it. After them a question that is answered brings the watch back.
var retrySteps = [...]time.Duration{100 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, 60 * time.Second}

// goneWindow stands for the window that had the focus and is there no more: what
// has it now is told, also where it has the same number, or nobody has it.
const goneWindow = -1

// follower is one watch. All of it is touched on one goroutine.
type follower struct {
	d       *Desktop
	changed func(window.Change)

	shown  map[int64]*found
	active int64
	main   map[int]int64 // the window of a process that had the focus last
}

// Watch calls changed from one goroutine until ctx is done or the desktop is
// closed. The window that has the focus at first is told at once; the windows
// that are there already are not.
func (d *Desktop) Watch(ctx context.Context, changed func(window.Change)) error {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(d.life, cancel)
	f := &follower{d: d, changed: changed, shown: map[int64]*found{}, main: map[int]int64{}}
	s, first, err := f.begin(ctx)
	if err != nil {
		stop()
		cancel()
		return err
	}
	go func() {
		defer cancel()
		defer stop()
		f.take(first, false)
		f.run(ctx, s)
	}()
	return nil
}

// begin subscribes first and reads then, so that nothing falls between.
func (f *follower) begin(ctx context.Context) (stream, reading, error) {
	s, err := f.d.c.follow(ctx)
	if err != nil {
		return nil, reading{}, err
	}
	r, err := f.d.read(ctx)
	if err != nil {
		s.close()
		return nil, reading{}, err
	}
	return s, r, nil
}

// run follows until ctx is done, through the compositor's restarts.
func (f *follower) run(ctx context.Context, s stream) {
	for {
		f.serve(ctx, s)
		if ctx.Err() != nil {
			return
		}
		if f.active != 0 {
			f.active = 0
			f.changed(window.Change{Focus: true})
		}
		var first reading
		if s, first = f.again(ctx); s == nil {
			return
		}
		f.take(first, true)
	}
}

// again finds the compositor after it went away.
func (f *follower) again(ctx context.Context) (stream, reading) {
	for tries := 0; ; tries++ {
		f.d.mu.Lock()
		seen := f.d.seen
		f.d.mu.Unlock()
		var due <-chan time.Time
		if tries < len(retrySteps) {
			t := time.NewTimer(retrySteps[tries])
			defer t.Stop()
			due = t.C
		}
		select {
		case <-ctx.Done():
			return nil, reading{}
		case <-due:
		case <-seen:
			tries = 0
		}
		s, first, err := f.begin(ctx)
		if err == nil {
			return s, first
		}
		if tries == 0 {
			f.d.o.Logger.Warn("the compositor is gone", "compositor", f.d.name, "error", err.Error())
		}
	}
}

// serve takes a stream's events to its end.
func (f *follower) serve(ctx context.Context, s stream) {
	events := make(chan change)
	over, ended := context.WithCancel(ctx)
	go func() {
		defer close(events)
		for {
			c, err := s.next()
			if err != nil {
				return
			}
			select {
			case events <- c:
			case <-over.Done():
				return
			}
		}
	}()
	defer func() {
		ended()
		s.close()
		for range events { // until the goroutine is gone
		}
	}()
	timer := time.NewTimer(settle)
	timer.Stop()
	due := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			due = false
			r, err := f.d.read(ctx)
			if err != nil {
				return
			}
			f.take(r, true)
		case c, ok := <-events:
			if !ok {
				return
			}
			if !f.apply(c) && !due {
				due = true
				timer.Reset(settle)
			}
		}
	}
}

// apply tells what an event says by itself; false when all is to be read.
func (f *follower) apply(c change) bool {
	w := f.shown[c.id]
	if w == nil {
		return !c.reread && c.id == 0
	}
	was := *w
	if c.title != nil {
		w.Title = *c.title
	}
	f.compare(&was, w)
	if c.focus {
		f.focus(c.id)
	}
	return !c.reread
}

// take makes a reading the state, and with tell says what is different. The
// focus is told in any case.
func (f *follower) take(r reading, tell bool) {
	next := make(map[int64]*found, len(r.windows))
	var active int64
	for i := range r.windows {
		w := &r.windows[i]
		next[w.ID] = w
		if w.Focused {
			active = w.ID
		}
	}
	before := f.shown
	f.shown = next
	for id, was := range before {
		if is := next[id]; is != nil && is.same(was) {
			continue
		}
		delete(before, id)
		if f.main[was.PID] == id {
			delete(f.main, was.PID)
		}
		if f.active == id {
			f.active = goneWindow
		}
		f.say("AXUIElementDestroyed", was)
	}
	for i := range r.windows {
		w := &r.windows[i]
		was := before[w.ID]
		switch {
		case !tell:
		case was == nil:
			f.say("AXWindowCreated", w)
		default:
			f.compare(was, w)
		}
	}
	f.focus(active)
}

// same tells a window from another one with its number, which a compositor that
// was started anew gives again.
func (f *found) same(was *found) bool {
	return f.x == was.x && (f.PID == was.PID || f.PID == 0 || was.PID == 0)
}

func (f *follower) say(notification string, w *found) {
	c := window.Change{Notification: notification, Window: w.Window}
	c.Window.Focused = w.ID == f.active
	f.changed(c)
}

// compare tells what of a window is different.
func (f *follower) compare(was, is *found) {
	if was.Title != is.Title {
		f.say("AXTitleChanged", is)
	}
	if was.Minimized != is.Minimized {
		if is.Minimized {
			f.say("AXWindowMiniaturized", is)
		} else {
			f.say("AXWindowDeminiaturized", is)
		}
	}
	if was.box.x != is.box.x || was.box.y != is.box.y {
		f.say("AXWindowMoved", is)
	}
	if was.box.w != is.box.w || was.box.h != is.box.h {
		f.say("AXWindowResized", is)
	}
}

// focus tells who has it. A process whose window it is not the last one of has
// another main window now.
func (f *follower) focus(id int64) {
	if id == f.active {
		return
	}
	if w := f.shown[f.active]; w != nil {
		w.Focused = false
	}
	f.active = id
	w := f.shown[id]
	if w == nil {
		f.active = 0
		f.changed(window.Change{Focus: true})
		return
	}
	w.Focused = true
	other := f.main[w.PID] != id
	f.main[w.PID] = id
	if !other {
		f.changed(window.Change{Window: w.Window, Focus: true})
		return
	}
	f.changed(window.Change{Notification: "AXFocusedWindowChanged", Window: w.Window, Focus: true})
	f.say("AXMainWindowChanged", w)
}
