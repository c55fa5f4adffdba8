package clip

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/x11"
)

// X11 is the clipboard of an X server. It is connected while it is followed or
// holds what was written, and at no other time.
type X11 struct {
	display string
	time    event.Time

	mu       sync.Mutex
	board    *board
	watching bool
	closed   bool
	ending   sync.WaitGroup // connections that are given up
}

// NewX11 is the clipboard of a display. It connects to nothing yet.
func NewX11(display string, t event.Time) *X11 { return &X11{display: display, time: t} }

var errClosed = errors.New("clipboard: the session was let go")

// board is one connection. What has no comment of its own is touched on its
// loop only.
type board struct {
	*x11.Loop
	x     *X11
	time  event.Time
	win   xproto.Window // owns the clipboard and takes the server's time
	atoms map[string]xproto.Atom
	lost  func(error) // under x.mu

	changed func(text string) // nil while nobody follows
	reading *reading
	rooms   []xproto.Window
	room    int

	dead chan struct{} // closed at its end

	own   *content // nil while another program owns the clipboard
	claim *claim
	sends map[sendKey]*send
}

// open returns the connection, made if there is none. It is called with mu held.
func (c *X11) open() (*board, error) {
	if c.closed {
		return nil, errClosed
	}
	if c.board != nil {
		return c.board, nil
	}
	b := &board{x: c, time: c.time, sends: map[sendKey]*send{}, dead: make(chan struct{})}
	loop, err := x11.OpenLoop(c.display, func() { c.gone(b) })
	if err != nil {
		return nil, fmt.Errorf("clipboard: %w", err)
	}
	b.Loop = loop
	if err := b.prepare(); err != nil {
		loop.Close()
		return nil, fmt.Errorf("clipboard: %w", err)
	}
	c.board = b
	return b, nil
}

func (b *board) prepare() error {
	if err := b.UseExtension("XFIXES", map[int]xgb.NewEventFun{xfixes.SelectionNotify: xfixes.SelectionNotifyEventNew}); err != nil {
		return err
	}
	// 1.0 has selection events; a server wants the version asked for first.
	if _, err := xfixes.QueryVersion(b.Conn.Conn, 1, 0).Reply(); err != nil {
		return err
	}
	if err := b.intern(); err != nil {
		return err
	}
	var err error
	if b.win, err = b.window(); err != nil {
		return err
	}
	if err := b.create(b.win); err != nil {
		return err
	}
	b.Handle(b.event)
	return nil
}

// names are the atoms by which the clipboard is spoken of, beside the kinds of
// data.
var names = [...]string{"ATOM_PAIR", "CLIPBOARD", "FLASH_CLIPBOARD", "FLASH_TIME", "INCR", "MULTIPLE", "TARGETS", "TEXT", "TIMESTAMP"}

func (b *board) intern() error {
	all := append(append(append([]string(nil), names[:]...), concealed[:]...), texts[:]...)
	asked := make([]xproto.InternAtomCookie, len(all))
	for i, n := range all {
		asked[i] = xproto.InternAtom(b.Conn.Conn, false, uint16(len(n)), n)
	}
	b.atoms = make(map[string]xproto.Atom, len(all))
	for i, n := range all {
		r, err := asked[i].Reply()
		if err != nil {
			return err
		}
		b.atoms[n] = r.Atom
	}
	return nil
}

// name is the name of one of the interned atoms, "" for any other.
func (b *board) name(a xproto.Atom) string {
	for n, v := range b.atoms {
		if v == a {
			return n
		}
	}
	return ""
}

func (b *board) window() (xproto.Window, error) { return xproto.NewWindowId(b.Conn.Conn) }

// create makes a window that is never shown.
func (b *board) create(w xproto.Window) error {
	return xproto.CreateWindowChecked(b.Conn.Conn, 0, w, b.Root, -1, -1, 1, 1, 0, xproto.WindowClassInputOnly, b.Screen.RootVisual,
		xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
}

func (b *board) event(ev xgb.Event) {
	switch ev := ev.(type) {
	case xfixes.SelectionNotifyEvent:
		b.ownerChanged(ev)
	case xproto.SelectionNotifyEvent:
		b.converted(ev)
	case xproto.PropertyNotifyEvent:
		b.property(ev)
	case xproto.SelectionRequestEvent:
		b.requested(ev)
	case xproto.SelectionClearEvent:
		if ev.Owner == b.win && ev.Selection == b.atoms["CLIPBOARD"] {
			b.own = nil
			b.rest()
		}
	case xproto.DestroyNotifyEvent:
		for k := range b.sends {
			if k.window == ev.Window {
				b.sent(k)
			}
		}
	}
}

func (b *board) property(ev xproto.PropertyNotifyEvent) {
	switch {
	case ev.Window == b.win:
		if ev.Atom == b.atoms["FLASH_TIME"] && ev.State == xproto.PropertyNewValue {
			b.claimAt(ev.Time)
		}
	case ev.State == xproto.PropertyDelete:
		b.wantsMore(sendKey{ev.Window, ev.Atom})
	case b.reading != nil && b.reading.window == ev.Window && ev.Atom == b.atoms["FLASH_CLIPBOARD"]:
		b.arrived()
	}
}

// Start follows the clipboard.
func (c *X11) Start(changed func(text string), lost func(error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := c.open()
	if err != nil {
		return err
	}
	b.lost, c.watching = lost, true
	if !b.Ask(func() {
		b.changed = changed
		err = b.follow(xfixes.SelectionEventMaskSetSelectionOwner)
	}) {
		err = errors.New("the X server ended the connection")
	}
	if err != nil {
		c.watching = false
		c.free(b)
		return fmt.Errorf("clipboard: %w", err)
	}
	return nil
}

func (b *board) follow(mask uint32) error {
	return xfixes.SelectSelectionInputChecked(b.Conn.Conn, b.win, b.atoms["CLIPBOARD"], mask).Check()
}

// Stop ends Start's following.
func (c *X11) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watching = false
	if c.board != nil {
		c.board.lost = nil
		c.free(c.board)
	}
}

// free closes a connection that nothing needs any more. It is called with mu
// held.
func (c *X11) free(b *board) {
	needed := false
	b.Ask(func() {
		if !c.watching && b.changed != nil {
			b.changed = nil
			b.stopReading()
			_ = b.follow(0)
		}
		needed = c.watching || b.holds()
	})
	if needed || c.board != b {
		return
	}
	c.board = nil
	b.Close()
	b.end()
}

// rest is free, from the loop.
func (b *board) rest() {
	if b.changed != nil || b.holds() {
		return
	}
	b.x.ending.Go(func() {
		b.x.mu.Lock()
		defer b.x.mu.Unlock()
		if b.x.board == b {
			b.x.free(b)
		}
	})
}

// gone is called when the server ended the connection.
func (c *X11) gone(b *board) {
	c.mu.Lock()
	if c.board != b {
		c.mu.Unlock()
		return
	}
	lost := b.lost
	b.lost, c.board, c.watching = nil, nil, false
	c.mu.Unlock()
	b.Close()
	b.end()
	if lost != nil {
		lost(errors.New("the X server ended the connection"))
	}
}

// end frees what a connection had, once its loop has ended.
func (b *board) end() {
	b.stopReading()
	for k := range b.sends {
		b.sent(k)
	}
	close(b.dead)
}

// Close lets go of the clipboard; what it held is gone with it.
func (c *X11) Close() {
	c.mu.Lock()
	c.closed = true
	b := c.board
	c.board = nil
	c.mu.Unlock()
	if b != nil {
		b.Close()
		b.end()
	}
	c.ending.Wait()
}

// WriteText puts text on the clipboard. This process answers for it until
// another program copies something.
func (c *X11) WriteText(ctx context.Context, text string) error {
	done := make(chan error, 1)
	c.mu.Lock()
	b, err := c.open()
	if err == nil {
		b.Do(func() { b.take(&claim{text: text, done: done}) })
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("clipboard: %w", err)
		}
		return nil
	case <-b.dead:
		return errors.New("clipboard: the X server ended the connection")
	case <-ctx.Done():
		return fmt.Errorf("clipboard: %w", context.Cause(ctx))
	}
}
