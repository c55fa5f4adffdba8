package host_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
)

// emitter is a `flash statusbar` whose bar is the test.
type emitter struct {
	t     testing.TB
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.ReadCloser
	lines chan string
	errs  *lockedBuffer
	ended chan error
}

// emit starts an emitter with its bar at both ends.
func (i *instance) emit(args ...string) *emitter {
	i.t.Helper()
	e := &emitter{t: i.t, lines: make(chan string, 1024), errs: &lockedBuffer{}, ended: make(chan error, 1)}
	e.cmd = exec.Command(filepath.Join(bin, "flash"), append([]string{"statusbar"}, args...)...)
	e.cmd.Env = i.env
	e.cmd.Stderr = e.errs
	var err error
	e.in, err = e.cmd.StdinPipe()
	require.NoError(i.t, err)
	e.out, err = e.cmd.StdoutPipe()
	require.NoError(i.t, err)
	require.NoError(i.t, e.cmd.Start())
	read := make(chan struct{})
	go func() {
		defer close(read)
		s := bufio.NewScanner(e.out)
		for s.Scan() {
			e.lines <- s.Text()
		}
		close(e.lines)
	}()
	go func() { <-read; e.ended <- e.cmd.Wait() }()
	i.t.Cleanup(func() { _ = e.cmd.Process.Kill() })
	return e
}

// line returns the next line that matches.
func (e *emitter) line(pattern string) string {
	e.t.Helper()
	re := regexp.MustCompile(pattern)
	deadline := time.After(patience)
	var seen []string
	for {
		select {
		case l, ok := <-e.lines:
			if !ok {
				e.t.Fatalf("the emitter ended without a line like %s; it wrote %q and said %s", pattern, seen, e.errs)
			}
			if re.MatchString(l) {
				return l
			}
			seen = append(seen, l)
		case <-deadline:
			e.t.Fatalf("no line like %s, but %q; it said %s", pattern, seen, e.errs)
		}
	}
}

// ends waits for the end and demands that it is a good one.
func (e *emitter) ends() {
	e.t.Helper()
	select {
	case err := <-e.ended:
		require.NoError(e.t, err, e.errs.String())
	case <-time.After(patience):
		e.t.Fatal("the emitter does not end")
	}
}

const cpuLine = `^cpu \d+%$`

func TestAMonitorRunsOnlyWhileAnEmitterShowsItsSegment(t *testing.T) {
	i := newInstance(t)
	i.start()
	require.Equal(t, "idle", i.plugin("cpu").State)

	e := i.emit("--template", "#{flash.plugin.cpu.summary}")
	e.line(cpuLine)
	child := i.plugin("cpu").PID
	require.True(t, alive(child))
	assert.Equal(t, "idle", i.plugin("memory").State, "nothing shows a segment of it")

	second := i.emit("--format", "i3bar", "--template", "#{?flash.plugin.cpu.percent,#{flash.plugin.memory.percent},}")
	second.line(`"full_text":"\d+%"`)
	require.NoError(t, e.in.Close())
	e.ends()
	assert.Equal(t, child, i.plugin("cpu").PID, "the other one's condition needs it")
	memory := i.plugin("memory").PID
	require.True(t, alive(memory))

	require.NoError(t, second.in.Close())
	second.ends()
	i.eventually("both children are gone", func() bool { return !alive(child) && !alive(memory) })
	assert.Equal(t, "idle", i.plugin("cpu").State)
}

func TestACommandKeepsAMonitorThatTheEmitterLeaves(t *testing.T) {
	i := newInstance(t)
	i.start()
	assert.Regexp(t, `^mem \d+%`, i.ok("perform", ":memory refresh"))
	child := i.plugin("memory").PID
	e := i.emit("--template", "#{flash.plugin.memory.summary}")
	e.line(`^mem \d+%$`)
	require.NoError(t, e.in.Close())
	e.ends()
	assert.Regexp(t, `^mem \d+%`, i.ok("perform", ":memory refresh"))
	assert.Equal(t, child, i.plugin("memory").PID)
}

func TestAnEmitterEndsWhenItsBarStopsReading(t *testing.T) {
	i := newInstance(t)
	i.start()
	e := i.emit("--template", "quiet")
	e.line("^quiet$")
	require.NoError(t, e.out.Close())
	e.ends()
}

func TestAnEmitterStaysWithATmuxThatShutsItsInputAndEndsWithIt(t *testing.T) {
	i := newInstance(t)
	i.start()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	ours, theirs := os.NewFile(uintptr(fds[0]), "tmux"), os.NewFile(uintptr(fds[1]), "job")
	cmd := exec.Command(filepath.Join(bin, "flash"), "statusbar", "--format", "tmux", "--template", "#[bold]#{flash.plugin.cpu.summary}")
	cmd.Env, cmd.Stdin, cmd.Stdout = i.env, theirs, theirs
	require.NoError(t, cmd.Start())
	theirs.Close()
	require.NoError(t, syscall.Shutdown(fds[0], syscall.SHUT_WR))
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	r := bufio.NewReader(ours)
	for {
		l, err := r.ReadString('\n')
		require.NoError(t, err)
		if strings.HasPrefix(l, "#[bold]cpu ") {
			break
		}
	}
	ours.Close()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(patience):
		t.Fatal("the emitter does not end")
	}
}

func TestAnEmitterSaysThatTheResidentIsGoneAndGoesOnWhenItIsBack(t *testing.T) {
	i := newInstance(t)
	e := i.emit("--template", "here")
	e.line("^flash is not running$")
	i.start()
	e.line("^here$")
	i.ok("stop")
	e.line("^flash is not running$")
	i.start()
	e.line("^here$")
	kill(t, i.pid(), syscall.SIGKILL)
	e.line("^flash is not running$")
	require.NoError(t, e.in.Close())
	e.ends()
}

func TestAnEmitterFollowsTheConfiguredTemplate(t *testing.T) {
	i := newInstance(t)
	i.write("config/flash/config.toml", "[statusbar]\ntemplate = \"one\"\n", 0o600)
	i.start()
	e := i.emit()
	e.line("^one$")
	i.write("config/flash/config.toml", "[statusbar]\ntemplate = \"two #{host}\"\n", 0o600)
	e.line(`^two #\{host\}$`)
	i.eventually("the fault is told", func() bool { return strings.Contains(e.errs.String(), "column 5") })
	var st control.Status
	i.json(&st, "status", "--json")
	assert.Contains(t, strings.Join(st.ConfigFaults, " "), "statusbar.template: column 5")
	assert.NotContains(t, e.errs.String(), "one")
}

func TestOneLineWaitsForASegmentThatIsMeasuredFirst(t *testing.T) {
	i := newInstance(t)
	i.start()
	assert.Regexp(t, `^cpu \d+% mem \d+%\n$`, i.ok("statusbar", "--once", "--template", "#{flash.plugin.cpu.summary} #{flash.plugin.memory.summary}"))
	i.eventually("it is not measured any more", func() bool { return i.plugin("cpu").State == "idle" })
	assert.Equal(t, "\n", i.ok("statusbar", "--once", "--template", "#{flash.plugin.ghost.x}"))
	r := i.run("statusbar", "--format", "dzen")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.err, "waybar")
}

func TestAClickOnI3barDoesWhatTheTemplateSays(t *testing.T) {
	i := newInstance(t)
	// It shows how often it was asked.
	i.script("tally", `,"status":["count"],"commands":[{"command":"tally","subcommand":"up","description":"count"}],"sandbox":{"exec":["sh","cut"]}`, `
n=0
read -r line
echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'
echo '{"method":"status","params":{"segments":{"count":"0"}}}'
while read -r line; do
	case $line in *'"perform"'*)
		n=$((n+1))
		id=${line#*\"id\":}; id=${id%%,*}
		echo "{\"method\":\"status\",\"params\":{\"segments\":{\"count\":\"$n\"}}}"
		echo "{\"id\":$id,\"result\":{\"ok\":true,\"message\":\"counted $n\"}}";;
	esac
done
`)
	i.start()
	template := "#[click=:tally up,click3=!nosuch]n #{flash.plugin.tally.count}"
	e := i.emit("--format", "i3bar", "--template", template)
	assert.JSONEq(t, `{"version":1,"click_events":true,"stop_signal":10,"cont_signal":12}`, e.line("version"))
	e.line(`"name":"tally","full_text":"n 0"`)
	for _, l := range []string{"[\n", strings.Repeat("x", 1<<20) + "\n", `{"name":"tally","instance":"","button":1,"x":4}` + "\n"} {
		_, err := io.WriteString(e.in, l)
		require.NoError(t, err)
	}
	e.line(`"full_text":"n 1"`)
	_, err := io.WriteString(e.in, `,{"name":"tally","button":1}`+"\n")
	require.NoError(t, err)
	e.line(`"full_text":"n 2"`)

	assert.Equal(t, "counted 3\n", i.ok("statusbar", "click", "tally", "--template", template))
	assert.Equal(t, "counted 4\n", i.ok("statusbar", "click", ":tally up"))
	r := i.run("statusbar", "click", "tally", "--template", template, "--button", "2")
	assert.Equal(t, 4, r.code)
	assert.Contains(t, r.err, "#[range=user|NAME,click=…]")
}

func TestAHiddenI3barCostsNoMonitor(t *testing.T) {
	i := newInstance(t)
	i.start()
	e := i.emit("--format", "i3bar", "--template", "#{flash.plugin.cpu.percent}")
	e.line(`"full_text":"\d+%"`)
	require.NoError(t, e.cmd.Process.Signal(syscall.SIGUSR1))
	i.eventually("the monitor has ended", func() bool { return i.plugin("cpu").State == "idle" })
	require.NoError(t, e.cmd.Process.Signal(syscall.SIGUSR2))
	e.line(`"full_text":"\d+%"`)
	require.NoError(t, e.in.Close())
	e.ends()
}

func TestControlCharactersOfAPluginReachNoBar(t *testing.T) {
	i := newInstance(t)
	i.script("rude", `,"sources":[{"name":"rude.items"}],"status":["text"],"sandbox":{"exec":["sh"]}`, `
read -r line
echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'
printf '%s\n' '{"method":"status","params":{"segments":{"text":"a\u001b[31m<b>&\nc#[bold]\u009bd"}}}'
while read -r line; do :; done
`)
	i.start()
	template := "#{flash.plugin.rude.text}"
	for format, want := range map[string]string{
		"text": "a[31m<b>& c#[bold]d",
		"tmux": "a[31m<b>& c##[bold]d",
	} {
		assert.Equal(t, want+"\n", i.ok("statusbar", "--once", "--format", format, "--template", template))
	}
	var w struct{ Text string }
	require.NoError(t, json.Unmarshal([]byte(i.ok("statusbar", "--once", "--format", "waybar", "--template", template)), &w))
	assert.Equal(t, "a[31m&lt;b&gt;&amp; c#[bold]d", w.Text)
}

// lockedBuffer is what a program said so far.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
