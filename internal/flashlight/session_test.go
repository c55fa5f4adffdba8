package flashlight

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// inSession runs f with an open session in a bubble where time stands still
// until everybody waits.
func inSession(t *testing.T, w *world, f func(t *testing.T, s *Session)) {
	synctest.Test(t, func(t *testing.T) {
		s := w.OpenSession()
		defer s.Close()
		synctest.Wait()
		f(t, s)
	})
}

// after sleeps in the bubble's time.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// asleep is an evaluator and a live source that answers after d.
func (w *world) asleep(id string, d time.Duration) {
	wait := func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
			return nil
		}
	}
	w.backend.evaluate[id] = func(ctx context.Context, q protocol.Evaluate) ([]protocol.Answer, error) {
		if err := wait(ctx); err != nil {
			return nil, err
		}
		return []protocol.Answer{{Title: "answer to " + q.Query}}, nil
	}
	w.backend.search[id] = func(ctx context.Context, q protocol.Search) ([]protocol.Row, error) {
		if err := wait(ctx); err != nil {
			return nil, err
		}
		return []protocol.Row{{Source: id + ".found", Title: "file for " + q.Query}}, nil
	}
}

func TestTenKeystrokesAreAnsweredAtOnceWhileAPluginSleepsThreeSeconds(t *testing.T) {
	w := newWorld(t, evaluator("slow", 25))
	w.asleep("slow", 3*time.Second)
	w.backend.search["files"] = func(ctx context.Context, q protocol.Search) ([]protocol.Row, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	w.store.Publish("tmux", 1, []protocol.Row{{Source: "tmux.windows", Title: "calculator"}})
	inSession(t, w, func(t *testing.T, s *Session) {
		const word = "calculator"
		for i := range word {
			s.Update(word[:i+1])
			synctest.Wait() // no time passes here: what shows now needed no plugin
			v := s.View()
			require.Equal(t, word[:i+1], v.Query)
			require.Contains(t, titles(v.Rows), "calculator")
			require.True(t, v.Pending)
			time.Sleep(50 * time.Millisecond)
		}
		after(5 * time.Second)
		v := s.View()
		require.Equal(t, word, v.Query)
		require.Empty(t, v.Answers, "the lane closed before the sleeper answered")
		require.Empty(t, v.Notices, "and says nothing about it")
		require.False(t, v.Pending)
	})
}

func TestALateLiveRowOfAnOlderQueryNeverShows(t *testing.T) {
	w := newWorld(t)
	w.backend.search["files"] = func(_ context.Context, q protocol.Search) ([]protocol.Row, error) {
		d := 50 * time.Millisecond
		if q.Query == "sea" {
			d = 800 * time.Millisecond
		}
		time.Sleep(d) // deaf to its context, as a plugin is
		return []protocol.Row{{Source: "files.found", Title: "file for " + q.Query}}, nil
	}
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("@files sea")
		after(10 * time.Millisecond)
		s.Update("@files search")
		after(100 * time.Millisecond)
		require.Equal(t, []string{"file for search"}, titles(s.View().Rows))
		after(2 * time.Second)
		require.Equal(t, []string{"file for search"}, titles(s.View().Rows))
		require.Equal(t, "@files search", s.View().Query)
	})
}

func TestALateAnswerOfAnOlderQueryNeverShows(t *testing.T) {
	w := newWorld(t, evaluator("deaf", 25))
	w.backend.evaluate["deaf"] = func(_ context.Context, q protocol.Evaluate) ([]protocol.Answer, error) {
		if q.Query == "1" {
			time.Sleep(45 * time.Millisecond)
		}
		return []protocol.Answer{{Title: "answer to " + q.Query}}, nil
	}
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("1")
		after(10 * time.Millisecond)
		s.Update("12")
		after(time.Second)
		require.Equal(t, "answer to 12", s.View().Answers[0].Title)
		require.Len(t, s.View().Answers, 1)
	})
}

func TestALiveSourceThatMissesItsDeadlineIsNamed(t *testing.T) {
	w := newWorld(t)
	w.asleep("files", 3*time.Second)
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("@files x")
		after(1100 * time.Millisecond)
		require.Equal(t, []Notice{{"files", "no answer within 1s"}}, s.View().Notices)
		require.False(t, s.View().Pending)
	})
}

func TestEnterWaitsForTheLaneOfThatQuery(t *testing.T) {
	w := newWorld(t, evaluator("calc", 25))
	w.backend.evaluate["calc"] = func(ctx context.Context, q protocol.Evaluate) ([]protocol.Answer, error) {
		time.Sleep(30 * time.Millisecond)
		return []protocol.Answer{{Title: "2", Effect: protocol.Effect{Type: protocol.EffectCopyText, Text: "2"}}}, nil
	}
	w.asleep("files", time.Second/2)
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("mail")
		start := time.Now()
		out, ok := s.Enter(context.Background(), "")
		require.True(t, ok)
		require.True(t, out.OK)
		require.Equal(t, 30*time.Millisecond, time.Since(start))
		require.Equal(t, "2", w.backend.effects[0].Text, "the answer is above the rows")
	})
}

func TestEnterDoesNotWaitForLiveSources(t *testing.T) {
	w := newWorld(t)
	w.asleep("files", 900*time.Millisecond)
	w.store.Publish("files", 1, []protocol.Row{{Source: "files.found", Title: "here", URL: "file:///here"}})
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("@files here")
		start := time.Now()
		_, ok := s.Enter(context.Background(), "")
		require.True(t, ok)
		require.Zero(t, time.Since(start))
	})
}

func TestAnEditDiscardsTheWaitOfEnter(t *testing.T) {
	w := newWorld(t, evaluator("slow", 25))
	w.asleep("slow", 3*time.Second)
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("mail")
		done := make(chan bool, 1)
		go func() {
			_, ok := s.Enter(context.Background(), "")
			done <- ok
		}()
		after(20 * time.Millisecond)
		s.Update("mailb")
		require.False(t, <-done)
		after(time.Second)
		require.Empty(t, w.backend.effects)
		require.Empty(t, w.backend.performed)
	})
}

func TestEnterOnNothingDoesNothing(t *testing.T) {
	w := newWorld(t)
	inSession(t, w, func(t *testing.T, s *Session) {
		_, ok := s.Enter(context.Background(), "")
		require.False(t, ok)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.Update("mail")
		_, _ = s.Enter(ctx, "")
	})
}

func TestEnterOnACompletionTypesIt(t *testing.T) {
	w := newWorld(t)
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("@chro")
		_, ok := s.Enter(context.Background(), "")
		require.False(t, ok)
		synctest.Wait()
		require.Equal(t, "@chrome.tabs ", s.View().Query)
		require.Equal(t, []string{"Calendar"}, titles(s.View().Rows))
	})
}

func TestPublicationsRefreshAtMostOnceASecondAndTheLastIsSeen(t *testing.T) {
	w := newWorld(t)
	publish := func(n int) {
		w.store.Publish("tmux", 1, []protocol.Row{{Source: "tmux.windows", Title: fmt.Sprint("window ", n)}})
	}
	publish(0)
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("window")
		after(5 * time.Second)
		shown := map[string]bool{}
		for n := 1; n <= 25; n++ { // 2.5 s, ten a second
			publish(n)
			synctest.Wait()
			shown[titles(s.View().Rows)[0]] = true
			time.Sleep(100 * time.Millisecond)
		}
		require.Len(t, shown, 3, "at once, after one second, after two: %v", shown)
		after(time.Second)
		require.Equal(t, []string{"window 25"}, titles(s.View().Rows))
	})
}

func TestTheSelectionFollowsItsRowThroughARefresh(t *testing.T) {
	w := newWorld(t)
	row := func(title, url string) protocol.Row {
		return protocol.Row{Source: "tmux.windows", Title: title, URL: url}
	}
	w.store.Publish("tmux", 1, []protocol.Row{row("tab a", "1"), row("tab b", "2"), row("tab c", "3")})
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("tab")
		synctest.Wait()
		s.Move(1)
		require.Equal(t, "tab b", s.View().Rows[s.View().Selected].Title)
		w.store.Publish("tmux", 1, []protocol.Row{row("tab 0", "0"), row("tab a", "1"), row("tab b", "2")})
		after(2 * time.Second)
		require.Equal(t, 2, s.View().Selected)
		require.Equal(t, "tab b", s.View().Rows[2].Title)

		w.store.Publish("tmux", 1, []protocol.Row{row("tab a", "1")})
		after(2 * time.Second)
		require.Equal(t, 0, s.View().Selected, "what is gone is not selected")

		s.Move(-5)
		require.Equal(t, 0, s.View().Selected)
		s.Select(99)
		require.Equal(t, 0, s.View().Selected)
		s.Update("nothing")
		synctest.Wait()
		require.Equal(t, -1, s.View().Selected)
		s.Move(1)
		require.Equal(t, -1, s.View().Selected)
	})
}

func TestTheSelectionStaysWithARowThatGetsAnotherTitle(t *testing.T) {
	w := newWorld(t)
	row := func(title, window string) protocol.Row {
		return protocol.Row{Source: "tmux.windows", Title: title, Metadata: protocol.NewMetadata(map[string]string{
			protocol.MetaKind: "window", protocol.MetaSubtitle: "in " + title, "window": window,
		})}
	}
	publish := func(rows ...protocol.Row) { w.store.Publish("tmux", 1, rows) }
	publish(row("build 1", "1"), row("build 2", "2"), row("build 3", "3"))
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("build")
		synctest.Wait()
		s.Move(1)
		entry := s.View().EntryID(1)
		selected := func(rows ...protocol.Row) string {
			publish(rows...)
			after(2 * time.Second)
			v := s.View()
			return v.Rows[v.Selected].Title
		}
		require.Equal(t, "build 20%", selected(row("build 1", "1"), row("build 3", "3"), row("build 20%", "2")))
		require.Equal(t, entry, s.View().EntryID(s.View().Selected))
		require.Equal(t, "build 40%", selected(row("build 0", "0"), row("build 1", "1"), row("build 40%", "2")))
		c, ok := s.Choose(context.Background(), entry)
		require.True(t, ok)
		require.Equal(t, "build 40%", c.Row.Title)
		c, ok = s.Choose(context.Background(), c.Row.ID)
		require.True(t, ok, "its own id is good, too")
		require.Equal(t, "build 40%", c.Row.Title)
		// Another one that gets the title which it had is another one.
		require.Equal(t, "build 40%", selected(row("build 1", "1"), row("build 2", "9"), row("build 40%", "2")))
		require.Equal(t, entry, s.View().EntryID(s.View().Selected))
		require.Equal(t, "build 40%", selected(row("build 1", "1"), row("build 40%", "2")))
		// Back under its first name beside others, it is still the one.
		require.Equal(t, "build 2", selected(row("build 1", "1"), row("build 2", "2"), row("build 7", "7")))
		require.Equal(t, entry, s.View().EntryID(s.View().Selected))

		// Where two could be meant, none is.
		require.Equal(t, "build 1", selected(row("build 1", "1"), row("build A", "2"), row("build B", "2")))
	})
}

func TestOnlyWhatLeadsToTheSamePlaceTakesOverAnEntry(t *testing.T) {
	meta := func(kv ...string) protocol.Metadata {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return protocol.NewMetadata(m)
	}
	is := func(r protocol.Row) string { got := makeRow("p", r.Title, r); return identity(&got) }
	url := protocol.Row{Source: "s", Title: "a", URL: "https://a"}
	other := url
	other.Title = "b"
	require.Equal(t, is(url), is(other))
	other.Source = "t"
	require.NotEqual(t, is(url), is(other))
	other = url
	other.Effect = protocol.Effect{Type: protocol.EffectCopyText, Text: "x"}
	require.NotEqual(t, is(url), is(other))
	require.Empty(t, is(protocol.Row{Source: "s", Title: "a", Metadata: meta("kind", "window", "pid", "7", "bundle_id", "x", "subtitle", "y")}),
		"two windows of one application have no more in common than that")
	require.NotEmpty(t, is(protocol.Row{Source: "s", Title: "a", Metadata: meta("navigation_url", "tmux://x")}))
}

func TestTheSelectionIsOnTheFirstEntryUntilMoved(t *testing.T) {
	w := newWorld(t, evaluator("calc", 25))
	w.asleep("calc", 20*time.Millisecond)
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("mail")
		synctest.Wait()
		require.Equal(t, "mail", s.View().Rows[s.View().Selected].Title)
		after(30 * time.Millisecond)
		require.Len(t, s.View().Answers, 1)
		require.Equal(t, 0, s.View().Selected, "the answer came above it")
	})
	inSession(t, w, func(t *testing.T, s *Session) {
		s.Update("mail")
		synctest.Wait()
		s.Move(1)
		after(30 * time.Millisecond)
		require.Equal(t, 2, s.View().Selected, "the row that the user moved to stays selected")
	})
}

func TestAClosedSessionIsQuiet(t *testing.T) {
	w := newWorld(t, evaluator("slow", 25))
	w.asleep("slow", 3*time.Second)
	synctest.Test(t, func(t *testing.T) {
		s := w.OpenSession()
		s.Update("mail")
		synctest.Wait()
		v := s.View()
		s.Close()
		s.Close()
		s.Update("other")
		w.store.Publish("tmux", 9, nil)
		after(5 * time.Second)
		require.Same(t, v, s.View())
	})
}

func TestChangedTellsOfEachView(t *testing.T) {
	w := newWorld(t)
	inSession(t, w, func(t *testing.T, s *Session) {
		<-s.Changed()
		s.Update("mail")
		<-s.Changed()
		require.Equal(t, "mail", s.View().Query)
		select {
		case <-s.Changed():
			t.Fatal("nothing changed")
		default:
		}
	})
}
