// Package wlipc owns the windows of sessions whose compositor, or window
// manager, has a socket for such questions: sway and i3, which speak one
// protocol, and Hyprland. It is the counterpart of ewmh where X tells of
// XWayland's windows alone.
//
// The road of a change. An event of the compositor either says enough by itself
// (a title, the focus) and is told at once, or it says that something is
// different, and then everything is read again, once for all events that come
// together, and what differs is told. Nothing runs between events. What happens
// is told under the names that macOS gives such things, as those are the names
// on the wire.
//
// A question is a connection of its own, so a compositor that was restarted is
// found by the next one; who watches finds it again by itself.
//
// It changes nothing but the focus, believes no length that a socket states, and
// decides nothing about who may know what.
package wlipc
