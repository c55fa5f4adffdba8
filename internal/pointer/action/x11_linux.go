package action

import (
	"errors"
	"fmt"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/x11"
)

// xdisplay performs actions through the window manager's properties and test input.
type xdisplay struct{ *x11.Conn }

// Open connects the platform's backend.
func Open(_ settings.Backend, display string) (Backend, error) {
	c, err := x11.DialInput(display, x11.Handlers{Event: func([]byte) {}})
	if err != nil {
		return nil, err
	}
	return xdisplay{c}, nil
}

// chords are what the named actions are where a window manager has keys for
// them and no request.
var chords = [...]struct{ action, manager, chord string }{
	{"back", "", "alt+left"},
	{"forward", "", "alt+right"},
	{"overview", "GNOME Shell", "super+s"},
	{"overview", "Mutter", "super+s"},
	{"overview", "KWin", "super+w"},
	{"overview", "Xfwm4", "alt+f9"},
	{"app_windows", "KWin", "ctrl+f7"},
}

func (x xdisplay) Named(name string) error {
	switch name {
	case "workspace_left":
		return x.workspace(-1)
	case "workspace_right":
		return x.workspace(1)
	case "show_desktop":
		return x.showDesktop()
	}
	chord, why := x.chord(name)
	if why != "" {
		return fmt.Errorf("%s; bind the stroke in [pointer.actions]", why)
	}
	keys, err := settings.ParseChord(chord)
	if err != nil {
		return err
	}
	return x.Chord(keys)
}

// chord is the keys that the window manager has for an action, or why there are
// none.
func (x xdisplay) chord(name string) (chord, why string) {
	manager := x.manager()
	for _, c := range chords {
		if c.action == name && (c.manager == "" || c.manager == manager) {
			return c.chord, ""
		}
	}
	return "", fmt.Sprintf("the window manager %q has no %s", manager, name)
}

// lacks says why an action cannot be done, "" when it can.
func (x xdisplay) lacks(name string) (why string) {
	switch name {
	case "workspace_left", "workspace_right":
		if _, _, err := x.workspaces(); err != nil {
			return err.Error()
		}
	case "show_desktop":
	default:
		_, why = x.chord(name)
	}
	return why
}

func (x xdisplay) workspaces() (now, count uint32, err error) {
	now, ok := x.cardinal("_NET_CURRENT_DESKTOP")
	count, ok2 := x.cardinal("_NET_NUMBER_OF_DESKTOPS")
	if !ok || !ok2 {
		return 0, 0, errors.New("the window manager does not say which workspace is shown")
	}
	return now, count, nil
}

// workspace goes by one desktop to a side; there is none beyond the last.
func (x xdisplay) workspace(by int) error {
	now, count, err := x.workspaces()
	if err != nil {
		return err
	}
	next := int(now) + by
	if next < 0 || next >= int(count) {
		return nil
	}
	return x.request("_NET_CURRENT_DESKTOP", uint32(next))
}

func (x xdisplay) showDesktop() error {
	shown, ok := x.cardinal("_NET_SHOWING_DESKTOP")
	if !ok {
		shown = 0
	}
	return x.request("_NET_SHOWING_DESKTOP", 1-min(shown, 1))
}

func (x xdisplay) atom(name string) (xproto.Atom, error) {
	r, err := xproto.InternAtom(x.Conn.Conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, err
	}
	return r.Atom, nil
}

// request sends the root window a message for the window manager.
func (x xdisplay) request(name string, value uint32) error {
	atom, err := x.atom(name)
	if err != nil {
		return err
	}
	ev := xproto.ClientMessageEvent{
		Format: 32, Window: x.Root, Type: atom,
		Data: xproto.ClientMessageDataUnionData32New([]uint32{value, xproto.TimeCurrentTime, 0, 0, 0}),
	}
	return xproto.SendEventChecked(x.Conn.Conn, false, x.Root,
		xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(ev.Bytes())).Check()
}

func (x xdisplay) property(w xproto.Window, name string) []byte {
	atom, err := x.atom(name)
	if err != nil {
		return nil
	}
	const words = 64
	r, err := xproto.GetProperty(x.Conn.Conn, false, w, atom, xproto.GetPropertyTypeAny, 0, words).Reply()
	if err != nil {
		return nil
	}
	return r.Value
}

func (x xdisplay) cardinal(name string) (uint32, bool) { return x.number(x.Root, name) }

func (x xdisplay) number(w xproto.Window, name string) (uint32, bool) {
	v := x.property(w, name)
	if len(v) < 4 {
		return 0, false
	}
	return uint32(v[0]) | uint32(v[1])<<8 | uint32(v[2])<<16 | uint32(v[3])<<24, true
}

// manager is the name of the window manager, "" when it does not say.
func (x xdisplay) manager() string {
	w, ok := x.cardinal("_NET_SUPPORTING_WM_CHECK")
	if !ok {
		return ""
	}
	return string(x.property(xproto.Window(w), "_NET_WM_NAME"))
}

// Chord presses keys in order and releases them in reverse. All codes are
// looked up first, so that a key that the keyboard lacks leaves none down.
func (x xdisplay) Chord(keys []string) error {
	codes := make([]byte, len(keys))
	for i, k := range keys {
		code, err := x.keycode(k)
		if err != nil {
			return err
		}
		codes[i] = code
	}
	const press, release = 2, 3
	for _, c := range codes {
		xtest.FakeInput(x.Conn.Conn, press, c, 0, x.Root, 0, 0, 0)
	}
	for i := len(codes) - 1; i >= 0; i-- {
		xtest.FakeInput(x.Conn.Conn, release, codes[i], 0, x.Root, 0, 0, 0)
	}
	_, err := xproto.GetInputFocus(x.Conn.Conn).Reply() // the server has taken all of it
	return err
}

func (x xdisplay) keycode(key string) (byte, error) {
	sym := keysym(key)
	setup := xproto.Setup(x.Conn.Conn)
	first, last := setup.MinKeycode, setup.MaxKeycode
	m, err := xproto.GetKeyboardMapping(x.Conn.Conn, first, byte(last-first+1)).Reply()
	if err != nil {
		return 0, err
	}
	// The unshifted column first: a chord holds shift only when it says so.
	per := int(m.KeysymsPerKeycode)
	for column := range per {
		for i := 0; i*per+column < len(m.Keysyms); i++ {
			if uint32(m.Keysyms[i*per+column]) == sym {
				return byte(int(first) + i), nil
			}
		}
	}
	return 0, fmt.Errorf("the keyboard has no key %q", key)
}

func (x xdisplay) Close() { x.Conn.Close() }
