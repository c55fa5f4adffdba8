// Package monitor is what the system monitors share: a reading once a second
// while something shows one of their segments and none otherwise, a command
// that reads at once, a short history. It knows no source of data and owns no
// timer: the host's clock ticks.
package monitor

import (
	"context"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// Period is the time between readings while a segment is shown.
const Period = time.Second

// complainEvery bounds the log lines of a source that keeps failing.
const complainEvery = time.Minute

// Reader reads the source once and returns all segments. It is never called
// twice at once. ready is false where a single reading says nothing yet, as
// with rates: the segments then stand for the time before.
type Reader func(now time.Time) (segments map[string]string, ready bool, err error)

// Options describe one monitor.
type Options struct {
	// Command is the word of its refresh command, the plugin's id.
	Command string
	// Gap is how long the refresh command waits for the second reading that a
	// rate needs. 0 for a source that one reading tells.
	Gap  time.Duration
	Read Reader
	// Summary names the segment whose text the refresh command answers.
	Summary string
}

// New returns the plugin of a monitor.
func New(o Options) sdk.Plugin {
	m := &monitor{Options: o}
	return sdk.Plugin{Event: m.event, Perform: m.perform}
}

type monitor struct {
	Options

	mu         sync.Mutex
	complained time.Time
	observed   []string          // the segments that something shows
	sent       map[string]string // what the host has of each
}

func (m *monitor) event(_ context.Context, h *sdk.Host, ev sdk.Event) {
	if ev.Name != "core:status.observed" {
		return
	}
	shown, err := ev.Segments()
	if err != nil {
		h.Log(sdk.LevelWarn, "observed segments cannot be read", "error", err)
		return
	}
	m.mu.Lock()
	m.observed = shown
	m.mu.Unlock()
	if len(shown) == 0 {
		h.Every("read", 0, nil)
		return
	}
	m.read(h)
	h.Every("read", Period, func(context.Context) { m.read(h) })
}

// read takes one reading and reports what is new in it of what is shown: a share
// that stands still wakes nobody. A failing source keeps its last texts and is
// logged at most once a minute.
func (m *monitor) read(h *sdk.Host) (segments map[string]string, ready bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	segments, ready, err := m.Read(now)
	if err != nil {
		if now.Sub(m.complained) >= complainEvery {
			m.complained = now
			h.Log(sdk.LevelWarn, "reading failed", "error", err)
		}
		return nil, false
	}
	if ready {
		if news := m.news(segments); len(news) > 0 {
			h.Status(news)
		}
	}
	return segments, ready
}

// news are the shown segments that the host does not have as they are.
func (m *monitor) news(segments map[string]string) map[string]string {
	out := map[string]string{}
	for _, name := range m.observed {
		if text, ok := segments[name]; ok && m.sent[name] != text {
			out[name] = text
		}
	}
	if m.sent == nil {
		m.sent = map[string]string{}
	}
	for name, text := range out {
		m.sent[name] = text
	}
	return out
}

func (m *monitor) perform(ctx context.Context, h *sdk.Host, p protocol.Perform) protocol.Outcome {
	if p.Kind != protocol.PerformCommand || p.Command != m.Command {
		return protocol.Unhandled()
	}
	if p.Subcommand != "refresh" {
		return protocol.Failed("unsupported subcommand: " + p.Subcommand)
	}
	segments, ready := m.read(h)
	if segments != nil && !ready {
		select {
		case <-ctx.Done():
			return protocol.Failed("deadline exceeded")
		case <-time.After(m.Gap):
		}
		segments, ready = m.read(h)
	}
	if !ready {
		return protocol.Failed("the system's counters cannot be read")
	}
	return protocol.Done(segments[m.Summary])
}
