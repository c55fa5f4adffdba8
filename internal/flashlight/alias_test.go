package flashlight

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func TestAnAliasComesFirstWhenItIsTypedExactly(t *testing.T) {
	w := newWorld(t)
	calendar := w.query("calendar").Rows[0]
	w.SetAliases(map[string]Alias{"mail": {Row: calendar.ID}, "gone": {Row: "browsers/0123456789abcdef"}})
	for _, text := range []string{"mail", " mail "} {
		assert.Equal(t, []string{"Calendar", "mail", "Mail - Inbox"}, titles(w.query(text).Rows), "%q", text)
	}
	assert.Equal(t, "mail", w.query("mai").Rows[0].Title)
	assert.NotContains(t, titles(w.query("Mail").Rows), "Calendar", "another writing is another text")
	assert.Empty(t, w.query("gone").Rows)

	w.SetAliases(map[string]Alias{"calendar": {Row: calendar.ID}})
	assert.Equal(t, []string{"Calendar"}, titles(w.query("calendar").Rows), "once, also where it is found anyway")
	require.Equal(t, 1, len(w.Query(context.Background(), "calendar", 1).Rows))
}

func TestAnAliasForACommandIsRunByEnter(t *testing.T) {
	w := newWorld(t, plugin(protocol.Manifest{ID: "clip", Commands: []protocol.Command{{Command: "clipboard", Subcommand: "clear", Description: "Forget"}}}))
	w.SetAliases(map[string]Alias{"cc": {Text: ":clipboard clear"}, "no": {Text: ":nobody"}})
	rows := w.query("cc").Rows
	require.NotEmpty(t, rows)
	w.Act(context.Background(), rows[0].ID, "")
	require.Len(t, w.backend.performed, 1)
	assert.Equal(t, ":clipboard clear", w.backend.performed[0].Raw)
	assert.Contains(t, w.query("no").Notices[0].Text, ":nobody")
}

func TestAnAliasForATextTypesIt(t *testing.T) {
	w := newWorld(t)
	w.SetAliases(map[string]Alias{"tw": {Text: "@tmux.windows "}})
	s := w.OpenSession()
	defer s.Close()
	s.Update("tw")
	_, acted := s.Enter(context.Background(), "")
	assert.False(t, acted, "it was typed, nothing was done")
	s.settled(context.Background())
	assert.Equal(t, "@tmux.windows ", s.View().Query)
	assert.Equal(t, []string{"build", "mail"}, titles(s.View().Rows))
}
