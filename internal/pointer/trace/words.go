package trace

import (
	"fmt"
	"math"
	"strings"

	"github.com/flash-launcher/flash/internal/pointer/device"
	"github.com/flash-launcher/flash/internal/pointer/engine"
)

var verdicts = [...]string{"pass", "drop", "mod"}

var actions = [...]string{"", "workspace_left", "workspace_right", "overview", "app_windows", "click", "back", "forward"}

// switches are in the order in which they are applied and printed.
var switches = [...]struct {
	bit  engine.Switch
	name string
}{
	{engine.MoveOn, "move-on"}, {engine.MoveOff, "move-off"},
	{engine.PrimaryEnable, "primary-enable"}, {engine.PrimaryOff, "primary-off"},
}

// ActionName is the action's name in traces.
func ActionName(a engine.Action) string { return actions[a] }

// SwitchNames is the switches as a comma list.
func SwitchNames(s engine.Switch) string {
	var b strings.Builder
	for _, w := range switches {
		if s&w.bit != 0 {
			if b.Len() > 0 {
				b.WriteByte(',')
			}
			b.WriteString(w.name)
		}
	}
	return b.String()
}

// Of is the decision in the form of a trace's want.
func Of(d engine.Decision) Want {
	w := Want{Verdict: verdicts[d.Verdict], Action: actions[d.Action], Switch: SwitchNames(d.Switch)}
	if d.Verdict == engine.Modify {
		w.Line, w.Value = d.Vertical.Line, places(d.Vertical.Value)
		w.HLine, w.HValue = d.Horizontal.Line, places(d.Horizontal.Value)
	}
	return w
}

// places rounds to the four places that a trace shows; never minus zero.
func places(f float64) float64 { return math.Round(f*1e4)/1e4 + 0 }

// Text is one event and what became of it, for people.
func Text(e Event, d engine.Decision) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%8d ms  %-12s", e.T, e.Kind)
	if e.Button != nil {
		fmt.Fprintf(&b, " btn %d", *e.Button)
	}
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"dx", float64(e.DX)}, {"dy", float64(e.DY)}, {"line", float64(e.Line)}, {"fixed", e.Fixed}, {"point", float64(e.Point)},
		{"hline", float64(e.HLine)}, {"hfixed", e.HFixed}, {"hpoint", float64(e.HPoint)},
	} {
		if f.value != 0 {
			fmt.Fprintf(&b, " %s %g", f.name, f.value)
		}
	}
	if e.Dev != "" {
		fmt.Fprintf(&b, " [%s]", e.Dev)
	}
	w := Of(d)
	fmt.Fprintf(&b, "  → %s", w.Verdict)
	if d.Verdict == engine.Modify {
		fmt.Fprintf(&b, " line %d val %g", w.Line, w.Value)
		if w.HLine != 0 || w.HValue != 0 {
			fmt.Fprintf(&b, " hline %d hval %g", w.HLine, w.HValue)
		}
	}
	if w.Action != "" {
		b.WriteString("  action " + w.Action)
	}
	if w.Switch != "" {
		b.WriteString("  taps " + w.Switch)
	}
	b.WriteString("  (" + d.Why.String() + ")")
	return b.String()
}

// KindName is the kind's name in traces.
func KindName(k engine.Kind) string { return kinds[k] }

// FromEngine is e as a line of a trace; name is its device's.
func FromEngine(e *engine.Event, name string) Event {
	out := Event{
		T: e.T, Kind: kinds[e.Kind], DX: e.DX, DY: e.DY,
		Line: e.Vertical.Line, Fixed: e.Vertical.Fixed, Point: e.Vertical.Point,
		HLine: e.Horizontal.Line, HFixed: e.Horizontal.Fixed, HPoint: e.Horizontal.Point,
		Phase: e.Phase, Mom: e.Momentum, Tag: e.Tagged, AsIs: e.AsIs, Dev: label(name, e.Class),
	}
	if e.Continuous {
		out.Cont = 1
	}
	if e.Kind == engine.Down || e.Kind == engine.Up {
		b := e.Button
		out.Button = &b
	}
	return out
}

// label is a device's name such that its class can be read from it again:
// some mice are known by their product number only.
func label(name string, class engine.Class) string {
	if name == "" || device.ClassOf(name) == class {
		return name
	}
	switch class {
	case engine.MX:
		return "MX Master: " + name
	case engine.Trackpad:
		return "trackpad: " + name
	}
	return name
}
