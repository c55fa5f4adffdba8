package panel

import (
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/event"
)

const (
	// firstPaint bounds how long the first paint waits for rows. They are in
	// memory and take less; a prompt that has to grow right after it is painted
	// would only flicker.
	firstPaint = 4 * time.Millisecond
	// dropAfter is how long fonts, pictures and the window's memory are kept
	// once the panel is closed.
	dropAfter = 3 * time.Minute
)

// life is whether the panel is open, what is to happen a while later, and when
// it is shown and painted.
type life struct {
	clock   event.Time
	loop    func(func()) // runs a function on the loop
	visible *atomic.Bool
	began   uint64      // counts the openings
	timer   event.Timer // of the first paint or the next try for the keyboard
	drop    event.Timer

	opening bool // open, and not shown yet
	told    bool // Opened was called
	dirty   bool // changed since the last paint
	queued  bool // a paint is on the loop's queue
}

// Visible says whether the panel is open. It may be called anywhere.
func (l *life) Visible() bool { return l.visible.Load() }

// opened begins an opening.
func (l *life) opened() {
	l.visible.Store(true)
	l.began++
	if l.drop != nil {
		l.drop.Stop()
	}
}

// after runs fn on the loop a while later, unless the panel was closed meanwhile.
func (l *life) after(d time.Duration, fn func()) {
	if l.timer != nil {
		l.timer.Stop()
	}
	began := l.began
	l.timer = l.clock.AfterFunc(d, func() {
		l.loop(func() {
			if l.Visible() && l.began == began {
				fn()
			}
		})
	})
}

// soon shows the panel once it is ready, and paints one that shows once what is
// on the loop's queue is done: keys that came together are painted together.
func (l *life) soon(ready bool, shows func() bool, show, paint func()) {
	l.dirty = true
	switch {
	case l.opening:
		if ready {
			show()
		}
	case shows() && !l.queued:
		l.queued = true
		l.loop(func() {
			l.queued = false
			if shows() && l.dirty {
				paint()
			}
		})
	}
}

// tellOnce tells of an opening when the panel first shows: it may be taken away
// for an action and come back.
func (l *life) tellOnce(opened func()) {
	if l.told {
		return
	}
	l.told = true
	if opened != nil {
		opened()
	}
}

// dropLater gives back what the panel has when it has been closed for long.
func (l *life) dropLater(release func()) {
	began := l.began
	l.drop = l.clock.AfterFunc(dropAfter, func() {
		l.loop(func() {
			if !l.Visible() && l.began == began {
				release()
			}
		})
	})
}

func (l *life) stopTimers() {
	for _, t := range []event.Timer{l.timer, l.drop} {
		if t != nil {
			t.Stop()
		}
	}
}
