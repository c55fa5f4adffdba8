package wlipc

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// node is what is read of a part of the tree: the root, an output, a workspace, a
// container, or a window.
type node struct {
	ID       int64
	Type     string
	Name     string // null where a window has no title
	Focused  bool
	Sticky   bool
	Rect     rect
	PID      int    `json:"pid"`
	AppID    string `json:"app_id"` // of Wayland
	Window   int64  // of X
	Property struct {
		Instance, Class string
	} `json:"window_properties"`
	Focus    []int64
	Nodes    []node
	Floating []node `json:"floating_nodes"`
}

type rect struct{ X, Y, Width, Height int }

// far bounds a coordinate, so that sums of them stay numbers.
const far = 1 << 24

func (r rect) box() box {
	bound := func(n int) int { return min(max(n, -far), far) }
	return box{bound(r.X), bound(r.Y), max(bound(r.Width), 0), max(bound(r.Height), 0)}
}

// The workspace that holds what is put away, and the output that holds it.
const (
	putAway       = "__i3_scratch"
	putAwayOutput = "__i3"
	// scratchpad is what a user calls the workspace.
	scratchpad = "scratchpad"
)

// tree gathers the windows of one.
type tree struct{ shown, behind, away []found }

// decodeTree reads the answers about the tree and the outputs.
func decodeTree(body, outputs []byte) (reading, error) {
	var root node
	if err := json.Unmarshal(body, &root); err != nil {
		return reading{}, fmt.Errorf("%w: %w", errWire, err)
	}
	var screens []screen
	if err := json.Unmarshal(outputs, &screens); err != nil {
		return reading{}, fmt.Errorf("%w: %w", errWire, err)
	}
	var t tree
	for _, output := range root.inOrder() {
		if output.Name == putAwayOutput {
			for _, workspace := range output.Nodes {
				t.windows(workspace, &t.away, scratchpad, true)
			}
			continue
		}
		first := true
		for _, part := range output.inOrder() {
			// i3 has docks and the content between; sway has the workspaces at once.
			workspaces := []node{part}
			if part.Type != "workspace" {
				if part.Type != "con" {
					continue
				}
				workspaces = part.inOrder()
			}
			for _, workspace := range workspaces {
				if workspace.Name == putAway {
					t.windows(workspace, &t.away, scratchpad, true)
					continue
				}
				into := &t.behind
				if first {
					into, first = &t.shown, false
				}
				t.windows(workspace, into, window.Text(workspace.Name), false)
			}
		}
	}
	return reading{windows: slices.Concat(t.shown, t.behind, t.away), screen: primary(screens)}, nil
}

// windows takes the windows below a node, those that had the focus last first.
func (t *tree) windows(n node, into *[]found, workspace string, away bool) {
	for _, c := range n.inOrder() {
		at := workspace
		if c.Sticky && !away {
			at = ""
		}
		if !c.isWindow() {
			t.windows(c, into, at, away)
			continue
		}
		f := found{
			Window: window.Window{
				ID: c.ID, PID: max(c.PID, 0), Title: window.Text(c.Name), Workspace: at, Minimized: away, Focused: c.Focused,
			},
			instance: window.Text(c.Property.Instance), class: window.Text(c.Property.Class), x: c.Window, box: c.Rect.box(),
		}
		if c.AppID != "" {
			f.class = window.Text(c.AppID)
			f.instance = f.class
		}
		*into = append(*into, f)
	}
}

// isWindow tells a window from a container: it holds nothing, and is of somebody.
func (n *node) isWindow() bool {
	return len(n.Nodes) == 0 && len(n.Floating) == 0 && (n.Type == "con" || n.Type == "floating_con") &&
		(n.PID > 0 || n.Window != 0 || n.AppID != "")
}

// inOrder gives a node's parts, the one that had the focus last first.
func (n *node) inOrder() []node {
	parts := slices.Concat(n.Floating, n.Nodes)
	place := make(map[int64]int, len(n.Focus))
	for i, id := range n.Focus {
		place[id] = i - len(n.Focus)
	}
	slices.SortStableFunc(parts, func(a, b node) int { return place[a.ID] - place[b.ID] })
	return parts
}

// screen is what is read of an output.
type screen struct {
	Active, Primary bool
	Rect            rect
}

// primary is the output that the user calls so, else the one at the origin. sway
// has no primary one.
func primary(all []screen) box {
	all = slices.DeleteFunc(all, func(s screen) bool { return !s.Active })
	for _, is := range []func(screen) bool{
		func(s screen) bool { return s.Primary },
		func(s screen) bool { return s.Rect.X == 0 && s.Rect.Y == 0 },
		func(screen) bool { return true },
	} {
		if i := slices.IndexFunc(all, is); i >= 0 {
			return all[i].Rect.box()
		}
	}
	return box{}
}
