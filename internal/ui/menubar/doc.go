// Package menubar shows the status line as items of the macOS menu bar: one for
// each group of the line, with its colours, its hover text, what a click does,
// and a menu for the rest. An item is touched only when something in it changed,
// and nothing is while nobody can see the menu bar. Without the status line there is
// one item that holds the menu, so that a running Flash can be seen and ended.
//
// It parses no template, knows no plugin and does nothing that a click asks for.
package menubar
