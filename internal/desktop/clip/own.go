package clip

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/event"
)

const (
	// part is how much text goes into one property. A request of a server
	// without big requests has 256 KiB.
	part = 64 << 10
	// maxSends bounds the programs that are given a long text at once.
	maxSends = 16
	// sendTime is how long a program may take for one part of it.
	sendTime = 10 * time.Second
	// maxPairs bounds what one request may ask for.
	maxPairs = 64
)

// content is what this process put on the clipboard.
type content struct {
	text   string
	latin1 []byte // nil where the text has letters that Latin-1 lacks
	time   xproto.Timestamp
}

// claim is a text that waits to be put there.
type claim struct {
	text string
	done chan error
}

func (c *claim) answer(err error) {
	select {
	case c.done <- err:
	default:
	}
}

type sendKey struct {
	window   xproto.Window
	property xproto.Atom
}

// send is a long text on its way to another program.
type send struct {
	kind  xproto.Atom
	rest  []byte
	timer event.Timer
}

func (b *board) holds() bool { return b.own != nil || b.claim != nil || len(b.sends) > 0 }

// take begins to own the clipboard, which wants the server's time. The change
// of a property tells it.
func (b *board) take(c *claim) {
	if b.claim != nil {
		b.claim.answer(errors.New("another text was written right after"))
	}
	b.claim = c
	xproto.ChangeProperty(b.Conn.Conn, xproto.PropModeReplace, b.win, b.atoms["FLASH_TIME"], xproto.AtomInteger, 32, 0, nil)
}

func (b *board) claimAt(now xproto.Timestamp) {
	c := b.claim
	if c == nil {
		return
	}
	b.claim = nil
	xproto.SetSelectionOwner(b.Conn.Conn, b.win, b.atoms["CLIPBOARD"], now)
	owner, err := xproto.GetSelectionOwner(b.Conn.Conn, b.atoms["CLIPBOARD"]).Reply()
	if err == nil && owner.Owner != b.win {
		err = errors.New("another program took the clipboard at the same time")
	}
	if err == nil {
		b.stopReading()
		b.own = &content{text: c.text, latin1: latin1(c.text), time: now}
	}
	c.answer(err)
	b.rest()
}

// latin1 is nil for a text that Latin-1 cannot write.
func latin1(text string) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return nil
		}
		out = append(out, byte(r))
	}
	return out
}

// requested gives another program what it asks for.
func (b *board) requested(ev xproto.SelectionRequestEvent) {
	if ev.Property == 0 { // as old programs do
		ev.Property = ev.Target
	}
	ok := ev.Owner == b.win && ev.Selection == b.atoms["CLIPBOARD"] && b.own != nil && (ev.Time == 0 || int32(ev.Time-b.own.time) >= 0)
	if ok && ev.Target == b.atoms["MULTIPLE"] {
		ok = b.several(ev)
	} else if ok {
		ok = b.put(ev.Requestor, ev.Property, ev.Target)
	}
	if !ok {
		ev.Property = 0
	}
	answer := xproto.SelectionNotifyEvent{Time: ev.Time, Requestor: ev.Requestor, Selection: ev.Selection, Target: ev.Target, Property: ev.Property}
	xproto.SendEvent(b.Conn.Conn, false, ev.Requestor, xproto.EventMaskNoEvent, string(answer.Bytes()))
}

// several serves a list of pairs of kind and property; what is refused is
// struck out of it.
func (b *board) several(ev xproto.SelectionRequestEvent) bool {
	p, err := xproto.GetProperty(b.Conn.Conn, false, ev.Requestor, ev.Property, b.atoms["ATOM_PAIR"], 0, maxPairs*2).Reply()
	if err != nil || p.Format != 32 || p.BytesAfter > 0 {
		return false
	}
	for v := p.Value; len(v) >= 8; v = v[8:] {
		target, property := xproto.Atom(binary.LittleEndian.Uint32(v)), xproto.Atom(binary.LittleEndian.Uint32(v[4:]))
		if property == 0 || target == b.atoms["MULTIPLE"] || !b.put(ev.Requestor, property, target) {
			binary.LittleEndian.PutUint32(v[4:], 0)
		}
	}
	b.change(ev.Requestor, ev.Property, b.atoms["ATOM_PAIR"], 32, p.Value)
	return true
}

func (b *board) put(w xproto.Window, property, target xproto.Atom) bool {
	var data []byte
	switch name := b.name(target); name {
	case "TARGETS":
		b.change(w, property, xproto.AtomAtom, 32, b.kinds())
		return true
	case "TIMESTAMP":
		b.change(w, property, xproto.AtomInteger, 32, binary.LittleEndian.AppendUint32(nil, uint32(b.own.time)))
		return true
	case "STRING":
		data = b.own.latin1
	case "TEXT":
		target, data = b.atoms["UTF8_STRING"], []byte(b.own.text)
	case "":
		return false
	default:
		data = []byte(b.own.text)
		if !isText(name) {
			return false
		}
	}
	if data == nil {
		return false
	}
	if len(data) <= part {
		b.change(w, property, target, 8, data)
		return true
	}
	return b.send(sendKey{w, property}, target, data)
}

func isText(name string) bool {
	for _, t := range texts {
		if t == name {
			return true
		}
	}
	return false
}

func (b *board) kinds() []byte {
	var out []byte
	add := func(name string) { out = binary.LittleEndian.AppendUint32(out, uint32(b.atoms[name])) }
	for _, n := range [...]string{"TARGETS", "TIMESTAMP", "MULTIPLE", "TEXT"} {
		add(n)
	}
	for _, n := range texts {
		if n != "STRING" || b.own.latin1 != nil {
			add(n)
		}
	}
	return out
}

func (b *board) change(w xproto.Window, property, kind xproto.Atom, format byte, data []byte) {
	xproto.ChangeProperty(b.Conn.Conn, xproto.PropModeReplace, w, property, kind, format, uint32(len(data)*8)/uint32(format), data)
}

// send begins to give a text in parts, each when the one before has been taken.
func (b *board) send(k sendKey, kind xproto.Atom, data []byte) bool {
	if b.sends[k] == nil && len(b.sends) >= maxSends {
		return false
	}
	b.sent(k)
	xproto.ChangeWindowAttributes(b.Conn.Conn, k.window, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify})
	b.change(k.window, k.property, b.atoms["INCR"], 32, binary.LittleEndian.AppendUint32(nil, uint32(len(data))))
	s := &send{kind: kind, rest: data}
	b.sends[k] = s
	b.patience(k, s)
	return true
}

func (b *board) patience(k sendKey, s *send) {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = b.time.AfterFunc(sendTime, func() {
		b.Do(func() {
			if b.sends[k] == s {
				b.sent(k)
			}
		})
	})
}

func (b *board) wantsMore(k sendKey) {
	s := b.sends[k]
	if s == nil {
		return
	}
	n := min(part, len(s.rest))
	b.change(k.window, k.property, s.kind, 8, s.rest[:n])
	s.rest = s.rest[n:]
	if n == 0 {
		b.sent(k)
		return
	}
	b.patience(k, s)
}

// sent ends a sending, whether all of it went or not.
func (b *board) sent(k sendKey) {
	s := b.sends[k]
	if s == nil {
		return
	}
	s.timer.Stop()
	delete(b.sends, k)
	for o := range b.sends {
		if o.window == k.window {
			return
		}
	}
	xproto.ChangeWindowAttributes(b.Conn.Conn, k.window, xproto.CwEventMask, []uint32{0})
	b.rest()
}
