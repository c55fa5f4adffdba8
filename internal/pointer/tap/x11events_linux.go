package tap

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/x11"
)

// clock makes one long count out of the server's milliseconds, which begin
// anew every 49 days.
type clock struct {
	now  int64
	last uint32
}

func (c *clock) at(t uint32) int64 {
	c.now += int64(int32(t - c.last))
	c.last = t
	return c.now
}

// pointer is where the pointer was, so that positions become movement.
type pointer struct {
	x, y         int32
	rawX, rawY   float64
	rawOf        uint16
	absX, absY   float64 // last position that test input sent
	absoluteSeen bool
}

// pause is asked before each wait, when all that was read has been handled, for
// how long events may gather.
func (t *xtap) pause() time.Duration {
	t.late.batches = true
	t.settle()
	t.woken = true
	return t.gather.pause()
}

// handle runs on the connection's reading goroutine, for every event.
func (t *xtap) handle(ev []byte) {
	if t.woken {
		t.woken = false
		t.rested()
	}
	switch typ := t.conn.Type(ev); typ {
	case x11.ButtonPress, x11.ButtonRelease, x11.Motion:
		if x11.ParseDevice(ev, &t.raw) && !t.mine(ev, &t.raw) && (typ != x11.Motion || travels(deviceAxes(ev))) {
			t.device(&t.raw)
		}
	case x11.RawMotion, x11.RawButtonPress, x11.RawButtonRelease:
		if x11.ParseRaw(ev, &t.raw) && (typ != x11.RawMotion || travels(rawAxes(ev))) {
			t.rawEvent(&t.raw)
		}
	case x11.HierarchyChanged:
		x11.ParseHierarchy(ev, t.hierarchy)
		t.queue(op{kind: opDevices})
	}
}

// A wheel on an axis moves that axis and not the pointer; the server calls that a
// motion too. Taken for movement it would be the first report of a hold, or end a
// rest.

// travels reports whether a motion moves the pointer's axes, which are the first
// two, by the axes that it names. One that names none moves it.
func travels(axes []byte) bool {
	const pointer = 3
	if len(axes) == 0 || axes[0]&pointer != 0 {
		return true
	}
	for _, b := range axes {
		if b != 0 {
			return false
		}
	}
	return true
}

// deviceAxes is the mask of the axes of a device event, after that of its buttons.
func deviceAxes(ev []byte) []byte {
	const header, word = 80, 4
	if len(ev) < header {
		return nil
	}
	at := header + word*int(binary.LittleEndian.Uint16(ev[48:]))
	return ev[min(at, len(ev)):min(at+word*int(binary.LittleEndian.Uint16(ev[50:])), len(ev))]
}

// rawAxes is the mask of the axes of a raw event.
func rawAxes(ev []byte) []byte {
	const header, word = 32, 4
	if len(ev) < header {
		return nil
	}
	return ev[header:min(header+word*int(binary.LittleEndian.Uint16(ev[22:])), len(ev))]
}

func (t *xtap) hierarchy(c x11.HierarchyChange) {
	kind := engine.DeviceAdded
	if c.Removed {
		kind = engine.DeviceRemoved
	}
	if !c.Removed || engine.Device(c.Device) != t.late.event.Dev {
		t.settle()
	}
	t.event = engine.Event{T: t.clock.now, Kind: kind, Dev: engine.Device(c.Device)}
	t.o.Handle(&t.event)
	t.settle()
}

// begin fills t.event with what every event has.
func (t *xtap) begin(e *x11.DeviceEvent, kind engine.Kind) known {
	t.settle()
	k := t.table.Load().devices[e.Source]
	t.event = engine.Event{T: t.clock.at(e.Time), Kind: kind, Dev: engine.Device(e.Source), Class: k.class, SkipFirst: k.skipFirst}
	return k
}

// device handles what came through a grab.
func (t *xtap) device(e *x11.DeviceEvent) {
	p := &t.pointer
	switch e.Type {
	case x11.Motion:
		t.begin(e, engine.Move)
		t.event.DX, t.event.DY = t.delta(e)
		t.gather.move(t.event.T, t.event.DX, t.event.DY)
		p.x, p.y, p.rawX, p.rawY = e.X, e.Y, 0, 0
		t.o.Handle(&t.event)
		return
	case x11.ButtonPress:
		p.x, p.y, p.rawX, p.rawY = e.X, e.Y, 0, 0
		t.down |= 1 << (e.Detail & 63)
	case x11.ButtonRelease:
		t.down &^= 1 << (e.Detail & 63)
		if t.waiting.Load() {
			t.queue(op{kind: opRetry})
		}
	}
	if v, h := step(e.Detail); v != 0 || h != 0 {
		t.step(e, v, h)
		return
	}
	button, ok := fromX(e.Detail)
	if !ok {
		return
	}
	kind := engine.Down
	if e.Type == x11.ButtonRelease {
		kind = engine.Up
	}
	t.begin(e, kind)
	t.event.Button = button
	if button == t.o.Settings.Engine.Gesture {
		if kind == engine.Down {
			t.gather.press(t.event.T)
		} else {
			t.gather.release()
			t.up()
			return
		}
	}
	t.o.Handle(&t.event)
}

// delta is the movement since the last event. At the edge of the screen the
// pointer stays while the hand goes on; there the device's own report counts.
func (t *xtap) delta(e *x11.DeviceEvent) (dx, dy int32) {
	p := &t.pointer
	dx, dy = e.X-p.x, e.Y-p.y
	if p.rawOf != e.Source {
		return dx, dy
	}
	if edge(e.X, int32(t.conn.Screen.WidthInPixels), p.rawX) {
		dx = whole(p.rawX)
	}
	if edge(e.Y, int32(t.conn.Screen.HeightInPixels), p.rawY) {
		dy = whole(p.rawY)
	}
	return dx, dy
}

func edge(at, size int32, raw float64) bool { return at <= 0 && raw < 0 || at >= size-1 && raw > 0 }

func whole(f float64) int32 {
	return int32(max(math.MinInt32, min(math.MaxInt32, math.Round(f))))
}

// step handles a wheel button of a grabbed device. The decision is made on the
// press; what comes of it is sent on the release, when the grab is over.
func (t *xtap) step(e *x11.DeviceEvent, vertical, horizontal int32) {
	if e.Type == x11.ButtonPress {
		k := t.begin(e, engine.Scroll)
		if !k.grabbed {
			return // a wheel that turns while the gesture button is down
		}
		t.event.Vertical.Line, t.event.Horizontal.Line = vertical, horizontal
		d := t.o.Handle(&t.event)
		for i := range t.wheel {
			if w := &t.wheel[i]; !w.used || w.device == e.Source && w.button == e.Detail {
				*w = wheel{device: e.Source, button: e.Detail, d: d, used: true}
				return
			}
		}
		return
	}
	for i := range t.wheel {
		w := &t.wheel[i]
		if !w.used || w.device != e.Source || w.button != e.Detail {
			continue
		}
		d := w.d
		*w = wheel{}
		o := op{kind: opWheel}
		switch d.Verdict {
		case engine.Pass:
			o.button, o.times = byte(e.Detail), 1
			t.queue(o)
		case engine.Modify:
			t.lines(o, d.Vertical.Line, xWheelUp, xWheelDown)
			t.lines(o, d.Horizontal.Line, xWheelLeft, xWheelRight)
		}
		return
	}
}

func (t *xtap) lines(o op, lines int32, up, down byte) {
	if o.button, o.times = wheelButton(lines, up, down); o.times > 0 {
		t.queue(o)
	}
}

// rawEvent handles what the device sent, before any grab or edge.
func (t *xtap) rawEvent(e *x11.DeviceEvent) {
	p := &t.pointer
	k := t.table.Load().devices[e.Source]
	if t.o.Mode == Gate || t.o.Mode == Full && t.down != 0 {
		// Part of a hold: the movement itself follows with a position. Test
		// input may hold positions where devices have movement.
		if !k.xtest {
			p.rawOf, p.rawX, p.rawY = e.Source, p.rawX+e.DX, p.rawY+e.DY
		}
		return
	}
	if t.o.Mode == Watch && e.Device != e.Source {
		return // the master's copy
	}
	switch e.Type {
	case x11.RawMotion:
		t.begin(e, engine.Move)
		dx, dy := e.DX, e.DY
		if k.xtest {
			dx, dy = e.DX-p.absX, e.DY-p.absY
			if !p.absoluteSeen {
				dx, dy = 0, 0
			}
			p.absX, p.absY, p.absoluteSeen = e.DX, e.DY, true
		}
		t.event.DX, t.event.DY = whole(dx), whole(dy)
		t.o.Handle(&t.event)
	case x11.RawButtonPress, x11.RawButtonRelease:
		if t.o.Mode == Full {
			return // those that matter come through their grabs
		}
		t.watchButton(e)
	}
}

func (t *xtap) watchButton(e *x11.DeviceEvent) {
	if v, h := step(e.Detail); v != 0 || h != 0 {
		if e.Type == x11.RawButtonPress {
			k := t.begin(e, engine.Scroll)
			t.event.AsIs = !Transformed(t.o.Settings, k.Device) || !k.clicks()
			t.event.Vertical.Line, t.event.Horizontal.Line = v, h
			t.o.Handle(&t.event)
		}
		return
	}
	button, ok := fromX(e.Detail)
	if !ok {
		return
	}
	kind := engine.Down
	if e.Type == x11.RawButtonRelease {
		kind = engine.Up
	}
	t.begin(e, kind)
	t.event.Button = button
	if kind == engine.Up && button == t.o.Settings.Engine.Gesture {
		t.up()
		return
	}
	t.o.Handle(&t.event)
}
