// Package window owns what a window is to the rest of the program, so that the
// back ends that find windows and the facet that offers them can share it. It
// talks to no window system.
package window

import (
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// Window is one top-level window of an application.
type Window struct {
	ID  int64 // the window system's number
	PID int   // 0 where the window does not say
	// AppID is the application's ID as in desktop.App, "" where none is known.
	AppID string
	Title string
	Frame protocol.Frame // as on the wire: points from the primary screen's bottom left, y up
	// Workspace is the name of the workspace that it is on, "" for all of them.
	Workspace string
	Minimized bool
	Focused   bool
}

// Change is one thing that happened to a window. Notification is the macOS
// name that plugins know it by, such as AXTitleChanged; "" where only the focus
// moved.
type Change struct {
	Notification string
	Window       Window
	Focus        bool // Window has the focus now; its ID is 0 when none has
}

// MaxText bounds what is kept of a title or a name, in bytes.
const MaxText = 4096

// Text is a title or a name as a window says it, as far as a row can have it: one
// line of valid UTF-8, up to the first NUL, cut where it is longer than MaxText.
func Text(said string) string {
	said, _, _ = strings.Cut(said, "\x00")
	said = strings.ToValidUTF8(said, "\uFFFD")
	if len(said) > MaxText {
		said = strings.ToValidUTF8(said[:MaxText], "")
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, said)
}
