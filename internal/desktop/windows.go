package desktop

import (
	"context"

	"github.com/flash-launcher/flash/protocol"
)

// Window is one top-level window of an application.
type Window struct {
	ID  int64 // the window system's number
	PID int   // 0 where the window does not say
	// AppID is the application's ID as in App, "" where none is known.
	AppID string
	Title string
	Frame protocol.Frame // as on the wire: points from the primary screen's bottom left, y up
	// Workspace is the name of the workspace that it is on, "" for all of them.
	Workspace string
	Minimized bool
	Focused   bool
}

// WindowChange is one thing that happened to a window. Notification is the macOS
// name that plugins know it by, such as AXTitleChanged; "" where only the focus
// moved.
type WindowChange struct {
	Notification string
	Window       Window
	Focus        bool // Window has the focus now; its ID is 0 when none has
}

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

// noWindows stands where the windows of the session cannot be reached.
type noWindows struct{ err error }

func (n noWindows) List(context.Context) ([]Window, error)          { return nil, n.err }
func (n noWindows) Focused(context.Context) (Window, bool, error)   { return Window{}, false, n.err }
func (n noWindows) Activate(context.Context, int, int64) error      { return n.err }
func (n noWindows) Watch(context.Context, func(WindowChange)) error { return n.err }
