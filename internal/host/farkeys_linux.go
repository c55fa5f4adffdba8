package host

import (
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/bus"
	"github.com/flash-launcher/flash/internal/hotkey"
	"github.com/flash-launcher/flash/internal/hotkey/portal"
)

// farKeys are the hot keys of a Wayland session, which its desktop watches for.
type farKeys struct {
	bus  *bus.Bus // of its own: the portal knows an application by its connection
	keys *portal.Keys
}

func newFarKeys(h *Host, env []string, pressed func(id string)) *farKeys {
	b := bus.New(desktop.SessionBusAddress(env), h.time)
	return &farKeys{b, portal.New(portal.Options{Bus: b, Env: env, Pressed: pressed, Logger: h.log})}
}

// set asks the desktop, whose answer describe tells: no conflict is known yet.
func (f *farKeys) set(all []hotkey.Binding) []hotkey.Conflict {
	out := make([]portal.Shortcut, len(all))
	for i, b := range all {
		out[i] = portal.Shortcut{Binding: b, Description: describeChord(b.ID)}
	}
	f.keys.Set(out)
	return nil
}

// describeChord is what the desktop's settings show of a hot key.
func describeChord(id string) string {
	if id == openChord {
		return "Open Flash"
	}
	return "Flash: " + id
}

func (f *farKeys) describe() desktop.Facet {
	backend, remedy := f.keys.Describe()
	return desktop.Facet{Name: "hot keys", Backend: backend, Remedy: remedy}
}

func (f *farKeys) close() {
	f.keys.Close()
	_ = f.bus.Close()
}
