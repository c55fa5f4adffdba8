// Package hotkey owns the global shortcuts: in an X session passive grabs of
// chords on the root window, on a connection that it shares with the windows
// that open because of them; on macOS hot keys of Carbon, on the main thread.
//
// The road of a press on X. The server freezes the keyboard the moment a chord goes
// down and tells this client; keys that follow wait in the server. Pressed runs
// on the loop, and a window that opens there grabs the keyboard for itself, at
// which the waiting keys go to it, in order and without a gap. Where nobody
// grabbed, the keyboard is let go of when Pressed returns.
//
// Keys are named by what they write, so a chord follows the layout: with several
// layouts each key that writes it in one of them is grabbed, and a press counts
// only where the layout in force agrees; otherwise the key goes on to whoever
// has the focus, as if nothing had been grabbed.
//
// It never reads any other key, never decides what a chord does, and takes no
// key away from another program that has it.
package hotkey
