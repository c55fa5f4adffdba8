package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// realPrograms builds those of this checkout, with the plugins beside them.
func realPrograms(t *testing.T) (root, flash string) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	// As `make build` does, which has compiled all of it by then.
	build := exec.Command("go", "build", "-trimpath", "-o", bin+"/", "./cmd/flash", "./cmd/flash-plugin", "./Scripts/verify")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	manifests, err := filepath.Glob(filepath.Join(root, "plugins/*/manifest.json"))
	require.NoError(t, err)
	for _, m := range manifests {
		from := filepath.Dir(m)
		require.NoError(t, os.Symlink("flash-plugin", filepath.Join(bin, "flash-plugin-"+filepath.Base(from))))
		require.NoError(t, os.CopyFS(filepath.Join(dir, "plugins", filepath.Base(from)), os.DirFS(from)))
	}
	for _, key := range []string{"DISPLAY", "WAYLAND_DISPLAY"} {
		t.Setenv(key, "")
		require.NoError(t, os.Unsetenv(key))
	}
	return root, filepath.Join(bin, "flash")
}

func TestTheRealFlashIsReadAsTheChecksReadIt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts the real programs")
	}
	if runtime.GOOS == "darwin" {
		t.Skip("Scripts/verify-macos does this itself")
	}
	root, flash := realPrograms(t)
	base, err := os.MkdirTemp("/tmp", "fv-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	s, err := newSession(runtime.GOOS, root, base, os.Environ())
	require.NoError(t, err)
	// A test's program with the race detector is more than a sandbox has room for.
	s.flash, s.self = flash, filepath.Join(filepath.Dir(flash), "verify")
	ctx := t.Context()
	defer func() {
		require.NoError(t, s.close())
		assert.NoDirExists(t, s.base)
	}()
	assert.Equal(t, passed, version(ctx, s).result)

	f := startResident(ctx, s)
	require.Equal(t, passed, f.result, f.reason)
	stopRecorder, err := s.startRecorder(ctx)
	require.NoError(t, err, "it runs in its sandbox, and writes what it is told")
	stopRecorder()

	f = answers(ctx, s)
	assert.Equal(t, passed, f.result, f.reason)
	_, err = s.flashlights(ctx, 0)
	assert.NoError(t, err)
	var pointer struct{ State, Detail string }
	require.NoError(t, s.query(ctx, &pointer, "pointer", "status", "--json"))
	assert.Equal(t, "stopped", pointer.State)
	_, err = s.prepareDeeds(ctx)
	require.NoError(t, err)
	assert.Contains(t, s.profile, "(deny default)")
	assert.Contains(t, s.profile, s.paths.PluginData(deedsID))
	var c conformed
	require.NoError(t, s.query(ctx, &c, "plugin-dev", "conform", "calculator", "--sandbox", "--json", "--only", "lifecycle/handshake"))
	assert.Equal(t, passed, c.finding().result, c.finding().reason)

	m, err := s.sample(ctx, "1")
	require.NoError(t, err)
	assert.Greater(t, m.Total.Count, 1)
	assert.Equal(t, passed, memoryFinding([]sample{m}).result)

	f = stops(ctx, s)
	assert.Equal(t, passed, f.result, f.reason)
}

// output of a run that a test reads while it goes on.
type shownText struct {
	bounded
	seen chan string
}

func (s *shownText) Write(p []byte) (int, error) {
	select {
	case s.seen <- string(p):
	default:
	}
	return s.bounded.Write(p)
}

func TestCtrlCLeavesAReportAndNothingElse(t *testing.T) {
	if testing.Short() || runtime.GOOS == "darwin" {
		t.Skip("builds and starts the real programs")
	}
	root, flash := realPrograms(t)
	t.Chdir(root)
	before, err := filepath.Glob("/tmp/fv-*")
	require.NoError(t, err)
	text := &shownText{seen: make(chan string, 1000)}
	type ended struct {
		code int
		err  error
	}
	end := make(chan ended)
	out := filepath.Join(t.TempDir(), "report")
	go func() {
		code, err := verify(options{flash: flash, out: out, identity: "-", selection: selection{only: []string{"resident", "idle"}}}, plan(false), strings.NewReader(""), text)
		end <- ended{code, err}
	}()
	for line := range text.seen {
		if strings.Contains(line, "leave the Mac alone") {
			break
		}
	}
	var r report
	bases, err := filepath.Glob("/tmp/fv-*")
	require.NoError(t, err)
	bases = slices.DeleteFunc(bases, func(b string) bool { return slices.Contains(before, b) })
	require.NotEmpty(t, bases)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	got := <-end
	require.NoError(t, got.err)
	assert.Equal(t, exitInterrupted, got.code)
	data, err := os.ReadFile(filepath.Join(out, "report.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &r))
	assert.False(t, r.Complete)
	assert.Equal(t, summary{Passed: 2, Skipped: r.Summary.Skipped, Manual: r.Summary.Manual}, r.Summary, text.String())
	assert.NotEmpty(t, r.Commit)
	assert.Equal(t, "0.1.0", r.Flash)
	for _, b := range bases {
		assert.NoDirExists(t, b)
	}
	processes, err := exec.Command("ps", "-A", "-o", "pid=,command=").Output()
	require.NoError(t, err)
	assert.NotContains(t, string(processes), filepath.Dir(flash))
}

func TestAProgramThatTakesTooLongIsEndedWithItsChildren(t *testing.T) {
	dir := t.TempDir()
	start := time.Now()
	o := system{}.run(t.Context(), command{argv: []string{"sh", "-c", "echo begun; sleep 300 & echo $! >pid; wait"}, dir: dir, timeout: 300 * time.Millisecond})
	assert.ErrorIs(t, o.err, context.DeadlineExceeded)
	assert.Equal(t, "begun\n", o.stdout)
	assert.False(t, o.ok())
	assert.Less(t, time.Since(start), time.Minute)
	data, err := os.ReadFile(filepath.Join(dir, "pid"))
	require.NoError(t, err)
	assert.Eventually(t, func() bool {
		return exec.Command("sh", "-c", "kill -0 "+string(data)).Run() != nil
	}, 10*time.Second, 10*time.Millisecond)
}

func TestAProgramBesideIsStoppedAndRead(t *testing.T) {
	p, err := system{}.start(t.Context(), command{argv: []string{"sh", "-c", "trap 'echo move 3 >&2; exit 0' TERM; echo ready; while :; do sleep 0.01; done"}})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return p.(*child).out.String() == "ready\n" }, 10*time.Second, time.Millisecond)
	require.NoError(t, syscall.Kill(p.pid(), 0))
	o := p.stop()
	assert.True(t, o.ok(), o.said())
	assert.Equal(t, map[string]int{"move": 3}, delivered(o.stderr))
	_, err = system{}.start(t.Context(), command{argv: []string{"/nowhere/program"}})
	assert.Error(t, err)
}

func TestTheEndOfTheRunEndsWhatRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan output)
	go func() { done <- system{}.run(ctx, command{argv: []string{"sleep", "300"}}) }()
	cancel()
	o := <-done
	assert.ErrorIs(t, o.err, context.Canceled)
}
