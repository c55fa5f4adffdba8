package ewmh

import (
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/x11"
)

// atoms are the names of the properties that are read.
type atoms struct {
	clientList, stacking, active, supporting, supported     xproto.Atom
	current, desktopNames                                   xproto.Atom
	name, pid, state, kind, desktop, frame, shadow          xproto.Atom
	hidden, skipTaskbar, utf8, compound, machine, stamp     xproto.Atom
	dock, desk, toolbar, menu, splash, dropdown, popup, tip xproto.Atom
	notification, combo, dnd                                xproto.Atom
}

func (a *atoms) names() map[string]*xproto.Atom {
	return map[string]*xproto.Atom{
		"_NET_CLIENT_LIST": &a.clientList, "_NET_CLIENT_LIST_STACKING": &a.stacking, "_NET_ACTIVE_WINDOW": &a.active,
		"_NET_SUPPORTING_WM_CHECK": &a.supporting, "_NET_SUPPORTED": &a.supported,
		"_NET_CURRENT_DESKTOP": &a.current, "_NET_DESKTOP_NAMES": &a.desktopNames,
		"_NET_WM_NAME": &a.name, "_NET_WM_PID": &a.pid, "_NET_WM_STATE": &a.state, "_NET_WM_WINDOW_TYPE": &a.kind,
		"_NET_WM_DESKTOP": &a.desktop, "_NET_FRAME_EXTENTS": &a.frame, "_GTK_FRAME_EXTENTS": &a.shadow,
		"_NET_WM_STATE_HIDDEN": &a.hidden, "_NET_WM_STATE_SKIP_TASKBAR": &a.skipTaskbar,
		"UTF8_STRING": &a.utf8, "COMPOUND_TEXT": &a.compound, "WM_CLIENT_MACHINE": &a.machine, "_FLASH_STAMP": &a.stamp,
		"_NET_WM_WINDOW_TYPE_DOCK": &a.dock, "_NET_WM_WINDOW_TYPE_DESKTOP": &a.desk, "_NET_WM_WINDOW_TYPE_TOOLBAR": &a.toolbar,
		"_NET_WM_WINDOW_TYPE_MENU": &a.menu, "_NET_WM_WINDOW_TYPE_SPLASH": &a.splash,
		"_NET_WM_WINDOW_TYPE_DROPDOWN_MENU": &a.dropdown, "_NET_WM_WINDOW_TYPE_POPUP_MENU": &a.popup,
		"_NET_WM_WINDOW_TYPE_TOOLTIP": &a.tip, "_NET_WM_WINDOW_TYPE_NOTIFICATION": &a.notification,
		"_NET_WM_WINDOW_TYPE_COMBO": &a.combo, "_NET_WM_WINDOW_TYPE_DND": &a.dnd,
	}
}

// intern asks for all of them in one go.
func (a *atoms) intern(c *x11.Conn) error {
	cookies := map[*xproto.Atom]xproto.InternAtomCookie{}
	for name, to := range a.names() {
		cookies[to] = xproto.InternAtom(c.Conn, false, uint16(len(name)), name)
	}
	for to, cookie := range cookies {
		r, err := cookie.Reply()
		if err != nil {
			return err
		}
		*to = r.Atom
	}
	return nil
}

// aside says whether a window type is one that nobody switches to.
func (a *atoms) aside(kind xproto.Atom) bool {
	switch kind {
	case a.dock, a.desk, a.toolbar, a.menu, a.splash, a.dropdown, a.popup, a.tip, a.notification, a.combo, a.dnd:
		return true
	}
	return false
}
