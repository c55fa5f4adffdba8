// Package probe is the conformance probe: a plugin that does on request what
// the wire allows, so that a runner can watch a host or an SDK do it. It owns
// the probe's behaviour and manifest. It never acts on its own and is never
// installed.
package probe

import (
	"context"
	_ "embed"
	"strings"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// Manifest is the probe's manifest.json.
//
//go:embed manifest.json
var Manifest []byte

const (
	source = "conformance.items"

	// targetPID is the process that the probe claims to have acted on.
	targetPID = 4242

	// exitDelay lets the reply of exit-after-reply reach the host first.
	exitDelay = 250 * time.Millisecond

	// maxSeen bounds the event names that are remembered.
	maxSeen = 256

	// eventsQuiet and eventsWait let the events that were sent before a
	// `state` be counted: they have a queue and a goroutine of their own.
	eventsQuiet = 20 * time.Millisecond
	eventsWait  = 500 * time.Millisecond
)

// probe is the state of one running probe.
type probe struct {
	exit func(code int) // ends the process

	mu     sync.Mutex
	seen   []string // names of events in the order of their first arrival
	latest time.Time
}

// New returns the probe. exit ends the process at once, as os.Exit does.
func New(exit func(code int)) sdk.Plugin {
	p := &probe{exit: exit}
	return sdk.Plugin{
		Start:    p.start,
		Event:    p.event,
		Evaluate: evaluate,
		Search:   search,
		Hints:    hints,
		Perform:  p.perform,
		Shutdown: func(_ context.Context, h *sdk.Host) { h.Log(sdk.LevelInfo, "conformance shutdown") },
	}
}

func (p *probe) start(_ context.Context, h *sdk.Host) error {
	c := h.Config()
	if c.Bool("skip_publish", c.Table("conformance").Bool("skip_publish", false)) {
		return nil
	}
	h.Publish(catalogue(c))
	return nil
}

func (p *probe) event(_ context.Context, _ *sdk.Host, ev sdk.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latest = time.Now()
	for _, name := range p.seen {
		if name == ev.Name {
			return
		}
	}
	if len(p.seen) < maxSeen {
		p.seen = append(p.seen, ev.Name)
	}
}

// state waits until no event came for a moment and lists the names seen.
func (p *probe) state(ctx context.Context) string {
	began := time.Now()
	for {
		p.mu.Lock()
		quiet := p.latest
		p.mu.Unlock()
		if quiet.Before(began) {
			quiet = began
		}
		left := min(time.Until(quiet.Add(eventsQuiet)), time.Until(began.Add(eventsWait)))
		if left <= 0 || pause(ctx, left) != nil {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(appendStrings(nil, p.seen))
}

func evaluate(_ context.Context, _ *sdk.Host, q protocol.Evaluate) ([]protocol.Answer, error) {
	switch q.Query {
	case "conf:one":
		return []protocol.Answer{{Title: "one", Subtitle: "s", Effect: copyText("one")}}, nil
	case "conf:unicode":
		return []protocol.Answer{{Title: "héllo ⚡ 世界", Effect: copyText("héllo ⚡ 世界")}}, nil
	case "conf:many":
		return make17(), nil
	}
	return nil, nil
}

// make17 is one answer more than the host takes.
func make17() []protocol.Answer {
	answers := make([]protocol.Answer, protocol.MaxAnswers+1)
	for i := range answers {
		title := "answer " + itoa(i+1)
		answers[i] = protocol.Answer{Title: title, Effect: copyText(title)}
	}
	return answers
}

func copyText(text string) protocol.Effect {
	return protocol.Effect{Type: protocol.EffectCopyText, Text: text}
}

func search(_ context.Context, h *sdk.Host, q protocol.Search) ([]protocol.Row, error) {
	var found []protocol.Row
	for _, row := range basicRows() {
		if strings.Contains(strings.ToLower(row.Title), strings.ToLower(q.Query)) {
			found = append(found, row)
		}
	}
	return found, nil
}

func hints(context.Context, *sdk.Host, protocol.Hints) ([]protocol.HintTarget, int, error) {
	return []protocol.HintTarget{
		{ID: "t1", Frame: protocol.Frame{X: -10.5, Y: 20, Width: 30, Height: 40}, Role: "AXLink", Label: "one"},
		{ID: "t2", Frame: protocol.Frame{X: 0, Y: 0, Width: 10, Height: 10}, Role: "FlashTerminalLink", Label: "two"},
	}, 0, nil
}

// pause waits for d or for the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
