package flashlight

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func TestAChoiceIsFoundByItsIdentityAndTheFirstWithoutOne(t *testing.T) {
	w := newWorld(t)
	s := w.OpenSession()
	defer s.Close()
	s.Update("@fire")
	c, ok := s.Choose(t.Context(), "")
	require.True(t, ok)
	require.NotNil(t, c.Completion)
	named, ok := s.Choose(t.Context(), ">"+c.Completion.Value)
	require.True(t, ok)
	assert.Equal(t, c.Completion.Value, named.Completion.Value)
	_, ok = s.Choose(t.Context(), "no such entry")
	assert.False(t, ok)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Update("another")
	_, ok = s.Choose(ctx, "no such entry")
	assert.False(t, ok)
}

func TestTheActionsOfAChoiceBeginWithWhatEnterDoes(t *testing.T) {
	w := newWorld(t)
	row := func(r protocol.Row) []Action {
		x := makeRow("browsers", "id", r)
		return w.Actions(Choice{Row: &x})
	}
	got := row(protocol.Row{Source: "firefox.tabs", Title: "Page", URL: "https://example.org"})
	require.GreaterOrEqual(t, len(got), 3)
	assert.Equal(t, []Action{{"", "Open"}, {ActionCopy, "Copy the address"}, {"close_tab", "Close tab"}}, got[:3])
	got = row(protocol.Row{Source: "firefox.tabs", Title: "File", URL: "file:///tmp/x"})
	assert.Contains(t, got, Action{ActionReveal, "Show in its folder"})
	got = row(protocol.Row{Source: "firefox.tabs", Title: "x", Effect: protocol.Effect{Type: protocol.EffectCopyText, Text: "x"}})
	assert.Equal(t, []Action{{"", "Copy"}, {"close_tab", "Close tab"}}, got)
	answer := &Answer{Title: "4", Effect: protocol.Effect{Type: protocol.EffectCopyText, Text: "4"}}
	assert.Equal(t, []Action{{"", "Copy"}}, w.Actions(Choice{Answer: answer}))
	assert.Equal(t, []Action{{ActionCopy, "Copy"}}, w.Actions(Choice{Answer: &Answer{Title: "4"}}))
	require.True(t, w.ActOn(t.Context(), Choice{Answer: &Answer{Title: "4"}}, ActionCopy).OK)
	assert.Equal(t, "4", w.backend.effects[0].Text)
}

func TestOnlyWhatTakesAnAddressIsOfferedToOpenItWith(t *testing.T) {
	w := newWorld(t)
	with := func() (out []string) {
		x := makeRow("browsers", "id", protocol.Row{Source: "firefox.tabs", Title: "Page", URL: "https://example.org"})
		for _, a := range w.Actions(Choice{Row: &x}) {
			if strings.HasPrefix(a.ID, ActionOpenWith) {
				out = append(out, a.Title)
			}
		}
		return out
	}
	assert.Equal(t, []string{"Open with Files", "Open with Firefox"}, with(), "all, where nobody knows who takes it")
	w.openers = func(url string) []string {
		assert.Equal(t, "https://example.org", url)
		return []string{"gone", "firefox"}
	}
	assert.Equal(t, []string{"Open with Firefox"}, with())
}

func TestADeadlineIsKnownBehindAPluginsName(t *testing.T) {
	assert.True(t, tooLate(errors.New("plugin x: evaluate: "+protocol.ErrTextDeadline)))
	assert.False(t, tooLate(errors.New("plugin x: evaluate: broke")))
}
