// Package ewmh owns the windows of an X11 session as their window manager
// publishes them: which there are, what they are called, where they are, which
// has the focus, and how to go to one.
//
// Everything is read from properties and followed by their changes; there is no
// timer between events. What happens to a window is told under the names that
// macOS gives such things, because those are the names on the wire.
//
// It connects when it is first asked, selects events only while somebody
// watches, and only those of properties and structure, on the root window and
// on each client's. It takes no input, changes no window but by asking the
// window manager, and decides nothing about who may know what.
package ewmh
