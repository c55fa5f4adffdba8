// Package desktop owns what the host asks of the desktop around it: which
// applications there are and which run, starting one, opening a URL, writing
// the clipboard, showing a notification, the windows and the focus. Each is one small interface, a facet;
// New picks what this session offers.
//
// It never decides who may use a facet (the broker does), never draws, keeps no rows of its own, and owns no life of the
// programs it starts: they get their own session and outlive the host.
package desktop

import (
	"context"
	"errors"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// App is one installed application.
type App struct {
	// ID is the bundle id on macOS and the desktop-entry id without .desktop
	// on Linux.
	ID   string
	Name string // in the user's language
	// PlainName and PlainGenericName are the names without a language, ""
	// where they say the same.
	PlainName, GenericName, PlainGenericName string
	Comment                                  string
	Keywords                                 []string
	Program                                  string // base name of the executable
	Path                                     string // .desktop file or bundle
	Icon                                     string
	Terminal                                 bool // runs in a terminal and owns no window
	Running                                  []int
	Actions                                  []Action
}

// Action is one more thing an application offers besides starting.
type Action struct{ ID, Name string }

// ActionID is what Launch takes to run an action of an application. A colon
// stands in no desktop-entry id and in no bundle id.
func ActionID(app, action string) string { return app + ":" + action }

// Apps is the installed and the running applications.
type Apps interface {
	// List gives the applications to show, ordered by ID, with the pids that
	// run now. It reads the disk and the process table: never on a keystroke.
	List(ctx context.Context) ([]App, error)
	// Watch calls changed, from one goroutine and after things settled, when
	// List would answer something else, until ctx is done. It returns once the
	// watch stands.
	Watch(ctx context.Context, changed func()) error
	// Launch starts an application, or one of its actions (see ActionID),
	// with URLs or absolute paths to open. A nil error means that it started,
	// not that it went on to work.
	Launch(ctx context.Context, id string, urls []string) error
	// Running lists the applications that run, one entry for each pid.
	Running(ctx context.Context) ([]protocol.Application, error)
}

// Opener hands a URL, or an application, to the desktop.
type Opener interface {
	OpenURL(ctx context.Context, url string) error
	OpenApp(ctx context.Context, id string) error
	// Handlers are the ids of the applications that take a URL, the user's choice
	// first, as far as the desktop tells. It reads the disk.
	Handlers(url string) []string
}

// Clipboard writes the clipboard.
type Clipboard interface {
	WriteText(ctx context.Context, text string) error
}

// Notifier shows a passing message; d is a wish that the desktop may ignore.
type Notifier interface {
	Notify(ctx context.Context, title, body string, d time.Duration) error
}

// ErrUnavailable is wrapped by the error of a facet that this session cannot
// serve; the text names the facet and the remedy.
var ErrUnavailable = errors.New("unavailable")

// Facet is one line of Describe.
type Facet struct {
	Name    string // apps, open, clipboard, notify, windows
	Backend string // what serves it, "" when nothing does
	Remedy  string // what to do when nothing does
}

// Facets is what a session offers. No field is nil: a facet that cannot be
// served answers ErrUnavailable.
type Facets struct {
	Apps      Apps
	Opener    Opener
	Clipboard Clipboard
	Notifier  Notifier
	Windows   Windows

	lines []Facet
	// windows, if set, is asked for its line, as it depends on what runs.
	windows func() Facet
	close   func() error
}

// Describe says what serves each facet, for `flash status` and `doctor`. It may
// ask the window system, and so wait for a moment.
func (f *Facets) Describe() []Facet {
	out := append([]Facet(nil), f.lines...)
	if f.windows != nil {
		out = append(out, f.windows())
	}
	return out
}

// Close lets go of the session: its bus connection, nothing that was started.
func (f *Facets) Close() error {
	if f.close == nil {
		return nil
	}
	return f.close()
}

// New looks at the session that env (in the form of os.Environ) describes and
// picks a back end for each facet. It waits for nothing: connections are made
// when first needed. A host that adopts another session calls it again. The
// facets are closed when ctx is done.
func New(ctx context.Context, env []string) *Facets {
	f := pick(environ(env))
	context.AfterFunc(ctx, func() { _ = f.Close() })
	return f
}

// environ is an environment block. The last entry of a name counts.
type environ []string
