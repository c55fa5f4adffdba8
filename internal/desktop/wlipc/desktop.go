package wlipc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/desktop/window"
	"github.com/flash-launcher/flash/internal/procid"
)

// ErrGone is wrapped where a window is not there any more.
var ErrGone = errors.New("the window is not there any more")

// Options say which session it is and who knows its applications.
type Options struct {
	Env []string // in the form of os.Environ
	// Identify names the application of a window by its process (0 when not
	// known) and what the window calls itself; nil leaves it open.
	Identify func(pid int, instance, class string) string
	// XOwners maps windows of the X display to their processes. i3 knows a
	// window's number there and not its process.
	XOwners func(context.Context) map[int64]int
	// Parent is the process that started another, 0 where that is not known. A
	// program that a script starts has the script for its root.
	Parent func(pid int) int
	Logger *slog.Logger
}

// timeout bounds a question when its caller set no earlier deadline. Compositors
// answer within a millisecond, unless they hang, and then all of the session does.
const timeout = 2 * time.Second

// compositor is one kind of them.
type compositor interface {
	// name is what a user calls it; an error where it does not answer.
	name(context.Context) (string, error)
	read(context.Context) (reading, error)
	activate(ctx context.Context, id int64) error
	// follow begins a stream of events, which ends when ctx does.
	follow(context.Context) (stream, error)
}

// stream is where events come from. next waits; an error ends it.
type stream interface {
	next() (change, error)
	close()
}

// reading is all windows at one moment.
type reading struct {
	windows []found // front first, those that are put away last
	screen  box     // the primary one
}

// found is a window as its compositor knows it. The application and the frame
// are for others to fill in.
type found struct {
	window.Window
	instance, class string
	x               int64 // its number on the X display, 0 for none
	box             box
}

// box is a place on the whole desktop, y down, in points.
type box struct{ x, y, w, h int }

// change is an event. Only what is set is different.
type change struct {
	id     int64
	title  *string
	focus  bool // the window has the focus now
	reread bool // it does not say all
}

// Desktop is the windows of one session. Its methods may be called from any
// goroutine.
type Desktop struct {
	o    Options
	c    compositor
	name string
	life context.Context
	end  context.CancelFunc

	mu    sync.Mutex
	known map[int64]owner // of windows that were read
	seen  chan struct{}   // closed when the compositor answered, for who gave it up
}

// owner is what was found out about a window.
type owner struct {
	pid             int
	instance, class string
	app             string
	asked           bool // whose it is, which reads the applications from the disk
	xAsked          bool
}

// New returns the windows of a session, or false where no compositor that it
// knows answers there.
func New(o Options) (*Desktop, bool) {
	for _, c := range []compositor{sway{env: o.Env}, hyprland{env: o.Env}} {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		name, err := c.name(ctx)
		cancel()
		if err != nil {
			continue
		}
		if o.Identify == nil {
			o.Identify = func(int, string, string) string { return "" }
		}
		if o.Parent == nil {
			o.Parent = func(int) int { return 0 }
		}
		if o.Logger == nil {
			o.Logger = slog.New(slog.DiscardHandler)
		}
		d := &Desktop{o: o, c: c, name: name, known: map[int64]owner{}, seen: make(chan struct{})}
		d.life, d.end = context.WithCancel(context.Background())
		return d, true
	}
	return nil, false
}

// Close ends all watches.
func (d *Desktop) Close() error {
	d.end()
	return nil
}

// read asks for everything and fills in what the compositor does not know.
func (d *Desktop) read(ctx context.Context) (reading, error) {
	if d.life.Err() != nil {
		return reading{}, errors.New("let go of")
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := d.c.read(ctx)
	if err != nil {
		return reading{}, err
	}
	d.fill(ctx, &r)
	d.mu.Lock()
	close(d.seen)
	d.seen = make(chan struct{})
	d.mu.Unlock()
	return r, nil
}

// fill finds the process and the application of each window, once for as long as
// it stays what it is: both take a look at files.
func (d *Desktop) fill(ctx context.Context, r *reading) {
	d.mu.Lock()
	before := d.known
	d.mu.Unlock()
	known := make(map[int64]owner, len(r.windows))
	var x map[int64]int
	for i := range r.windows {
		w := &r.windows[i]
		o, ok := before[w.ID]
		if !ok || w.PID != 0 && o.pid != w.PID || o.instance != w.instance || o.class != w.class {
			o = owner{pid: w.PID, instance: w.instance, class: w.class}
		}
		if o.pid == 0 && w.x != 0 && !o.xAsked && d.o.XOwners != nil {
			if x == nil {
				x = d.o.XOwners(ctx)
			}
			o.pid = x[w.x]
			o.xAsked = x != nil
			o.asked = false
		}
		if !o.asked {
			o.asked = true
			o.app = d.o.Identify(o.pid, o.instance, o.class)
		}
		known[w.ID] = o
		w.PID, w.AppID = o.pid, o.app
		w.place(r.screen)
	}
	d.mu.Lock()
	d.known = known
	d.mu.Unlock()
}

// place states the frame as it is on the wire.
func (f *found) place(screen box) {
	f.Frame.X, f.Frame.Y = float64(f.box.x-screen.x), float64(screen.y+screen.h-f.box.y-f.box.h)
	f.Frame.Width, f.Frame.Height = float64(f.box.w), float64(f.box.h)
}

// List gives the windows that a user would switch to, front first, those that
// are put away last.
func (d *Desktop) List(ctx context.Context) ([]window.Window, error) {
	r, err := d.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("windows: %w", err)
	}
	out := make([]window.Window, len(r.windows))
	for i, w := range r.windows {
		out[i] = w.Window
	}
	return out, nil
}

// Focused is the window that has the focus; false when none has.
func (d *Desktop) Focused(ctx context.Context) (window.Window, bool, error) {
	r, err := d.read(ctx)
	if err != nil {
		return window.Window{}, false, fmt.Errorf("focus: %w", err)
	}
	for _, w := range r.windows {
		if w.Focused {
			return w.Window, true, nil
		}
	}
	return window.Window{}, false, nil
}

// Activate brings a window to the front and gives it the focus: that window, or
// with 0 the frontmost one of the process. Pid is 0 or the process that is meant,
// and a window of another is refused: numbers of windows are used again.
func (d *Desktop) Activate(ctx context.Context, pid int, id int64) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := d.read(ctx)
	if err == nil {
		id, err = d.target(r.windows, pid, id)
	}
	if err == nil {
		err = d.c.activate(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("activate: %w", err)
	}
	return nil
}

// target picks the window that is meant.
func (d *Desktop) target(windows []found, pid int, id int64) (int64, error) {
	if id == 0 {
		for _, near := range []func(int) bool{func(p int) bool { return p == pid }, func(p int) bool { return p != 0 && procid.Descends(p, pid, d.o.Parent) }} {
			for _, w := range windows {
				if near(w.PID) {
					return w.ID, nil
				}
			}
		}
		return 0, fmt.Errorf("process %d has no window: %w", pid, ErrGone)
	}
	for _, w := range windows {
		if w.ID != id {
			continue
		}
		if pid != 0 && w.PID != 0 && w.PID != pid && !procid.Descends(w.PID, pid, d.o.Parent) {
			return 0, fmt.Errorf("window %d is of another process now: %w", id, ErrGone)
		}
		return id, nil
	}
	return 0, fmt.Errorf("window %d: %w", id, ErrGone)
}

// Describe says what serves the windows, or what to do when nothing does.
func (d *Desktop) Describe() (backend, remedy string) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if _, err := d.c.name(ctx); err != nil {
		return "", d.name + " does not answer any more; start Flash inside the session that runs now"
	}
	return d.name, ""
}
