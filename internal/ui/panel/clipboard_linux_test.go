package panel

import (
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/x11"
)

// clipboard is a program that has text on the clipboard.
type clipboard struct {
	t    *testing.T
	loop *x11.Loop
	id   xproto.Window
	text string // on the loop
}

func newClip(t *testing.T, d *desk) *clipboard {
	l, err := x11.OpenLoop(d.server.Display, nil)
	require.NoError(t, err)
	t.Cleanup(l.Close)
	c := &clipboard{t: t, loop: l}
	c.id, err = xproto.NewWindowId(l.Conn.Conn)
	require.NoError(t, err)
	xproto.CreateWindow(l.Conn.Conn, 0, c.id, l.Root, -9, -9, 1, 1, 0, xproto.WindowClassInputOnly, 0, 0, nil)
	l.Ask(func() { l.Handle(c.event) })
	return c
}

// offer puts text on the clipboard.
func (c *clipboard) offer(text string) {
	c.loop.Ask(func() { c.text = text })
	a, err := xproto.InternAtom(c.loop.Conn.Conn, false, 9, "CLIPBOARD").Reply()
	require.NoError(c.t, err)
	require.NoError(c.t, xproto.SetSelectionOwnerChecked(c.loop.Conn.Conn, c.id, a.Atom, xproto.TimeCurrentTime).Check())
}

func (c *clipboard) event(ev xgb.Event) {
	e, ok := ev.(xproto.SelectionRequestEvent)
	if !ok {
		return
	}
	xproto.ChangeProperty(c.loop.Conn.Conn, xproto.PropModeReplace, e.Requestor, e.Property, e.Target, 8, uint32(len(c.text)), []byte(c.text))
	n := xproto.SelectionNotifyEvent{Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: e.Property}
	xproto.SendEvent(c.loop.Conn.Conn, false, e.Requestor, 0, string(n.Bytes()))
}
