package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/x11"
)

const spaceProperty = "_NET_CURRENT_DESKTOP"

// followSpace follows which of the desktops of an X server is shown, until ctx
// is done or the server goes.
func followSpace(ctx context.Context, display string, changed, lost func()) error {
	l, err := x11.OpenLoop(display, lost)
	if err != nil {
		return fmt.Errorf("spaces: %w", err)
	}
	r, err := xproto.InternAtom(l.Conn.Conn, false, uint16(len(spaceProperty)), spaceProperty).Reply()
	if err != nil {
		l.Close()
		return fmt.Errorf("spaces: %w", err)
	}
	read := func() uint32 {
		p, err := xproto.GetProperty(l.Conn.Conn, false, l.Root, r.Atom, xproto.AtomCardinal, 0, 1).Reply()
		if err != nil || len(p.Value) < 4 {
			return 0
		}
		return xgb.Get32(p.Value)
	}
	ok := l.Ask(func() {
		xproto.ChangeWindowAttributes(l.Conn.Conn, l.Root, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
		at := read()
		l.Handle(func(ev xgb.Event) {
			if p, is := ev.(xproto.PropertyNotifyEvent); is && p.Atom == r.Atom {
				// Window managers restate it, and while one restarts it is gone.
				if now := read(); now != at && p.State == xproto.PropertyNewValue {
					at = now
					changed()
				}
			}
		})
	})
	if !ok {
		l.Close()
		return errors.New("spaces: the X server ended the connection")
	}
	context.AfterFunc(ctx, sync.OnceFunc(l.Close))
	return nil
}
