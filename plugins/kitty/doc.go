// Package kitty lists the windows of the kitty terminal and goes to them, over
// the socket of kitty's remote control. It speaks that protocol itself: nothing
// is started for a reading.
//
// A reading follows what can change a row: kitty starting or ending, the focus
// going into it, its windows being retitled, created, destroyed or changing
// places. There is no timer.
package kitty
