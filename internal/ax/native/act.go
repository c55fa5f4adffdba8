package native

import (
	"errors"
	"fmt"
	"strings"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop/mac"
)

// errNotElement is a caller's fault: the broker passes back what it was given.
var errNotElement = errors.New("this is no element of this observer")

// problem words a status. An element that is gone is the broker's to report.
func problem(s mac.Status) error {
	if s == mac.Invalid {
		return broker.ErrStaleElement
	}
	return s.Err()
}

// Perform does an action of an element, its first when name is "": pressing,
// where it can be pressed.
func Perform(el broker.AXElement, name string) error {
	e, ok := el.(*Element)
	if !ok {
		return errNotElement
	}
	if name != "" {
		status := e.tree.Perform(e.ref, name)
		if status == mac.NoAction {
			return e.lacks(name)
		}
		return problem(status)
	}
	have, status := e.tree.Actions(e.ref)
	if status != mac.OK {
		return problem(status)
	}
	for _, wish := range [...]string{"AXPress", "AXConfirm", "AXOpen", "AXPick", "AXRaise"} {
		for _, h := range have {
			if h == wish {
				return problem(e.tree.Perform(e.ref, h))
			}
		}
	}
	if len(have) == 0 {
		return errors.New("the element has no actions")
	}
	return problem(e.tree.Perform(e.ref, have[0]))
}

func (e *Element) lacks(name string) error {
	have, status := e.tree.Actions(e.ref)
	if status != mac.OK || len(have) == 0 {
		return fmt.Errorf("the element has no action %s", name)
	}
	return fmt.Errorf("the element has no action %s; it has: %s", name, strings.Join(have, ", "))
}

// Set sets an attribute to a JSON string, number or boolean.
func Set(el broker.AXElement, attribute string, value []byte) error {
	e, ok := el.(*Element)
	if !ok {
		return errNotElement
	}
	v, err := mac.ParseValue(value)
	if err != nil {
		return fmt.Errorf("value of %s: %w", attribute, err)
	}
	status := e.tree.Write(e.ref, attribute, v)
	// Whoever sends true may mean the 1 of a check box.
	if status == mac.IllegalArgument && v.Kind == mac.Bool {
		status = e.tree.Write(e.ref, attribute, mac.Value{Kind: mac.Int, Int: v.Int})
	}
	switch status {
	case mac.IllegalArgument, mac.NoAttribute:
		return fmt.Errorf("%s cannot be set to this", attribute)
	}
	return problem(status)
}

// SelectChild selects a child of an element. Apps differ in who is told: the
// child, or the parent what is selected in it.
func SelectChild(parent, child broker.AXElement) error {
	p, ok1 := parent.(*Element)
	c, ok2 := child.(*Element)
	if !ok1 || !ok2 {
		return errNotElement
	}
	if p.pid != c.pid {
		return errors.New("the child is not the parent's")
	}
	list := mac.Value{Kind: mac.List, List: []mac.Value{{Kind: mac.Element, Ref: c.ref}}}
	var status mac.Status
	for _, try := range [...]func() mac.Status{
		func() mac.Status { return p.tree.Write(p.ref, "AXSelectedChildren", list) },
		func() mac.Status { return p.tree.Write(p.ref, "AXSelectedRows", list) },
		func() mac.Status { return c.tree.Write(c.ref, "AXSelected", mac.Value{Kind: mac.Bool, Int: 1}) },
	} {
		switch status = try(); status {
		case mac.NoAttribute, mac.IllegalArgument, mac.NotImplemented:
		default:
			return problem(status)
		}
	}
	return errors.New("the element is in nothing that selects")
}
