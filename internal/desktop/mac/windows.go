package mac

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/flash-launcher/flash/internal/desktop/window"
	"github.com/flash-launcher/flash/protocol"
)

// Listed is a window as the window server lists it, to anybody who asks. Its
// titles take another permission and are not read.
type Listed struct {
	ID    int64
	PID   int
	Layer int
	Frame protocol.Frame
	Shown bool // on the screen now
}

// ListedOf reads lists of the window server, the first one front first; of a
// window that is in several the first entry counts.
func ListedOf(primaryHeight float64, lists ...[]Value) []Listed {
	var out []Listed
	have := map[int64]bool{}
	for _, v := range slices.Concat(lists...) {
		b := v.Get("kCGWindowBounds")
		num := func(v Value, key string) float64 { n, _ := v.Get(key).Number(); return n }
		w := Listed{
			ID: v.Get("kCGWindowNumber").Int, PID: int(v.Get("kCGWindowOwnerPID").Int), Layer: int(num(v, "kCGWindowLayer")),
			Frame: FrameOf(primaryHeight, num(b, "X"), num(b, "Y"), num(b, "Width"), num(b, "Height")), Shown: v.Get("kCGWindowIsOnscreen").True(),
		}
		if w.ID > 0 && w.PID > 0 && w.Frame.Valid() && !have[w.ID] {
			have[w.ID] = true
			out = append(out, w)
		}
	}
	return out
}

// WindowNames are the attributes that SeenOf reads, in its order.
var WindowNames = []string{"AXTitle", "AXPosition", "AXSize", "AXMinimized", "AXSubrole", "AXMain"}

// Seen is a window as its app shows it to accessibility.
type Seen struct {
	Ref       Ref
	Number    int64 // the window server's, 0 where the app's element has none
	PID       int
	AppID     string
	Title     string
	Frame     *protocol.Frame
	Minimized bool
	Subrole   string
	Main      bool
}

// SeenOf reads the attributes of a window.
func SeenOf(primaryHeight float64, v []Value) Seen {
	if len(v) < len(WindowNames) {
		return Seen{}
	}
	return Seen{Title: v[0].Str, Frame: FrameOfValues(primaryHeight, v[1], v[2]), Minimized: v[3].True(), Subrole: v[4].Str, Main: v[5].True()}
}

// switchable are the kinds of window that a user would switch to. An app that
// names none of them, such as one with a toolkit of its own, counts too.
func (s Seen) switchable() bool {
	switch s.Subrole {
	case "AXSystemDialog", "AXSystemFloatingWindow", "AXFloatingWindow", "AXUnknown":
		return false
	}
	return true
}

// near says whether two frames are the same but for rounding.
func near(a, b protocol.Frame) bool {
	const slack = 1.5
	for _, d := range [...]float64{a.X - b.X, a.Y - b.Y, a.Width - b.Width, a.Height - b.Height} {
		if math.Abs(d) > slack {
			return false
		}
	}
	return true
}

// Number gives the windows that have none the number of the listed window of
// the same app and frame, if there is exactly one that nobody has.
func Number(seen []Seen, listed []Listed) {
	taken := map[int64]bool{}
	for _, s := range seen {
		taken[s.Number] = true
	}
	for i := range seen {
		s := &seen[i]
		if s.Number != 0 || s.Frame == nil {
			continue
		}
		var found []int64
		for _, l := range listed {
			if l.PID == s.PID && l.Layer == 0 && !taken[l.ID] && near(l.Frame, *s.Frame) {
				found = append(found, l.ID)
			}
		}
		if len(found) == 1 {
			s.Number = found[0]
			taken[s.Number] = true
		}
	}
}

// Windows puts together what apps show and what the window server lists: the
// windows of apps that answered, those of others without a title, front first;
// what is not on the screen comes last. Apps maps the number of each app to its
// bundle id; others have no windows here. Focused is the frontmost app.
func Windows(seen []Seen, listed []Listed, apps map[int]string, focused int) []window.Window {
	place := map[int64]int{}
	at := map[int64]Listed{}
	for i, l := range listed {
		at[l.ID] = l
		if l.Shown {
			place[l.ID] = i + 1
		}
	}
	order := func(id int64) int {
		if p := place[id]; p > 0 {
			return p
		}
		return math.MaxInt
	}
	answered := map[int]bool{}
	var out []window.Window
	for _, s := range seen {
		answered[s.PID] = true
		if s.Number == 0 || !s.switchable() {
			continue
		}
		w := window.Window{ID: s.Number, PID: s.PID, AppID: s.AppID, Title: s.Title, Minimized: s.Minimized, Focused: s.PID == focused && s.Main}
		if s.Frame != nil {
			w.Frame = *s.Frame
		} else {
			w.Frame = at[s.Number].Frame
		}
		out = append(out, w)
	}
	for _, l := range listed {
		if id, known := apps[l.PID]; known && !answered[l.PID] && l.Layer == 0 && l.Shown {
			out = append(out, window.Window{ID: l.ID, PID: l.PID, AppID: id, Frame: l.Frame})
		}
	}
	slices.SortStableFunc(out, func(a, b window.Window) int { return cmp.Compare(order(a.ID), order(b.ID)) })
	// An app that says of no window that it is the main one has its frontmost.
	if !slices.ContainsFunc(out, func(w window.Window) bool { return w.Focused }) {
		for i := range out {
			if out[i].PID == focused && !out[i].Minimized {
				out[i].Focused = true
				break
			}
		}
	}
	return out
}

// WithWindows are the apps that the window server lists a window of, in the
// order of their numbers: the others need not be asked for any.
func WithWindows(apps map[int]string, listed []Listed) []App {
	var out []App
	for _, pid := range slices.Sorted(maps.Keys(apps)) {
		if slices.ContainsFunc(listed, func(l Listed) bool { return l.PID == pid && l.Layer == 0 }) {
			out = append(out, App{pid, apps[pid]})
		}
	}
	return out
}
