package clip

import (
	"encoding/binary"
	"time"

	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/event"
)

const (
	// readTime bounds the reading of one copy: an owner that is slower than this
	// with so little is stuck.
	readTime = 5 * time.Second
	// maxKinds is far more than the kinds of data that one copy is offered in.
	// Of a longer list the mark of a password could be missed.
	maxKinds = 1024
	// rooms are the windows that take turns in receiving copies, so that what a
	// slow owner still sends for an earlier copy is not taken for the present
	// one's. Few, for xgb never gives a number back.
	rooms = 16
)

// reading is one copy on its way here.
type reading struct {
	window xproto.Window
	time   xproto.Timestamp
	target xproto.Atom // what was asked for last
	latin1 bool
	parts  bool // it comes in parts
	buf    []byte
	timer  event.Timer
}

// ownerChanged begins to read what another program copied.
func (b *board) ownerChanged(ev xfixes.SelectionNotifyEvent) {
	if ev.Selection != b.atoms["CLIPBOARD"] || b.changed == nil {
		return
	}
	b.stopReading()
	if ev.Owner == 0 || ev.Owner == b.win {
		return
	}
	w, err := b.enter()
	if err != nil {
		return
	}
	r := &reading{window: w, time: ev.SelectionTimestamp}
	r.timer = b.time.AfterFunc(readTime, func() {
		b.Do(func() {
			if b.reading == r {
				b.stopReading()
			}
		})
	})
	b.reading = r
	b.ask(r, "TARGETS")
}

// enter makes the window that the next copy is read with.
func (b *board) enter() (xproto.Window, error) {
	if len(b.rooms) < rooms {
		w, err := b.window()
		if err != nil {
			return 0, err
		}
		b.rooms = append(b.rooms, w)
		return w, b.create(w)
	}
	b.room = (b.room + 1) % rooms
	return b.rooms[b.room], b.create(b.rooms[b.room])
}

// stopReading gives the present copy up. Its window goes, by which the owner
// learns that nobody wants the rest, and the server frees what it holds.
func (b *board) stopReading() {
	r := b.reading
	if r == nil {
		return
	}
	b.reading = nil
	r.timer.Stop()
	xproto.DestroyWindow(b.Conn.Conn, r.window)
}

func (b *board) ask(r *reading, target string) {
	r.target = b.atoms[target]
	xproto.ConvertSelection(b.Conn.Conn, r.window, b.atoms["CLIPBOARD"], r.target, b.atoms["FLASH_CLIPBOARD"], r.time)
}

// converted is called when the owner has answered.
func (b *board) converted(ev xproto.SelectionNotifyEvent) {
	r := b.reading
	if r == nil || ev.Requestor != r.window || ev.Target != r.target || r.parts {
		return
	}
	switch {
	case ev.Property != b.atoms["FLASH_CLIPBOARD"]: // none: it was refused
		b.stopReading()
	case r.target == b.atoms["TARGETS"]:
		b.choose(r)
	default:
		b.read(r)
	}
}

// choose reads the kinds of data and asks for the best text, if it may be read.
func (b *board) choose(r *reading) {
	p := b.value(r, maxKinds*4, true)
	if p == nil || p.Format != 32 || p.BytesAfter > 0 || p.Type == b.atoms["INCR"] {
		b.stopReading()
		return
	}
	var offered []string
	for v := p.Value; len(v) >= 4; v = v[4:] {
		if n := b.name(xproto.Atom(binary.LittleEndian.Uint32(v))); n != "" {
			offered = append(offered, n)
		}
	}
	kind, ok := pick(offered)
	if !ok {
		b.stopReading()
		return
	}
	r.latin1 = kind == "STRING"
	b.ask(r, kind)
}

// read reads a text, or begins with one that comes in parts. Its size is asked
// for first.
func (b *board) read(r *reading) {
	size := b.value(r, 0, false)
	switch {
	case size == nil:
		b.stopReading()
	case size.Type == b.atoms["INCR"]:
		// What it holds is the least size, which some owners leave out.
		p := b.value(r, 4, true)
		if p == nil || len(p.Value) >= 4 && binary.LittleEndian.Uint32(p.Value) > MaxText {
			b.stopReading()
			return
		}
		r.parts = true
	case size.Format != 8 || size.BytesAfter > MaxText:
		b.stopReading()
	default:
		p := b.value(r, MaxText, true)
		if p == nil || p.BytesAfter > 0 {
			b.stopReading()
			return
		}
		b.done(r, p.Value)
	}
}

// arrived is called for each new part.
func (b *board) arrived() {
	r := b.reading
	if !r.parts {
		return
	}
	p := b.value(r, MaxText-len(r.buf), true)
	switch {
	case p == nil || p.BytesAfter > 0 || len(r.buf)+len(p.Value) > MaxText:
		b.stopReading()
	case len(p.Value) == 0:
		b.done(r, r.buf)
	default:
		r.buf = append(r.buf, p.Value...)
	}
}

func (b *board) done(r *reading, text []byte) {
	latin1 := r.latin1
	b.stopReading()
	b.changed(clean(text, latin1))
}

// value reads up to most bytes of what the owner put down, rounded up to four.
func (b *board) value(r *reading, most int, remove bool) *xproto.GetPropertyReply {
	p, err := xproto.GetProperty(b.Conn.Conn, remove, r.window, b.atoms["FLASH_CLIPBOARD"], xproto.GetPropertyTypeAny, 0, uint32(most+3)/4).Reply()
	if err != nil || p.Type == 0 {
		return nil
	}
	return p
}
