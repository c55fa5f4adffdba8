package tmux

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// shown returns the session and window that each terminal shows.
func (s *testServer) shown() string { return s.ofTerminals("#{session_name}:#{window_name}") }

// ofTerminals expands a format for each client that is no observer.
func (s *testServer) ofTerminals(format string) string {
	var list []string
	for line := range strings.SplitSeq(s.do("list-clients", "-F", "#{client_flags} "+format), "\n") {
		flags, text, _ := strings.Cut(line, " ")
		if !strings.Contains(flags, "no-output") {
			list = append(list, text)
		}
	}
	return strings.Join(list, "\n")
}

func TestChoosingAWindowShowsItAtOnceAndRaisesItsTerminal(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.do("new-session", "-d", "-s", "zoo", "-n", "cage", ";", "new-window", "-d", "-t", "zoo:", "-n", "pond")
	s.attach("work")
	h, rows := r.plugin(nil)
	require.Equal(t, []string{"first", "cage", "pond"}, titles(rows))
	pid, err := strconv.Atoi(s.ofTerminals("#{client_pid}"))
	require.NoError(t, err)

	out := h.Perform(resolve(rows[2]))
	assert.Equal(t, protocol.Outcome{OK: true, TargetPID: pid}, out, "without a process table the client itself")
	assert.Equal(t, "zoo:pond", s.shown())
	rows = h.NextPublish() // came before the answer
	assert.Equal(t, "true", meta(rows[2], protocol.MetaCurrentLocation))

	h.Event("core:apps.changed", `{"reason":"x","running_applications":[{"bundle_id":"term","pid":`+strconv.Itoa(os.Getpid())+`,"localized_name":"Term"}]}`)
	h.HostReply("host.process_table", func(string) string {
		return `{"ok":true,"processes":[` + process(pid, 4242) + `,` + process(4242, os.Getpid()) + `,` + process(os.Getpid(), 1) + `]}`
	})
	out = h.Perform(protocol.Perform{Kind: protocol.PerformNavigate, URL: "tmux://default/work"})
	assert.Equal(t, protocol.Outcome{OK: true, TargetPID: os.Getpid()}, out)
	assert.Equal(t, "work:first", s.shown())

	there := protocol.Context{BundleID: "term", PID: os.Getpid()}
	assert.True(t, h.Command("tmux", "select", "zoo:cage").OK)
	assert.True(t, h.Perform(protocol.Perform{Kind: protocol.PerformAction, Name: "next_window", Context: there}).OK)
	assert.Equal(t, "zoo:pond", s.shown())
	elsewhere := protocol.Context{BundleID: "web", PID: 4243}
	assert.True(t, h.Perform(protocol.Perform{Kind: protocol.PerformAction, Name: "next_window", Context: elsewhere}).Unhandled)
}

func process(pid, ppid int) string {
	return `{"pid":` + strconv.Itoa(pid) + `,"ppid":` + strconv.Itoa(ppid) + `,"uid":0,"name":"x","path":"","cpu":0,"rss":0,"start_time":"1"}`
}

func TestCommandsWorkOnTheTerminalUsedLast(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.attach("work")
	h, _ := r.plugin(nil)
	require.True(t, h.Command("tmux", "new", "my", "notes;").OK)
	assert.Equal(t, "work:my notes;", s.shown())
	require.True(t, h.Command("tmux", "rename", "#{pid}", "-x").OK)
	assert.Equal(t, "work:#{pid} -x", s.shown())
	require.True(t, h.Command("tmux", "last").OK)
	assert.Equal(t, "work:first", s.shown())
	require.True(t, h.Command("tmux", "rename-session", "day").OK)
	assert.Equal(t, "day:first", s.shown())
	require.True(t, h.Command("tmux", "new-session", "night").OK)
	assert.True(t, strings.HasPrefix(s.shown(), "night:"))
	assert.Equal(t, textNoName, h.Command("tmux", "rename").Err)
	assert.Equal(t, "unsupported subcommand: dance", h.Command("tmux", "dance").Err)
}

func TestOnlyWhatIsNamedExactlyIsClosed(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.do("new-window", "-d", "-t", "work:", "-n", "twin", ";", "new-window", "-d", "-t", "work:", "-n", "twin", ";",
		"new-session", "-d", "-s", "zoo", "-n", "cage")
	s.attach("work")
	h, _ := r.plugin(nil)
	all := s.do("list-windows", "-a")
	for _, args := range [][]string{nil, {"cage"}, {"zoo"}, {"work:twin"}, {"zoo:cag"}, {"zoo:", "cage"}, {""}, {"*"}} {
		assert.NotEmpty(t, h.Command("tmux", "kill-window", args...).Err, args)
	}
	for _, args := range [][]string{nil, {"zo"}, {"work", "zoo"}, {"cage"}} {
		assert.NotEmpty(t, h.Command("tmux", "kill-session", args...).Err, args)
	}
	assert.NotEmpty(t, h.Perform(protocol.Perform{Kind: protocol.PerformAction, Name: "kill_window"}).Err)
	assert.Equal(t, all, s.do("list-windows", "-a"))

	require.True(t, h.Command("tmux", "kill-window", "work:1").OK)
	require.True(t, h.Command("tmux", "kill-session", "zoo").OK)
	assert.Equal(t, "first\ntwin", s.do("list-windows", "-a", "-F", "#{window_name}"))
}

func TestActionsOnARowGoToItsWindow(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.do("new-window", "-d", "-t", "work:", "-n", "second")
	s.attach("work")
	h, rows := r.plugin(nil)
	on := func(row protocol.Row) []byte {
		return append(append([]byte(`{"row":`), protocol.AppendRow(nil, row)...), '}')
	}
	act := func(name string, row protocol.Row) protocol.Outcome {
		return h.Perform(protocol.Perform{Kind: protocol.PerformAction, Name: name, ActionArgs: on(row)})
	}
	require.True(t, act("select_window", rows[1]).OK)
	assert.Equal(t, "work:second", s.shown())
	require.True(t, act("next_window", rows[1]).OK)
	assert.Equal(t, "work:first", s.shown())
	require.True(t, act("kill_window", rows[1]).OK)
	assert.Equal(t, "first", s.do("list-windows", "-a", "-F", "#{window_name}"))
	assert.Equal(t, textWindow, act("select_window", rows[1]).Err)
	assert.True(t, act("select_window", protocol.Row{Source: source, Title: "x"}).Unhandled)
}

func TestAnUnattachedServerSelectsAndSaysHowToSeeIt(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.do("new-window", "-d", "-t", "work:", "-n", "second")
	h, rows := r.plugin(nil)
	out := h.Perform(resolve(rows[1]))
	assert.True(t, out.OK)
	assert.Contains(t, out.Message, "tmux attach")
	assert.Equal(t, "second", s.do("display-message", "-p", "-t", "work:", "#{window_name}"))
	assert.Equal(t, textNobody, h.Command("tmux", "new").Err)
}

func TestARowOfAServerThatDiedSaysSo(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	h, rows := r.plugin(nil)
	s.do("kill-server")
	require.True(t, eventually(func() bool { is, _ := probe(s.sock); return is == dead }))
	assert.Equal(t, textGone, h.Perform(resolve(rows[0])).Err)
	assert.Empty(t, h.NextPublish())
	s.start()
	fresh := untilTitles(t, h, nil, "first")
	assert.NotEqual(t, rows[0], fresh[0], "another run of the server")
	assert.Equal(t, textWindow, h.Perform(resolve(rows[0])).Err, "ids start again: it may be any window now")
	assert.True(t, h.Perform(protocol.Perform{Kind: protocol.PerformNavigate, URL: meta(rows[0], protocol.MetaNavigationURL)}).OK)
}

func TestAStoppedServerKeepsItsRowsAndIsNotWaitedForLong(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.attach("work")
	h, rows := r.plugin(nil)
	pid, err := strconv.Atoi(s.do("display-message", "-p", "#{pid}"))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	cont := func() { _ = syscall.Kill(pid, syscall.SIGCONT) }
	t.Cleanup(cont)
	assert.Equal(t, textSilent, h.Perform(resolve(rows[0])).Err)
	require.Len(t, h.NextPoll(), 1)
	assert.Zero(t, h.Notifications("publish"), "the last good rows stay")
	cont()
	require.True(t, eventually(func() bool { return s.command("rename-window", "-t", "work:0", "awake").Run() == nil }))
	h.Tick("retry")
	untilTitles(t, h, rows, "awake")
	require.True(t, eventually(func() bool { return s.observers() == 1 }), "%s", lazyClients{s})
}

func TestAsAProcessItEndsWithItsInputAndLeavesNothing(t *testing.T) {
	for _, how := range []string{"end of input", "kill"} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t)
			s := r.server("default")
			s.attach("work")
			h := sdktestSelf(t, r)
			h.Initialize()
			rows := h.NextPublish()
			require.Equal(t, []string{"first"}, titles(rows))
			require.Equal(t, 1, s.observers())
			s.do("rename-window", "-t", "work:0", "renamed")
			untilTitles(t, h, rows, "renamed")
			if how == "kill" {
				require.NoError(t, syscall.Kill(h.PID(), syscall.SIGKILL))
				assert.Equal(t, -int(syscall.SIGKILL), h.WaitExit())
			} else {
				h.CloseStdin()
				assert.Zero(t, h.WaitExit())
			}
			assert.True(t, eventually(func() bool { return s.observers() == 0 }), "its client outlived it")
			assert.Equal(t, "work:renamed", s.shown(), "the terminal was left alone")
		})
	}
}
