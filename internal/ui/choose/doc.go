// Package choose owns what the flashlight decides alike in its window and in a
// terminal: which line is selected while lines come and go and which of them
// show, what Enter means before everything is there, what Tab makes of the
// input, which actions what is typed means, and what is said of what came of
// one. It knows no keys, asks nobody and draws nothing.
package choose
