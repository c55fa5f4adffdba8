package keys

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/x11"
)

// X11 presses keys by the test extension. It is connected only while it does.
type X11 struct {
	display string
	time    event.Time
}

// New presses keys on a display.
func New(display string, t event.Time) *X11 { return &X11{display, t} }

// hand is one connection that presses.
type hand struct {
	*x11.Conn
	layout layout
}

func (x *X11) open() (*hand, error) {
	c, err := x11.Dial(x.display, x11.Handlers{Event: func([]byte) {}})
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	h := &hand{Conn: c}
	if _, err = c.Extension("XTEST"); err == nil {
		err = h.read()
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("keys: %w", err)
	}
	return h, nil
}

// read takes in the layout in force.
func (h *hand) read() error {
	setup := xproto.Setup(h.Conn.Conn)
	m, err := xproto.GetKeyboardMapping(h.Conn.Conn, setup.MinKeycode, byte(setup.MaxKeycode-setup.MinKeycode+1)).Reply()
	if err != nil {
		return err
	}
	p, err := xproto.QueryPointer(h.Conn.Conn, h.Root).Reply()
	if err != nil {
		return err
	}
	syms := make([]uint32, len(m.Keysyms))
	for i, s := range m.Keysyms {
		syms[i] = uint32(s)
	}
	// XKB puts the group into the two bits above the buttons.
	h.layout = layout{
		first: byte(setup.MinKeycode), per: int(m.KeysymsPerKeycode), syms: syms,
		group: int(p.Mask>>13) & 3, num: p.Mask&xproto.ModMask2 != 0,
	}
	return nil
}

// chord is the keys of one press, those to hold first.
func (h *hand) chord(sym uint32, modifiers []string) ([]byte, error) {
	s, ok := h.layout.find(sym)
	if !ok {
		return nil, fmt.Errorf("the keyboard layout has no key for keysym %#x", sym)
	}
	var hold []uint32
	for _, m := range modifiers {
		if sym, ok := held(m); ok {
			hold = append(hold, sym)
		}
	}
	if s.shift {
		hold = append(hold, symShift)
	}
	if s.level3 {
		hold = append(hold, symLevel3)
	}
	var codes []byte
	for _, sym := range hold {
		code, ok := h.layout.code(sym)
		if !ok {
			return nil, fmt.Errorf("the keyboard layout has no key for keysym %#x", sym)
		}
		if !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return append(codes, s.code), nil
}

// press presses a chord and lets it go in reverse. Modifiers that are down
// already, by the hot key that led here, are let go first and not pressed
// again: whoever holds one still has it up for the rest of this hold, and none
// is left stuck.
func (h *hand) press(codes []byte) error {
	const down, up = xproto.KeyPress, xproto.KeyRelease
	mods, err := xproto.GetModifierMapping(h.Conn.Conn).Reply()
	if err != nil {
		return err
	}
	keymap, err := xproto.QueryKeymap(h.Conn.Conn).Reply()
	if err != nil {
		return err
	}
	for _, c := range mods.Keycodes {
		if c != 0 && keymap.Keys[c/8]&(1<<(c%8)) != 0 {
			xtest.FakeInput(h.Conn.Conn, up, byte(c), 0, h.Root, 0, 0, 0)
		}
	}
	for _, c := range codes {
		xtest.FakeInput(h.Conn.Conn, down, c, 0, h.Root, 0, 0, 0)
	}
	for _, c := range slices.Backward(codes) {
		xtest.FakeInput(h.Conn.Conn, up, c, 0, h.Root, 0, 0, 0)
	}
	_, err = xproto.GetInputFocus(h.Conn.Conn).Reply() // the server has taken all of it
	return err
}

// PostKeys presses keys in the window that has the focus, which must be one of
// pid: nothing else reaches a program that has it not. The focus is looked at
// before each key.
func (x *X11) PostKeys(ctx context.Context, pid int, keys []broker.Key, interval time.Duration) error {
	h, err := x.open()
	if err != nil {
		return err
	}
	defer h.Close()
	chords := make([][]byte, len(keys))
	for i, k := range keys {
		if chords[i], err = h.of(k); err != nil {
			return err
		}
	}
	for i, c := range chords {
		if i > 0 {
			if err := event.Wait(ctx, x.time, interval); err != nil {
				return err
			}
		}
		if !h.focused(pid) {
			return &FocusError{PID: pid, Pressed: i}
		}
		if err := h.press(c); err != nil {
			return fmt.Errorf("keys: %w", err)
		}
	}
	return nil
}

// FocusError says that a program has not the focus, or lost it.
type FocusError struct {
	PID     int
	Pressed int // keys that it still got
}

func (e *FocusError) Error() string {
	return fmt.Sprintf("keys: process %d has not the focus, and keys go only where the focus is; call host.activate first (%d were pressed)", e.PID, e.Pressed)
}

func (h *hand) of(k broker.Key) ([]byte, error) {
	sym, ok := Sym(k.Code)
	if !ok {
		return nil, fmt.Errorf("keys: key code %d has no counterpart on this keyboard", k.Code)
	}
	c, err := h.chord(sym, k.Modifiers)
	if err != nil {
		return nil, fmt.Errorf("keys: key code %d: %w", k.Code, err)
	}
	return c, nil
}

// PostGlobalKey presses a chord for whoever has it as a hot key.
func (x *X11) PostGlobalKey(ctx context.Context, k broker.Key) error {
	if !slices.ContainsFunc(k.Modifiers, func(m string) bool { _, ok := held(m); return ok }) {
		return errors.New("keys: the function key cannot be held here; name another modifier")
	}
	h, err := x.open()
	if err != nil {
		return err
	}
	defer h.Close()
	c, err := h.of(k)
	if err != nil {
		return err
	}
	if err := h.press(c); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return ctx.Err()
}

// Handled reports whether some program has taken a key for itself, wherever it
// is pressed.
func (x *X11) Handled(_ context.Context, sym uint32) (bool, error) {
	h, err := x.open()
	if err != nil {
		return false, err
	}
	defer h.Close()
	s, ok := h.layout.find(sym)
	if !ok {
		return false, nil
	}
	// Two programs cannot take the same key. One that could be taken is given
	// back at once, with the connection.
	err = xproto.GrabKeyChecked(h.Conn.Conn, false, h.Root, 0, xproto.Keycode(s.code), xproto.GrabModeAsync, xproto.GrabModeAsync).Check()
	var access xproto.AccessError
	return errors.As(err, &access), nil
}

// Press presses one key by its keysym.
func (x *X11) Press(_ context.Context, sym uint32) error {
	h, err := x.open()
	if err != nil {
		return err
	}
	defer h.Close()
	c, err := h.chord(sym, nil)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return h.press(c)
}

// focused reports whether the window with the focus is one of pid. The server's
// own knowledge counts first: what a window says of itself is another number
// where its program runs in a container.
func (h *hand) focused(pid int) bool {
	f, err := xproto.GetInputFocus(h.Conn.Conn).Reply()
	if err != nil || f.Focus <= xproto.InputFocusPointerRoot {
		return false
	}
	if h.client(f.Focus) == pid {
		return true
	}
	a, err := xproto.InternAtom(h.Conn.Conn, false, uint16(len("_NET_WM_PID")), "_NET_WM_PID").Reply()
	if err != nil {
		return false
	}
	const depth = 16 // far more than widgets nest
	for w, i := f.Focus, 0; w != h.Root && i < depth; i++ {
		r, err := xproto.GetProperty(h.Conn.Conn, false, w, a.Atom, xproto.AtomCardinal, 0, 1).Reply()
		if err != nil {
			return false
		}
		if len(r.Value) >= 4 {
			return int(uint32(r.Value[0])|uint32(r.Value[1])<<8|uint32(r.Value[2])<<16|uint32(r.Value[3])<<24) == pid
		}
		t, err := xproto.QueryTree(h.Conn.Conn, w).Reply()
		if err != nil || t.Parent == 0 {
			return false
		}
		w = t.Parent
	}
	return false
}

// client is the process behind a window, 0 where the server does not say.
func (h *hand) client(w xproto.Window) int {
	if _, err := h.Extension("X-Resource"); err != nil {
		return 0
	}
	// A server wants the version asked for before it knows what came with 1.2.
	if v, err := res.QueryVersion(h.Conn.Conn, 1, 2).Reply(); err != nil || v.ServerMajor == 1 && v.ServerMinor < 2 {
		return 0
	}
	const pidOnly = 2
	r, err := res.QueryClientIds(h.Conn.Conn, 1, []res.ClientIdSpec{{Client: uint32(w), Mask: pidOnly}}).Reply()
	if err != nil {
		return 0
	}
	for _, id := range r.Ids {
		if len(id.Value) > 0 {
			return int(id.Value[0])
		}
	}
	return 0
}
