package mac

import (
	"context"
	"sync"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// FocusNames are the notifications of the frontmost app that may move the
// focus.
var FocusNames = []string{"AXFocusedWindowChanged", "AXMainWindowChanged"}

// App is a running app.
type App struct {
	PID      int
	BundleID string
}

// Focus follows which window has the focus: that of the app in front. Read asks
// macOS and may wait for the app, so it and tell are called from Run alone, and
// what comes meanwhile is one more look.
type Focus struct {
	Read func(App) window.Window // its ID is 0 where the app has no window
	Tell func(window.Change)

	mu    sync.Mutex
	front App
	wake  chan struct{}
}

func (f *Focus) woken() chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wake == nil {
		f.wake = make(chan struct{}, 1)
	}
	return f.wake
}

// Front says which app is in front.
func (f *Focus) Front(a App) {
	f.mu.Lock()
	f.front = a
	f.mu.Unlock()
	f.Moved()
}

// Moved says that the focus may have moved within it.
func (f *Focus) Moved() {
	select {
	case f.woken() <- struct{}{}:
	default:
	}
}

// Run tells each change of the focus until ctx is done, first the one that it
// finds.
func (f *Focus) Run(ctx context.Context) {
	wake := f.woken()
	var last window.Window
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
		}
		f.mu.Lock()
		front := f.front
		f.mu.Unlock()
		if front.PID <= 0 {
			continue
		}
		w := f.Read(front)
		f.mu.Lock()
		stale := f.front != front
		f.mu.Unlock()
		if stale || ctx.Err() != nil {
			continue // another app came to the front, and another look
		}
		w.PID, w.AppID, w.Focused = front.PID, front.BundleID, w.ID != 0
		if w.ID != last.ID || w.PID != last.PID {
			last = w
			f.Tell(window.Change{Window: w, Focus: true})
		}
	}
}
