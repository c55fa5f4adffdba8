package ewmh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/desktop/window"
	"github.com/flash-launcher/flash/internal/x11"
)

// ErrNoManager is wrapped where the session has no window manager that says
// which windows there are.
var ErrNoManager = errors.New("no window manager of this session tells of its windows (EWMH)")

// ErrGone is wrapped where a window is not there any more.
var ErrGone = errors.New("the window is not there any more")

// Remedy is what to do about ErrNoManager.
const Remedy = "run a window manager that supports EWMH, as nearly all do: openbox, xfwm4, kwin, mutter, i3"

// Options say which session it is and who knows its applications.
type Options struct {
	Display string // "" is $DISPLAY
	// Identify names the application of a window by its process (0 when not
	// known) and its WM_CLASS; nil leaves it open.
	Identify func(pid int, instance, class string) string
	Logger   *slog.Logger
}

// Desktop is the windows of one X display. Its methods may be called from any
// goroutine.
type Desktop struct {
	o Options

	mu       sync.Mutex
	closed   bool
	session  *session // nil while not connected
	watchers []*watcher
	again    *time.Timer // a connection that is due
	failures int
}

// New returns the windows of a display. It connects to nothing yet.
func New(o Options) *Desktop {
	if o.Identify == nil {
		o.Identify = func(int, string, string) string { return "" }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Desktop{o: o}
}

// retrySteps are the waits before a lost server is dialled again, each once: an
// X server that is gone nearly always took the session with it. After them the
// next call dials.
var retrySteps = [...]time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, 60 * time.Second}

// connect returns the session, which it opens where there is none.
func (d *Desktop) connect() (*session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.connectLocked()
}

func (d *Desktop) connectLocked() (*session, error) {
	if d.closed {
		return nil, errors.New("windows: let go of")
	}
	if d.session != nil {
		return d.session, nil
	}
	s := &session{o: d.o, tell: d.deliver, gone: make(chan struct{}), shown: map[int64]*client{}, main: map[int]int64{}}
	ready := make(chan struct{}) // closed once it is clear what became of it
	defer close(ready)
	loop, err := x11.OpenLoop(d.o.Display, func() {
		if <-ready; s.loop != nil {
			d.lost(s)
		}
	})
	if err != nil {
		return nil, err
	}
	s.loop = loop
	if err := s.prepare(); err != nil {
		loop.Close()
		s.loop = nil
		return nil, fmt.Errorf("display %s: %w", loop.Display, err)
	}
	d.session = s
	if d.again != nil {
		d.again.Stop()
		d.again = nil
	}
	d.failures = 0
	if len(d.watchers) > 0 {
		loop.Do(s.subscribe)
	}
	return s, nil
}

// lost runs when the server ended the connection.
func (d *Desktop) lost(s *session) {
	close(s.gone)
	s.loop.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.session == s {
		d.session = nil
	}
	if len(d.watchers) == 0 || d.closed {
		return
	}
	for _, w := range d.watchers {
		w.push(window.Change{Focus: true})
	}
	d.retryLocked()
}

func (d *Desktop) retryLocked() {
	if d.failures == len(retrySteps) || d.again != nil {
		return
	}
	d.again = time.AfterFunc(retrySteps[d.failures], func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.again = nil
		if d.closed || len(d.watchers) == 0 || d.session != nil {
			return
		}
		if _, err := d.connectLocked(); err != nil {
			d.failures++
			d.retryLocked()
		}
	})
	d.o.Logger.Warn("the X server is gone", "again_ms", retrySteps[d.failures].Milliseconds())
}

// Close lets go of the display.
func (d *Desktop) Close() error {
	d.mu.Lock()
	d.closed = true
	s := d.session
	d.session = nil
	watchers := d.watchers
	d.watchers = nil
	if d.again != nil {
		d.again.Stop()
		d.again = nil
	}
	d.mu.Unlock()
	for _, w := range watchers {
		w.stop()
	}
	if s != nil {
		s.loop.Close()
	}
	return nil
}

// ask runs fn on the session's loop, after the events of what happened before
// the call, and waits for it.
func (d *Desktop) ask(ctx context.Context, fn func(*session)) error {
	s, err := d.connect()
	if err != nil {
		return err
	}
	// What the server did before it answers this has its events before it too.
	if err := s.ask(ctx, func() { _, _ = xproto.GetInputFocus(s.loop.Conn.Conn).Reply() }); err != nil {
		return err
	}
	return s.ask(ctx, func() { fn(s) })
}

// List gives the windows that a user would switch to, front first, the
// minimised ones last.
func (d *Desktop) List(ctx context.Context) ([]window.Window, error) {
	var list []window.Window
	var problem error
	err := d.ask(ctx, func(s *session) { list, problem = s.list() })
	if err == nil {
		err = problem
	}
	if err != nil {
		return nil, fmt.Errorf("windows: %w", err)
	}
	return list, nil
}

// Focused is the window that has the focus; false when none has.
func (d *Desktop) Focused(ctx context.Context) (w window.Window, ok bool, err error) {
	var problem error
	err = d.ask(ctx, func(s *session) { w, ok, problem = s.focused() })
	if err == nil {
		err = problem
	}
	if err != nil {
		return window.Window{}, false, fmt.Errorf("focus: %w", err)
	}
	return w, ok, nil
}

// Activate brings a window to the front and gives it the focus: that window, or
// with 0 the frontmost one of the process. Pid is 0 or the process that is
// meant, and a window of another is refused: numbers of windows are used again.
func (d *Desktop) Activate(ctx context.Context, pid int, id int64) error {
	if err := d.activate(ctx, pid, id); err != nil {
		return fmt.Errorf("activate: %w", err)
	}
	return nil
}

func (d *Desktop) activate(ctx context.Context, pid int, id int64) error {
	s, err := d.connect()
	if err != nil {
		return err
	}
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	var problem error
	if err := s.ask(ctx, func() { problem = s.activate(pid, id, now) }); err != nil {
		return err
	}
	return problem
}

// Describe says what serves the windows, or what to do when nothing does.
func (d *Desktop) Describe() (backend, remedy string) {
	ctx, cancel := context.WithTimeout(context.Background(), describeTimeout)
	defer cancel()
	var name string
	var managed bool
	if err := d.ask(ctx, func(s *session) { name, managed = s.manager() }); err != nil {
		return "", "start Flash inside the X session: " + err.Error()
	}
	switch {
	case !managed:
		return "", Remedy
	case name == "":
		return "X11", ""
	}
	return "X11 (" + name + ")", ""
}

// describeTimeout bounds how long a status waits for an X server that hangs.
const describeTimeout = time.Second

// prepare takes up the extensions, before anything runs on the loop.
func (s *session) prepare() error {
	if err := s.atoms.intern(s.loop.Conn); err != nil {
		return err
	}
	if err := s.loop.UseExtension("RANDR", map[int]xgb.NewEventFun{0: randr.ScreenChangeNotifyEventNew, 1: randr.NotifyEventNew}); err == nil {
		_, err := randr.QueryVersion(s.loop.Conn.Conn, 1, 5).Reply()
		s.randr = err == nil
	}
	_, err := s.loop.Extension("X-Resource")
	s.resource = err == nil
	s.loop.Handle(s.event)
	return nil
}
