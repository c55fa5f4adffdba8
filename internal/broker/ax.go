package broker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// Accessibility reads and drives other apps through the platform's
// accessibility interface. An element is whatever it needs to find one again;
// the broker keeps it and gives plugins an unguessable handle instead.
type Accessibility interface {
	// Snapshot walks the tree breadth first. It ends early, with what it has
	// and Truncated, when ctx does.
	Snapshot(ctx context.Context, q AXQuery) (AXSnapshot, error)
	// Perform does an action, the element's default one when action is "".
	// A stale element is ErrStaleElement, here and below.
	Perform(ctx context.Context, element AXElement, action string) error
	// Set sets an attribute to a JSON value.
	Set(ctx context.Context, element AXElement, attribute string, value []byte) error
	SelectChild(ctx context.Context, parent, child AXElement) error
}

// AXElement is one element of another app. Release, if it has one, is called
// once when the broker lets go of it.
type AXElement any

// AXReleaser is an element that holds something of the platform's.
type AXReleaser interface{ Release() }

// ErrStaleElement is what Accessibility answers for an element that is gone.
const ErrStaleElement = refusal(protocol.ErrTextStaleAXHandle)

// AXQuery is what a snapshot asks for. Names are those of macOS.
type AXQuery struct {
	PID        int
	Windows    bool     // the roots are the app's windows, else the app itself
	Follow     []string // attributes whose elements are walked
	Collect    []string // attributes whose values are returned
	PruneRoles []string // roles that are not descended into
	MaxNodes   int
	Geometry   bool
}

// AXSnapshot is the outcome, parents before their children.
type AXSnapshot struct {
	Nodes     []AXNode
	Truncated bool
}

// AXNode is one element. Parent is its parent's place in the list, -1 for a
// root. Attrs is a JSON object. Frame is nil where it was not asked for or is
// not known.
type AXNode struct {
	Element AXElement
	Parent  int
	Attrs   []byte
	Frame   *protocol.Frame
}

const (
	noAccessibility = "grant Flash the Accessibility permission on macOS, or start it in a session with AT-SPI on Linux"
	maxAXNames      = 64
	maxAXName       = 128
	minAXDeadline   = 10 // ms
	// maxAXDeadline leaves time to write the reply within the call's own.
	maxAXDeadline = 4500
)

func (c *call) names(key string) []string {
	list, _ := c.params.OptStrings(key)
	if len(list) > maxAXNames {
		c.params.Fail(key, fmt.Sprintf("has more than %d entries", maxAXNames))
	}
	for _, s := range list {
		if s == "" || len(s) > maxAXName {
			c.params.Fail(key, fmt.Sprintf("has an entry that is not of 1 to %d bytes", maxAXName))
		}
	}
	return list
}

func (c *call) text(key string, most int) string {
	s := c.params.String(key)
	if c.params.Err() == nil && (s == "" || len(s) > most) {
		c.params.Fail(key, fmt.Sprintf("is not of 1 to %d bytes", most))
	}
	return s
}

func (b *Broker) axSnapshot(ctx context.Context, c *call) ([]byte, error) {
	q := AXQuery{PID: c.params.PID("pid")}
	roots := c.params.String("roots")
	if c.params.Err() == nil && roots != "windows" && roots != "app" {
		c.params.Fail("roots", "is neither windows nor app")
	}
	q.Windows = roots == "windows"
	q.Follow, q.Collect, q.PruneRoles = c.names("follow"), c.names("collect"), c.names("prune_roles")
	q.MaxNodes = int(c.within("max_nodes", 1, protocol.MaxAXNodes, protocol.MaxAXNodes))
	q.Geometry, _ = c.params.OptBool("geometry")
	ms := c.within("deadline_ms", minAXDeadline, maxAXDeadline, maxAXDeadline)
	if err := c.done(); err != nil {
		return nil, err
	}
	if b.o.Accessibility == nil {
		return nil, unavailable("reading other apps", noAccessibility)
	}
	walk, cancel := context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
	defer cancel()
	s, err := b.o.Accessibility.Snapshot(walk, q)
	if err != nil {
		return nil, err
	}
	if len(s.Nodes) > q.MaxNodes {
		for _, n := range s.Nodes[q.MaxNodes:] {
			release(n.Element)
		}
		s.Nodes, s.Truncated = s.Nodes[:q.MaxNodes], true
	}
	handles := b.ax.replace(c.PluginID, q.PID, s.Nodes)
	reply := success().With("nodes", func(dst []byte) []byte { return appendNodes(dst, s.Nodes, handles) })
	if s.Truncated {
		reply.Bool("truncated", true)
	}
	return reply.Bytes(), nil
}

// appendNodes writes the list. Of each node, `root` is the handle of the root
// that it was found under.
func appendNodes(dst []byte, nodes []AXNode, handles []string) []byte {
	roots := make([]int, len(nodes))
	dst = append(dst, '[')
	for i, n := range nodes {
		if i > 0 {
			dst = append(dst, ',')
		}
		roots[i] = i
		o := protocol.NewObject(dst).Str("handle", handles[i])
		if n.Parent >= 0 && n.Parent < i {
			roots[i] = roots[n.Parent]
			o.Str("parent", handles[n.Parent])
		}
		attrs := n.Attrs
		if attrs == nil {
			attrs = []byte("{}")
		}
		o.Str("root", handles[roots[i]]).Raw("attrs", attrs)
		if n.Frame != nil {
			o.With("frame", func(dst []byte) []byte { return protocol.AppendFrame(dst, *n.Frame) })
		}
		dst = o.Bytes()
	}
	return append(dst, ']')
}

func (b *Broker) axPerform(ctx context.Context, c *call) ([]byte, error) {
	handle := c.text("handle", maxHandle)
	action, has := c.params.OptString("action")
	if has && (action == "" || len(action) > maxAXName) {
		c.params.Fail("action", fmt.Sprintf("is not of 1 to %d bytes", maxAXName))
	}
	return b.onElements(ctx, c, []string{handle}, func(e []AXElement) error {
		return b.o.Accessibility.Perform(ctx, e[0], action)
	})
}

func (b *Broker) axSet(ctx context.Context, c *call) ([]byte, error) {
	handle := c.text("handle", maxHandle)
	attribute := c.text("attribute", maxAXName)
	value := slices.Clone(c.params.Raw("value"))
	if c.params.Err() == nil && (value == nil || len(value) > protocol.MaxEffectText) {
		c.params.Fail("value", fmt.Sprintf("is not of 1 to %d bytes", protocol.MaxEffectText))
	}
	return b.onElements(ctx, c, []string{handle}, func(e []AXElement) error {
		return b.o.Accessibility.Set(ctx, e[0], attribute, value)
	})
}

func (b *Broker) axSelectChild(ctx context.Context, c *call) ([]byte, error) {
	parent, child := c.text("parent", maxHandle), c.text("child", maxHandle)
	return b.onElements(ctx, c, []string{parent, child}, func(e []AXElement) error {
		return b.o.Accessibility.SelectChild(ctx, e[0], e[1])
	})
}

// onElements ends the reading of params and runs do with the elements that the
// handles stand for.
func (b *Broker) onElements(ctx context.Context, c *call, handles []string, do func([]AXElement) error) ([]byte, error) {
	if err := c.done(); err != nil {
		return nil, err
	}
	if b.o.Accessibility == nil {
		return nil, unavailable("driving other apps", noAccessibility)
	}
	elements, unpin, ok := b.ax.pin(c.PluginID, handles)
	if !ok {
		return nil, ErrStaleElement
	}
	defer unpin()
	if err := do(elements); err != nil {
		return nil, err
	}
	return success().Bytes(), ctx.Err()
}
