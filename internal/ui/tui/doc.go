// Package tui is the flashlight in a terminal: a prompt, rows as one types, and
// the keys to choose one. Pick is the same list over the lines of a pipe, for
// scripts.
//
// The road of a key: screen.go edits the prompt by it, model.go counts the
// input's generation up, and feed.go sends that to the resident, which answers
// with views; model.go shows a view only if it is of the input as it stands. What
// shows is made of styled cells (canvas.go) by what the terminal takes a text's
// width to be (text.go), and the renderer writes the cells that changed.
//
// The package owns keys, layout and the terminal. It finds and ranks nothing
// for the flashlight, acts on nothing itself, and never waits for the resident:
// the prompt is there and takes keys before the socket is dialled.
package tui
