package host

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/ax"
	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/desktop"
	usersession "github.com/flash-launcher/flash/internal/desktop/session"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// screenRetry is how long a display that went away is left alone before each
// attempt to take it up again; a restarted X server is there within seconds.
var screenRetry = [...]time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute}

// focusWait bounds how long the focus is asked for: whoever waits for it is
// opening the flashlight or acting on a row.
const focusWait = 50 * time.Millisecond

// display is what the host has of the desktop session that it is in. The main
// goroutine alone changes it.
type display struct {
	life     context.Context // of the host; watches outlast the request that began them
	env      []string
	observer atomic.Pointer[ax.Observer]
	screen   atomic.Pointer[screenBox]
	retries  int

	mu       sync.Mutex
	watching context.CancelFunc // the windows, nil while nobody listens
	focus    atomic.Pointer[desktop.Window]
}

// screenBox holds a screen where an atomic pointer is needed.
type screenBox struct{ screen }

// openDisplay takes up the session that env describes.
func (h *Host) openDisplay(ctx context.Context, env []string) {
	d := &h.display
	d.life, d.env = ctx, env
	d.observer.Store(ax.New(ctx, ax.Options{
		Env: env, Emit: h.axChanged, Windows: h.desk().Windows, Time: h.time, Logger: h.log,
	}))
	h.openScreen(ctx)
	h.listenToDesktop()
}

func (h *Host) openScreen(ctx context.Context) {
	s := h.newScreen(ctx, h.display.env)
	h.display.screen.Store(&screenBox{s})
	s.apply()
}

// screenLost takes up a display again that went away by itself.
func (h *Host) screenLost(ctx context.Context, lost screen) {
	if h.screen() != lost {
		return
	}
	h.log.Warn("the display went away")
	lost.close()
	h.retryScreen(ctx)
}

func (h *Host) retryScreen(ctx context.Context) {
	d := &h.display
	d.screen.Store(&screenBox{noScreen{desktop.Facet{Name: "panel", Remedy: "the display went away; it is taken up again when it is back"}}})
	wait := screenRetry[min(d.retries, len(screenRetry)-1)]
	d.retries++
	h.time.AfterFunc(wait, func() {
		h.do(ctx, "display", func() {
			if _, gone := h.screen().(noScreen); !gone {
				return
			}
			h.openScreen(ctx)
			if _, still := h.screen().(noScreen); still && d.retries < len(screenRetry) {
				h.retryScreen(ctx)
				return
			}
			d.retries = 0
		})
	})
}

// adopt moves to the session of a client, where the host's own has no display.
func (h *Host) adopt(ctx context.Context, offered []string) {
	d := &h.display
	if !usersession.NeedsSession(d.env) {
		return
	}
	a, err := usersession.Adopt(d.env, offered)
	if err != nil {
		h.log.Info("a client's session is not adopted", "error", err.Error())
		return
	}
	if err := a.Export(); err != nil {
		h.log.Warn("a client's session is not adopted", "error", err.Error())
		return
	}
	h.log.Info("a client's session is adopted", "refused", len(a.Refused))
	old, facets := h.desk(), desktop.New(ctx, a.Env)
	h.facets.Store(facets)
	// It may wait for services; the main goroutine does not.
	h.ending.Go(func() { h.session.Move(a.Env, facets) })
	h.closeDisplay()
	h.openDisplay(ctx, a.Env)
	_ = old.Close()
	h.refreshApps(ctx)
}

func (h *Host) closeDisplay() {
	d := &h.display
	d.mu.Lock()
	if d.watching != nil {
		d.watching()
		d.watching = nil
	}
	d.mu.Unlock()
	h.screen().close()
	if o := d.observer.Load(); o != nil {
		_ = o.Close()
	}
}

// listenToDesktop follows of the desktop what some plugin listens to, and
// nothing else.
func (h *Host) listenToDesktop() {
	d := &h.display
	o := d.observer.Load()
	if o == nil {
		return
	}
	h.session.Want(h.bus.Wanted)
	changes := h.bus.Wanted(protocol.EventAXChanged)
	if changes {
		o.SetWanted(notifications(h.plugins.Load().slots, h.desk().TellsAllWindows()))
	} else {
		o.SetWanted(nil)
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	wanted := changes || h.bus.Wanted(protocol.EventFocusChanged) || h.bus.Wanted(protocol.EventWindowFocusChanged)
	switch {
	case wanted && d.watching == nil:
		watch, cancel := context.WithCancel(d.life)
		d.watching = cancel
		windows := h.desk().Windows
		h.ending.Go(func() {
			if err := windows.Watch(watch, h.windowChanged); err != nil && !errors.Is(err, desktop.ErrUnavailable) && watch.Err() == nil {
				h.log.Warn("windows are not watched", "error", err.Error())
			}
		})
	case !wanted && d.watching != nil:
		d.watching()
		d.watching = nil
	}
}

// notifications are what is asked of accessibility. A manifest says that a plugin
// listens to changes, not to which. Those of Flash itself need those of windows
// alone; for any other plugin all are asked for, what texts show included. What
// the window system tells is not asked for twice.
func notifications(slots map[string]*slot, windowsAreTold bool) []string {
	all := false
	for _, s := range slots {
		all = all || s.live != nil && !s.def.Official && s.def.Manifest.Listens(protocol.EventAXChanged)
	}
	return slices.DeleteFunc(ax.All(), func(name string) bool {
		if isWindowNotification(name) {
			return windowsAreTold
		}
		return !all
	})
}

// isWindowNotification are the notifications that come from the window system,
// where it tells of all windows: once each, and for apps too that say nothing
// through accessibility.
func isWindowNotification(name string) bool {
	switch name {
	case ax.TitleChanged, ax.WindowCreated, ax.UIElementDestroyed, ax.FocusedWindowChanged, ax.MainWindowChanged,
		ax.WindowMoved, ax.WindowResized, ax.WindowMiniaturized, ax.WindowDeminiaturized:
		return true
	}
	return false
}

func (h *Host) axChanged(pid int, notification, bundleID string) {
	h.bus.Send(protocol.EventAXChanged, func() *event.Event { return event.AXChanged(pid, notification, bundleID) })
}

func (h *Host) windowChanged(c desktop.WindowChange) {
	w := c.Window
	if c.Notification != "" && w.PID > 0 {
		h.axChanged(w.PID, c.Notification, w.AppID)
		// The first window of a program that is no installed application, or its last.
		switch known := h.apps.runs(w.PID); c.Notification {
		case ax.WindowCreated:
			if !known {
				h.refreshApps(h.display.life)
			}
		case ax.UIElementDestroyed:
			if known {
				h.refreshApps(h.display.life)
			}
		}
	}
	if !c.Focus {
		return
	}
	old := h.display.focus.Swap(&w)
	if w.ID == 0 || w.PID <= 0 {
		return
	}
	if o := h.display.observer.Load(); o != nil {
		o.Focused(w.PID, w.AppID)
	}
	if old == nil || old.PID != w.PID {
		h.bus.Send(protocol.EventFocusChanged, func() *event.Event {
			return event.FocusChanged(protocol.Application{BundleID: w.AppID, PID: w.PID, LocalizedName: h.apps.name(w)})
		})
	}
	h.bus.Send(protocol.EventWindowFocusChanged, func() *event.Event { return event.WindowFocus(w.PID, w.AppID, &w.Frame) })
}

// focused is the window that has the focus, or had it before the flashlight: the
// flashlight's own window is none to the window manager.
func (h *Host) focused(ctx context.Context) (desktop.Window, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, focusWait)
	defer cancel()
	return h.desk().Windows.Focused(ctx)
}

// actionContext tells the actions of plugins where the user was.
func (h *Host) actionContext() protocol.Context {
	w, ok, err := h.focused(context.Background())
	if err != nil || !ok || w.PID <= 0 {
		return protocol.Context{}
	}
	return protocol.Context{BundleID: w.AppID, PID: w.PID, Frame: &w.Frame}
}

// windows is the broker's view of windows and focus.
type windows struct{ h *Host }

func (w windows) Activate(ctx context.Context, pid int, window int64) error {
	return w.h.desk().Windows.Activate(ctx, pid, window)
}

func (w windows) NormalModeTarget(ctx context.Context) (broker.Target, bool, error) {
	f, ok, err := w.h.focused(ctx)
	if err != nil || !ok || f.PID <= 0 {
		return broker.Target{}, false, err
	}
	return broker.Target{PID: f.PID, BundleID: f.AppID, WindowID: f.ID}, true, nil
}

// accessibility is the broker's, of whatever session is in use.
type accessibility struct{ h *Host }

func (a accessibility) observer() *ax.Observer { return a.h.display.observer.Load() }

func (a accessibility) Snapshot(ctx context.Context, q broker.AXQuery) (broker.AXSnapshot, error) {
	return a.observer().Snapshot(ctx, q)
}

func (a accessibility) Perform(ctx context.Context, e broker.AXElement, action string) error {
	return a.observer().Perform(ctx, e, action)
}

func (a accessibility) Set(ctx context.Context, e broker.AXElement, attribute string, value []byte) error {
	return a.observer().Set(ctx, e, attribute, value)
}

func (a accessibility) SelectChild(ctx context.Context, parent, child broker.AXElement) error {
	return a.observer().SelectChild(ctx, parent, child)
}

// describeDesktop says what serves each facet of the session in use.
func (h *Host) describeDesktop() []desktop.Facet {
	out := h.session.Describe()
	if o := h.display.observer.Load(); o != nil {
		out = append(out, o.Describe())
	}
	return append(out, h.screen().describe()...)
}

// sessionState holds the clock and what is shown while nobody can look.
func (h *Host) sessionState(s usersession.State) {
	usersession.Hold(h.clock)(s)
	h.screen().hold(s.Locked || s.Asleep)
}

// registerDisplay gives the control socket the verbs of the desktop. ctx is the
// host's life, which a session that is adopted for a request outlasts.
func (h *Host) registerDisplay(ctx context.Context, s *control.Server) {
	s.Handle(control.MethodPanel, func(asked context.Context, r control.Request) (any, error) {
		var p control.PanelParams
		if err := r.Bind(&p); err != nil {
			return nil, err
		}
		if err := h.offered(asked, ctx, p.Session); err != nil {
			return nil, err
		}
		if err := h.screen().open(p.Text, p.Toggle); err != nil {
			return nil, control.Errorf(control.CodeUnavailable, "%v", err)
		}
		return nil, nil
	})
	s.Handle(control.MethodAdopt, func(asked context.Context, r control.Request) (any, error) {
		var p control.AdoptParams
		if err := r.Bind(&p); err != nil {
			return nil, err
		}
		return nil, h.offered(asked, ctx, p.Session)
	})
	s.Handle(control.MethodClipboard, h.clipboardOp)
	s.Handle(control.MethodAsk, func(context.Context, control.Request) (any, error) {
		o := h.display.observer.Load()
		return control.Asked{Granted: o != nil && o.RequestPermission()}, nil
	})
}

// offered takes up the session of a client where there is none yet. It waits for
// the main goroutine only then.
func (h *Host) offered(asked, ctx context.Context, session []string) error {
	if _, none := h.screen().(noScreen); !none {
		return nil
	}
	return h.ask(asked, "display", func() { h.adopt(ctx, session) })
}

// screen is what is shown in the session in use.
func (h *Host) screen() screen {
	if box := h.display.screen.Load(); box != nil {
		return box.screen
	}
	return noScreen{}
}

func (h *Host) clipboardOp(_ context.Context, r control.Request) (any, error) {
	var p control.ClipboardParams
	if err := r.Bind(&p); err != nil {
		return nil, err
	}
	switch p.Op {
	case control.ClipboardPause:
		h.session.PauseClipboard(time.Duration(p.Seconds * float64(time.Second)))
	case control.ClipboardResume:
		h.session.ResumeClipboard()
	case control.ClipboardStatus:
	default:
		return nil, control.Errorf(control.CodeInvalid, "clipboard: %q is none of pause, resume, status", p.Op)
	}
	return h.session.ClipboardState(), nil
}
