package wlipc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// name goes by the variant, which i3 does not state.
func (s sway) name(ctx context.Context) (string, error) {
	var version struct{ Variant string }
	err := s.ask(ctx, func(_ uint32, body []byte) error { return json.Unmarshal(body, &version) }, question{kind: swayVersion})
	if version.Variant == "" {
		version.Variant = "i3"
	}
	return window.Text(version.Variant) + " IPC", err
}

func (s sway) read(ctx context.Context) (reading, error) {
	var tree, outputs []byte
	err := s.ask(ctx, func(kind uint32, body []byte) error {
		if kind == swayTree {
			tree = body
		} else {
			outputs = body
		}
		return nil
	}, question{kind: swayTree}, question{kind: swayOutputs})
	if err != nil {
		return reading{}, err
	}
	return decodeTree(tree, outputs)
}

func (s sway) activate(ctx context.Context, id int64) error {
	return s.ask(ctx, func(_ uint32, body []byte) error { return ranWell(body) },
		question{swayRun, "[con_id=" + strconv.FormatInt(id, 10) + "] focus"})
}

// ranWell reads what became of a command.
func ranWell(body []byte) error {
	var results []struct {
		Success bool
		Error   string
	}
	if err := json.Unmarshal(body, &results); err != nil {
		return fmt.Errorf("%w: %w", errWire, err)
	}
	for _, r := range results {
		if !r.Success {
			return fmt.Errorf("the compositor refuses: %s: %w", window.Text(r.Error), ErrGone)
		}
	}
	return nil
}

// follow subscribes. The deadline is for the subscription alone.
func (s sway) follow(ctx context.Context) (stream, error) {
	short, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c, err := s.dial(short)
	if err != nil {
		return nil, err
	}
	if err := subscribe(c); err != nil {
		_ = c.Close()
		return nil, err
	}
	return swayStream{c}, nil
}

func subscribe(c net.Conn) error {
	if _, err := c.Write(appendMessage(nil, swaySubscribe, `["window","workspace"]`)); err != nil {
		return err
	}
	kind, body, err := readMessage(c)
	if err != nil {
		return err
	}
	var done struct{ Success bool }
	if kind != swaySubscribe || json.Unmarshal(body, &done) != nil || !done.Success {
		return errors.New("the compositor tells nobody of its windows")
	}
	// sway has these since 1.8; its refusal comes among the events, and is none.
	if _, err := c.Write(appendMessage(nil, swaySubscribe, `["output"]`)); err != nil {
		return err
	}
	return c.SetDeadline(time.Time{})
}

type swayStream struct{ c net.Conn }

func (s swayStream) next() (change, error) {
	kind, body, err := readMessage(s.c)
	if err != nil {
		return change{}, err
	}
	return decodeEvent(kind, body)
}

func (s swayStream) close() { _ = s.c.Close() }

// decodeEvent says what an event changes.
func decodeEvent(kind uint32, body []byte) (change, error) {
	switch kind {
	case swayWorkspaceEvent, swayOutputEvent:
		return change{reread: true}, nil
	case swayWindowEvent:
	default:
		return change{}, nil
	}
	var e struct {
		Change    string
		Container node
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return change{}, fmt.Errorf("%w: %w", errWire, err)
	}
	c := change{id: e.Container.ID}
	switch e.Change {
	case "title", "focus":
		title := window.Text(e.Container.Name)
		c.title = &title
		// The focus that goes to a window may bring it back from the scratchpad.
		c.focus = e.Change == "focus"
		c.reread = c.focus
	case "mark", "urgent":
		c.id = 0
	default: // new, close, move, floating, fullscreen_mode, and what is yet to come
		c.reread = true
	}
	return c, nil
}
