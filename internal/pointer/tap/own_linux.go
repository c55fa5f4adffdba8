package tap

import (
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/flash-launcher/flash/internal/x11"
)

// What this program posts comes from the server's test device, as does what
// other programs post: a remote desktop, a shared mouse, a test. When that
// device's wheel is grabbed, or a click is posted of a button that is, a grab of
// ours lies in the way of our own events. It is taken off for them, in a moment
// in which the server listens to nobody else and in which no grab is active. The
// server may still take what it had read of others before that moment, so a
// button can go down right then, and the events come back. Their sequence says
// whose they are, and they are sent again.

// span is a run of requests whose events are our own; 0 is none.
type span uint64

const spanSet = span(1) << 32

func newSpan(first uint16, n int) span { return spanSet | span(first)<<16 | span(uint16(n)) }

func (s span) has(sequence uint16) bool {
	return s&spanSet != 0 && sequence-uint16(s>>16) < uint16(s)
}

// mine reports whether an event is one of our own that has come back. A release
// whose press has not is the hand's: the press met a button that was down
// already, for which the server makes no event, and this was its release.
func (t *xtap) mine(ev []byte, e *x11.DeviceEvent) bool {
	if e.Type == x11.Motion || !span(t.own.Load()).has(x11.Sequence(ev)) {
		return false
	}
	bit := uint64(1) << (e.Detail & 63)
	if e.Type == x11.ButtonPress {
		t.back |= bit
		return true
	}
	t.returned.Add(1)
	both := t.back&bit != 0
	t.back &^= bit
	return both
}

const (
	fakePress   = 4
	fakeRelease = 5
)

// wheelButtons are the bits of the wheel's buttons.
const wheelButtons = 1<<xWheelUp | 1<<xWheelDown | 1<<xWheelLeft | 1<<xWheelRight

// post sends a click, or many. False: a grab of ours is active, so they would
// come back here; the release that ends it is the time to try again.
func (t *xtap) post(o *op) bool {
	x := uint32(o.button)
	var off []uint16 // devices whose passive grab is in the way
	var look uint16 = x11.AllDevices
	mask, busy := gateMask, t.bound
	if o.kind == opReplay {
		off = []uint16{x11.AllMasterDevices}
	} else {
		mask, busy = wheelMask, wheelButtons
		for id, k := range t.table.Load().devices {
			if k.xtest && k.grabbed {
				off = append(off, id)
			}
		}
		if len(off) == 1 { // there is one for each master, and mostly one master
			look = off[0]
		}
	}
	if len(off) == 0 {
		t.click(*o)
		return true
	}
	t.waiting.Store(true)
	var state func() ([]x11.Info, uint16, error)
	t.conn.Batch(func() {
		xproto.GrabServer(t.conn.Conn)
		state = t.conn.AskDevices(look)
	})
	infos, sequence, err := state()
	if err != nil {
		return true // the connection has ended
	}
	for _, info := range infos {
		if info.Down&busy != 0 && (o.kind == opReplay || t.table.Load().devices[info.ID].grabbed) {
			xproto.UngrabServer(t.conn.Conn)
			return false
		}
	}
	t.waiting.Store(false)
	t.own.Store(uint64(newSpan(sequence+1, 2*len(off)+2*int(o.times))))
	var answers []func() error
	t.conn.Batch(func() {
		for _, id := range off {
			t.conn.UngrabButton(id, x)
		}
		t.click(*o)
		for _, id := range off {
			answers = append(answers, t.conn.AskGrab(id, x, mask))
		}
		xproto.UngrabServer(t.conn.Conn)
	})
	for _, answer := range answers {
		if err := answer(); err != nil && o.kind == opReplay {
			t.end(t.conflict(err, "replayed", 0, x))
		}
	}
	// With the last answer all has come that the clicks have caused.
	t.own.Store(0)
	if n := t.returned.Swap(0); n > 0 {
		o.times = n
		return t.post(o)
	}
	return true
}

func (t *xtap) click(o op) {
	for range o.times {
		xtest.FakeInput(t.conn.Conn, fakePress, o.button, 0, t.conn.Root, 0, 0, 0)
		xtest.FakeInput(t.conn.Conn, fakeRelease, o.button, 0, t.conn.Root, 0, 0, 0)
	}
}
