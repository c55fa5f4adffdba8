package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSumsAreAnswered(t *testing.T) {
	i := newInstance(t)
	i.start()
	for query, want := range map[string]string{"2+2": "4", "2200/60": "36.6666666667", "= 6*7": "42", "100+12%": "112"} {
		q := i.query(query)
		require.NotEmpty(t, q.Answers, query)
		assert.Equal(t, want, q.Answers[0].Title, query)
		assert.Equal(t, "calculator", q.Answers[0].Plugin)
	}
	assert.Empty(t, i.query("firefox").Answers)
}

func TestAQueryPrintsWhatItCanGoOnAsAndTakesADashBehindTwo(t *testing.T) {
	i := newInstance(t)
	i.start()
	assert.Contains(t, i.ok("query", "@"), "@emojis.items\tEmojis\temojis\t\n")
	assert.Contains(t, i.ok("query", ":tmux "), ":tmux last\t")
	assert.Contains(t, i.ok("query", "!"), "!kill\t")
	r := i.run("query", "-2^2")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.err, "stands behind --")
	assert.Contains(t, i.ok("query", "--", "-2^2"), "= -4\t")
}

func TestFilesAndProcessesOfTheMachineAreFound(t *testing.T) {
	i := newInstance(t)
	i.write("home/Documents/quarterly report.txt", "x", 0o644)
	i.write("home/.ssh/report-key", "secret", 0o600)
	i.start()
	q := i.query("!f quarterly")
	require.NotEmpty(t, q.Rows)
	assert.Equal(t, "quarterly report.txt", q.Rows[0].Title)
	assert.Equal(t, "~/Documents", q.Rows[0].Subtitle)
	assert.True(t, strings.HasPrefix(q.Rows[0].URL, "file:///"))
	assert.NotContains(t, i.query("!f report").titles(), "report-key", "secrets are closed to a plugin that may read the home folder")

	me := fmt.Sprint(i.pid())
	q = i.query("@processes " + me)
	require.NotEmpty(t, q.Rows)
	assert.Contains(t, q.Rows[0].Subtitle, "pid "+me)
}

func TestKillEndsTheChosenProcess(t *testing.T) {
	i := newInstance(t)
	cmd := exec.Command("sleep", "600")
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	i.start()
	pid := fmt.Sprint(cmd.Process.Pid)
	i.eventually("it is listed", func() bool { return len(i.query("!kill "+pid).Rows) > 0 })
	r := i.feed("@processes "+pid+"\n1\n", "open", "--plain")
	require.Equal(t, 0, r.code, r.err)
	assert.Contains(t, i.feed("!kill "+pid+"\n1?\n", "open", "--plain").out, "1: End a process\n")
	assert.True(t, alive(cmd.Process.Pid), "choosing it without the bang ends nothing")
	r = i.feed("!kill "+pid+"\n1\n", "open", "--plain")
	assert.Contains(t, r.out, "asked process "+pid+" to end")
	i.eventually("it has ended", func() bool { return len(ended) > 0 })
}

func TestARenamedTmuxWindowShowsAtOnce(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("no tmux")
	}
	server := fmt.Sprintf("flash-test-%d", os.Getpid())
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(tmux, append([]string{"-L", server, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(os.Environ(), "SHELL=/bin/sh", "TMUX=", "TMUX_TMPDIR=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "tmux %v: %s", args, out)
	}
	run("new-session", "-d", "-s", "work", "-n", "before", "sleep 600")
	t.Cleanup(func() { run("kill-server") })
	client := exec.Command(tmux, "-L", server, "attach", "-t", "work")
	client.Env = append(os.Environ(), "TERM=xterm-256color", "TMUX=", "TMUX_TMPDIR=")
	terminal, err := pty.Start(client)
	require.NoError(t, err)
	t.Cleanup(func() { terminal.Close(); _ = client.Process.Kill(); _ = client.Wait() })
	go func() { // a terminal that nobody reads blocks its client
		buf := make([]byte, 4096)
		for {
			if _, err := terminal.Read(buf); err != nil {
				return
			}
		}
	}()

	i := newInstance(t)
	i.start()
	shows := func(name string) bool {
		return slices.ContainsFunc(i.query("@tmux "+name).titles(), func(s string) bool { return strings.Contains(s, name) })
	}
	i.eventually("the window is listed", func() bool { return shows("before") })
	run("rename-window", "-t", "work:0", "renamed-since")
	begin := time.Now()
	i.eventually("the new name is listed", func() bool { return shows("renamed-since") })
	t.Logf("shown after %v", time.Since(begin))
	assert.False(t, shows("before"))
}
