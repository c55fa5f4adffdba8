package wlipc

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

func (h hyprland) name(ctx context.Context) (string, error) {
	b, err := h.ask(ctx, "j/version")
	if err == nil && !json.Valid(b) {
		err = errWire
	}
	return "Hyprland", err
}

func (h hyprland) read(ctx context.Context) (reading, error) {
	var answers [3][]byte
	for i, question := range [...]string{"j/clients", "j/monitors", "j/activewindow"} {
		b, err := h.ask(ctx, question)
		if err != nil {
			return reading{}, err
		}
		answers[i] = b
	}
	return decodeClients(answers[0], answers[1], answers[2])
}

func (h hyprland) activate(ctx context.Context, id int64) error {
	b, err := h.ask(ctx, "dispatch focuswindow address:0x"+strconv.FormatInt(id, 16))
	if err != nil {
		return err
	}
	if s := strings.TrimSpace(string(b)); s != "ok" {
		return fmt.Errorf("the compositor refuses: %s: %w", window.Text(s), ErrGone)
	}
	return nil
}

func (h hyprland) follow(ctx context.Context) (stream, error) {
	short, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c, err := h.dial(short, hyprEvents)
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Time{})
	return &hyprStream{c: c, r: bufio.NewReader(c)}, nil
}

type hyprStream struct {
	c net.Conn
	r *bufio.Reader
}

func (s *hyprStream) next() (change, error) {
	line, err := readLine(s.r)
	return decodeLine(line), err
}

func (s *hyprStream) close() { _ = s.c.Close() }

// decodeLine says what an event changes.
func decodeLine(line string) change {
	name, data, _ := strings.Cut(line, ">>")
	switch name {
	case "windowtitlev2":
		address, title, ok := strings.Cut(data, ",")
		if id := hyprID(address); ok && id != 0 {
			title = window.Text(title)
			return change{id: id, title: &title}
		}
	case "activewindowv2":
		// The focus that goes to a window may have shown its workspace.
		return change{id: hyprID(data), focus: true, reread: true}
	case "openwindow", "closewindow", "movewindowv2", "changefloatingmode", "fullscreen", "pin", "minimized",
		"workspacev2", "focusedmon", "activespecial", "togglegroup", "moveintogroup", "moveoutofgroup",
		"monitoraddedv2", "monitorremoved", "renameworkspace", "configreloaded":
		return change{reread: true}
	}
	return change{}
}

// hyprID reads a window's address, with or without 0x; 0 for none.
func hyprID(address string) int64 {
	id, err := strconv.ParseInt(strings.TrimPrefix(address, "0x"), 16, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// hyprClient is what is read of a window.
type hyprClient struct {
	Address      string
	Mapped       bool
	At, Size     [2]int
	Workspace    struct{ Name string }
	Pinned       bool
	Class, Title string
	InitialClass string
	PID          int
	History      int `json:"focusHistoryID"`
}

type hyprMonitor struct {
	X, Y, Width, Height int
	Scale               float64
	Transform           int
	Active              struct{ Name string } `json:"activeWorkspace"`
	Special             struct{ Name string } `json:"specialWorkspace"`
}

// specialPrefix is what the names of workspaces begin with that are put away.
const specialPrefix = "special"

// decodeClients reads the answers about windows, monitors, and the window that
// has the focus.
func decodeClients(clients, monitors, active []byte) (reading, error) {
	var list []hyprClient
	var screens []hyprMonitor
	var focus struct{ Address string }
	for _, part := range []struct {
		body []byte
		into any
	}{{clients, &list}, {monitors, &screens}, {active, &focus}} {
		if err := json.Unmarshal(part.body, part.into); err != nil {
			return reading{}, fmt.Errorf("%w: %w", errWire, err)
		}
	}
	shown := map[string]bool{}
	for _, m := range screens {
		shown[m.Active.Name], shown[m.Special.Name] = true, true
	}
	slices.SortStableFunc(list, func(a, b hyprClient) int { return order(a.History) - order(b.History) })
	var front, behind, away []found
	for _, c := range list {
		id := hyprID(c.Address)
		if id == 0 || !c.Mapped {
			continue
		}
		f := found{
			Window:   window.Window{ID: id, PID: max(c.PID, 0), Title: window.Text(c.Title), Workspace: window.Text(c.Workspace.Name), Focused: id == hyprID(focus.Address)},
			instance: window.Text(c.InitialClass), class: window.Text(c.Class),
			box: rect{c.At[0], c.At[1], c.Size[0], c.Size[1]}.box(),
		}
		if c.Pinned {
			f.Workspace = ""
		}
		switch {
		case shown[c.Workspace.Name] || c.Pinned:
			front = append(front, f)
		case strings.HasPrefix(c.Workspace.Name, specialPrefix):
			f.Minimized = true
			away = append(away, f)
		default:
			behind = append(behind, f)
		}
	}
	return reading{windows: slices.Concat(front, behind, away), screen: hyprPrimary(screens)}, nil
}

// order puts windows that never had the focus last.
func order(history int) int {
	if history < 0 {
		return far
	}
	return min(history, far)
}

// hyprPrimary is the monitor at the origin, else the first: there is no primary
// one. Its size is in pixels, and before it is turned.
func hyprPrimary(all []hyprMonitor) box {
	if len(all) == 0 {
		return box{}
	}
	m := all[max(slices.IndexFunc(all, func(m hyprMonitor) bool { return m.X == 0 && m.Y == 0 }), 0)]
	w, h := m.Width, m.Height
	if m.Transform%2 == 1 {
		w, h = h, w
	}
	if m.Scale > 0 && !math.IsInf(m.Scale, 0) {
		w, h = scaled(w, m.Scale), scaled(h, m.Scale)
	}
	return rect{m.X, m.Y, w, h}.box()
}

func scaled(n int, by float64) int { return int(math.Round(min(float64(n)/by, far))) }
