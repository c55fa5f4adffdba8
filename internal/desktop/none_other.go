//go:build !darwin || !cgo

package desktop

import (
	"context"
	"time"
)

// noClipboard and noNotifier stand where a session has none.
type (
	noClipboard struct{ err error }
	noNotifier  struct{ err error }
)

func (n noClipboard) WriteText(context.Context, string) error                    { return n.err }
func (n noNotifier) Notify(context.Context, string, string, time.Duration) error { return n.err }
