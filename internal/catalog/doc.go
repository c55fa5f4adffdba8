// Package catalog keeps the rows that plugins publish, prepared for searching.
//
// Readers take an immutable Snapshot with one atomic load and wait for nobody.
// Comparing a publication with what stands and preparing its index, the work of
// milliseconds, is done by the publisher before it touches anything that a
// reader or another publisher's swap needs.
//
// The package owns the current rows of each plugin, their keys and generations,
// and telling subscribers that something changed. It never decodes a wire
// payload, never asks a plugin anything, and never ranks.
package catalog
