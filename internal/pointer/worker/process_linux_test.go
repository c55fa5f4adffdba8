package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/cli"
	"github.com/flash-launcher/flash/internal/pointer/worker"
	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

// asFlash makes the test binary be flash, so that workers are real processes.
const asFlash = "FLASH_POINTER_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asFlash) != "" {
		os.Exit(cli.Main(os.Args[1:], cli.Options{Version: "test"}, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

const patience = 20 * time.Second

// rig is a private X server, a state folder and a configuration.
type rig struct {
	t       *testing.T
	server  *xvfb.Server
	hand    *xvfb.Hand
	dir     string
	env     []string
	display string
}

func newRig(t *testing.T, table string) *rig {
	t.Helper()
	if m := xvfb.Missing(); m != "" {
		t.Skipf("%s is not installed; `apt-get install xvfb openbox` runs this test", m)
	}
	server, err := xvfb.Start()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	hand, err := server.Hand()
	require.NoError(t, err)
	t.Cleanup(hand.Close)
	r := bareRig(t, server.Display, table)
	r.server, r.hand = server, hand
	return r
}

func bareRig(t *testing.T, display, table string) *rig {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "config.toml")
	require.NoError(t, os.WriteFile(config, []byte("[pointer]\n"+table), 0o600))
	return &rig{t: t, dir: dir, display: display, env: worker.Env(append(os.Environ(), asFlash+"=1", "HOME="+dir, "XDG_STATE_HOME="+dir,
		"XDG_CONFIG_HOME="+dir, "FLASH_CONFIG="+config, "DISPLAY="+display, "XAUTHORITY="+filepath.Join(dir, "none")))}
}

func (r *rig) state() string { return filepath.Join(r.dir, "flash") }

func (r *rig) argv() []string {
	exe, err := os.Executable()
	require.NoError(r.t, err)
	return []string{exe, "pointer", "run", "--started"}
}

func (r *rig) on() (int, bool, error) {
	return worker.On(context.Background(), r.state(), r.argv(), r.env)
}

func (r *rig) look() worker.Status { return worker.Look(r.state(), func() error { return nil }) }

// flash runs a command to its end.
func (r *rig) flash(args ...string) (string, int) {
	r.t.Helper()
	cmd := exec.Command(r.argv()[0], args...)
	cmd.Env = r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.IsType(r.t, &exec.ExitError{}, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// foreground is a worker whose output the test reads.
type foreground struct {
	t   *testing.T
	cmd *exec.Cmd
	out bytes.Buffer
}

func (r *rig) run(args ...string) *foreground {
	r.t.Helper()
	read, write, err := os.Pipe()
	require.NoError(r.t, err)
	defer read.Close()
	f := &foreground{t: r.t, cmd: exec.Command(r.argv()[0], append(r.argv()[1:], args...)...)}
	f.cmd.Env, f.cmd.ExtraFiles = r.env, []*os.File{write}
	f.cmd.Stdout, f.cmd.Stderr = &f.out, &f.out
	require.NoError(r.t, f.cmd.Start())
	write.Close()
	r.t.Cleanup(func() {
		if f.cmd.ProcessState == nil {
			_ = f.cmd.Process.Kill()
			_ = f.cmd.Wait()
		}
	})
	said, err := io.ReadAll(read)
	require.NoError(r.t, err)
	require.Equal(r.t, "ready", string(said))
	return f
}

// stop ends the worker and returns what it printed.
func (f *foreground) stop() string {
	f.t.Helper()
	require.NoError(f.t, f.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(f.t, f.cmd.Wait(), f.out.String())
	return f.out.String()
}

func (r *rig) eventually(what string, ok func() bool) {
	r.t.Helper()
	require.Eventually(r.t, ok, patience, 5*time.Millisecond, what)
}

func TestEachCycleOfOnAndOffHasOneWorkerAndLeavesNone(t *testing.T) {
	r := newRig(t, "")
	for i := range 25 {
		pid, started, err := r.on()
		require.NoError(t, err)
		require.True(t, started)
		again, started, err := r.on()
		require.NoError(t, err)
		require.False(t, started, "cycle %d", i)
		require.Equal(t, pid, again)
		require.Equal(t, worker.Status{State: worker.Running, PID: pid}, r.look())
		was, err := worker.Off(context.Background(), r.state())
		require.NoError(t, err)
		require.True(t, was)
		require.Equal(t, worker.Status{State: worker.Stopped}, r.look())
		entries, err := os.ReadDir(r.state())
		require.NoError(t, err)
		require.Empty(t, entries, "metadata is left")
	}
}

func TestOnStatusAndOffSayWhatIsSoWithExitCodesOfTheirOwn(t *testing.T) {
	r := newRig(t, "")
	out, code := r.flash("pointer", "status", "--json")
	assert.Equal(t, 3, code)
	assert.JSONEq(t, `{"state":"stopped"}`, out)
	out, code = r.flash("pointer", "on")
	assert.Zero(t, code, out)
	out, code = r.flash("pointer", "on")
	assert.Zero(t, code)
	assert.Contains(t, out, "already")
	out, code = r.flash("pointer", "run")
	assert.Equal(t, 6, code, out)
	pid := r.look().PID
	out, code = r.flash("pointer", "status", "--json")
	assert.Zero(t, code)
	assert.JSONEq(t, fmt.Sprintf(`{"state":"running","pid":%d}`, pid), out)

	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	r.eventually("stale", func() bool { return r.look().State == worker.Stale })
	out, code = r.flash("pointer", "status")
	assert.Equal(t, 8, code)
	assert.Contains(t, out, "stale")
	assert.Contains(t, out, "flash pointer off")
	out, code = r.flash("pointer", "on")
	assert.Zero(t, code, out)
	_, code = r.flash("pointer", "off")
	assert.Zero(t, code)
	_, code = r.flash("pointer", "status")
	assert.Equal(t, 3, code)
}

func TestAWorkerHasNothingOpenButNullAndItsOwn(t *testing.T) {
	r := newRig(t, "")
	pid, _, err := r.on()
	require.NoError(t, err)
	defer func() { _, _ = worker.Off(context.Background(), r.state()) }()
	for fd := range 3 {
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
		require.NoError(t, err)
		assert.Equal(t, "/dev/null", to)
	}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	require.NoError(t, err)
	sockets := 0
	for _, e := range entries {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, e.Name()))
		if strings.HasPrefix(to, "socket:") {
			sockets++
		}
		assert.False(t, strings.HasPrefix(to, "pipe:"), "a pipe of the starter: %s", to)
	}
	assert.Equal(t, 1, sockets, "the X connection and no other")
}

func TestARecycledPIDIsNoWorkerAndIsNotKilled(t *testing.T) {
	r := bareRig(t, ":1", "")
	other := exec.Command("sleep", "600")
	require.NoError(t, other.Start())
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	exe, err := filepath.EvalSymlinks(other.Path)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(r.state(), 0o700))
	for _, record := range []string{
		fmt.Sprintf(`{"schema":1,"pid":%d,"start":1,"executable":%q}`, other.Process.Pid, exe),
		`{"schema":9}`, `not JSON`, ``,
	} {
		require.NoError(t, os.WriteFile(worker.PIDFile(r.state()), []byte(record), 0o600))
		assert.Equal(t, worker.Stale, r.look().State, record)
		was, err := worker.Off(context.Background(), r.state())
		require.NoError(t, err)
		assert.False(t, was)
		assert.NoFileExists(t, worker.PIDFile(r.state()))
		require.NoError(t, other.Process.Signal(syscall.Signal(0)), "the other process lives")
	}
}

func TestAFaultInTheTableNamesKeyValueAndRemedy(t *testing.T) {
	r := bareRig(t, ":1", "gesture = 1\n")
	for _, args := range [][]string{{"pointer", "on"}, {"pointer", "run"}, {"pointer", "check"}} {
		out, code := r.flash(args...)
		assert.Equal(t, 5, code, out)
		assert.Contains(t, out, "pointer.gesture = 1: is the left or right button, which stays as it is; use 2 to 31")
	}
}

func TestReplayGivesForEachTraceWhatItWants(t *testing.T) {
	r := bareRig(t, ":1", "gesture = 7\nthreshold = 999\n") // traces bring their own
	const file = "../trace/testdata/traces.jsonl"
	out, code := r.flash("pointer", "replay", "--check", file)
	assert.Zero(t, code, out)
	assert.Contains(t, out, "decisions are as the traces want them")
	out, code = r.flash("pointer", "replay", "--json", file)
	assert.Zero(t, code)
	got := strings.Split(strings.TrimSpace(out), "\n")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		var trace struct{ Want []json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(line), &trace))
		for _, want := range trace.Want {
			require.NotEmpty(t, got)
			require.JSONEq(t, string(want), got[0])
			got = got[1:]
		}
	}
	assert.Empty(t, got)
	out, code = r.flash("pointer", "replay", filepath.Join(r.dir, "none.jsonl"))
	assert.Equal(t, 4, code)
	assert.Contains(t, out, "flash pointer record")
}

func TestAWorkerThatIsRunByHandHasTheRuntimeOfOneThatIsTurnedOn(t *testing.T) {
	r := newRig(t, "")
	r.env = append(slices.DeleteFunc(r.env, func(kv string) bool { return strings.HasPrefix(kv, "GO") }), "GOMAXPROCS=7", "GOGC=1000")
	w := r.run()
	assert.Equal(t, w.cmd.Process.Pid, r.look().PID)
	dir := fmt.Sprintf("/proc/%d/", w.cmd.Process.Pid)
	env, err := os.ReadFile(dir + "environ")
	require.NoError(t, err)
	vars := strings.Split(string(env), "\x00")
	assert.Contains(t, vars, "GOMAXPROCS=1")
	assert.Contains(t, vars, "GOGC=50")
	assert.NotContains(t, vars, "GOMAXPROCS=7")
	threads, err := os.ReadDir(dir + "task")
	require.NoError(t, err)
	assert.LessOrEqual(t, len(threads), maxThreads)
	w.stop()
}

func TestARecordingThatCannotBeginLeavesTheEarlierOne(t *testing.T) {
	r := bareRig(t, ":1999", "")
	file := filepath.Join(r.dir, "trace.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("earlier"), 0o600))
	out, code := r.flash("pointer", "record", file)
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "check DISPLAY")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "earlier", string(data))
}

func TestAPIDFileOfAnotherUserIsNamedAsOne(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads every file; an ordinary user runs this test")
	}
	r := bareRig(t, ":1", "")
	require.NoError(t, os.MkdirAll(r.state(), 0o700))
	require.NoError(t, os.WriteFile(worker.PIDFile(r.state()), nil, 0o000))
	s := r.look()
	assert.Equal(t, worker.Stale, s.State)
	assert.Contains(t, s.Detail, "permission denied; its folder has to belong to the user of this worker")
}
