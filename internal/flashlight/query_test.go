package flashlight

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func TestBangTokens(t *testing.T) {
	for text, want := range map[string][]string{
		"!g":            {"g", ""},
		"!g cats":       {"g", "cats"},
		"cats !g":       {"g", "cats"},
		"big !g cats":   {"g", "big cats"},
		"big  !g  cats": {"g", "big cats"},
		"!g!x":          {"g", "!x"},
		"! x !g y":      {"g", "! x y"},
		"!*":            {"*", ""},
		"!":             nil,
		"! x":           nil,
		"!!x":           nil,
		"x !!y z":       nil,
		"Yahoo!":        nil,
		"wow!g":         nil,
		"":              nil,
		"!é ü":          {"é", "ü"},
	} {
		token, from, to, _, ok := bangToken(text)
		if want == nil {
			assert.False(t, ok, "%q has the bang %q", text, token)
			continue
		}
		if assert.True(t, ok, "%q", text) {
			assert.Equal(t, want, []string{token, without(text, from, to)}, "%q", text)
		}
	}
}

func TestSourceTokens(t *testing.T) {
	for _, c := range []struct {
		token, source string
		want          bool
	}{
		{"firefox", "firefox.tabs", true}, {"FireFox", "firefox.tabs", true}, {"firefox.tabs", "firefox.tabs", true},
		{"fire", "firefox.tabs", false}, {"firefox.", "firefox.tabs", false}, {"firefox.tabs.x", "firefox.tabs", false},
		{"tabs", "firefox.tabs", false}, {"", "firefox.tabs", false}, {"firefox", "firefoxy.tabs", false},
	} {
		assert.Equal(t, c.want, covers(c.token, c.source), "%+v", c)
	}
}

func TestThePoolIsTheLocations(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, []string{"mail", "Mail - Inbox"}, titles(w.query("mail").Rows), "bookmarks are no location")
	require.Equal(t, []string{"Firefox"}, titles(w.query("firefox").Rows), "the host's own rows are")
	require.Empty(t, w.query("nothing like it").Rows)
}

func TestASourceTokenScopes(t *testing.T) {
	w := newWorld(t)
	for text, want := range map[string][]string{
		"@firefox mail":           {"Mail - Inbox", "Mail archive"},
		"@FIREFOX mail":           {"Mail - Inbox", "Mail archive"},
		"mail @firefox ":          {"Mail - Inbox", "Mail archive"},
		"@firefox.bookmarks mail": {"Mail archive"},
		"@firefox ":               {"Mail - Inbox", "Mail archive"},
		"@chrome ":                {"Calendar"},
		"@chrome mail":            {},
		"@core f":                 {"Files", "Firefox"},
		"@chrome @firefox":        {},
		"@nothing mail":           {},
		"someone@firefox":         {},
		"@firefox   in  mail":     {"Mail - Inbox"},
	} {
		res := w.query(text)
		assert.ElementsMatch(t, want, titles(res.Rows), "%q", text)
		assert.Empty(t, res.Completions, "%q", text)
	}
	require.Equal(t, []Notice{{Text: "no source is called @nothing"}}, w.query("@nothing mail").Notices)
}

func TestAnUnfinishedSourceTokenListsSources(t *testing.T) {
	w := newWorld(t)
	values := func(text string) []string {
		out := []string{}
		res := w.query(text)
		require.Empty(t, res.Rows)
		for _, c := range res.Completions {
			out = append(out, c.Value)
		}
		return out
	}
	require.Equal(t, []string{"@firefox.bookmarks ", "@firefox.tabs "}, values("@fire"))
	require.Equal(t, []string{"mail @tmux.windows "}, values("mail @TM"))
	require.Equal(t, []string{"@chrome.tabs ", "@firefox.tabs "}, values("@tabs"))
	require.Len(t, values("@"), 6)
	require.Equal(t, "no source is called @zzz", w.query("@zzz").Notices[0].Text)
}

func TestBangs(t *testing.T) {
	engines := plugin(protocol.Manifest{ID: "engines", Bangs: &protocol.Bangs{Command: "search", Items: []protocol.Bang{
		{Token: "g", Description: "Google"}, {Token: "gh", Description: "GitHub"}}}})
	t.Run("a bang is offered as a row", func(t *testing.T) {
		w := newWorld(t, engines)
		res := w.query("cats !g and dogs")
		require.Equal(t, []string{"!g cats and dogs"}, titles(res.Rows))
		require.Equal(t, "engines", res.Rows[0].Plugin)
		require.Equal(t, "Google", res.Rows[0].Subtitle)
		require.Empty(t, res.Notices)
		w.backend.perform["engines"] = func(protocol.Perform) protocol.Outcome { return protocol.Done("searched") }
		require.Equal(t, protocol.Done("searched"), w.Act(context.Background(), res.Rows[0].ID, ""))
		require.Equal(t, protocol.Perform{Kind: protocol.PerformCommand, Command: "search", Subcommand: "g", Args: []string{"cats", "and", "dogs"}, Raw: "!g cats and dogs"}, w.backend.performed[0])
	})
	t.Run("a lone ! is no bang and lists them", func(t *testing.T) {
		w := newWorld(t, engines, evaluator("calc", 25))
		values := func(text string) []string {
			out := []string{}
			for _, c := range w.query(text).Completions {
				out = append(out, c.Value)
			}
			return out
		}
		require.Equal(t, []string{"!f ", "!g ", "!gh "}, values("!"))
		require.Equal(t, []string{"cats !f ", "cats !g ", "cats !gh "}, values("cats !"))
		for _, none := range []string{"!!", "cats!", "! x", "! ", ""} {
			require.Empty(t, values(none), none)
		}
		w.query("5 !")
		require.Contains(t, w.backend.evaluatedBy(), "calc: 5 !", "it is searched like any text")
	})
	t.Run("a bang that nothing takes is said", func(t *testing.T) {
		res := newWorld(t, engines).query("!zz cats")
		require.Empty(t, res.Rows)
		require.Equal(t, []Notice{{Text: "nothing takes !zz"}}, res.Notices)
	})
	t.Run("a row that finishes a bang runs it", func(t *testing.T) {
		procs := plugin(protocol.Manifest{ID: "procs", Sources: []protocol.Source{{Name: "procs.items", Kind: protocol.SourceDefault}},
			Bangs: &protocol.Bangs{Command: "procs", Items: []protocol.Bang{{Token: "kill", Description: "End a process", Source: "procs.items"}}}})
		w := newWorld(t, procs)
		w.store.Publish("procs", 1, []protocol.Row{
			{Source: "procs.items", Title: "fox", Metadata: protocol.NewMetadata(map[string]string{"finishes_command": "42"})},
			{Source: "procs.items", Title: "fox den"},
		})
		w.backend.perform["procs"] = func(protocol.Perform) protocol.Outcome { return protocol.Done("") }
		inSession(t, w, func(t *testing.T, s *Session) {
			enter := func(text string) protocol.Perform {
				s.Update(text)
				c, ok := s.Choose(context.Background(), "")
				require.True(t, ok)
				require.Equal(t, protocol.Done(""), w.ActOn(context.Background(), c, ""))
				return w.backend.performed[len(w.backend.performed)-1]
			}
			require.Equal(t, protocol.Perform{Kind: protocol.PerformCommand, Command: "procs", Subcommand: "kill", Args: []string{"42"}, Raw: "!kill 42"}, enter("!kill fox"))
			require.Equal(t, "End a process", s.View().EnterTitle(0))
			require.Equal(t, "Go there", s.View().EnterTitle(1))
			require.Empty(t, w.rank.Scores(time.Now()), "ending something is no habit")
			require.Equal(t, protocol.PerformResolve, enter("!kill fox den").Kind, "a row that does not say how is only a row")
			require.Equal(t, protocol.PerformResolve, enter("@procs fox").Kind, "nor is anything ended without the bang")
		})
	})
	t.Run("a failing bang is said", func(t *testing.T) {
		w := newWorld(t, engines)
		w.backend.perform["engines"] = func(protocol.Perform) protocol.Outcome { return protocol.Failed("no browser") }
		require.Equal(t, protocol.Failed("no browser"), w.Act(context.Background(), "!g cats", ""))
		require.NotEmpty(t, w.Act(context.Background(), "!zz cats", "").Err)
	})
	t.Run("the catch-all takes what is left", func(t *testing.T) {
		all := plugin(protocol.Manifest{ID: "all", Priority: 90, Bangs: &protocol.Bangs{Command: "any", Items: []protocol.Bang{{Token: "*"}}}})
		w := newWorld(t, engines, all)
		require.Equal(t, "all", w.query("!zz cats").Rows[0].Plugin)
		require.Equal(t, "engines", w.query("!g cats").Rows[0].Plugin)
	})
	t.Run("an unfinished bang is completed", func(t *testing.T) {
		res := newWorld(t, engines).query("cats !g")
		require.Equal(t, "cats !g ", res.Completions[0].Value)
		require.Equal(t, "cats !gh ", res.Completions[1].Value)
		require.Equal(t, []string{"!g cats"}, titles(res.Rows))
	})
	t.Run("a bang with a source searches it", func(t *testing.T) {
		w := newWorld(t)
		asked := ""
		w.backend.search["files"] = func(_ context.Context, q protocol.Search) ([]protocol.Row, error) {
			asked = q.Query
			return []protocol.Row{{Source: "files.found", Title: "notes.txt", URL: "file:///home/u/notes.txt"}}, nil
		}
		require.Equal(t, []string{"notes.txt"}, titles(w.query("!f notes").Rows))
		require.Equal(t, "notes", asked)
		require.Equal(t, []string{"!f"}, titles(w.query("!f").Rows), "only once a space follows")
	})
}

func TestCommands(t *testing.T) {
	probe := plugin(protocol.Manifest{ID: "probe", Commands: []protocol.Command{{Command: "probe", Subcommand: "*"}}})
	spot := plugin(protocol.Manifest{ID: "spot", Name: "Spot", Commands: []protocol.Command{
		{Command: "spot", Subcommand: "play", Description: "Play"}, {Command: "spot", Subcommand: "pause", Description: "Pause"}, {Command: "spot", Subcommand: "next"}}})
	w := newWorld(t, probe, spot)
	values := func(text string) []string {
		out := []string{}
		for _, c := range w.query(text).Completions {
			out = append(out, c.Value+"|"+c.Label)
		}
		return out
	}
	require.Equal(t, []string{":probe |:probe", ":spot |:spot"}, values(":"))
	require.Equal(t, []string{":spot |:spot"}, values(":sp"))
	require.Equal(t, []string{":spot next |:spot next", ":spot pause |:spot pause", ":spot play |:spot play"}, values(":spot "))
	require.Equal(t, []string{":spot pause |:spot pause", ":spot play |:spot play"}, values(":spot p"))
	require.Empty(t, w.query(":spot p").Rows)
	res := w.query(":spot play")
	require.Equal(t, []string{":spot play"}, titles(res.Rows))
	require.Equal(t, "Play", res.Rows[0].Subtitle)
	require.Empty(t, res.Completions, "a command typed whole is what Enter runs")
	require.Equal(t, "no command is called :nothing here", w.query(":nothing here").Notices[0].Text)

	w.backend.perform["probe"] = func(protocol.Perform) protocol.Outcome { return protocol.Done("") }
	require.True(t, w.Act(context.Background(), ":probe echo a  b", "").OK)
	require.Equal(t, protocol.Perform{Kind: protocol.PerformCommand, Command: "probe", Subcommand: "echo", Args: []string{"a", "b"}, Raw: ":probe echo a  b"}, w.backend.performed[0])
}

func TestACommandThatNobodyTakesSaysWhoseItIsAndWhy(t *testing.T) {
	w := newWorld(t, plugin(protocol.Manifest{ID: "probe", Commands: []protocol.Command{{Command: "probe", Subcommand: "*"}}, Bangs: &protocol.Bangs{Command: "probe", Items: []protocol.Bang{{Token: "p"}}}}))
	for _, typed := range []string{":probe echo", "!p x"} {
		require.Equal(t, "plugin probe does not know how to do this", w.Act(context.Background(), typed, "").Err)
	}
	w.backend.plugins[len(w.backend.plugins)-1].Running = false
	for _, typed := range []string{":probe echo", "!p x"} {
		require.Equal(t, "plugin probe is not running; `flash doctor` says why", w.Act(context.Background(), typed, "").Err)
	}
}

func evaluator(id string, priority int, prefixes ...string) PluginInfo {
	return plugin(protocol.Manifest{ID: id, Priority: priority, Query: &protocol.Query{Prefixes: prefixes}})
}

func answering(titles ...string) func(context.Context, protocol.Evaluate) ([]protocol.Answer, error) {
	return func(context.Context, protocol.Evaluate) ([]protocol.Answer, error) {
		var out []protocol.Answer
		for _, t := range titles {
			out = append(out, protocol.Answer{Title: t, Effect: protocol.Effect{Type: protocol.EffectCopyText, Text: t}})
		}
		return out, nil
	}
}

func TestTheLaneIsOrderedByPriorityThenID(t *testing.T) {
	w := newWorld(t, evaluator("b", 25), evaluator("a", 25), evaluator("first", 50))
	w.backend.evaluate["a"] = answering("from a", "mail from a")
	w.backend.evaluate["b"] = answering("from b")
	w.backend.evaluate["first"] = answering("from first")
	var got []string
	res := w.query("mail")
	for _, a := range res.Answers {
		got = append(got, a.Title)
	}
	require.Equal(t, []string{"from first", "from a", "mail from a", "from b"}, got, "and no answer is filtered")
	require.Len(t, res.Rows, 2)
}

func TestALiteralPrefixAsksOnlyWhoDeclaresIt(t *testing.T) {
	w := newWorld(t, evaluator("calc", 25, "="), evaluator("colors", 25, "#", "rgb("), evaluator("other", 25), evaluator("sums", 25, "="))
	for text, want := range map[string][]string{
		"=1+1":      {"calc: =1+1", "sums: =1+1"},
		"#fff":      {"colors: #fff"},
		"  rgb(1)":  {"colors:   rgb(1)"},
		"1+1":       {"calc: 1+1", "colors: 1+1", "other: 1+1", "sums: 1+1"},
		"":          nil,
		"   ":       nil,
		":cmd":      nil,
		"!b 1":      nil,
		"@chrome x": nil,
	} {
		w.backend.evaluated = nil
		w.query(text)
		assert.ElementsMatch(t, want, w.backend.evaluatedBy(), "%q", text)
	}
}

func TestAnEvaluatorThatFailsIsNamed(t *testing.T) {
	w := newWorld(t, evaluator("calc", 25), evaluator("crash", 25))
	w.backend.evaluate["calc"] = answering("2")
	w.backend.evaluate["crash"] = func(context.Context, protocol.Evaluate) ([]protocol.Answer, error) {
		return nil, errors.New("plugin crash: ended by SIGSEGV")
	}
	res := w.query("mail")
	require.Equal(t, []Notice{{"crash", "ended by SIGSEGV"}}, res.Notices, "named once")
	require.Len(t, res.Answers, 1)
	require.Len(t, res.Rows, 2)
}

func TestLiveRowsKeepToTheirSourcesAndAreRanked(t *testing.T) {
	w := newWorld(t)
	w.backend.search["files"] = func(context.Context, protocol.Search) ([]protocol.Row, error) {
		return []protocol.Row{
			{Source: "files.found", Title: "holds it inside", URL: "file:///a"},
			{Source: "tmux.windows", Title: "not its own", URL: "file:///b"},
			{Source: "files.found", Title: "my notes", URL: "file:///c"},
			{Source: "files.found", Title: "notes", URL: "file:///d"},
		}, nil
	}
	res := w.query("@files notes")
	require.Equal(t, []string{"notes", "my notes", "holds it inside"}, titles(res.Rows))
	require.Equal(t, 1, res.Rows[0].Tier)
	require.Equal(t, protocol.Done(""), w.Act(context.Background(), res.Rows[2].ID, ActionCopy))
	require.Equal(t, "file:///a", w.backend.effects[0].Text)

	w.backend.search["files"] = func(context.Context, protocol.Search) ([]protocol.Row, error) { return nil, errors.New("no index") }
	require.Equal(t, []Notice{{"files", "no index"}}, w.query("@files notes").Notices)
}

func TestLiveRowsStandInTheirTierBesideTheCatalogues(t *testing.T) {
	live := func(id string) PluginInfo {
		return plugin(protocol.Manifest{ID: id, Sources: []protocol.Source{{Name: "firefox." + id, Kind: protocol.SourceDefault, Live: true}}})
	}
	w := newWorld(t, live("visits"), live("marks"))
	w.store.Publish("browsers", 2, []protocol.Row{
		{Source: "firefox.tabs", Title: "Gitlab", URL: "https://gitlab.example.com"},
		{Source: "firefox.tabs", Title: "github.com/flash", URL: "https://a"},
	})
	w.backend.search["visits"] = func(context.Context, protocol.Search) ([]protocol.Row, error) {
		return []protocol.Row{{Source: "firefox.visits", Title: "nothing alike"}, {Source: "firefox.visits", Title: "GitHub"}}, nil
	}
	w.backend.search["marks"] = func(context.Context, protocol.Search) ([]protocol.Row, error) {
		return []protocol.Row{{Source: "firefox.marks", Title: "My GitHub"}, {Source: "firefox.marks", Title: "GitHub Docs"}}, nil
	}
	want := []string{"GitHub", "github.com/flash", "GitHub Docs", "My GitHub", "Gitlab", "nothing alike"}
	require.Equal(t, want, titles(w.query("@firefox github").Rows))
	require.Equal(t, []string{"Gitlab", "github.com/flash", "My GitHub", "GitHub Docs", "nothing alike", "GitHub"}, titles(w.query("@firefox ").Rows), "a list is the catalogues', then the replies")
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("@firefox github")
		synctest.Wait()
		require.Equal(t, want, titles(s.View().Rows))
		require.Equal(t, want[:3], titles(w.Query(context.Background(), "@firefox github", 3).Rows))
	})
}

func TestHabitReordersWithinATierAndListsTheEmptyQuery(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.query("").Rows)
	w.store.Publish("tmux", 1, []protocol.Row{
		{Source: "tmux.windows", Title: "alpha one", URL: "1"}, {Source: "tmux.windows", Title: "alpha two", URL: "2"}, {Source: "tmux.windows", Title: "alpha", URL: "3"}})
	rows := w.query("alpha").Rows
	require.Equal(t, []string{"alpha", "alpha one", "alpha two"}, titles(rows))
	require.True(t, w.Act(context.Background(), rows[2].ID, "").OK)
	require.Equal(t, []string{"alpha", "alpha two", "alpha one"}, titles(w.query("alpha").Rows), "never across a tier")
	require.Equal(t, []string{"alpha two"}, titles(w.query("").Rows))
	require.Equal(t, []string{"alpha two", "alpha one", "alpha"}, titles(w.query("@tmux ").Rows), "a listing begins with what is used")

	require.True(t, w.Act(context.Background(), rows[2].ID, ActionForget).OK)
	require.Empty(t, w.query("").Rows)
	require.Equal(t, []string{"alpha", "alpha one", "alpha two"}, titles(w.query("alpha").Rows))
}

func TestTheEmptyQueryLeavesOutWhereTheUserIs(t *testing.T) {
	w := newWorld(t)
	rows := w.query("build").Rows
	require.True(t, w.Act(context.Background(), rows[0].ID, "").OK)
	require.Equal(t, []string{"build"}, titles(w.query("").Rows))
	w.store.Publish("tmux", 1, []protocol.Row{{Source: "tmux.windows", Title: "build", Metadata: protocol.NewMetadata(map[string]string{"navigation_url": "tmux://main/1", "current_location": "true"})}})
	require.Empty(t, w.query("").Rows)
}

func TestTheResultAsJSON(t *testing.T) {
	w := newWorld(t, evaluator("calc", 25))
	w.backend.evaluate["calc"] = answering("2")
	data, err := json.Marshal(w.query("inbox"))
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(data, &m))
	require.Equal(t, "inbox", m["query"])
	require.Contains(t, m, "elapsed_us")
	require.Equal(t, []any{map[string]any{"title": "2", "plugin": "calc"}}, m["answers"])
	row := m["rows"].([]any)[0].(map[string]any)
	require.Equal(t, "Mail - Inbox", row["title"])
	require.Equal(t, "browsers", row["plugin"])
	require.Equal(t, "firefox.tabs", row["source"])
	require.Equal(t, float64(3), row["tier"])
	require.Equal(t, []any{[]any{float64(7), float64(12)}}, row["highlights"])
	require.Regexp(t, `^browsers/[0-9a-f]{16}$`, row["id"])

	for _, text := range []string{"no such thing", "@fire", "@nosuch x", "!", "!f", "!nosuch", ":", ":nosuch", "", " "} {
		data, err = json.Marshal(w.query(text))
		require.NoError(t, err)
		require.Regexp(t, `"answers":\[.*"rows":\[`, string(data), text)
	}
}
