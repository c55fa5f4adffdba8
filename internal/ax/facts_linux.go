package ax

import (
	"context"
	"slices"

	"github.com/godbus/dbus/v5"
)

// facts are what an object says of itself.
type facts struct {
	name, description, id string
	children              int32
	role                  uint32
	states                uint64
	faces                 []string
	inWindow, onScreen    *rect // nil: not known
	text, selected, url   *string
	number                *float64
}

// rect is AT-SPI's: pixels, from the top left.
type rect struct{ X, Y, W, H int32 }

// Coordinates that extents may be asked in.
const (
	screenCoords uint32 = 0
	windowCoords uint32 = 1
)

// maxText bounds what is read of a text, in characters: a whole novel is of no
// use to a plugin, and its app would be busy with it.
const maxText = 16384

func (f *facts) has(face string) bool { return slices.Contains(f.faces, face) }

func (f *facts) is(state uint) bool { return f.states&(1<<state) != 0 }

// learn asks an object what is needed, in two breaths: what every object can be
// asked, then what depends on it.
func (l *link) learn(ctx context.Context, n need, at *node) {
	r, f := at.element.ref, &at.facts
	if l == nil || r.Bus == "" || n&^onlyWindows == 0 {
		return
	}
	var all, role, states, faces *dbus.Call
	if n.any(needName | needDescription | needID | needCount) {
		all = l.ask(ctx, r, properties, "GetAll", accessible)
	}
	if n.any(needRole) {
		role = l.ask(ctx, r, accessible, "GetRole")
	}
	if n.any(needStates) {
		states = l.ask(ctx, r, accessible, "GetState")
	}
	if n.any(needFaces) {
		faces = l.ask(ctx, r, accessible, "GetInterfaces")
	}
	var err error
	note := func(e error) {
		if e != nil && err == nil {
			err = e
		}
	}
	if all != nil {
		var props map[string]dbus.Variant
		note(answer(all, &props))
		f.take(props)
	}
	if role != nil {
		note(answer(role, &f.role))
	}
	if states != nil {
		var e error
		f.states, e = storeStates(states)
		note(e)
	}
	if faces != nil {
		note(answer(faces, &f.faces))
	}
	// An object that is gone, or an app that does not answer in time, is left
	// out. One that the window system knows stands for itself.
	if err != nil || f.is(stateDefunct) {
		at.gone = at.window == nil
		return
	}
	l.learnMore(ctx, n, at)
}

func (f *facts) take(props map[string]dbus.Variant) {
	f.name, _ = props["Name"].Value().(string)
	f.description, _ = props["Description"].Value().(string)
	f.id, _ = props["AccessibleId"].Value().(string)
	f.children, _ = props["ChildCount"].Value().(int32)
}

func (l *link) learnMore(ctx context.Context, n need, at *node) {
	r, f := at.element.ref, &at.facts
	var inWindow, onScreen, text, number, url, doc, span *dbus.Call
	if f.has(component) {
		if n.any(needExtents) && at.place != nil {
			inWindow = l.ask(ctx, r, component, "GetExtents", windowCoords)
		}
		if n.any(needScreen) {
			onScreen = l.ask(ctx, r, component, "GetExtents", screenCoords)
		}
	}
	// What is in a password field is nobody's business.
	secret := f.role == rolePassword
	if n.any(needValue) && !secret {
		if f.has(textFace) {
			text = l.get(ctx, r, textFace, "CharacterCount")
		}
		if f.has(valueFace) {
			number = l.get(ctx, r, valueFace, "CurrentValue")
		}
	}
	if n.any(needSelected) && !secret && f.has(textFace) {
		span = l.ask(ctx, r, textFace, "GetSelection", int32(0))
	}
	if n.any(needURL) {
		if f.has(hyperlink) {
			url = l.ask(ctx, r, hyperlink, "GetURI", int32(0))
		}
		if f.has(document) {
			doc = l.ask(ctx, r, document, "GetAttributeValue", "DocURL")
		}
	}
	f.inWindow, f.onScreen = storeRect(inWindow), storeRect(onScreen)
	f.text = l.readText(ctx, r, text)
	if f.text == nil || *f.text == "" {
		f.number = storeNumber(number)
	}
	if f.url = storeText(url); f.url == nil || *f.url == "" {
		f.url = storeText(doc)
	}
	if span != nil {
		var from, to int32
		if answer(span, &from, &to) == nil && to > from {
			f.selected = storeText(l.ask(ctx, r, textFace, "GetText", from, min(to, from+maxText)))
		}
	}
}

// readText reads a text up to the bound, given the answer of how long it is:
// toolkits differ in what they make of an end beyond it.
func (l *link) readText(ctx context.Context, r ref, length *dbus.Call) *string {
	if length == nil {
		return nil
	}
	var v dbus.Variant
	if answer(length, &v) != nil {
		return nil
	}
	n, ok := v.Value().(int32)
	if !ok || n <= 0 {
		return new(string)
	}
	return storeText(l.ask(ctx, r, textFace, "GetText", int32(0), min(n, maxText)))
}

func storeRect(c *dbus.Call) *rect {
	if c == nil {
		return nil
	}
	var r rect
	if answer(c, &r) != nil || r.W <= 0 || r.H <= 0 {
		return nil
	}
	return &r
}

func storeText(c *dbus.Call) *string {
	if c == nil {
		return nil
	}
	var s string
	if answer(c, &s) != nil {
		return nil
	}
	return &s
}

func storeNumber(c *dbus.Call) *float64 {
	if c == nil {
		return nil
	}
	var v dbus.Variant
	if answer(c, &v) != nil {
		return nil
	}
	if f, ok := v.Value().(float64); ok {
		return &f
	}
	return nil
}

// follow gives the objects that an attribute of a node leads to, at most room.
func (l *link) follow(ctx context.Context, n *node, attribute string, room int) []ref {
	r, f := n.element.ref, &n.facts
	switch attribute {
	case "AXChildren", "AXVisibleChildren", "AXRows", "AXTabs", "AXContents":
		return l.children(ctx, n, room)
	case "AXSelectedChildren", "AXSelectedRows":
		if f.has(selection) {
			return l.selected(ctx, r, room)
		}
	}
	return nil
}

func (l *link) children(ctx context.Context, n *node, room int) []ref {
	r, f := n.element.ref, &n.facts
	var out []ref
	// A spreadsheet has millions of children and makes them when asked.
	if int(f.children) > room || f.is(stateManagesDescendants) {
		calls := make([]*dbus.Call, min(int(f.children), room+1))
		for i := range calls {
			calls[i] = l.ask(ctx, r, accessible, "GetChildAtIndex", int32(i))
		}
		for _, c := range calls {
			var child ref
			if answer(c, &child) == nil {
				out = append(out, child)
			}
		}
		return out
	}
	if f.children == 0 || answer(l.ask(ctx, r, accessible, "GetChildren"), &out) != nil {
		return nil
	}
	return out
}

func (l *link) selected(ctx context.Context, r ref, room int) []ref {
	var v dbus.Variant
	if answer(l.get(ctx, r, selection, "NSelectedChildren"), &v) != nil {
		return nil
	}
	count, _ := v.Value().(int32)
	calls := make([]*dbus.Call, max(0, min(int(count), room+1)))
	for i := range calls {
		calls[i] = l.ask(ctx, r, selection, "GetSelectedChild", int32(i))
	}
	var out []ref
	for _, c := range calls {
		var child ref
		if answer(c, &child) == nil {
			out = append(out, child)
		}
	}
	return out
}
