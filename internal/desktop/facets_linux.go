package desktop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/godbus/dbus/v5"
)

func pick(env environ) *Facets {
	b := newServices(env)
	a := &apps{env: env, library: newLibrary(env), launcher: newLauncher(env), bus: b, proc: "/proc"}
	if ownService() && b.Address() != "" {
		a.launcher.scope = b.scope
	}
	o := newOpener(a)
	f := &Facets{Apps: a, Opener: o, close: b.Close}
	f.lines = []Facet{{Name: "apps", Backend: "desktop entries"}}

	open := Facet{Name: "open", Backend: "mimeapps.list"}
	if o.helper != nil {
		open.Backend += ", then " + o.helper[0]
	}
	var clip, notify Facet
	f.Clipboard, clip.Backend, clip.Remedy = newClipboard(env)
	f.Notifier, notify.Backend, notify.Remedy = newNotifier(b)
	clip.Name, notify.Name = "clipboard", "notify"
	f.lines = append(f.lines, open, clip, notify)
	f.Windows, f.windows = newWindows(env, a.library)
	if w, ok := f.Windows.(io.Closer); ok {
		f.close = func() error { return errors.Join(w.Close(), b.Close()) }
	}
	return f
}

// scopeTimeout bounds the move of a started program: it runs already, and
// nobody waits for a slow manager.
const scopeTimeout = time.Second

// scope asks the user's systemd for a scope of the program's own, so that
// stopping or crashing the host's service leaves the program alone. Without
// one the program still runs; the unit's KillMode decides what becomes of it.
func (b *services) scope(name string, pid int) {
	type property struct {
		Name  string
		Value dbus.Variant
	}
	type aux struct {
		Name       string
		Properties []property
	}
	ctx, cancel := context.WithTimeout(context.Background(), scopeTimeout)
	defer cancel()
	props := []property{
		{"PIDs", dbus.MakeVariant([]uint32{uint32(pid)})},
		{"CollectMode", dbus.MakeVariant("inactive-or-failed")},
		{"Description", dbus.MakeVariant("Started by Flash")},
	}
	var job dbus.ObjectPath
	_ = b.Call(ctx, "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager.StartTransientUnit", 0,
		[]any{&job}, fmt.Sprintf("app-flash-%s-%d.scope", escapeUnit(name), pid), "fail", props, []aux{})
}

// escapeUnit writes a name the way systemd wants it between the dashes of a
// unit name.
func escapeUnit(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.' && i > 0:
			out = append(out, c)
		default:
			out = fmt.Appendf(out, `\x%02x`, c)
		}
	}
	return string(out)
}
