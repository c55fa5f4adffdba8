// Package draw owns how text, icons and shapes become pixels: which font has a
// letter, how letters join and in which direction they run, and their shapes in
// an image in memory. It knows no window system and no widget, and never reads a
// font file whole: what is needed of one is read where it lies.
//
// Fonts, Icons and Image are for one goroutine at a time, the one that paints.
package draw
