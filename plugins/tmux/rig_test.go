package tmux

import (
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

func TestMain(m *testing.M) {
	sdktest.Main(m, map[string]func() sdk.Plugin{"tmux": New})
}

//go:embed manifest.json
var manifest []byte

// slow bounds waits on a machine that has a lot else to do.
const slow = 30 * time.Second

// rig is a directory of tmux sockets of its own.
type rig struct {
	t   testing.TB
	tmp string
}

func newRig(t testing.TB) *rig {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	// Socket paths are short; t.TempDir may not be.
	tmp, err := os.MkdirTemp("/tmp", "ftx")
	require.NoError(t, err)
	tmp, err = filepath.EvalSymlinks(tmp)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(socketDir(tmp), 0o700))
	r := &rig{t, tmp}
	t.Cleanup(func() {
		r.nothingRuns()
		_ = os.RemoveAll(tmp)
	})
	return r
}

// nothingRuns waits until no process names the rig's directory any more.
func (r *rig) nothingRuns() {
	var left []string
	ok := eventually(func() bool {
		left = left[:0]
		list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range list {
			line, _ := os.ReadFile(file)
			if strings.Contains(string(line), r.tmp) {
				left = append(left, file+" "+strings.ReplaceAll(string(line), "\x00", " "))
			}
		}
		return len(left) == 0
	})
	if !ok {
		r.t.Errorf("still running: %q", left)
	}
}

func eventually(is func() bool) bool {
	for until := time.Now().Add(slow); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if is() {
			return true
		}
	}
	return false
}

func (r *rig) socket(name string) string { return filepath.Join(socketDir(r.tmp), name) }

// testServer is a real tmux server.
type testServer struct {
	r    *rig
	sock string
}

// server starts one with a session `work` of one window `first`.
func (r *rig) server(name string) *testServer {
	r.t.Helper()
	s := &testServer{r, r.socket(name)}
	s.start()
	r.t.Cleanup(func() {
		_ = s.command("kill-server").Run()
	})
	return s
}

func (s *testServer) start() {
	s.r.t.Helper()
	s.do("-f", "/dev/null", "new-session", "-d", "-s", "work", "-n", "first", "-x", "80", "-y", "24", "exec cat", ";",
		"set-option", "-g", "default-command", "exec cat", ";", "set-option", "-g", "automatic-rename", "off")
}

func (s *testServer) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-S", s.sock}, args...)...)
	cmd.Env = append(environ(), "TERM=xterm-256color")
	return cmd
}

func (s *testServer) do(args ...string) string {
	s.r.t.Helper()
	out, err := s.command(args...).CombinedOutput()
	require.NoError(s.r.t, err, "tmux %q: %s", args, out)
	return strings.TrimSpace(string(out))
}

// attach puts a terminal on a session and returns what takes it away again.
func (s *testServer) attach(session string) (detach func()) {
	s.r.t.Helper()
	before := s.terminals()
	cmd := s.command("attach-session", "-t", session)
	tty, err := pty.Start(cmd)
	require.NoError(s.r.t, err)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		buf := make([]byte, 4096)
		for {
			if _, err := tty.Read(buf); err != nil {
				return
			}
		}
	}()
	done := false
	detach = func() {
		if !done {
			done = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			_ = tty.Close()
			<-drained
		}
	}
	s.r.t.Cleanup(detach)
	require.True(s.r.t, eventually(func() bool { return s.terminals() > before }), "the terminal did not attach")
	return detach
}

// terminals counts the clients that are no observers.
func (s *testServer) terminals() int {
	out, _ := s.command("list-clients", "-F", "#{client_flags}").Output()
	n := 0
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "no-output") {
			n++
		}
	}
	return n
}

// observers counts the plugin's clients.
func (s *testServer) observers() int {
	out, _ := s.command("list-clients", "-F", "#{client_flags}").Output()
	return strings.Count(string(out), "no-output")
}

func (r *rig) options(more map[string]any) sdktest.Options {
	config := map[string]any{"tmux_tmpdir": r.tmp}
	for k, v := range more {
		config[k] = v
	}
	text, err := json.Marshal(config)
	require.NoError(r.t, err)
	return sdktest.Options{Manifest: manifest, Config: string(text), Timeout: slow}
}

// plugin runs the plugin in the test and waits for its first catalogue.
func (r *rig) plugin(more map[string]any) (*sdktest.Harness, []protocol.Row) {
	r.t.Helper()
	h := sdktest.InProcess(r.t, New(), r.options(more))
	h.Initialize()
	return h, h.NextPublish()
}

// until takes catalogues until one is as wanted.
func until(t testing.TB, h *sdktest.Harness, rows []protocol.Row, is func(titles []string) bool) []protocol.Row {
	t.Helper()
	for !is(titles(rows)) {
		rows = next(t, h)
	}
	return rows
}

// next waits for the next catalogue. Meanwhile it is the host's clock: on a
// machine with a lot to do a reading may take too long and wait for its retry.
func next(t testing.TB, h *sdktest.Harness) []protocol.Row {
	t.Helper()
	came := eventually(func() bool {
		if h.Notifications("poll") > 0 {
			for _, reg := range h.NextPoll() {
				if reg.Name == retryTimer {
					t.Log("a reading failed; its retry is due")
					h.Tick(retryTimer)
				}
			}
		}
		return h.Notifications("publish") > 0
	})
	for !came && h.Notifications("log") > 0 {
		rec := h.NextLog()
		t.Logf("log: %s %s", rec.Message, rec.Fields)
	}
	return h.NextPublish()
}

func untilTitles(t testing.TB, h *sdktest.Harness, rows []protocol.Row, want ...string) []protocol.Row {
	t.Helper()
	return until(t, h, rows, func(got []string) bool { return strings.Join(got, "\n") == strings.Join(want, "\n") })
}

func titles(rows []protocol.Row) []string {
	list := make([]string, 0, len(rows))
	for _, r := range rows {
		list = append(list, r.Title)
	}
	return list
}

func meta(row protocol.Row, key string) string {
	v, _ := row.Metadata.Get(key)
	return v
}

func resolve(row protocol.Row) protocol.Perform {
	return protocol.Perform{Kind: protocol.PerformResolve, Row: row}
}

// sdktestSelf runs the plugin as a process of its own.
func sdktestSelf(t testing.TB, r *rig) *sdktest.Harness {
	return sdktest.Self(t, "tmux", r.options(nil))
}

// lazyClients prints the clients of a server when a test fails.
type lazyClients struct{ s *testServer }

func (l lazyClients) String() string {
	out, _ := l.s.command("list-clients", "-F", "#{client_name} #{client_flags} #{session_id}").CombinedOutput()
	return string(out)
}
