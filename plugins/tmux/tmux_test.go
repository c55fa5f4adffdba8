package tmux

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

func TestNoServerIsOneEmptyCatalogue(t *testing.T) {
	h, rows := newRig(t).plugin(nil)
	assert.Empty(t, rows)
	assert.Equal(t, "", h.Command("tmux", "refresh").Err)
	assert.Zero(t, h.Notifications("publish"))
	assert.Zero(t, h.Notifications("poll"))
}

func TestWindowsOfAnAttachedServerAreListedAndFollowed(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.do("new-window", "-d", "-t", "work:", "-n", "second")
	s.attach("work")
	h, rows := r.plugin(nil)
	require.Equal(t, []string{"first", "second"}, titles(rows))
	assert.Equal(t, "true", meta(rows[0], protocol.MetaCurrentLocation))
	assert.Equal(t, "tmux://default/work/1", meta(rows[1], protocol.MetaNavigationURL))
	assert.Contains(t, meta(rows[1], protocol.MetaSubtitle), "work:1 · cat")
	assert.Equal(t, 1, s.observers())

	status := h.NextStatus()
	assert.Equal(t, "work", status["session"].Text)
	assert.Equal(t, "0:first", status["window"].Text)
	assert.Equal(t, "0:cat", status["pane"].Text)

	s.do("rename-window", "-t", "work:1", "renamed")
	rows = untilTitles(t, h, rows, "first", "renamed")
	s.do("new-window", "-d", "-t", "work:", "-n", "third")
	rows = untilTitles(t, h, rows, "first", "renamed", "third")
	s.do("new-session", "-d", "-s", "zoo", "-n", "elsewhere")
	rows = untilTitles(t, h, rows, "first", "renamed", "third", "elsewhere")
	s.do("rename-window", "-t", "zoo:0", "far")
	rows = untilTitles(t, h, rows, "first", "renamed", "third", "far")
	s.do("kill-session", "-t", "zoo")
	rows = untilTitles(t, h, rows, "first", "renamed", "third")
	s.do("select-window", "-t", "work:1")
	for meta(rows[1], protocol.MetaCurrentLocation) != "true" {
		rows = next(t, h)
	}
	s.do("rename-session", "-t", "work", "play")
	for meta(rows[0], protocol.MetaNavigationURL) != "tmux://default/play/0" {
		rows = next(t, h)
	}
	s.do("kill-window", "-t", "play:2")
	untilTitles(t, h, rows, "first", "renamed")
	assert.Zero(t, h.Notifications("poll"), "no timer runs")
}

func TestAnObserverNeitherKeepsASessionNorCountsAsATerminal(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	detach := s.attach("work")
	h, _ := r.plugin(nil)
	require.Equal(t, 1, s.observers())
	detach()
	require.True(t, eventually(func() bool { return s.observers() == 0 }), "the observer stayed")
	for h.NextStatus()["session"].Text != "" {
		continue
	}
	s.attach("work")
	h.Event("core:session.opened", "")
	require.True(t, eventually(func() bool { return s.observers() == 1 }), "the observer did not come back")
}

func TestTheObserverIsWhereThePeopleAre(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.do("new-session", "-d", "-s", "zoo", "-n", "cage")
	leaveWork := s.attach("work")
	s.attach("zoo")
	s.do("set-option", "-t", "work", "destroy-unattached", "on")
	h, rows := r.plugin(nil)
	require.Len(t, rows, 2)
	leaveWork()
	untilTitles(t, h, rows, "cage")
	require.True(t, eventually(func() bool { return s.observers() == 1 }), "the other session is not followed")
}

func TestTheSessionThatIsFollowedMayBeDestroyed(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.do("new-session", "-d", "-s", "zoo", "-n", "cage")
	s.attach("work")
	s.attach("zoo")
	h, rows := r.plugin(nil)
	for _, name := range []string{"work", "zoo"} {
		s.do("new-session", "-d", "-s", name+"2", "-n", "next")
		s.attach(name + "2")
		s.do("kill-session", "-t", name)
	}
	rows = untilTitles(t, h, rows, "next", "next")
	require.True(t, eventually(func() bool { return s.observers() == 1 }), "nothing is followed")
	s.do("rename-window", "-t", "zoo2:0", "seen")
	untilTitles(t, h, rows, "next", "seen")
}

func TestServersComeGoAndComeBack(t *testing.T) {
	r := newRig(t)
	h, rows := r.plugin(nil)
	require.Empty(t, rows)
	s := r.server("default")
	rows = untilTitles(t, h, rows, "first")
	other := r.server("other")
	rows = untilTitles(t, h, rows, "first", "first")
	assert.Contains(t, meta(rows[1], protocol.MetaSubtitle), "other · work:0")
	other.attach("work")
	require.True(t, eventually(func() bool { return other.observers() == 1 }), "the new server is not followed")
	other.do("kill-server")
	rows = untilTitles(t, h, rows, "first")
	s.do("kill-server") // nobody was attached, and tmux leaves its socket behind
	require.True(t, eventually(func() bool { is, _ := probe(s.sock); return is == dead }))
	h.Event("core:session.opened", "")
	rows = untilTitles(t, h, rows)
	s.start()
	s.attach("work")
	rows = untilTitles(t, h, rows, "first")
	require.True(t, eventually(func() bool { return s.observers() == 1 }), "the reborn server is not followed")
	s.do("rename-window", "-t", "work:0", "again")
	untilTitles(t, h, rows, "again")
}

func TestAServerWithoutASessionShowsNothingUntilItHasOne(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.do("set-option", "-s", "exit-empty", "off", ";", "kill-session", "-t", "work")
	h, rows := r.plugin(nil)
	require.Empty(t, rows)
	require.Len(t, h.NextPoll(), 1, "it may just be starting")
	s.do("new-session", "-d", "-s", "late", "-n", "riser")
	h.Tick("retry")
	untilTitles(t, h, rows, "riser")
	assert.Zero(t, h.Notifications("log"), "nothing is wrong")
}

func TestAnUnattachedServerIsReadWhenTerminalsRetitle(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	h, rows := r.plugin(nil)
	require.Equal(t, []string{"first"}, titles(rows))
	require.Zero(t, s.observers())
	s.do("rename-window", "-t", "work:0", "one")
	h.Event("core:ax.changed", `{"pid":42,"notification":"AXTitleChanged"}`)
	rows = untilTitles(t, h, rows, "one")
	s.do("rename-window", "-t", "work:0", "two")
	h.Event("core:focus.changed", `{"bundle_id":"x","localized_name":"x","pid":42}`)
	rows = untilTitles(t, h, rows, "two")
	s.do("rename-window", "-t", "work:0", "three")
	h.Event("core:session.opened", "")
	untilTitles(t, h, rows, "three")
}

func TestNamesMayHoldAnything(t *testing.T) {
	names := []string{
		"tab\there", "two\nlines", "50% of %end 1 2 3", "a|b\\|c\\", "W|$0|x|", "semi;", "quote'\"`$(x)", "#{pid} #S ##", "#[fg=red]",
		"Straße 名前 🚀 e\u0301", "-t", "~ * ? [x] {y} <z> & = !", " ", "colon:dot.", "\u202eright to left",
	}
	r := newRig(t)
	s := r.server("default")
	s.attach("work")
	h, rows := r.plugin(nil)
	for _, name := range names {
		s.do("new-window", "-d", "-t", "work:", "-n", literal(name))
	}
	rows = until(t, h, rows, func(got []string) bool { return len(got) == len(names)+1 })
	// Some versions of tmux, and all of them when they rename, keep control
	// characters and backslashes escaped.
	escaped := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`)
	for i, name := range names {
		want := []string{clean(name), escaped.Replace(name)}
		if name == " " {
			want = []string{"work:" + strconv.Itoa(i+1)}
		}
		assert.Contains(t, want, rows[i+1].Title)
	}
	dir := filepath.Join(r.tmp, "a\nW|$9|b\n%end 1 2 1")
	require.NoError(t, os.Mkdir(dir, 0o700))
	s.do("new-window", "-d", "-t", "work:", "-n", "path", "-c", dir)
	rows = until(t, h, rows, func(got []string) bool { return len(got) == len(names)+2 })
	last := rows[len(rows)-1]
	assert.Equal(t, "path", last.Title)
	for !strings.HasSuffix(meta(last, protocol.MetaSubtitle), "/a W|$9|b %end 1 2 1") {
		h.Event("core:session.opened", "") // the pane was still on its way there
		rows = next(t, h)
		last = rows[len(rows)-1]
	}
}

func TestWindowsThatSeveralSessionsShareAreListedOnce(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.do("new-session", "-d", "-t", "work", "-s", "work-2")
	s.do("new-session", "-d", "-s", "zoo", "-n", "cage")
	s.do("link-window", "-s", "work:0", "-t", "zoo:7")
	s.attach("zoo")
	_, rows := r.plugin(nil)
	require.ElementsMatch(t, []string{"first", "cage"}, titles(rows))
	for _, row := range rows {
		assert.Contains(t, meta(row, protocol.MetaNavigationURL), "/zoo/", "where somebody looks at it")
	}
}

func TestADeadSocketIsNoServerAndIsLeftAlone(t *testing.T) {
	r := newRig(t)
	l, err := net.Listen("unix", r.socket("default"))
	require.NoError(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	h, rows := r.plugin(nil)
	assert.Empty(t, rows)
	assert.Equal(t, textServers, h.Command("tmux", "select", "work").Err)
	assert.Zero(t, h.Notifications("poll"))
	assert.FileExists(t, r.socket("default"))
}

func TestAServerThatNeverAnswersIsRetriedStepByStep(t *testing.T) {
	r := newRig(t)
	s := r.server("good")
	l, err := net.Listen("unix", r.socket("stuck"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	h, rows := r.plugin(nil)
	require.Equal(t, []string{"first"}, titles(rows), "the good one shows all the same")
	for _, seconds := range []float64{5, 15, 60} {
		regs := h.NextPoll()
		require.Len(t, regs, 1)
		assert.Equal(t, "retry", regs[0].Name)
		assert.InDelta(t, seconds, regs[0].After, 5)
		assert.Zero(t, regs[0].Every)
		h.Tick("retry")
	}
	h.Event("core:session.opened", "")
	s.do("rename-window", "-t", "work:0", "fine")
	h.Event("core:session.opened", "")
	untilTitles(t, h, rows, "fine")
	assert.Equal(t, sdk.LevelWarn, h.NextLog().Level)
	assert.Zero(t, h.Notifications("log"), "one warning a minute")
	_ = l.Close()
}

func TestSocketsOutsideTheDirectoryAreNamedInTheConfiguration(t *testing.T) {
	r := newRig(t)
	far := &testServer{r, filepath.Join(r.tmp, "far.sock")}
	far.start()
	t.Cleanup(func() { _ = far.command("kill-server").Run() })
	h, rows := r.plugin(map[string]any{"sockets": []string{far.sock}})
	require.Equal(t, []string{"first"}, titles(rows))
	far.attach("work")
	require.True(t, eventually(func() bool { return far.observers() == 1 }))
	out := h.Perform(protocol.Perform{Kind: protocol.PerformNavigate, URL: meta(rows[0], protocol.MetaNavigationURL)})
	assert.True(t, out.OK, out.Err)
}

func TestADirectoryThatOthersMayWriteToIsRefused(t *testing.T) {
	r := newRig(t)
	r.server("default")
	require.NoError(t, os.Chmod(socketDir(r.tmp), 0o777))
	h, rows := r.plugin(nil)
	assert.Empty(t, rows)
	assert.Equal(t, sdk.LevelWarn, h.NextLog().Level)
	require.NoError(t, os.Chmod(socketDir(r.tmp), 0o700))
}
