package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The tests re-execute this binary as the confined child. It is a hand inside
// the sandbox: it does what it is told, one line at a time, and answers with
// what the kernel said.

const roleKey = "FLASH_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleKey); role {
	case "":
		os.Exit(m.Run())
	case "hand":
		serveHand()
	default:
		runRole(role)
	}
	os.Exit(0)
}

// order is one thing to do, answer what came of it.
type order struct {
	Op   string
	Args []string
}

type answer struct {
	Errno int
	Error string
	Text  string
}

func serveHand() {
	in := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var o order
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		var a answer
		act, ok := deeds[o.Op]
		if !ok {
			fmt.Fprintln(os.Stderr, "unknown deed", o.Op)
			os.Exit(1)
		}
		text, err := act(o.Args)
		a.Text = text
		if err != nil {
			a.Error = err.Error()
			var errno syscall.Errno
			if errors.As(err, &errno) {
				a.Errno = int(errno)
			}
		}
		if err := out.Encode(a); err != nil {
			os.Exit(1)
		}
	}
}

// hand is the test's side.
type hand struct {
	t    testing.TB
	proc *Process
	out  *bufio.Reader
}

// world is a made-up machine for one test: a home with secrets, a plugin
// root and a data directory.
type world struct {
	t                testing.TB
	home, root, data string
	outside          string // a directory nobody granted
	in               PolicyInput
}

func newWorld(t testing.TB) *world {
	t.Helper()
	// Shorter than t.TempDir: socket paths are 107 bytes at most.
	base, err := os.MkdirTemp("", "w")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(base) })
	base, err = filepath.EvalSymlinks(base)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(base, 0o755))
	w := &world{
		t: t, home: filepath.Join(base, "home"), root: filepath.Join(base, "plugin"),
		data: filepath.Join(base, "state", "data", "mine"), outside: filepath.Join(base, "outside"),
	}
	for _, dir := range []string{w.root, w.data, w.outside, filepath.Join(base, "state/data/other"), w.home + "/.ssh", w.home + "/.config/gh", w.home + "/docs"} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	for path, text := range map[string]string{
		w.home + "/.ssh/id_ed25519":       "key",
		w.home + "/.ssh/config":           "Host x",
		w.home + "/.bashrc":               "alias",
		w.home + "/.bash_history":         "ls",
		w.home + "/.config/gh/hosts.yml":  "token",
		w.home + "/.config/app.toml":      "a = 1",
		w.home + "/docs/note.txt":         "note",
		w.root + "/manifest.json":         "{}",
		w.data + "/storage.json":          "{}",
		w.outside + "/file":               "outside",
		base + "/state/data/other/secret": "other",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	w.in = PolicyInput{
		PluginID: "probe", Root: w.root, DataDir: w.data, Argv: []string{exe},
		Home: w.home, LoginPath: "/usr/bin:/bin", PluginsData: base + "/state/data",
		Getenv: func(string) string { return "" },
	}
	if raceDetector {
		// The race detector's shadow memory alone is larger than any cap.
		none := int64(0)
		w.in.MemoryBytes = &none
	}
	return w
}

func (w *world) policy() *Policy {
	w.t.Helper()
	p, _, err := PolicyFor(w.in)
	require.NoError(w.t, err)
	return p
}

func (w *world) env(role string) []string {
	env := []string{roleKey + "=" + role, "PATH=/usr/bin:/bin", "HOME=" + w.home, "GOMAXPROCS=2", "GORACE=atexit_sleep_ms=0"}
	if dir := os.Getenv("GOCOVERDIR"); dir != "" {
		env = append(env, "GOCOVERDIR="+dir)
	}
	return env
}

func (w *world) start(role string) *Process {
	w.t.Helper()
	return w.startWith(NewRunner(), role)
}

func (w *world) startWith(r *Runner, role string) *Process {
	w.t.Helper()
	p, err := r.Start(context.Background(), Command{Argv: w.in.Argv, Env: w.env(role), Policy: w.policy()})
	require.NoError(w.t, err)
	w.t.Cleanup(func() {
		p.Kill()
		p.Wait()
		for _, f := range []io.Closer{p.Stdin(), p.Stdout(), p.Stderr()} {
			f.Close()
		}
	})
	return p
}

func (w *world) hand() *hand { return w.handWith(NewRunner()) }

func (w *world) handWith(r *Runner) *hand {
	w.t.Helper()
	p := w.startWith(r, "hand")
	go io.Copy(os.Stderr, p.Stderr())
	return &hand{t: w.t, proc: p, out: bufio.NewReader(p.Stdout())}
}

// ask has one thing done and returns what it printed and the kernel's word.
func (h *hand) ask(op string, args ...string) (string, error) {
	h.t.Helper()
	line, err := json.Marshal(order{op, args})
	require.NoError(h.t, err)
	_, err = h.proc.Stdin().Write(append(line, '\n'))
	require.NoError(h.t, err)
	require.NoError(h.t, h.proc.Stdout().SetReadDeadline(time.Now().Add(20*time.Second)))
	reply, err := h.out.ReadBytes('\n')
	require.NoError(h.t, err, "the child died at %s %v", op, args)
	var a answer
	require.NoError(h.t, json.Unmarshal(reply, &a))
	switch {
	case a.Errno != 0:
		return a.Text, unix.Errno(a.Errno)
	case a.Error != "":
		return a.Text, errors.New(a.Error)
	}
	return a.Text, nil
}

func (h *hand) can(op string, args ...string) string {
	h.t.Helper()
	text, err := h.ask(op, args...)
	require.NoError(h.t, err, "%s %v", op, args)
	return text
}

// cannot wants one of the given errors, or any of the usual denials.
func (h *hand) cannot(op string, args []string, want ...unix.Errno) {
	h.t.Helper()
	if len(want) == 0 {
		want = []unix.Errno{unix.EACCES, unix.EPERM, unix.EROFS}
	}
	_, err := h.ask(op, args...)
	require.Error(h.t, err, "%s %v was allowed", op, args)
	for _, errno := range want {
		if errors.Is(err, errno) {
			return
		}
	}
	require.Failf(h.t, "wrong denial", "%s %v: %v, want one of %v", op, args, err, want)
}

// profiles runs a test under each way of starting a child.
func profiles(t *testing.T, run func(t *testing.T, w *world)) {
	t.Run("on a thread", func(t *testing.T) { run(t, newWorld(t)) })
	t.Run("in a namespace with an init", func(t *testing.T) {
		needNamespaces(t)
		w := newWorld(t)
		w.in.Exec = []string{"true"}
		run(t, w)
	})
	t.Run("in a namespace without an init", func(t *testing.T) {
		needNamespaces(t)
		w := newWorld(t)
		w.in.UnixSockets = []string{listenUnix(t, filepath.Join(w.home, "granted.sock"))}
		run(t, w)
	})
}

func needNamespaces(t testing.TB) {
	t.Helper()
	if s := detect(); !s.Namespaces {
		t.Skipf("%s; %s", s.NamespacesWhy, s.NamespacesRemedy)
	}
}

func forks(w *world) bool { return w.policy().Forks() }

// eventually retries on the test's own goroutine, so that counting
// goroutines works.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !ok(); <-time.After(2 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline), what)
	}
}

func words(args ...string) []string { return args }

func lines(s string) []string { return strings.Fields(s) }
