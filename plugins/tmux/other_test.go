package tmux

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// script puts an executable into the rig's directory.
func (r *rig) script(name, text string) string {
	r.t.Helper()
	dir := filepath.Join(r.tmp, "bin")
	require.NoError(r.t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, name)
	require.NoError(r.t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700))
	return path
}

func TestAnOldTmuxIsReadAndNotFollowed(t *testing.T) {
	r := newRig(t)
	s := r.server("default")
	s.attach("work")
	old := r.script("oldtmux", `case "$*" in -V) echo tmux 3.1c; exit;; *" -N "*|*" -C "*) echo usage >&2; exit 1;; esac; exec tmux "$@"`)
	h, rows := r.plugin(map[string]any{"program": old})
	require.Equal(t, []string{"first"}, titles(rows))
	assert.Zero(t, s.observers())
	assert.Contains(t, h.NextLog().Message, "before 3.2")
	assert.Contains(t, h.Command("tmux", "refresh").Message, "before 3.2")
	s.do("rename-window", "-t", "work:0", "renamed")
	h.Event("core:focus.changed", `{"bundle_id":"x","localized_name":"x","pid":42}`)
	untilTitles(t, h, rows, "renamed")
	assert.True(t, h.Command("tmux", "new", "x").OK)
	assert.Zero(t, h.Notifications("log"), "said once")
}

func TestAMissingTmuxIsSaidWithItsRemedy(t *testing.T) {
	r := newRig(t)
	r.server("default")
	h, rows := r.plugin(map[string]any{"program": filepath.Join(r.tmp, "none")})
	assert.Empty(t, rows)
	rec := h.NextLog()
	assert.Equal(t, sdk.LevelWarn, rec.Level)
	assert.Contains(t, string(rec.Fields), "install it")
}

func TestWindowsOfOtherMachinesComeOverSSH(t *testing.T) {
	r := newRig(t)
	far := &testServer{r, filepath.Join(r.tmp, "far.sock")}
	far.start()
	t.Cleanup(func() { _ = far.command("kill-server").Run() })
	far.attach("work")
	down := filepath.Join(r.tmp, "down")
	ssh := r.script("ssh", `[ -e "`+down+`" ] && exit 255
case "$*" in *BatchMode=yes*ConnectTimeout*"-- box "*) ;; *) exit 254;; esac
for last; do :; done
tmux() { command tmux -S "`+far.sock+`" "$@"; }
eval "$last"`)
	t.Setenv("PATH", filepath.Dir(ssh)+":"+os.Getenv("PATH"))
	h, rows := r.plugin(map[string]any{"ssh_hosts": []string{"box", "-oProxyCommand=x"}})
	assert.Equal(t, []protocol.Registration{{Name: "ssh", Every: 5}}, h.NextPoll())
	rows = untilTitles(t, h, rows, "first")
	assert.Contains(t, h.NextLog().Message, "no host name")
	assert.Equal(t, "tmux://ssh:box/work/0", meta(rows[0], protocol.MetaNavigationURL))
	assert.Contains(t, meta(rows[0], protocol.MetaSubtitle), "box · work:0")
	assert.Zero(t, h.Notifications("status"), "the bar is about this machine")
	assert.Zero(t, far.observers())

	far.do("new-window", "-d", "-t", "work:", "-n", "it's \"2\" $x;")
	h.TickUntil("ssh", func() bool { return h.Notifications("publish") > 0 })
	rows = untilTitles(t, h, rows, "first", "it's \"2\" $x")
	assert.Equal(t, protocol.Done(""), h.Perform(resolve(rows[1])))
	assert.Equal(t, `work:it's "2" $x`, far.shown())

	require.NoError(t, os.WriteFile(down, nil, 0o600))
	h.TickUntil("ssh", func() bool { return h.Notifications("log") > 0 })
	assert.Contains(t, h.NextLog().Message, "cannot be read")
	for h.Notifications("publish") > 0 {
		assert.Len(t, h.NextPublish(), 2, "the last good rows stay")
	}
	require.NoError(t, os.Remove(down))
	far.do("kill-server")
	require.True(t, eventually(func() bool { is, _ := probe(far.sock); return is == dead }))
	h.TickUntil("ssh", func() bool { return h.Notifications("publish") > 0 })
	untilTitles(t, h, rows)
}

func TestRowsOfASilentMachineExpire(t *testing.T) {
	p := &plugin{servers: map[string]*server{}}
	now := time.Now()
	for name, ago := range map[string]time.Duration{"a": sshExpires - time.Second, "b": sshExpires + time.Second} {
		p.servers[name] = &server{p: p, name: name, host: name, known: true, heard: now.Add(-ago)}
	}
	p.servers["local"] = &server{p: p, name: "local", known: true}
	p.expireRemotes(now)
	assert.True(t, p.servers["a"].known)
	assert.False(t, p.servers["b"].known)
	assert.True(t, p.servers["local"].known)
}
