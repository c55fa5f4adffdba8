//go:build !darwin || !cgo

package desktop

import "context"

// RunMain runs work and returns what it returns. On macOS with cgo it keeps
// the calling thread, which must be the main one, for the desktop's event
// loop meanwhile; here nothing needs that thread.
func RunMain(ctx context.Context, work func(context.Context) error) error { return work(ctx) }

// OnMain runs fn where the desktop's own calls are allowed: here, anywhere.
func OnMain(fn func()) { fn() }
