// Package ax owns what the host knows of other apps through the platform's
// accessibility interface: it observes apps that have had the focus and tells
// what changed in them, and it is the broker's Accessibility.
//
// It asks a source only for what somebody wants and only of observed apps, so
// that nobody's wishes cost no wake-up. It never polls, never decides which
// plugin may look at what (the broker does), and never logs what apps show.
package ax

import (
	"log/slog"
	"slices"

	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/event"
)

// The notifications, by their macOS names.
const (
	TitleChanged            = "AXTitleChanged"
	WindowCreated           = "AXWindowCreated"
	UIElementDestroyed      = "AXUIElementDestroyed"
	FocusedWindowChanged    = "AXFocusedWindowChanged"
	MainWindowChanged       = "AXMainWindowChanged"
	FocusedUIElementChanged = "AXFocusedUIElementChanged"
	ValueChanged            = "AXValueChanged"
	WindowMoved             = "AXWindowMoved"
	WindowResized           = "AXWindowResized"
	WindowMiniaturized      = "AXWindowMiniaturized"
	WindowDeminiaturized    = "AXWindowDeminiaturized"
	ApplicationHidden       = "AXApplicationHidden"
	ApplicationShown        = "AXApplicationShown"
	Created                 = "AXCreated"
	LayoutChanged           = "AXLayoutChanged"
	SelectedChildrenChanged = "AXSelectedChildrenChanged"
	SelectedRowsChanged     = "AXSelectedRowsChanged"
	RowExpanded             = "AXRowExpanded"
	RowCollapsed            = "AXRowCollapsed"
)

// All lists every notification, for SetWanted.
func All() []string {
	return []string{
		TitleChanged, WindowCreated, UIElementDestroyed, FocusedWindowChanged, MainWindowChanged,
		FocusedUIElementChanged, ValueChanged, WindowMoved, WindowResized, WindowMiniaturized,
		WindowDeminiaturized, ApplicationHidden, ApplicationShown, Created, LayoutChanged,
		SelectedChildrenChanged, SelectedRowsChanged, RowExpanded, RowCollapsed,
	}
}

// Options are what an Observer works with.
type Options struct {
	// Env describes the session, in the form of os.Environ.
	Env []string
	// Emit is told of each notification that is wanted, from one goroutine. It
	// may block: what comes meanwhile is merged by app and notification.
	Emit func(pid int, notification, bundleID string)
	// Windows, if there is one, is the authority on top-level windows: their
	// numbers, titles and frames, also those of apps that show nothing else.
	Windows desktop.Windows
	// Time is the machine's if nil.
	Time event.Time
	// Logger gets stages and counts, nothing that apps show.
	Logger *slog.Logger
}

func (o *Options) complete() {
	if o.Emit == nil {
		o.Emit = func(int, string, string) {}
	}
	if o.Time == nil {
		o.Time = event.System()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Env = slices.Clone(o.Env)
}

// facetName is the line of `flash status`.
const facetName = "accessibility"
