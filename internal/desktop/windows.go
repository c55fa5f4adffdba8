package desktop

import (
	"context"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// Window is one top-level window of an application.
type Window = window.Window

// WindowChange is one thing that happened to a window, or the focus that moved.
type WindowChange = window.Change

// Windows is the windows of the session and the focus.
type Windows interface {
	// List gives the windows that a user would switch to, front first.
	List(ctx context.Context) ([]Window, error)
	// Focused is the window that has the focus; false when none has.
	Focused(ctx context.Context) (Window, bool, error)
	// Activate brings a window of an application to the front and gives it the
	// focus. Window 0 is the application's frontmost.
	Activate(ctx context.Context, pid int, window int64) error
	// Watch calls changed from one goroutine until ctx is done. It returns once
	// the watch stands, and outlives a restart of the window manager.
	Watch(ctx context.Context, changed func(WindowChange)) error
}

// TellsAllWindows reports whether Windows knows every window of the session, so
// that nobody else need be asked what happens to them.
func (f *Facets) TellsAllWindows() bool {
	w, ok := f.Windows.(interface{ all() bool })
	return ok && w.all()
}

// noWindows stands where the windows of the session cannot be reached.
type noWindows struct{ err error }

func (n noWindows) List(context.Context) ([]Window, error)          { return nil, n.err }
func (n noWindows) Focused(context.Context) (Window, bool, error)   { return Window{}, false, n.err }
func (n noWindows) Activate(context.Context, int, int64) error      { return n.err }
func (n noWindows) Watch(context.Context, func(WindowChange)) error { return n.err }
