// Package status owns what the status bar knows: the segments that plugins
// report, the template that says which are shown, and so which a plugin needs
// to keep up. Emitters (a bar, JSON for another bar, tmux) read snapshots.
//
// It draws nothing, drives no timer for the emitters and starts no plugin: it
// says what is observed and that something changed.
package status
