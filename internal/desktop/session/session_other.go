//go:build !linux && !(darwin && cgo)

package session

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
)

// Session is the user's session, of which only the clipboard can be written
// here. See the Linux one for what its methods do.
type Session struct {
	facets atomic.Pointer[desktop.Facets]
}

const remedy = "build with CGO_ENABLED=1"

func unavailable(facet string) error {
	return fmt.Errorf("%s %w: this build calls nothing of macOS; %s", facet, desktop.ErrUnavailable, remedy)
}

// New is the session.
func New(o Options) *Session {
	s := &Session{}
	s.facets.Store(o.Facets)
	return s
}

// Close lets go of nothing.
func (s *Session) Close() error { return nil }

// Move takes other facets.
func (s *Session) Move(_ []string, facets *desktop.Facets) { s.facets.Store(facets) }

// Want follows nothing.
func (s *Session) Want(func(event string) bool) {}

// Used changes nothing.
func (s *Session) Used() {}

// PauseClipboard pauses nothing.
func (s *Session) PauseClipboard(time.Duration) {}

// ResumeClipboard resumes nothing.
func (s *Session) ResumeClipboard() {}

// ClipboardState says that the clipboard is not followed.
func (s *Session) ClipboardState() ClipboardState {
	return ClipboardState{Problem: unavailable("clipboard watch").Error()}
}

// WriteText copies a text.
func (s *Session) WriteText(ctx context.Context, text string) error {
	f := s.facets.Load()
	if f == nil {
		return errors.New("clipboard: the session has no facets")
	}
	return f.Clipboard.WriteText(ctx, text)
}

// PostMediaKey presses nothing.
func (s *Session) PostMediaKey(context.Context, int) error { return unavailable("media keys") }

// SSID knows no network.
func (s *Session) SSID(context.Context, bool) (string, bool, error) {
	return "", false, unavailable("wifi")
}

// PostKeys presses nothing.
func (s *Session) PostKeys(context.Context, int, []broker.Key, time.Duration) error {
	return unavailable("keys")
}

// PostGlobalKey presses nothing.
func (s *Session) PostGlobalKey(context.Context, broker.Key) error { return unavailable("keys") }

// Describe says what serves each facet.
func (s *Session) Describe() []desktop.Facet {
	var out []desktop.Facet
	if f := s.facets.Load(); f != nil {
		out = f.Describe()
	}
	for _, name := range [...]string{"clipboard watch", "media keys", "wifi", "power", "network", "lock and sleep", "volumes", "spaces", "keys"} {
		out = append(out, desktop.Facet{Name: name, Remedy: remedy})
	}
	return out
}
