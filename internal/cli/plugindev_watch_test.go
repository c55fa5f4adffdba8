package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// home is a user's home that outlives one command, with a resident in it.
type home struct {
	dir string
	env []string
}

func newHome(t *testing.T) home {
	t.Helper()
	program, err := flashProgram()
	require.NoError(t, err)
	// A socket's path has to be short.
	dir, err := os.MkdirTemp("", "flash-w")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := home{dir: dir, env: append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir+"/config", "XDG_RUNTIME_DIR="+dir,
		"XDG_STATE_HOME="+dir+"/state", "XDG_DATA_HOME="+dir+"/data", "FLASH_OFFICIAL_PLUGINS="+dir+"/none")}
	run := exec.Command(program, "run")
	run.Env = h.env
	var stderr output
	run.Stderr = &stderr
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		_ = run.Process.Signal(syscall.SIGTERM)
		_ = run.Wait()
		if t.Failed() {
			t.Logf("resident: %s", stderr.String())
		}
	})
	h.eventually(t, "the resident to answer", func() bool { _, err := h.flash("status"); return err == nil })
	return h
}

func (h home) flash(args ...string) (string, error) {
	program, err := flashProgram()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(program, args...)
	cmd.Env = h.env
	out, err := cmd.Output()
	return string(out), err
}

// eventually tries until something holds; the deadline is a machine's that has
// other things to do.
func (h home) eventually(t *testing.T, what string, holds func() bool) time.Time {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		if holds() {
			return time.Now()
		}
		require.False(t, time.Now().After(deadline), "waited in vain for %s", what)
		time.Sleep(10 * time.Millisecond)
	}
}

// output is a buffer that a process writes while a test reads.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// edit replaces a file as editors do: at once.
func edit(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	temp := path + "~"
	require.NoError(t, os.WriteFile(temp, []byte(strings.ReplaceAll(string(text), old, new)), 0o644))
	require.NoError(t, os.Rename(temp, path))
}

func TestAWatchedPluginIsRebuiltAndTheResidentTakesTheNewBuild(t *testing.T) {
	for _, tool := range []string{"sh", "awk"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
	h := newHome(t)
	plugins := filepath.Join(h.dir, "config", "flash", "plugins")
	require.NoError(t, os.MkdirAll(plugins, 0o755))
	_, err := h.flash("plugin-dev", "new", "hi", "--lang", "sh", "--dir", plugins)
	require.NoError(t, err)
	dir := filepath.Join(plugins, "hi")
	shows := func(title string) func() bool {
		return func() bool {
			out, err := h.flash("query", "@hi.items ")
			return err == nil && strings.Contains(out, title)
		}
	}
	h.eventually(t, "the first catalogue", shows("Hello from hi"))

	// The program is a build's product: hi.in is what is edited.
	source := filepath.Join(dir, "hi.in")
	text, err := os.ReadFile(filepath.Join(dir, "hi"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(source, text, 0o644))
	build := filepath.Join(h.dir, "build")
	require.NoError(t, os.WriteFile(build, []byte(`#!/bin/sh
if grep -q BROKEN hi.in; then echo "hi.in: it is broken" >&2; exit 1; fi
cp hi.in hi.new && chmod 755 hi.new && mv hi.new hi && date +%s.%N >"$1"
`), 0o755))
	stamp := filepath.Join(h.dir, "built")

	program, err := flashProgram()
	require.NoError(t, err)
	watch := exec.Command(program, "plugin-dev", "watch", dir, "--build", build+" "+stamp)
	watch.Env = h.env
	var out, stderr output
	watch.Stdout, watch.Stderr = &out, &stderr
	require.NoError(t, watch.Start())
	defer func() {
		_ = watch.Process.Signal(os.Interrupt)
		_ = watch.Wait()
	}()
	said := func(what string) func() bool { return func() bool { return strings.Contains(out.String(), what) } }
	h.eventually(t, "the watch to start the plugin", said(`"title":"Hello from hi"`))

	edit(t, source, "Hello from hi", "Good morning")
	seen := h.eventually(t, "the resident to have the new build", shows("Good morning"))
	h.eventually(t, "the watch to have the new build", said(`"title":"Good morning"`))
	info, err := os.Stat(stamp)
	require.NoError(t, err)
	t.Logf("the resident had the new build %v after the build's end", seen.Sub(info.ModTime()).Round(time.Millisecond))

	edit(t, source, "Good morning", "BROKEN")
	h.eventually(t, "the error of the build", func() bool {
		return strings.Contains(stderr.String(), "hi.in: it is broken") && strings.Contains(out.String(), "# build ")
	})
	assert.True(t, shows("Good morning")(), "the resident keeps the last good build")
	assert.NotContains(t, out.String(), "BROKEN")

	edit(t, source, "BROKEN", "Good evening")
	h.eventually(t, "the resident to have the mended build", shows("Good evening"))
	h.eventually(t, "the watch to have the mended build", said(`"title":"Good evening"`))

	// A file beside the program is no product of the build, and counts as well.
	edit(t, filepath.Join(dir, "flash_plugin.sh"), `"title\":$JSON"`, `"title\":$JSON,\"url\":\"https://example.com/new\""`)
	h.eventually(t, "the watch to see the change beside the program", said("https://example.com/new"))
}

func TestAWatchTakesAPluginByItsIDAndStartsItOnceABuild(t *testing.T) {
	dir := scaffolded(t, "go")
	program, err := flashProgram()
	require.NoError(t, err)
	config := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(config, "flash"), 0o755))
	require.NoError(t, os.Symlink(filepath.Dir(dir), filepath.Join(config, "flash", "plugins")))
	watch := exec.Command(program, "plugin-dev", "watch", "hi")
	watch.Env = append(os.Environ(), "HOME="+config, "XDG_CONFIG_HOME="+config, "GOCACHE="+goCache(t))
	watch.Dir = config
	var out, stderr output
	watch.Stdout, watch.Stderr = &out, &stderr
	require.NoError(t, watch.Start())
	said := func(what string) func() bool { return func() bool { return strings.Contains(out.String(), what) } }
	require.Eventually(t, said(`"title":"Hello from hi"`), 2*time.Minute, 10*time.Millisecond, "%s", stderr.String())
	edit(t, filepath.Join(dir, "main.go"), "Hello from ", "Salut from ")
	require.Eventually(t, said(`"title":"Salut from hi"`), 2*time.Minute, 10*time.Millisecond, "%s", stderr.String())
	// What the build made does not build again.
	edit(t, filepath.Join(dir, "main.go"), "Salut from ", "Ciao from ")
	require.Eventually(t, said(`"title":"Ciao from hi"`), 2*time.Minute, 10*time.Millisecond, "%s", stderr.String())
	require.NoError(t, watch.Process.Signal(os.Interrupt))
	require.NoError(t, watch.Wait())
	assert.Equal(t, 3, strings.Count(out.String(), `"method":"initialize"`), "%s", out.String())
}

// goCache is the caller's: a home of its own would compile everything anew.
func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func TestEachScaffoldShowsItsRowsInAQuery(t *testing.T) {
	h := newHome(t)
	plugins := filepath.Join(h.dir, "config", "flash", "plugins")
	require.NoError(t, os.MkdirAll(plugins, 0o755))
	for _, language := range []string{"go", "python", "node", "sh"} {
		t.Run(language, func(t *testing.T) {
			dir := scaffolded(t, language)
			at := filepath.Join(plugins, "hi")
			require.NoError(t, os.Rename(dir, at))
			defer os.RemoveAll(at)
			h.eventually(t, "the row", func() bool {
				out, err := h.flash("query", "@hi.items ")
				return err == nil && strings.HasPrefix(out, "Hello from hi\t")
			})
			h.eventually(t, "the answer", func() bool {
				out, err := h.flash("query", "hi you")
				return err == nil && strings.HasPrefix(out, "= Hello you\t")
			})
		})
		h.eventually(t, "the plugin to be gone", func() bool {
			out, err := h.flash("plugins")
			return err == nil && !strings.Contains(out, "hi\t")
		})
	}
}
