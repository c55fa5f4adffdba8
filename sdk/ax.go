package sdk

import (
	"context"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// AXQuery asks for a snapshot of one application's accessibility tree.
type AXQuery struct {
	PID        int
	Roots      string        // "windows" or "app"
	Follow     []string      // attributes whose elements are walked
	Collect    []string      // attributes whose values are returned
	PruneRoles []string      // roles that are not descended into
	MaxNodes   int           // 0: 3000
	Geometry   bool          // return frames
	Deadline   time.Duration // after which the host returns what it has; 0: its own
}

// AXSnapshot is what the walk found. Truncated says that nodes or time ran out.
type AXSnapshot struct {
	Nodes     []AXNode
	Truncated bool
}

// AXNode is one element. Handle stays good until the plugin's next snapshot of
// the same application; a call with an older one fails with "stale ax handle".
type AXNode struct {
	Handle string
	Root   string          // the root that it was found under, as the host names it
	Parent string          // handle of its parent; "" for a root
	Frame  *protocol.Frame // nil without geometry
	Attrs  *Config         // the collected attributes that it has
}

// AXSnapshot takes a snapshot (capability accessibility).
func (h *Host) AXSnapshot(ctx context.Context, q AXQuery) (AXSnapshot, error) {
	p := protocol.NewObject(nil).Int("pid", int64(q.PID)).Str("roots", q.Roots).
		Strs("follow", q.Follow).Strs("collect", q.Collect).Strs("prune_roles", q.PruneRoles)
	if q.MaxNodes > 0 {
		p.Int("max_nodes", int64(q.MaxNodes))
	}
	if q.Geometry {
		p.Bool("geometry", true)
	}
	if q.Deadline > 0 {
		p.Int("deadline_ms", q.Deadline.Milliseconds())
	}
	o, err := h.ask(ctx, protocol.HostCallTimeout+q.Deadline, protocol.HostAXSnapshot, p.Bytes())
	if err != nil {
		return AXSnapshot{}, err
	}
	var s AXSnapshot
	s.Truncated, _ = o.OptBool("truncated")
	o.Objects("nodes", func(o *protocol.Object) {
		n := AXNode{Handle: o.String("handle"), Root: plainText(o.Raw("root"))}
		n.Parent, _ = o.OptString("parent")
		if f := o.OptObject("frame"); f != nil {
			n.Frame = frame(f)
		}
		if raw := o.Raw("attrs"); raw != nil {
			n.Attrs = &Config{raw}
		} else {
			n.Attrs = &Config{[]byte("{}")}
		}
		o.IgnoreRest()
		s.Nodes = append(s.Nodes, n)
	})
	return s, o.Err()
}

// plainText returns a JSON string without its quotes and anything else as it
// stands.
func plainText(raw []byte) string {
	if n := len(raw); n >= 2 && raw[0] == '"' {
		return string(raw[1 : n-1])
	}
	return string(raw)
}

// AXPerform performs an element's action, its default one when action is ""
// (capability accessibility).
func (h *Host) AXPerform(ctx context.Context, handle, action string) error {
	return h.do(ctx, protocol.HostAXPerform, protocol.NewObject(nil).Str("handle", handle).OptStr("action", action))
}

// AXSet sets an element's attribute to a JSON value (capability accessibility).
func (h *Host) AXSet(ctx context.Context, handle, attribute string, value []byte) error {
	return h.do(ctx, protocol.HostAXSet, protocol.NewObject(nil).Str("handle", handle).Str("attribute", attribute).Raw("value", value))
}

// AXSelectChild selects child within parent (capability accessibility).
func (h *Host) AXSelectChild(ctx context.Context, parent, child string) error {
	return h.do(ctx, protocol.HostAXSelectChild, protocol.NewObject(nil).Str("parent", parent).Str("child", child))
}

// Key is one key press. Codes are those of macOS virtual keys.
type Key struct {
	Code      int
	Modifiers []string
}

func appendKey(dst []byte, k Key) []byte {
	return protocol.NewObject(dst).Int("key_code", int64(k.Code)).Strs("modifiers", k.Modifiers).Bytes()
}

// PostKeys presses 1 to 32 keys in an application, interval apart: 8 to 100 ms,
// or the host's own when it is 0 (capability accessibility).
func (h *Host) PostKeys(ctx context.Context, pid int, keys []Key, interval time.Duration) error {
	p := protocol.NewObject(nil).Int("pid", int64(pid)).With("keys", func(b []byte) []byte {
		b = append(b, '[')
		for i, k := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendKey(b, k)
		}
		return append(b, ']')
	})
	if interval > 0 {
		p.Int("interval_ms", interval.Milliseconds())
	}
	return h.do(ctx, protocol.HostPostKeys, p)
}

// PostGlobalKey presses one key with at least one modifier, as if the user had
// (capability accessibility).
func (h *Host) PostGlobalKey(ctx context.Context, k Key) error {
	_, err := h.Call(ctx, protocol.HostPostGlobalKey, appendKey(nil, k))
	return err
}
