package ax

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/protocol"
)

// actionNames are what toolkits call the macOS actions, the likeliest first.
var actionNames = map[string][]string{
	"AXPress":    {"click", "press", "activate", "toggle", "jump", "open", "do default", "dodefault"},
	"AXConfirm":  {"activate", "click", "press"},
	"AXCancel":   {"cancel", "close", "dismiss"},
	"AXPick":     {"select", "activate", "click", "press"},
	"AXShowMenu": {"showmenu", "show menu", "menu", "popup", "showcontextmenu"},
	"AXOpen":     {"open", "activate", "jump", "click"},
}

// scrollAnywhere brings an element into view at whatever edge is nearest.
const scrollAnywhere uint32 = 6

// Perform implements broker.Accessibility.
func (o *Observer) Perform(ctx context.Context, el broker.AXElement, name string) error {
	e, ok := el.(*element)
	if !ok {
		return errNotElement
	}
	if name == "AXRaise" || name == "" && e.window != 0 {
		return o.raise(ctx, e)
	}
	return o.onElement(ctx, e, func(ctx context.Context, l *link) error {
		switch name {
		case "AXIncrement":
			return l.step(ctx, e.ref, 1)
		case "AXDecrement":
			return l.step(ctx, e.ref, -1)
		case "AXScrollToVisible":
			return took(l.ask(ctx, e.ref, component, "ScrollTo", scrollAnywhere))
		}
		return l.act(ctx, e.ref, name)
	})
}

// raise brings an element's window to the front.
func (o *Observer) raise(ctx context.Context, e *element) error {
	if o.o.Windows != nil && (e.window != 0 || e.ref.Bus == "" || e.ref.Path == atspiRoot) {
		if e.window != 0 {
			windows, listed := o.windowsOf(ctx, e.pid)
			if listed && !slices.ContainsFunc(windows, func(w desktop.Window) bool { return w.ID == e.window }) {
				return broker.ErrStaleElement
			}
		}
		return o.o.Windows.Activate(ctx, e.pid, e.window)
	}
	return o.onElement(ctx, e, func(ctx context.Context, l *link) error { return l.focus(ctx, e.ref) })
}

func (l *link) focus(ctx context.Context, r ref) error {
	return took(l.ask(ctx, r, component, "GrabFocus"))
}

// errRefused is what an app answers that does not do what it is asked.
var errRefused = errors.New("the app did not do it")

// took waits for a call that answers whether it was done.
func took(c *dbus.Call) error {
	var done bool
	if err := answer(c, &done); err != nil {
		return err
	}
	if !done {
		return errRefused
	}
	return nil
}

// act does an action of an object, the first when name is "".
func (l *link) act(ctx context.Context, r ref, name string) error {
	var count dbus.Variant
	if err := answer(l.get(ctx, r, action, "NActions"), &count); err != nil {
		return noFace(err, "has no actions")
	}
	n, _ := count.Value().(int32)
	if n <= 0 {
		return errors.New("the element has no actions")
	}
	index := int32(0)
	if name != "" {
		names, err := l.actions(ctx, r, min(n, maxActions))
		if err != nil {
			return err
		}
		if index = choose(names, name); index < 0 {
			return fmt.Errorf("the element has no action %s; it has: %s", name, strings.Join(names, ", "))
		}
	}
	return took(l.ask(ctx, r, action, "DoAction", index))
}

// maxActions is far more than any element has.
const maxActions = 64

func (l *link) actions(ctx context.Context, r ref, n int32) ([]string, error) {
	calls := make([]*dbus.Call, n)
	for i := range calls {
		calls[i] = l.ask(ctx, r, action, "GetName", int32(i))
	}
	names := make([]string, n)
	for i, c := range calls {
		if err := answer(c, &names[i]); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// choose finds the action that a macOS name stands for, or one of that very
// name; -1 if there is none.
func choose(have []string, name string) int32 {
	wishes := append([]string{name, strings.TrimPrefix(name, "AX")}, actionNames[name]...)
	for _, wish := range wishes {
		for i, h := range have {
			if strings.EqualFold(h, wish) {
				return int32(i)
			}
		}
	}
	return -1
}

// noFace words the lack of an interface.
func noFace(err error, what string) error {
	switch errorName(err) {
	case busName + ".Error.UnknownInterface", busName + ".Error.UnknownMethod", busName + ".Error.UnknownProperty", busName + ".Error.InvalidArgs":
		return fmt.Errorf("the element %s", what)
	}
	return err
}

func (l *link) step(ctx context.Context, r ref, by float64) error {
	at, least := l.get(ctx, r, valueFace, "CurrentValue"), l.get(ctx, r, valueFace, "MinimumIncrement")
	now, by1 := storeNumber(at), storeNumber(least)
	if now == nil {
		return errors.New("the element has no value to change")
	}
	if by1 != nil && *by1 > 0 {
		by *= *by1
	}
	return l.setNumber(ctx, r, *now+by)
}

func (l *link) setNumber(ctx context.Context, r ref, v float64) error {
	err := answer(l.ask(ctx, r, properties, "Set", valueFace, "CurrentValue", dbus.MakeVariant(v)))
	return noFace(err, "has no number to set")
}

// Set implements broker.Accessibility.
func (o *Observer) Set(ctx context.Context, el broker.AXElement, attribute string, value []byte) error {
	e, ok := el.(*element)
	if !ok {
		return errNotElement
	}
	v, err := parseValue(value)
	if err != nil {
		return fmt.Errorf("value of %s: %w", attribute, err)
	}
	if yes, isBool := v.(bool); isBool && attribute == "AXMain" && yes || isBool && attribute == "AXFocused" && yes && e.window != 0 {
		return o.raise(ctx, e)
	}
	return o.onElement(ctx, e, func(ctx context.Context, l *link) error {
		switch v := v.(type) {
		case string:
			switch attribute {
			case "AXValue":
				return noFace(took(l.ask(ctx, e.ref, editable, "SetTextContents", v)), "has no text to set")
			case "AXSelectedText":
				return l.replace(ctx, e.ref, v)
			}
		case float64:
			if attribute == "AXValue" {
				return l.setNumberOrTick(ctx, e.ref, v)
			}
		case bool:
			return l.setBool(ctx, e.ref, attribute, v)
		}
		return fmt.Errorf("%s cannot be set to this", attribute)
	})
}

// parseValue reads a string, a number or a boolean.
func parseValue(raw []byte) (any, error) {
	o, err := protocol.ParseObject(slices.Concat([]byte(`{"v":`), raw, []byte("}")))
	if err != nil {
		return nil, errors.New("is no JSON value")
	}
	switch text := string(o.Raw("v")); {
	case text == "":
		return nil, errors.New("is null")
	case text[0] == '"':
		return o.String("v"), o.Done()
	case text == "true" || text == "false":
		return o.Bool("v"), o.Done()
	case text[0] == '{' || text[0] == '[':
		return nil, errors.New("is neither a string, a number nor a boolean")
	}
	return o.Float("v"), o.Done()
}

// setNumberOrTick sets a number; of what is checked or not, 0 and 1.
func (l *link) setNumberOrTick(ctx context.Context, r ref, v float64) error {
	role := l.ask(ctx, r, accessible, "GetRole")
	states, err := storeStates(l.ask(ctx, r, accessible, "GetState"))
	if err != nil {
		return err
	}
	var kind uint32
	if err := answer(role, &kind); err != nil {
		return err
	}
	if !ticks(kind, states) {
		return l.setNumber(ctx, r, v)
	}
	if on := states&(1<<stateChecked) != 0; on == (v != 0) {
		return nil
	}
	return l.act(ctx, r, "AXPress")
}

func (l *link) setBool(ctx context.Context, r ref, attribute string, v bool) error {
	switch attribute {
	case "AXValue":
		n := 0.0
		if v {
			n = 1
		}
		return l.setNumberOrTick(ctx, r, n)
	case "AXFocused":
		if v {
			return l.focus(ctx, r)
		}
	case "AXSelected":
		return l.selectIn(ctx, r, v)
	case "AXExpanded", "AXDisclosing":
		states, err := storeStates(l.ask(ctx, r, accessible, "GetState"))
		if err != nil || states&(1<<stateExpanded) != 0 == v {
			return err
		}
		return l.act(ctx, r, "expand or contract")
	}
	return fmt.Errorf("%s cannot be set to %t", attribute, v)
}

// replace puts text in place of the selection, or at the caret.
func (l *link) replace(ctx context.Context, r ref, text string) error {
	span, caret := l.ask(ctx, r, textFace, "GetSelection", int32(0)), l.get(ctx, r, textFace, "CaretOffset")
	var from, to int32
	_ = answer(span, &from, &to) // an error is no selection, as is an empty one
	if to <= from {
		var v dbus.Variant
		if err := answer(caret, &v); err != nil {
			return noFace(err, "has no text to set")
		}
		from, _ = v.Value().(int32)
	} else if err := took(l.ask(ctx, r, editable, "DeleteText", from, to)); err != nil {
		return noFace(err, "has no text to set")
	}
	if text == "" {
		return nil
	}
	return noFace(took(l.ask(ctx, r, editable, "InsertText", from, text, int32(len(text)))), "has no text to set")
}

// SelectChild implements broker.Accessibility.
func (o *Observer) SelectChild(ctx context.Context, parent, child broker.AXElement) error {
	p, ok1 := parent.(*element)
	c, ok2 := child.(*element)
	if !ok1 || !ok2 {
		return errNotElement
	}
	if p.ref.Bus != c.ref.Bus || p.home != c.home {
		return errors.New("the child is not the parent's")
	}
	return o.onElement(ctx, p, func(ctx context.Context, l *link) error {
		return o.onElement(ctx, c, func(ctx context.Context, l *link) error {
			up, err := l.parent(ctx, c.ref)
			if err != nil {
				return err
			}
			if up != p.ref {
				return errors.New("the child is not the parent's")
			}
			return l.selectIn(ctx, c.ref, true)
		})
	})
}

func (l *link) parent(ctx context.Context, r ref) (ref, error) {
	var v dbus.Variant
	if err := answer(l.get(ctx, r, accessible, "Parent"), &v); err != nil {
		return ref{}, err
	}
	var up ref
	if err := dbus.Store([]any{v.Value()}, &up); err != nil {
		return ref{}, err
	}
	return up, nil
}

// selectIn selects an object in its parent, or takes it out of the selection.
func (l *link) selectIn(ctx context.Context, r ref, on bool) error {
	up, err := l.parent(ctx, r)
	if err != nil {
		return err
	}
	var index int32
	if err := answer(l.ask(ctx, r, accessible, "GetIndexInParent"), &index); err != nil {
		return err
	}
	if index < 0 {
		return broker.ErrStaleElement
	}
	method := "SelectChild"
	if !on {
		method = "DeselectChild"
	}
	return noFace(took(l.ask(ctx, up, selection, method, index)), "is in nothing that selects")
}
