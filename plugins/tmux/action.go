package tmux

import (
	"context"

	"github.com/flash-launcher/flash/protocol"
)

// action does something to the row that it was asked for on, or else where the
// user is. Without a row it leaves applications that hold no tmux to others.
func (p *plugin) action(ctx context.Context, r protocol.Perform) protocol.Outcome {
	if row, ok := rowOf(r.ActionArgs); ok {
		t, ok := p.rowTarget(row)
		if !ok {
			return protocol.Unhandled()
		}
		return p.rowAction(ctx, r.Name, t)
	}
	switch r.Name {
	case "select_window", "kill_window":
		return protocol.Failed("this needs a window from the list")
	case "new_window", "next_window", "previous_window", "last_window":
	default:
		return protocol.Failed("unsupported action: " + r.Name)
	}
	h, ok := p.inFront(ctx, r.Context)
	if !ok {
		return protocol.Unhandled()
	}
	if r.Name == "new_window" {
		return p.newWindow(ctx, h, "")
	}
	return p.step(ctx, h, stepOf(r.Name))
}

func (p *plugin) rowAction(ctx context.Context, name string, t target) protocol.Outcome {
	switch name {
	case "select_window":
		return p.show(ctx, t)
	case "kill_window":
		return p.killWindow(ctx, t)
	case "new_window", "next_window", "previous_window", "last_window":
	default:
		return protocol.Failed("unsupported action: " + name)
	}
	// The others are about a session: go there first.
	if out := p.show(ctx, t); !out.OK {
		return out
	}
	c, ok := t.server.viewer(t.window.sessionID)
	if !ok {
		return protocol.Failed(textNobody)
	}
	if name == "new_window" {
		return p.newWindow(ctx, here{t, c}, "")
	}
	return p.step(ctx, here{t, c}, stepOf(name))
}

// stepOf is the tmux command of an action.
func stepOf(action string) string {
	switch action {
	case "next_window":
		return "next-window"
	case "previous_window":
		return "previous-window"
	}
	return "last-window"
}

// rowOf reads the row in the arguments of an action.
func rowOf(args []byte) (protocol.Row, bool) {
	if args == nil {
		return protocol.Row{}, false
	}
	o, err := protocol.ParseObject(args)
	if err != nil || !o.Has("row") {
		return protocol.Row{}, false
	}
	resolve := append(append([]byte(`{"kind":"resolve","row":`), o.Raw("row")...), '}')
	r, err := protocol.DecodePerform(resolve)
	return r.Row, err == nil
}

// inFront returns where the user is in the application that had the focus; when
// that is unknown, where a terminal was used last.
func (p *plugin) inFront(ctx context.Context, in protocol.Context) (here, bool) {
	h, ok := p.here()
	if !ok || in.PID == 0 {
		return h, ok
	}
	t := p.terminals(ctx)
	if t == nil || len(t.apps) == 0 {
		return h, true
	}
	var best here
	for _, c := range p.everybody() {
		if t.of(c.client.pid) == in.PID && (best.server == nil || c.client.activity > best.client.activity) {
			best = c
		}
	}
	return best, best.server != nil
}

// everybody lists the terminals attached to servers of this machine.
func (p *plugin) everybody() []here {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []here
	for _, s := range p.list() {
		if s.host != "" || !s.known {
			continue
		}
		for _, c := range s.inv.people() {
			if w, ok := s.inv.current(c.sessionID); ok {
				list = append(list, here{target{s, w}, c})
			}
		}
	}
	return list
}
