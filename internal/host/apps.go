package host

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// corePlugin owns the rows that the host publishes itself.
const corePlugin = "core"

// appState is the running applications as they were last seen.
type appState struct {
	seen atomic.Pointer[[]protocol.Application]
	// icons are the names of their pictures, by id.
	icons atomic.Pointer[map[string]string]
	// refreshing keeps one look at a time; one more is remembered.
	mu         sync.Mutex
	refreshing bool
	again      bool
}

func (a *appState) running() []protocol.Application {
	if p := a.seen.Load(); p != nil {
		return *p
	}
	return nil
}

func (a *appState) runs(pid int) bool {
	return slices.ContainsFunc(a.running(), func(app protocol.Application) bool { return app.PID == pid })
}

// name is what the application of a window is called.
func (a *appState) name(w desktop.Window) string {
	for _, app := range a.running() {
		if app.PID == w.PID || w.AppID != "" && app.BundleID == w.AppID {
			return app.LocalizedName
		}
	}
	return w.AppID
}

// startApps publishes the installed applications and follows their changes.
func (h *Host) startApps(ctx context.Context) {
	h.refreshApps(ctx)
	if err := h.desk().Apps.Watch(ctx, func() { h.refreshApps(ctx) }); err != nil {
		h.log.Warn("applications are not watched", "error", err.Error())
	}
}

// refreshApps reads the applications again, in the background and once at a time.
func (h *Host) refreshApps(ctx context.Context) {
	a := &h.apps
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refreshing {
		a.again = true
		return
	}
	a.refreshing = true
	h.ending.Go(func() {
		for {
			h.readApps(ctx)
			a.mu.Lock()
			if !a.again || ctx.Err() != nil {
				a.refreshing = false
				a.mu.Unlock()
				return
			}
			a.again = false
			a.mu.Unlock()
		}
	})
}

func (h *Host) readApps(ctx context.Context) {
	apps, err := h.desk().Apps.List(ctx)
	if err != nil {
		if ctx.Err() == nil {
			h.log.Warn("applications cannot be listed", "error", err.Error())
		}
		return
	}
	h.guard.Touch()
	h.catalog.Publish(corePlugin, 1, desktop.AppRows(apps))
	icons := make(map[string]string, len(apps))
	for _, a := range apps {
		if a.Icon != "" {
			icons[a.ID] = a.Icon
		}
	}
	h.apps.icons.Store(&icons)

	running, err := h.desk().Apps.Running(ctx)
	if err != nil {
		return
	}
	if windows, err := h.desk().Windows.List(ctx); err == nil {
		running = withWindows(running, windows)
	}
	before := h.apps.running()
	h.apps.seen.Store(&running)
	h.tellApps(before, running)
	h.pulse.Beat()
}

// withWindows adds the programs that own a window and are no installed
// application, one each: a plugin that shows windows has to know of them.
func withWindows(running []protocol.Application, windows []desktop.Window) []protocol.Application {
	for _, w := range windows {
		known := slices.ContainsFunc(running, func(a protocol.Application) bool { return a.PID == w.PID })
		if w.PID > 0 && !known {
			running = append(running, protocol.Application{BundleID: w.AppID, PID: w.PID, LocalizedName: cmp.Or(w.AppID, programName(w.PID))})
		}
	}
	return running
}

// tellApps emits what differs between two looks at the running applications.
func (h *Host) tellApps(before, now []protocol.Application) {
	launched, terminated := missing(now, before), missing(before, now)
	for _, app := range launched {
		h.bus.Send(protocol.EventAppsLaunched, func() *event.Event { return event.Launched(app) })
	}
	for _, app := range terminated {
		if o := h.display.observer.Load(); o != nil {
			o.Gone(app.PID)
		}
		h.bus.Send(protocol.EventAppsTerminated, func() *event.Event { return event.Terminated(app) })
	}
	if len(launched)+len(terminated) > 0 {
		h.bus.Send(protocol.EventAppsChanged, func() *event.Event { return event.AppsChanged("running", now) })
	}
}

// missing returns the applications of a that are not in b.
func missing(a, b []protocol.Application) []protocol.Application {
	var out []protocol.Application
	for _, app := range a {
		if !slices.Contains(b, app) {
			out = append(out, app)
		}
	}
	return out
}

// sessionOpened tells the plugins that somebody looks, after what was in memory
// has been shown.
func (h *Host) sessionOpened(ctx context.Context) {
	h.bus.Send(protocol.EventSessionOpened, event.Opened)
	h.refreshApps(ctx)
}
