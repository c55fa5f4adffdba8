package mac

import "github.com/flash-launcher/flash/internal/desktop/window"

// Reader is what of the accessibility interface windows are read with. Elements
// that it gives are retained, and each call waits for the app.
type Reader interface {
	App(pid int) Ref
	Read(e Ref, names []string) ([]Value, Status)
	Number(e Ref) int64
	Release(e Ref)
	PrimaryHeight() float64
}

// Driver also changes them.
type Driver interface {
	Reader
	Write(e Ref, name string, v Value) Status
	Perform(e Ref, action string) Status
}

// with reads attributes of an app and lets go of what they hold after do.
func with(r Reader, pid int, names []string, do func(app Ref, values []Value)) Status {
	app := r.App(pid)
	if app == 0 {
		return Invalid
	}
	defer r.Release(app)
	values, status := r.Read(app, names)
	defer Refs(values, r.Release)
	if status == OK && len(values) == len(names) {
		do(app, values)
	}
	return status
}

func seen(r Reader, a App, ref Ref) (Seen, bool) {
	values, status := r.Read(ref, WindowNames)
	Refs(values, r.Release)
	if status != OK || len(values) != len(WindowNames) {
		return Seen{}, false
	}
	s := SeenOf(r.PrimaryHeight(), values)
	s.Ref, s.PID, s.AppID, s.Number = ref, a.PID, a.BundleID, r.Number(ref)
	return s, true
}

// WindowsOf calls each with the windows of an app, whose references live until
// it returns. Windows without a number get it from the list, where it says.
func WindowsOf(r Reader, a App, listed []Listed, each func([]Seen)) Status {
	return with(r, a.PID, []string{"AXWindows"}, func(_ Ref, values []Value) {
		var list []Seen
		Refs(values, func(ref Ref) {
			if s, ok := seen(r, a, ref); ok {
				list = append(list, s)
			}
		})
		Number(list, listed)
		each(list)
	})
}

// FocusedIn is the focused window of an app. Where the app does not say, or
// Flash may not ask, it is the frontmost one that the window server lists; its
// title is not known then.
func FocusedIn(r Reader, a App, listed func() []Listed) window.Window {
	var found Seen
	with(r, a.PID, []string{"AXFocusedWindow", "AXMainWindow"}, func(_ Ref, values []Value) {
		for _, v := range values {
			if v.Kind != Element || v.Ref == 0 || found.Ref != 0 {
				continue
			}
			if s, ok := seen(r, a, v.Ref); ok {
				found = s
			}
		}
	})
	w := window.Window{PID: a.PID, AppID: a.BundleID, Title: found.Title, Minimized: found.Minimized}
	if found.Number == 0 || found.Frame == nil {
		all := listed()
		list := []Seen{found}
		Number(list, all)
		found = list[0]
		for _, l := range all {
			match := found.Number == l.ID
			if found.Number == 0 && found.Ref == 0 {
				match = l.PID == a.PID && l.Layer == 0 && l.Shown
			}
			if match {
				found.Number = l.ID
				if found.Frame == nil {
					f := l.Frame
					found.Frame = &f
				}
				break
			}
		}
	}
	w.ID, w.Focused = found.Number, found.Number != 0
	if found.Frame != nil {
		w.Frame = *found.Frame
	}
	return w
}

// Raise brings a window to the front of its app, out of the Dock if it lies
// there; false where the app has no such window. The app does not come to the
// front by it.
func Raise(d Driver, a App, number int64, listed []Listed) (bool, Status) {
	found, raised := false, OK
	status := WindowsOf(d, a, listed, func(list []Seen) {
		for _, s := range list {
			if s.Number != number {
				continue
			}
			found = true
			if s.Minimized {
				d.Write(s.Ref, "AXMinimized", Value{Kind: Bool})
			}
			d.Write(s.Ref, "AXMain", Value{Kind: Bool, Int: 1})
			raised = d.Perform(s.Ref, "AXRaise")
			return
		}
	})
	if status == OK {
		status = raised
	}
	return found, status
}

// Front brings an app to the front. It asks as the user's assistant does, which
// macOS grants also while another app is in use.
func Front(d Driver, a App) Status {
	app := d.App(a.PID)
	if app == 0 {
		return Invalid
	}
	defer d.Release(app)
	return d.Write(app, "AXFrontmost", Value{Kind: Bool, Int: 1})
}
