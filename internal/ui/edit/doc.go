// Package edit owns a line of text that is edited: where its caret and its
// selection stand, what a deletion takes, how much the line holds, and what text
// may stand in one line at all. It knows no keys and draws nothing.
package edit
