// Package edit owns a line of text that is edited: where its caret and its
// selection stand, what a deletion takes and how much the line holds. It knows
// no keys and draws nothing.
package edit
