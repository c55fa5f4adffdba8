package clip

import (
	"encoding/binary"
	"sync"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/x11"
)

// owner is another program that copies, made by hand: it offers what a test
// wants, in the way that a test wants, and notes what is asked of it.
type owner struct {
	*x11.Loop
	t   *testing.T
	win xproto.Window

	offers  []string
	data    []byte
	parts   int  // of this size, 0 for whole
	least   bool // says how much there is before the parts
	mute    bool // answers nothing but the kinds
	onPart  func(n int)
	pending []byte
	to      xproto.SelectionRequestEvent
	sent    int

	mu    sync.Mutex
	asked []string
}

func newOwner(t *testing.T, display string) *owner {
	o := &owner{t: t}
	l, err := x11.OpenLoop(display, nil)
	require.NoError(t, err)
	t.Cleanup(l.Close)
	o.Loop = l
	o.win, err = xproto.NewWindowId(l.Conn.Conn)
	require.NoError(t, err)
	require.NoError(t, xproto.CreateWindowChecked(l.Conn.Conn, 0, o.win, l.Root, -1, -1, 1, 1, 0, xproto.WindowClassInputOnly, l.Screen.RootVisual, 0, nil).Check())
	l.Handle(o.event)
	return o
}

func (o *owner) atom(name string) xproto.Atom {
	r, err := xproto.InternAtom(o.Conn.Conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0
	}
	return r.Atom
}

// set changes how it answers.
func (o *owner) set(change func()) {
	o.t.Helper()
	require.True(o.t, o.Ask(change))
}

// copy takes the clipboard.
func (o *owner) copy(data string, kinds ...string) {
	o.t.Helper()
	require.True(o.t, o.Ask(func() { o.offers, o.data, o.pending = kinds, []byte(data), nil }))
	require.NoError(o.t, xproto.SetSelectionOwnerChecked(o.Conn.Conn, o.win, o.atom("CLIPBOARD"), xproto.TimeCurrentTime).Check())
}

// requests are the kinds that were asked for so far.
func (o *owner) requests() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.asked...)
}

func (o *owner) event(ev xgb.Event) {
	switch ev := ev.(type) {
	case xproto.SelectionRequestEvent:
		r, err := xproto.GetAtomName(o.Conn.Conn, ev.Target).Reply()
		if err != nil {
			return
		}
		o.mu.Lock()
		o.asked = append(o.asked, r.Name)
		o.mu.Unlock()
		if r.Name == "TARGETS" {
			var kinds []byte
			for _, k := range o.offers {
				kinds = binary.LittleEndian.AppendUint32(kinds, uint32(o.atom(k)))
			}
			xproto.ChangeProperty(o.Conn.Conn, xproto.PropModeReplace, ev.Requestor, ev.Property, xproto.AtomAtom, 32, uint32(len(o.offers)), kinds)
			o.answer(ev)
			return
		}
		if o.mute {
			return
		}
		if o.parts == 0 {
			o.put(ev, ev.Target, o.data)
			o.answer(ev)
			return
		}
		xproto.ChangeWindowAttributes(o.Conn.Conn, ev.Requestor, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
		size := []byte{}
		if o.least {
			size = binary.LittleEndian.AppendUint32(nil, uint32(len(o.data)))
		}
		xproto.ChangeProperty(o.Conn.Conn, xproto.PropModeReplace, ev.Requestor, ev.Property, o.atom("INCR"), 32, uint32(len(size)/4), size)
		o.pending, o.to, o.sent = o.data, ev, 0
		o.answer(ev)
	case xproto.PropertyNotifyEvent:
		if ev.State != xproto.PropertyDelete || ev.Window != o.to.Requestor || ev.Atom != o.to.Property || o.pending == nil {
			return
		}
		n := min(o.parts, len(o.pending))
		o.sent += n
		if o.onPart != nil {
			o.onPart(o.sent)
		}
		o.put(o.to, o.to.Target, o.pending[:n])
		if o.pending = o.pending[n:]; n == 0 {
			o.pending = nil
		}
	}
}

func (o *owner) put(ev xproto.SelectionRequestEvent, kind xproto.Atom, data []byte) {
	xproto.ChangeProperty(o.Conn.Conn, xproto.PropModeReplace, ev.Requestor, ev.Property, kind, 8, uint32(len(data)), data)
}

func (o *owner) answer(ev xproto.SelectionRequestEvent) {
	a := xproto.SelectionNotifyEvent{Time: ev.Time, Requestor: ev.Requestor, Selection: ev.Selection, Target: ev.Target, Property: ev.Property}
	xproto.SendEvent(o.Conn.Conn, false, ev.Requestor, 0, string(a.Bytes()))
}
