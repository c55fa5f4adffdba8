package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
)

// patience bounds every wait of these tests; none waits longer than what it
// waits for takes.
const patience = 30 * time.Second

// treeKey names a folder that holds bin and plugins ready made, for a user who
// cannot build.
const treeKey = "FLASH_TEST_TREE"

// bin is the folder of the programs that TestMain built.
var bin string

// TestMain builds the programs once: these tests drive the real ones.
func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	if tree := os.Getenv(treeKey); tree != "" {
		bin = filepath.Join(tree, "bin")
		return m.Run(), nil
	}
	dir, err := os.MkdirTemp("", "flash-host-test")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return 1, err
	}
	bin = filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-trimpath", "-o", bin+"/", "./cmd/...")
	build.Dir = root()
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("go build: %w\n%s", err, out)
	}
	manifests, err := filepath.Glob(filepath.Join(root(), "plugins/*/manifest.json"))
	if err != nil {
		return 1, err
	}
	for _, path := range manifests {
		id := filepath.Base(filepath.Dir(path))
		if err := os.Symlink("flash-plugin", filepath.Join(bin, "flash-plugin-"+id)); err != nil {
			return 1, err
		}
	}
	return m.Run(), nil
}

// root is the project's root folder, or what stands for it.
func root() string {
	if tree := os.Getenv(treeKey); tree != "" {
		return tree
	}
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}

// instance is one resident in folders of its own.
type instance struct {
	t   testing.TB
	dir string
	env []string

	terminals int // that were opened
}

func newInstance(t testing.TB) *instance {
	t.Helper()
	// A short path: a control socket's has 107 bytes at most.
	dir, err := os.MkdirTemp("", "fl")
	require.NoError(t, err)
	i := &instance{t: t, dir: dir}
	for _, sub := range []string{"run", "home", "config/flash", "data", "state", "cache"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
	}
	i.env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + filepath.Join(dir, "home"),
		"LANG=C.UTF-8",
		"TMPDIR=" + os.TempDir(),
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"XDG_DATA_HOME=" + filepath.Join(dir, "data"),
		"XDG_DATA_DIRS=" + filepath.Join(dir, "share"),
		"XDG_STATE_HOME=" + filepath.Join(dir, "state"),
		"XDG_CACHE_HOME=" + filepath.Join(dir, "cache"),
		"XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"),
		"FLASH_OFFICIAL_PLUGINS=" + filepath.Join(root(), "plugins"),
	}
	t.Cleanup(func() {
		i.run("stop")
		os.RemoveAll(dir)
	})
	return i
}

// result is what a command printed and how it ended.
type result struct {
	out, err string
	code     int
}

func (i *instance) run(args ...string) result {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "flash"), args...)
	cmd.Env = i.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(i.t, err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// ok runs a command that must succeed, and returns what it printed.
func (i *instance) ok(args ...string) string {
	i.t.Helper()
	r := i.run(args...)
	require.Equal(i.t, 0, r.code, "flash %s: %s%s", strings.Join(args, " "), r.out, r.err)
	return r.out
}

func (i *instance) json(v any, args ...string) {
	i.t.Helper()
	require.NoError(i.t, json.Unmarshal([]byte(i.ok(args...)), v))
}

func (i *instance) start() {
	i.t.Helper()
	i.ok("start")
}

func (i *instance) pid() int {
	i.t.Helper()
	var st control.Status
	i.json(&st, "status", "--json")
	return st.PID
}

// version is that of the resident.
func (i *instance) version() string {
	i.t.Helper()
	var st control.Status
	i.json(&st, "status", "--json")
	return st.Version
}

func (i *instance) plugin(id string) control.PluginInfo {
	i.t.Helper()
	var all control.Plugins
	i.json(&all, "plugins", "--json")
	for _, p := range all.Plugins {
		if p.ID == id {
			return p
		}
	}
	return control.PluginInfo{}
}

// queryResult is the documented shape of `flash query --json`.
type queryResult struct {
	Query   string
	Answers []struct{ Title, Subtitle, Plugin string }
	Rows    []struct {
		ID, Plugin, Source, Title, Subtitle, URL string
		Tier, Score                              int
		Highlights                               [][2]int
	}
	Notices   []struct{ Plugin, Text string }
	ElapsedUS int64 `json:"elapsed_us"`
}

func (i *instance) query(text string) (q queryResult) {
	i.t.Helper()
	i.json(&q, "query", "--json", "--", text)
	return q
}

func (q queryResult) titles() []string {
	out := []string{}
	for _, r := range q.Rows {
		out = append(out, r.Title)
	}
	return out
}

// write puts a file below the instance's folder, its parents included.
func (i *instance) write(rel, text string, mode os.FileMode) {
	i.t.Helper()
	path := filepath.Join(i.dir, rel)
	require.NoError(i.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(i.t, os.WriteFile(path, []byte(text), mode))
}

// script installs a third-party plugin that is a shell script.
func (i *instance) script(id, manifest, body string) {
	i.t.Helper()
	dir := "config/flash/plugins/" + id
	i.write(dir+"/plugin.sh", "#!/bin/sh\n"+body, 0o755)
	i.write(dir+"/manifest.json", fmt.Sprintf(`{"id":%q,"name":%q,"version":"1","description":"test","exec":["./plugin.sh"]%s}`, id, id, manifest), 0o644)
}

// eventually waits until cond holds.
func (i *instance) eventually(what string, cond func() bool) {
	i.t.Helper()
	require.Eventually(i.t, cond, patience, 20*time.Millisecond, what)
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, ok := bytes.Cut(stat, []byte(") "))
	return ok && len(after) > 0 && after[0] != 'Z' && after[0] != 'X'
}

// marked returns the live processes whose environment names the instance's folder.
func (i *instance) marked() (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		env, err := os.ReadFile(d + "/environ")
		if err != nil || !bytes.Contains(env, []byte(i.dir)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(d)); err == nil && alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func kill(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	require.Positive(t, pid)
	require.NoError(t, syscall.Kill(pid, sig))
}
