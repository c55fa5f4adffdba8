// Package panel owns the flashlight's window: what keys and the mouse do in it,
// where everything stands and how it looks, and how the window comes and goes. It
// shows what a session of the flashlight finds; it finds, ranks and does nothing
// itself, and takes up no hot key.
//
// The road of a key on X: keymap.go says what it means, compose.go joins dead keys,
// model.go changes the state, session.go tells the flashlight and takes its views,
// layout.go says what stands where, paint.go paints what changed of that, and
// panel_linux.go shows it.
//
// Where the window system gives the keys with the focus and composes text itself,
// as macOS does, shell.go opens, shows and closes the panel over a toolkit, and
// mackeys.go says what its keys mean; panel_darwin.go is that toolkit.
package panel
