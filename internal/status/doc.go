// Package status owns what the status bar knows: the segments that plugins
// report, the template that says which are shown and how, and so which a plugin
// needs to keep up. A View makes the line that one bar or stream shows, anew
// each time something in it changes; internal/status/emit writes lines for the
// bars of others.
//
// It draws nothing and starts no plugin: it says what is observed and what
// there is to see.
package status
