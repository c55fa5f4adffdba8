package host

import (
	"context"
	"sync/atomic"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/bus"
	"github.com/flash-launcher/flash/internal/ui/panel"
)

// The settings portal tells light from dark. Its values: 1 is dark, 2 is light;
// a contrast of 1 is a high one.
const (
	portalName     = "org.freedesktop.portal.Desktop"
	portalPath     = "/org/freedesktop/portal/desktop"
	portalSettings = "org.freedesktop.portal.Settings"
	appearanceNS   = "org.freedesktop.appearance"
	keyScheme      = "color-scheme"
	keyContrast    = "contrast"
	schemeDark     = 1
	contrastHigh   = 1
)

// look follows what the desktop says that the user prefers to see. Without a
// portal that is dark, as most launchers are.
type look struct {
	bus     *bus.Bus
	stop    func()
	changed func()
	now     atomic.Pointer[panel.Appearance]
}

func newLook(h *Host, env []string, changed func()) *look {
	l := &look{bus: bus.New(desktop.SessionBusAddress(env), h.time), changed: changed}
	l.now.Store(&panel.Appearance{Dark: true})
	l.stop = l.bus.Follow(&bus.Watch{
		Name:  portalName,
		Rules: []bus.Rule{{Path: portalPath, Interface: portalSettings, Member: "SettingChanged", Arg0: appearanceNS}},
		Owner: func(present bool) {
			if present {
				l.read()
			}
		},
		Signal: func(*dbus.Signal) { l.read() },
	})
	return l
}

func (l *look) get() panel.Appearance { return *l.now.Load() }

func (l *look) read() {
	next := panel.Appearance{Dark: l.setting(keyScheme) == schemeDark, HighContrast: l.setting(keyContrast) == contrastHigh}
	if old := l.now.Swap(&next); *old != next {
		l.changed()
	}
}

// setting reads a number, 0 where the portal has none.
func (l *look) setting(key string) uint32 {
	var v dbus.Variant
	if err := l.bus.Call(context.Background(), portalName, portalPath, portalSettings+".Read", 0, []any{&v}, appearanceNS, key); err != nil {
		return 0
	}
	// Read wraps the value twice.
	if inner, ok := v.Value().(dbus.Variant); ok {
		v = inner
	}
	n, _ := v.Value().(uint32)
	return n
}

func (l *look) close() {
	l.stop()
	_ = l.bus.Close()
}
