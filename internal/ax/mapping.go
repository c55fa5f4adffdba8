package ax

import (
	"slices"
	"strings"
)

// atspiRoot is where every app keeps its root object, whose children are its
// windows.
const atspiRoot = "/org/a11y/atspi/accessible/root"

const eventPrefix = "org.a11y.atspi.Event."

// when says which values of a signal's first number count.
type when uint8

const (
	always    when = iota
	whenSet        // a state that came
	whenClear      // a state that went
)

// source is one kind of AT-SPI signal and the notifications that it stands for.
type source struct {
	// event is what the registry calls it; it has the object or window class,
	// the signal, and for some the detail.
	event string
	// member is the signal, as the interface and the name behind the common
	// prefix. Toolkits differ in case.
	member string
	detail string // the signal's first string; "" is any
	root   bool   // only from an app's root object
	when   when
	names  []string
}

// sources is the whole mapping. What an app does as a whole (hidden, shown) is
// no signal here: the window system tells that.
//
// The destruction of an element is reported for windows only. Web pages make
// and destroy elements all the time, and nobody who holds one needs to be told:
// using it says that it is stale.
var sources = []source{
	{event: "window:create", member: "Window.Create", names: []string{WindowCreated}},
	{event: "window:destroy", member: "Window.Destroy", names: []string{UIElementDestroyed}},
	{event: "window:activate", member: "Window.Activate", names: []string{FocusedWindowChanged, MainWindowChanged}},
	{event: "window:minimize", member: "Window.Minimize", names: []string{WindowMiniaturized}},
	{event: "window:restore", member: "Window.Restore", names: []string{WindowDeminiaturized}},
	{event: "window:move", member: "Window.Move", names: []string{WindowMoved}},
	{event: "window:resize", member: "Window.Resize", names: []string{WindowResized}},

	// Toolkits that send no window signals still add windows to the root.
	{event: "object:children-changed", member: "Object.ChildrenChanged", detail: "add", root: true, names: []string{WindowCreated}},
	{event: "object:children-changed", member: "Object.ChildrenChanged", detail: "remove", root: true, names: []string{UIElementDestroyed}},
	{event: "object:children-changed", member: "Object.ChildrenChanged", detail: "add", names: []string{Created, LayoutChanged}},
	{event: "object:children-changed", member: "Object.ChildrenChanged", detail: "remove", names: []string{LayoutChanged}},
	{event: "object:bounds-changed", member: "Object.BoundsChanged", names: []string{LayoutChanged}},
	{event: "object:visible-data-changed", member: "Object.VisibleDataChanged", names: []string{LayoutChanged}},

	{event: "object:property-change:accessible-name", member: "Object.PropertyChange", detail: "accessible-name", names: []string{TitleChanged}},
	{event: "object:property-change:accessible-value", member: "Object.PropertyChange", detail: "accessible-value", names: []string{ValueChanged}},
	{event: "object:text-changed", member: "Object.TextChanged", names: []string{ValueChanged}},
	{event: "object:state-changed:checked", member: "Object.StateChanged", detail: "checked", names: []string{ValueChanged}},

	{event: "object:state-changed:focused", member: "Object.StateChanged", detail: "focused", when: whenSet, names: []string{FocusedUIElementChanged}},
	{event: "object:active-descendant-changed", member: "Object.ActiveDescendantChanged", names: []string{FocusedUIElementChanged}},
	{event: "object:selection-changed", member: "Object.SelectionChanged", names: []string{SelectedChildrenChanged, SelectedRowsChanged}},
	{event: "object:state-changed:expanded", member: "Object.StateChanged", detail: "expanded", when: whenSet, names: []string{RowExpanded}},
	{event: "object:state-changed:expanded", member: "Object.StateChanged", detail: "expanded", when: whenClear, names: []string{RowCollapsed}},
	{event: "object:state-changed:iconified", member: "Object.StateChanged", detail: "iconified", when: whenSet, names: []string{WindowMiniaturized}},
	{event: "object:state-changed:iconified", member: "Object.StateChanged", detail: "iconified", when: whenClear, names: []string{WindowDeminiaturized}},
}

// lowerWindow are the window signals that GTK 4 sends, in its own spelling. A
// bus compares exactly, so they need rules of their own.
var lowerWindow = []string{"Window.Activate"}

// plan is what a set of wanted notifications comes down to. It never changes.
type plan struct {
	wanted []string
	events []string // to register for, sorted
	rules  []rule
	// byMember is keyed by the lower-case member.
	byMember map[string][]*source
}

// rule is one match rule of the bus, the sender apart.
type rule struct {
	iface, member, detail string
	root                  bool
}

// String is the rule as the bus reads it, for one sender. The names in it are
// constants and the bus's own, so nothing needs quoting.
func (r rule) String(sender string) string {
	s := "type='signal',sender='" + sender + "',interface='" + eventPrefix + r.iface + "',member='" + r.member + "'"
	if r.detail != "" {
		s += ",arg0='" + r.detail + "'"
	}
	if r.root {
		s += ",path='" + atspiRoot + "'"
	}
	return s
}

// planFor works out what to ask for. Names that nothing stands for ask for
// nothing; nil is the plan of nobody.
func planFor(wanted []string) *plan {
	wanted = slices.Clone(wanted)
	slices.Sort(wanted)
	p := &plan{wanted: slices.Compact(wanted), byMember: map[string][]*source{}}
	for i := range sources {
		s := &sources[i]
		if !slices.ContainsFunc(s.names, p.wants) {
			continue
		}
		if !slices.Contains(p.events, s.event) {
			p.events = append(p.events, s.event)
		}
		key := strings.ToLower(s.member)
		p.byMember[key] = append(p.byMember[key], s)
		iface, member, _ := strings.Cut(s.member, ".")
		p.add(rule{iface, member, s.detail, s.root})
		if slices.Contains(lowerWindow, s.member) {
			p.add(rule{iface, strings.ToLower(member), s.detail, s.root})
		}
	}
	if len(p.events) == 0 {
		return nil
	}
	slices.Sort(p.events)
	return p
}

// add takes a rule, unless a wider one brings the same signals: the bus would
// deliver once, but compare with both.
func (p *plan) add(r rule) {
	wider := func(have rule) bool {
		return have.iface == r.iface && have.member == r.member && (have.detail == "" || have.detail == r.detail) && (!have.root || r.root)
	}
	if slices.ContainsFunc(p.rules, wider) {
		return
	}
	p.rules = slices.DeleteFunc(p.rules, func(have rule) bool {
		return have.iface == r.iface && have.member == r.member && (r.detail == "" || have.detail == r.detail) && (!r.root || have.root)
	})
	p.rules = append(p.rules, r)
}

func (p *plan) wants(name string) bool {
	_, found := slices.BinarySearch(p.wanted, name)
	return found
}

// signal is what counts of a signal: its full name, the object's path, and the
// first string and number of its body.
type signal struct {
	name, path, detail string
	value              int32
}

// notifications calls yield for each wanted notification that a signal stands
// for. A repeated one does no harm: they are merged.
func (p *plan) notifications(s signal, yield func(string)) {
	if p == nil || len(s.name) < len(eventPrefix) || !strings.EqualFold(s.name[:len(eventPrefix)], eventPrefix) {
		return
	}
	for _, src := range p.byMember[strings.ToLower(s.name[len(eventPrefix):])] {
		switch {
		case src.detail != "" && !strings.EqualFold(src.detail, s.detail),
			src.root && s.path != atspiRoot,
			src.when == whenSet && s.value == 0,
			src.when == whenClear && s.value != 0:
			continue
		}
		for _, name := range src.names {
			if p.wants(name) {
				yield(name)
			}
		}
	}
}
