package clip

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Wayland is the clipboard of a compositor that lets programs without a window
// see and set it, by one of the two protocols of the same shape. It is connected
// while it is followed or holds what was written, and at no other time.
type Wayland struct {
	socket string

	mu       sync.Mutex
	control  *control
	watching bool
	closed   bool
	running  sync.WaitGroup
}

// managers are the protocols, the standard one first.
var managers = [...]string{"ext_data_control_manager_v1", "zwlr_data_control_manager_v1"}

// ErrNoControl says that a compositor shows its clipboard only to the program
// that has the focus.
var ErrNoControl = errors.New("the compositor offers neither ext-data-control nor wlr-data-control")

// NewWayland is the clipboard of the compositor at a socket. It connects to
// nothing yet.
func NewWayland(socket string) *Wayland { return &Wayland{socket: socket} }

// control is one connection.
type control struct {
	*wire
	w    *Wayland
	mark string // a kind that only this connection offers
	dead chan struct{}
	err  error // why, once dead

	// On the reader.
	registry, seat, manager, device uint32
	offers                          map[uint32][]string
	now                             uint32 // the offer that is the clipboard

	mu      sync.Mutex
	done    map[uint32]func() // by callback, run on the reader
	changed func(text string) // nil while nobody follows
	lost    func(error)
	reading *os.File // what is read of the present copy
	sources map[uint32]string
	own     uint32 // the source that is the clipboard, 0 for none
	sends   int
}

// open returns the connection, made if there is none. It is called with mu held.
func (w *Wayland) open() (*control, error) {
	if w.closed {
		return nil, errClosed
	}
	if w.control != nil {
		return w.control, nil
	}
	conn, err := dialWire(w.socket)
	if err != nil {
		return nil, fmt.Errorf("clipboard: %w", err)
	}
	c := newControl(conn, w)
	ready := make(chan error, 1)
	c.begin(func(err error) { ready <- err })
	w.running.Go(c.run)
	select {
	case err = <-ready:
	case <-c.dead:
		err = c.err
	case <-time.After(readTime):
		err = errors.New("the compositor does not answer")
	}
	if err != nil {
		_ = c.conn.Close()
		return nil, fmt.Errorf("clipboard: %w", err)
	}
	w.control = c
	return c, nil
}

func newControl(conn *wire, w *Wayland) *control {
	return &control{
		wire: conn, w: w, mark: "application/x-flash-own-" + rand.Text(), dead: make(chan struct{}),
		done: map[uint32]func(){}, offers: map[uint32][]string{}, sources: map[uint32]string{},
	}
}

// begin asks for what there is, takes the clipboard of the first seat, and calls
// ready when what is on it now is known.
func (c *control) begin(ready func(error)) {
	c.registry = c.newID()
	_ = c.send(newRequest(objectDisplay, 1).word(c.registry), nil)
	c.sync(func() {
		if c.manager == 0 || c.seat == 0 {
			ready(ErrNoControl)
			return
		}
		c.device = c.newID()
		_ = c.send(newRequest(c.manager, 1).word(c.device).word(c.seat), nil)
		c.sync(func() { ready(nil) })
	})
}

// sync calls do, on the reader, when all that was requested so far is done.
func (c *control) sync(do func()) {
	id := c.newID()
	c.mu.Lock()
	c.done[id] = do
	c.mu.Unlock()
	_ = c.send(newRequest(objectDisplay, 0).word(id), nil)
}

func (c *control) run() {
	err := c.read(c.event)
	_ = c.conn.Close()
	c.mu.Lock()
	lost := c.lost
	c.lost, c.changed = nil, nil
	if c.reading != nil {
		_ = c.reading.Close()
	}
	c.mu.Unlock()
	c.err = err
	close(c.dead)
	c.w.running.Go(func() {
		c.w.mu.Lock()
		if c.w.control == c {
			c.w.control, c.w.watching = nil, false
		}
		c.w.mu.Unlock()
		if lost != nil {
			lost(err)
		}
	})
}

func (c *control) event(m *message, p *passed) error {
	switch m.object {
	case objectDisplay:
		if m.opcode == 0 {
			object, code := m.word(), m.word()
			return fmt.Errorf("the compositor refused a request of object %d (%d)", object, code)
		}
	case c.registry:
		if m.opcode == 0 {
			c.global(m.word(), m.text())
		}
	case c.device:
		return c.deviceEvent(m)
	default:
		c.mu.Lock()
		do := c.done[m.object]
		delete(c.done, m.object)
		c.mu.Unlock()
		if do != nil {
			do()
			return nil
		}
		if kinds, ok := c.offers[m.object]; ok && m.opcode == 0 {
			if kind := m.text(); len(kinds) <= maxKinds {
				c.offers[m.object] = append(kinds, kind)
			}
			return nil
		}
		c.mu.Lock()
		text, ok := c.sources[m.object]
		c.mu.Unlock()
		if ok {
			return c.sourceEvent(m, p, text)
		}
	}
	return nil
}

// global takes up what is needed of what there is. The standard protocol wins.
func (c *control) global(name uint32, iface string) {
	bind := func() uint32 {
		id := c.newID()
		_ = c.send(newRequest(c.registry, 0).word(name).text(iface).word(1).word(id), nil)
		return id
	}
	switch {
	case iface == "wl_seat" && c.seat == 0:
		c.seat = bind()
	case iface == managers[0], iface == managers[1] && c.manager == 0:
		c.manager = bind()
	}
}

func (c *control) deviceEvent(m *message) error {
	switch m.opcode {
	case 0: // an offer that more is told of
		c.offers[m.word()] = nil
	case 1: // it is the clipboard
		before := c.now
		c.now = m.word()
		c.drop(before)
		c.copied(c.offers[c.now])
	case 2:
		return errors.New("the seat went")
	case 3: // it is the selection that the middle button pastes
		if id := m.word(); id != c.now {
			c.drop(id)
		}
	}
	return nil
}

func (c *control) drop(offer uint32) {
	if _, ok := c.offers[offer]; ok {
		delete(c.offers, offer)
		_ = c.send(newRequest(offer, 1), nil)
	}
}

// copied reads what another program copied, if it may be read.
func (c *control) copied(kinds []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading != nil { // the copy before it is given up
		_ = c.reading.Close()
		c.reading = nil
	}
	if c.changed == nil || len(kinds) > maxKinds || slices.Contains(kinds, c.mark) {
		return
	}
	kind, ok := pick(kinds)
	if !ok {
		return
	}
	in, out, err := os.Pipe()
	if err != nil {
		return
	}
	err = c.send(newRequest(c.now, 0).text(kind), out)
	_ = out.Close()
	if err != nil || in.SetReadDeadline(time.Now().Add(readTime)) != nil {
		_ = in.Close()
		return
	}
	c.reading = in
	c.w.running.Go(func() { c.take(in) })
}

// take reads one copy. What is too long is not read to its end: the owner sees
// that nobody reads on.
func (c *control) take(in *os.File) {
	text, err := io.ReadAll(io.LimitReader(in, MaxText+1))
	_ = in.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading != in {
		return // another copy came, or nobody follows any more
	}
	c.reading = nil
	if err == nil && len(text) <= MaxText && c.changed != nil {
		c.changed(clean(text, false)) // on Wayland STRING is UTF-8 too
	}
}

// Start follows the clipboard.
func (w *Wayland) Start(changed func(text string), lost func(error)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := w.open()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed, c.lost, w.watching = changed, lost, true
	return nil
}

// Stop ends Start's following.
func (w *Wayland) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watching = false
	if w.control != nil {
		w.control.mu.Lock()
		w.control.changed, w.control.lost = nil, nil
		w.control.mu.Unlock()
		w.free()
	}
}

// free closes a connection that nothing needs any more. It is called with mu
// held.
func (w *Wayland) free() {
	c := w.control
	if c == nil || w.watching {
		return
	}
	c.mu.Lock()
	holds := c.own != 0 || c.sends > 0
	c.mu.Unlock()
	if !holds {
		w.control = nil
		_ = c.conn.Close()
	}
}

// rest is free, from a connection's own goroutines.
func (c *control) rest() {
	c.w.running.Go(func() {
		c.w.mu.Lock()
		defer c.w.mu.Unlock()
		if c.w.control == c {
			c.w.free()
		}
	})
}

// Close lets go of the clipboard; what it held is gone with it.
func (w *Wayland) Close() {
	w.mu.Lock()
	w.closed = true
	if w.control != nil {
		_ = w.control.conn.Close()
		w.control = nil
	}
	w.mu.Unlock()
	w.running.Wait()
}

// WriteText puts text on the clipboard. This process answers for it until
// another program copies something.
func (w *Wayland) WriteText(ctx context.Context, text string) error {
	w.mu.Lock()
	c, err := w.open()
	w.mu.Unlock()
	if err != nil {
		return err
	}
	source := c.newID()
	c.mu.Lock()
	c.sources[source], c.own = text, source
	c.mu.Unlock()
	err = c.send(newRequest(c.manager, 0).word(source), nil)
	for _, kind := range append(texts[:], c.mark) {
		err = errors.Join(err, c.send(newRequest(source, 0).text(kind), nil))
	}
	if err = errors.Join(err, c.send(newRequest(c.device, 0).word(source), nil)); err != nil {
		return fmt.Errorf("clipboard: %w", err)
	}
	taken := make(chan struct{})
	c.sync(func() { close(taken) })
	select {
	case <-taken:
		return nil
	case <-c.dead:
		return fmt.Errorf("clipboard: %w", c.err)
	case <-ctx.Done():
		return fmt.Errorf("clipboard: %w", context.Cause(ctx))
	}
}

// Probe reports why the clipboard cannot be had, nil if it can.
func (w *Wayland) Probe() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.open()
	w.free()
	return err
}

const (
	sourceSend      = 0
	sourceCancelled = 1
)

// sourceEvent gives another program the text, or ends the holding of it.
func (c *control) sourceEvent(m *message, p *passed, text string) error {
	switch m.opcode {
	case sourceSend:
		kind := m.text()
		fd, ok := p.take()
		if !ok {
			return errWire
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.sends >= maxSends || !isText(kind) {
			_ = syscall.Close(fd)
			return nil
		}
		c.sends++
		c.w.running.Go(func() { c.give(fd, text) })
	case sourceCancelled:
		c.mu.Lock()
		delete(c.sources, m.object)
		if c.own == m.object {
			c.own = 0
		}
		c.mu.Unlock()
		_ = c.send(newRequest(m.object, 1), nil)
		c.rest()
	}
	return nil
}

// give writes the text to a program that may read it slowly, or never.
func (c *control) give(fd int, text string) {
	_ = syscall.SetNonblock(fd, true) // or the runtime would not poll it
	f := os.NewFile(uintptr(fd), "clipboard")
	_ = f.SetWriteDeadline(time.Now().Add(sendTime))
	_, _ = io.WriteString(f, text)
	_ = f.Close()
	c.mu.Lock()
	c.sends--
	c.mu.Unlock()
	c.rest()
}
