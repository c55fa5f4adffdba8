//go:build darwin && cgo

package desktop

import (
	"context"
	"fmt"
	"sync"

	"github.com/flash-launcher/flash/internal/desktop/mac"
	"github.com/flash-launcher/flash/internal/event"
)

// windows are the windows of the running applications, as these show them to
// accessibility and as the window server lists them.
type windows struct {
	apps apps
	ax   mac.AX
}

func newWindows(a apps) windows { return windows{a, mac.NewAX()} }

func (w windows) facet() Facet {
	if !w.ax.Trusted(false) {
		return Facet{Name: "windows", Backend: "NSRunningApplication (to the front only)", Remedy: mac.Remedy}
	}
	return Facet{Name: "windows", Backend: "AXUIElement"}
}

// asking is how many applications are asked at once: one that hangs holds
// nobody else up.
const asking = 8

func (w windows) List(ctx context.Context) ([]Window, error) {
	if !w.ax.Trusted(false) {
		return nil, fmt.Errorf("windows %w: %s", ErrUnavailable, mac.Remedy)
	}
	running, err := w.apps.Running(ctx)
	if err != nil {
		return nil, err
	}
	front, err := w.front(ctx)
	if err != nil {
		return nil, err
	}
	listed := w.ax.Listed()
	apps := map[int]string{}
	for _, r := range running {
		apps[r.PID] = r.BundleID
	}
	ask := mac.WithWindows(apps, listed)
	found := make(chan []mac.Seen, len(ask))
	turn := make(chan struct{}, asking)
	go func() {
		for _, a := range ask {
			turn <- struct{}{}
			go func() {
				var all []mac.Seen
				if ctx.Err() == nil {
					mac.WindowsOf(w.ax, a, listed, func(list []mac.Seen) { all = list })
				}
				<-turn
				found <- all
			}()
		}
	}()
	var seen []mac.Seen
	for range ask {
		select {
		case all := <-found:
			seen = append(seen, all...)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return mac.Windows(seen, listed, apps, front.PID), nil
}

// front is the application in front; its number is 0 when none is.
func (w windows) front(ctx context.Context) (mac.App, error) {
	found := make(chan mac.App, 1)
	err := onMain(ctx, func() { found <- mac.Frontmost() })
	if err != nil {
		return mac.App{}, err
	}
	return <-found, nil
}

func (w windows) Focused(ctx context.Context) (Window, bool, error) {
	front, err := w.front(ctx)
	if err != nil || front.PID <= 0 {
		return Window{}, false, err
	}
	found := make(chan Window, 1)
	go func() { found <- mac.FocusedIn(w.ax, front, w.ax.Shown) }()
	select {
	case f := <-found:
		return f, true, nil
	case <-ctx.Done():
		// The application does not answer, but it has the focus.
		return Window{PID: front.PID, AppID: front.BundleID, Focused: true}, true, nil
	}
}

func (w windows) Activate(ctx context.Context, pid int, window int64) error {
	if window != 0 {
		found, status := mac.Raise(w.ax, mac.App{PID: pid}, window, w.ax.Listed())
		if status != mac.OK {
			return fmt.Errorf("activate: window %d of process %d: %w", window, pid, status)
		}
		if !found {
			return fmt.Errorf("activate: process %d has no window %d", pid, window)
		}
	}
	ok := make(chan bool, 1)
	if err := onMain(ctx, func() { ok <- mac.Activate(pid) }); err != nil {
		return err
	}
	asked := mac.Front(w.ax, mac.App{PID: pid})
	if !<-ok && asked != mac.OK {
		return fmt.Errorf("activate: no application runs as pid %d", pid)
	}
	return nil
}

// Watch tells of the focus alone: changes of windows are accessibility's to
// tell, of the applications that it observes.
func (w windows) Watch(ctx context.Context, changed func(WindowChange)) error {
	f := &mac.Focus{Read: func(a mac.App) Window { return mac.FocusedIn(w.ax, a, w.ax.Shown) }, Tell: changed}
	var observers *mac.Observers
	registrar := mac.NewAXRegistrar(func(token uint64, notification string) { observers.Heard(token, notification) })
	observers = mac.NewObservers(registrar, event.System(), func(int, string, string) { f.Moved() })
	observers.Installed = func(int) { f.Moved() }
	observers.Want(mac.FocusNames)
	var mu sync.Mutex
	var last mac.App
	to := func(a mac.App) {
		mu.Lock()
		defer mu.Unlock()
		if a.PID <= 0 {
			return
		}
		if last.PID != a.PID {
			observers.Remove(last.PID)
			last = a
		}
		observers.Add(a.PID, a.BundleID)
		f.Front(a)
	}
	stop := mac.Follow(OnMain, []string{mac.AppActivated, mac.AccessChanged}, func(n mac.Note) {
		if n.Name == mac.AccessChanged {
			go observers.TrustChanged()
			return
		}
		to(n.App)
	})
	if front, err := w.front(ctx); err == nil {
		to(front)
	}
	go func() {
		f.Run(ctx)
		stop()
		observers.Close()
	}()
	return nil
}

var _ Windows = windows{}
