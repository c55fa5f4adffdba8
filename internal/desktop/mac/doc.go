// Package mac owns the interfaces of macOS that AppKit's wrapper does not have
// (accessibility, posted events, notices of the system, the window server's
// list, power and network) and what is decided about their answers.
//
// The files that ask macOS need cgo and hold no decision; the rest is portable
// and tested on every platform. It keeps no window, no element and no text
// longer than its caller does, and it never asks for a permission unless told
// to.
package mac
