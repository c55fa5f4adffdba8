// Package panel owns the flashlight's window: what keys and the mouse do in it,
// where everything stands and how it looks, and how the window comes and goes. It
// shows what a session of the flashlight finds; it finds, ranks and does nothing
// itself, and takes up no hot key.
//
// The road of a key: keymap.go says what an X key means, compose.go joins dead
// keys, model.go changes the state, session.go tells the flashlight and takes its
// views, scene.go says what stands where, paint.go paints what changed of that,
// and window_linux.go shows it.
package panel
