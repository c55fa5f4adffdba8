//go:build !darwin || !cgo

package hotkey

import (
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/x11"
)

// Requests and events of the keyboard extension, which xgb does not have.
const (
	xkbName           = "XKEYBOARD"
	xkbUseExtension   = 0
	xkbSelectEvents   = 1
	xkbPerClientFlags = 21
	xkbCoreKeyboard   = 0x100
	// Held keys repeat as presses alone; events say which layout is in force
	// also while this client has the keyboard.
	xkbFlags        = 1<<0 | 1<<1 | 1<<3
	xkbVersionMajor = 1
	// The first two kinds of its one event: another keyboard, another map. Of
	// the second kind only the changes of named parts of a map are told.
	xkbMapEvents = 1<<0 | 1<<1
	xkbAllParts  = 0xff
)

// xkb tells the server that this client knows of layouts, so that events say
// which is in force, and that a key that is held is no row of presses and
// releases. A client that knows of layouts gets no MappingNotify for them; the
// extension's own events are delivered as such, to whoever else is on the loop
// too. Servers without the extension have one layout.
func xkb(l *x11.Loop) {
	err := l.UseExtension(xkbName, map[int]xgb.NewEventFun{0: func([]byte) xgb.Event {
		return xproto.MappingNotifyEvent{Request: xproto.MappingKeyboard}
	}})
	if err != nil {
		return
	}
	l.ExtLock.RLock()
	major := l.Extensions[xkbName]
	l.ExtLock.RUnlock()
	ask := func(minor byte, fields ...uint16) error {
		b := []byte{major, minor, byte(1 + len(fields)/2), 0}
		for _, f := range fields {
			b = append(b, byte(f), byte(f>>8))
		}
		replies := minor != xkbSelectEvents
		cookie := l.NewCookie(true, replies)
		l.NewRequest(b, cookie)
		if !replies {
			return cookie.Check()
		}
		_, err := cookie.Reply()
		return err
	}
	if ask(xkbUseExtension, xkbVersionMajor, 0) != nil {
		return
	}
	// Device, affected, cleared, all of, parts of maps.
	_ = ask(xkbSelectEvents, xkbCoreKeyboard, xkbMapEvents, 0, xkbMapEvents, xkbAllParts, xkbAllParts)
	// Device, padding, and three words: what changes, its value, no controls.
	_ = ask(xkbPerClientFlags, xkbCoreKeyboard, 0, xkbFlags, 0, xkbFlags, 0, 0, 0, 0, 0, 0, 0)
}
