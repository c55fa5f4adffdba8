// Package calculator answers sums, unit conversions and currency conversions
// while they are typed. Sums are exact: numbers are fractions, and only what has
// no exact value (roots, logarithms, angles) is rounded. It evaluates in memory
// alone; exchange rates come through the host and are kept with their date. It
// never waits for them, and never guesses at an input that may not be a sum.
package calculator

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// force is the prefix that makes any input a sum.
const force = "="

// maxInput bounds what is looked at: a longer text is no sum.
const maxInput = 1000

// New returns the plugin.
func New() sdk.Plugin { return withEnv(time.Now, os.Getenv) }

func withEnv(now func() time.Time, getenv func(string) string) sdk.Plugin {
	p := &plugin{rates: newRates(now), getenv: getenv}
	return sdk.Plugin{Start: p.rates.serve, Evaluate: p.evaluate}
}

type plugin struct {
	rates  *rates
	getenv func(string) string
	once   sync.Once
	style  style
}

func (p *plugin) evaluate(_ context.Context, h *sdk.Host, q protocol.Evaluate) ([]protocol.Answer, error) {
	p.once.Do(func() { p.style = styleOf(h.Config().String("decimal", "auto"), localeFrom(p.getenv)) })
	if a, ok := p.answer(q.Query); ok {
		return []protocol.Answer{a}, nil
	}
	return nil, nil
}

// answer answers one query, if it is for a calculator.
func (p *plugin) answer(query string) (protocol.Answer, bool) {
	if len(query) > maxInput {
		return protocol.Answer{}, false
	}
	text, forced := strings.CutPrefix(strings.TrimSpace(strings.Map(halfWidth, query)), force)
	text, ends := strings.CutSuffix(text, force) // 2+2=
	text = strings.TrimSpace(text)
	if a, ok := p.convert(text); ok {
		return a, true
	}
	v, err := calculate(text, p.style, forced || ends)
	if err != nil { // not a sum, or not one yet: others may know what it is
		return protocol.Answer{}, false
	}
	return shown(v.format(p.style), text), true
}

// halfWidth takes the full-width signs that Chinese and Japanese input methods
// write for what they are: ＝１＋２ is =1+2.
func halfWidth(r rune) rune {
	switch {
	case '！' <= r && r <= '～': // in the order of ASCII
		return r - '！' + '!'
	case r == '\u3000':
		return ' '
	}
	return r
}

func shown(result, subtitle string) protocol.Answer {
	return protocol.Answer{Title: result, Subtitle: subtitle, Effect: protocol.Effect{Type: protocol.EffectCopyText, Text: result}}
}
