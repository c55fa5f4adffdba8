//go:build !darwin || !cgo

package desktop

import (
	"context"
	"fmt"
	"time"
)

func unavailable(facet, why, remedy string) error {
	return fmt.Errorf("%s %w: %s; %s", facet, ErrUnavailable, why, remedy)
}

// These stand where a session has none.
type (
	noClipboard struct{ err error }
	noNotifier  struct{ err error }
)

func (n noClipboard) WriteText(context.Context, string) error                    { return n.err }
func (n noNotifier) Notify(context.Context, string, string, time.Duration) error { return n.err }
