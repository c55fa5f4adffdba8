// Package trace owns the text form of pointer events and decisions: reading
// and writing traces, and running one through the engine. What it prints is
// the same on every platform.
package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/flash-launcher/flash/internal/pointer/device"
	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
)

// Event is one line of a trace.
type Event struct {
	T      int64   `json:"t"`
	Kind   string  `json:"ev"`
	Button *int32  `json:"btn,omitempty"`
	DX     int32   `json:"dx,omitempty"`
	DY     int32   `json:"dy,omitempty"`
	Line   int32   `json:"line,omitempty"`
	Fixed  float64 `json:"fixed,omitempty"`
	Point  int32   `json:"point,omitempty"`
	HLine  int32   `json:"hline,omitempty"` // the same for the horizontal wheel
	HFixed float64 `json:"hfixed,omitempty"`
	HPoint int32   `json:"hpoint,omitempty"`
	Cont   int     `json:"cont,omitempty"`
	Phase  int32   `json:"phase,omitempty"`
	Mom    int32   `json:"mom,omitempty"`
	Tag    bool    `json:"tag,omitempty"`
	AsIs   bool    `json:"as_is,omitempty"` // no tap could change the step
	Which  string  `json:"which,omitempty"`
	Dev    string  `json:"dev,omitempty"`
}

// Want is what the engine is expected to do with one event.
type Want struct {
	Verdict string  `json:"d"`
	Line    int32   `json:"line,omitempty"`
	Value   float64 `json:"val,omitempty"` // to four places
	HLine   int32   `json:"hline,omitempty"`
	HValue  float64 `json:"hval,omitempty"`
	Action  string  `json:"act,omitempty"`
	Switch  string  `json:"tap,omitempty"`
}

// Trace is events under one configuration, with or without what they should give.
type Trace struct {
	ID     string          `json:"id"`
	Note   string          `json:"note,omitempty"`
	Config json.RawMessage `json:"config,omitempty"`
	In     []Event         `json:"in"`
	Want   []Want          `json:"want,omitempty"`

	Settings settings.Settings `json:"-"`
}

// maxLine bounds one line of a trace: an hour of a busy mouse.
const maxLine = 64 << 20

// Read reads a file of bare events, which become one trace under s, or of one
// trace a line.
func Read(r io.Reader, s settings.Settings) ([]Trace, error) {
	var out []Trace
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxLine)
	bare := -1
	for n := 1; in.Scan(); n++ {
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 {
			continue
		}
		var head struct {
			Kind *string          `json:"ev"`
			In   *json.RawMessage `json:"in"`
		}
		if err := json.Unmarshal(line, &head); err != nil {
			return nil, fmt.Errorf("line %d is not JSON: %w", n, err)
		}
		if head.In != nil {
			t, err := decodeTrace(line)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			out, bare = append(out, t), -1
			continue
		}
		e, err := decodeEvent(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if bare < 0 {
			bare = len(out)
			out = append(out, Trace{Settings: s})
		}
		out[bare].In = append(out[bare].In, e)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("a line is longer than %d bytes, or unreadable: %w", maxLine, err)
	}
	return out, nil
}

func strict(line []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more than one object on the line")
	}
	return nil
}

func decodeEvent(line []byte) (Event, error) {
	var e Event
	if err := strict(line, &e); err != nil {
		return e, err
	}
	return e, e.check()
}

func decodeTrace(line []byte) (Trace, error) {
	var t Trace
	err := strict(line, &t)
	if err != nil {
		return t, err
	}
	if t.Settings, err = settings.Parse(t.Config); err != nil {
		return t, fmt.Errorf("config: %w", err)
	}
	for i, e := range t.In {
		if err := e.check(); err != nil {
			return t, fmt.Errorf("event %d: %w", i, err)
		}
	}
	if t.Want != nil && len(t.Want) != len(t.In) {
		return t, fmt.Errorf("%d events and %d decisions wanted; there must be one for each", len(t.In), len(t.Want))
	}
	return t, nil
}

// kinds are the names of engine kinds, in their order.
var kinds = [...]string{"down", "up", "move", "scroll", "tap_disabled", "sleep", "wake", "dev_remove", "dev_add", "perm_lost", "session", "off"}

func (e Event) check() error {
	kind, ok := kindOf(e.Kind)
	switch {
	case !ok:
		return fmt.Errorf("ev %q is not known; use one of %v", e.Kind, kinds)
	case (kind == engine.Down || kind == engine.Up) && e.Button == nil:
		return fmt.Errorf("ev %q has no btn", e.Kind)
	case e.Cont != 0 && e.Cont != 1:
		return fmt.Errorf("cont is %d; use 0 or 1", e.Cont)
	case e.Which != "" && e.Which != "timeout" && e.Which != "user":
		return fmt.Errorf("which is %q; use timeout or user", e.Which)
	}
	return nil
}

func kindOf(name string) (engine.Kind, bool) {
	for i, k := range kinds {
		if k == name {
			return engine.Kind(i), true
		}
	}
	return 0, false
}

// Names numbers the devices of a trace and knows their classes.
type Names struct {
	ids      map[string]engine.Device
	settings settings.Settings
}

// NewNames numbers devices under s.
func NewNames(s settings.Settings) *Names {
	return &Names{ids: map[string]engine.Device{"": 0}, settings: s}
}

// Engine is e as the engine takes it.
func (n *Names) Engine(e Event) engine.Event {
	kind, _ := kindOf(e.Kind)
	id, ok := n.ids[e.Dev]
	if !ok {
		id = engine.Device(len(n.ids))
		n.ids[e.Dev] = id
	}
	out := engine.Event{
		T: e.T, Kind: kind, Dev: id, Class: device.ClassOf(e.Dev), DX: e.DX, DY: e.DY,
		Vertical:   engine.Axis{Line: e.Line, Fixed: e.Fixed, Point: e.Point},
		Horizontal: engine.Axis{Line: e.HLine, Fixed: e.HFixed, Point: e.HPoint},
		Continuous: e.Cont != 0, Phase: e.Phase, Momentum: e.Mom, Tagged: e.Tag, AsIs: e.AsIs,
	}
	if e.Button != nil {
		out.Button = *e.Button
	}
	if d, ok := n.settings.Devices[e.Dev]; ok {
		out.Class, out.SkipFirst = n.settings.ClassOf(e.Dev, out.Class), d.SkipFirstReport
	}
	return out
}
