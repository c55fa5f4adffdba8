package flashlight

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func (w *world) rowID(t *testing.T, text string) string {
	t.Helper()
	rows := w.query(text).Rows
	require.NotEmpty(t, rows)
	return rows[0].ID
}

func TestARowsEffectIsCarriedOutByTheHost(t *testing.T) {
	w := newWorld(t)
	id := w.rowID(t, "firefox")
	require.Equal(t, protocol.Done(""), w.Act(context.Background(), id, ""))
	require.Equal(t, []protocol.Effect{{Type: protocol.EffectOpen, BundleID: "firefox"}}, w.backend.effects)
	require.Empty(t, w.backend.performed)
	require.InDelta(t, 1, w.rank.Score(id, w.clock.Now()), 0.01)

	w.backend.broken = errors.New("no opener")
	require.Equal(t, protocol.Failed("no opener"), w.Act(context.Background(), id, ""))
	require.InDelta(t, 1, w.rank.Score(id, w.clock.Now()), 0.01, "what failed is no habit")
}

func TestARowWithoutEffectIsResolvedByItsPlugin(t *testing.T) {
	w := newWorld(t)
	id := w.rowID(t, "inbox")
	w.backend.perform["browsers"] = func(protocol.Perform) protocol.Outcome { return protocol.Outcome{OK: true, TargetPID: 7} }
	require.Equal(t, protocol.Outcome{OK: true, TargetPID: 7}, w.Act(context.Background(), id, ""))
	require.Equal(t, protocol.PerformResolve, w.backend.performed[0].Kind)
	require.Equal(t, "Mail - Inbox", w.backend.performed[0].Row.Title)
	require.Empty(t, w.backend.effects)
}

func TestOnlyAnUnhandledRowFallsBackToItsURL(t *testing.T) {
	w := newWorld(t)
	id := w.rowID(t, "inbox")
	require.True(t, w.Act(context.Background(), id, "").OK)
	require.Equal(t, []protocol.Effect{{Type: protocol.EffectOpen, URL: "https://mail.example.com/"}}, w.backend.effects)

	w.backend.perform["browsers"] = func(protocol.Perform) protocol.Outcome { return protocol.Failed("no such tab") }
	require.Equal(t, protocol.Failed("no such tab"), w.Act(context.Background(), id, ""))
	require.Len(t, w.backend.effects, 1)
}

func TestANavigationURLGoesToThePluginThatTakesIt(t *testing.T) {
	w := newWorld(t)
	w.backend.perform["tmux"] = func(p protocol.Perform) protocol.Outcome {
		if p.Kind == protocol.PerformNavigate {
			return protocol.Done("at " + p.URL)
		}
		return protocol.Unhandled()
	}
	require.Equal(t, protocol.Done("at tmux://main/1"), w.Act(context.Background(), w.rowID(t, "build"), ""))

	w.backend.perform["browsers"] = func(protocol.Perform) protocol.Outcome {
		return protocol.Outcome{OK: true, NavigationURL: "tmux://main/2"}
	}
	require.Equal(t, protocol.Done("at tmux://main/2"), w.Act(context.Background(), w.rowID(t, "inbox"), ""))
	require.Empty(t, w.backend.effects)

	w.backend.perform["browsers"] = func(protocol.Perform) protocol.Outcome {
		return protocol.Outcome{OK: true, NavigationURL: "https://x/", Message: "opened"}
	}
	require.Equal(t, protocol.Done("opened"), w.Act(context.Background(), w.rowID(t, "inbox"), ""))
	require.Equal(t, "https://x/", w.backend.effects[0].URL)
}

func TestWhoTakesANavigationURL(t *testing.T) {
	for _, c := range []struct {
		entry, url string
		want       bool
	}{
		{"conformance", "conformance://ok", true}, {"conformance", "CONFORMANCE:ok", true}, {"conf", "conformance://ok", false},
		{"https://a.example/", "https://a.example/b", true}, {"https://a.example/", "https://b.example/", false}, {"", "x:y", false}, {"x", "x", false},
	} {
		assert.Equal(t, c.want, takes(c.entry, c.url), "%+v", c)
	}
}

func TestTheOtherActionsOfARow(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	tab := w.rowID(t, "inbox")
	require.True(t, w.Act(ctx, tab, ActionCopy).OK)
	require.True(t, w.Act(ctx, tab, ActionOpenWith+"chromium").OK)
	require.True(t, w.Act(ctx, w.rowID(t, "firefox"), ActionCopy).OK)
	require.Equal(t, []protocol.Effect{
		{Type: protocol.EffectCopyText, Text: "https://mail.example.com/"},
		{Type: protocol.EffectOpen, URL: "https://mail.example.com/", BundleID: "chromium"},
		{Type: protocol.EffectCopyText, Text: "Firefox"},
	}, w.backend.effects)
	require.Zero(t, w.rank.Score(tab, w.clock.Now()), "copying is not going there")
	require.NotEmpty(t, w.Act(ctx, tab, ActionReveal).Err)
	require.NotEmpty(t, w.Act(ctx, w.rowID(t, "build"), ActionOpenWith+"chromium").Err)

	w.store.Publish("tmux", 1, []protocol.Row{{Source: "tmux.windows", Title: "report", URL: "file:///home/u/a%20b/report.pdf"}})
	require.True(t, w.Act(ctx, w.rowID(t, "report"), ActionReveal).OK)
	require.Equal(t, "file:///home/u/a%20b", w.backend.effects[3].URL)
}

func TestAPluginsOwnActionIsToldTheRow(t *testing.T) {
	w := newWorld(t)
	w.Engine.context = func() protocol.Context { return protocol.Context{BundleID: "front", PID: 3} }
	w.backend.perform["browsers"] = func(protocol.Perform) protocol.Outcome { return protocol.Done("") }
	id := w.rowID(t, "inbox")
	require.True(t, w.Act(context.Background(), id, "close_tab").OK)
	p := w.backend.performed[0]
	require.Equal(t, protocol.PerformAction, p.Kind)
	require.Equal(t, "close_tab", p.Name)
	require.Equal(t, protocol.Context{BundleID: "front", PID: 3}, p.Context)
	require.JSONEq(t, `{"row":{"source":"firefox.tabs","title":"Mail - Inbox","url":"https://mail.example.com/"}}`, string(p.ActionArgs))
	require.Equal(t, protocol.Failed("plugin browsers has no action explode"), w.Act(context.Background(), id, "explode"))
}

func TestARowIDThatLeadsNowhereIsAnError(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"", "x", "tmux/0000000000000000", "gone/0123456789abcdef"} {
		require.NotEmpty(t, w.Act(context.Background(), id, "").Err, id)
	}
}
