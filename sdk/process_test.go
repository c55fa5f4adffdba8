package sdk_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

func self(t *testing.T, name string) *sdktest.Harness {
	t.Helper()
	h := sdktest.Self(t, name, sdktest.Options{})
	h.Initialize()
	return h
}

func TestWhatThePluginPrintsGoesToStderrNotAmongTheFrames(t *testing.T) {
	h := self(t, "fixture")
	assert.True(t, h.Command("c", "print").OK)
	h.WaitStderr("a stray print")
	assert.Equal(t, "0 EOF", h.Command("c", "stdin").Message)
	assert.Equal(t, `{"ok":true}`, ping(h), "the plugin's own read took a frame")
}

func TestAProgramThatThePluginStartsHoldsNoStreamOpen(t *testing.T) {
	h := self(t, "fixture")
	require.True(t, h.Command("c", "run", "sh", "-c", "sleep 60 & echo noise").OK)
	h.CloseStdin()
	h.Drained()
	assert.Zero(t, h.WaitExit())
}

func TestSIGTERMRunsTheShutdownHook(t *testing.T) {
	h := self(t, "fixture")
	require.NoError(t, syscall.Kill(h.PID(), syscall.SIGTERM))
	assert.Equal(t, "shutdown", h.NextLog().Message)
	assert.Zero(t, h.WaitExit())
}

func TestSIGTERMEndsAPluginThatHasNothingToSave(t *testing.T) {
	h := self(t, "still")
	require.NoError(t, syscall.Kill(h.PID(), syscall.SIGTERM))
	assert.Equal(t, -int(syscall.SIGTERM), h.WaitExit())
}

func TestAProcessAnswersAFloodInOrderAndInFull(t *testing.T) {
	h := self(t, "still")
	var b []byte
	for i := range 12000 {
		b = protocol.AppendRequest(b, int64(1000+i), "ping", nil, "", 0)
	}
	h.SendBytes(b)
	for i := range 12000 {
		h.Reply(int64(1000 + i))
	}
}

type rawPlugin struct {
	*exec.Cmd
	diagnostics *bufio.Reader
}

// raw starts a plugin whose streams the test holds itself.
func raw(t *testing.T, name string) (cmd rawPlugin, in io.WriteCloser, out *os.File) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd.Cmd = exec.Command(exe)
	cmd.Env = append(os.Environ(), "FLASH_SDKTEST_PLUGIN="+name, "FLASH_PLUGIN_PARENT_PID="+strconv.Itoa(os.Getpid()))
	in, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, childOut, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = childOut
	diagnostics, err := cmd.StderrPipe()
	require.NoError(t, err)
	cmd.diagnostics = bufio.NewReader(diagnostics)
	require.NoError(t, cmd.Start())
	require.NoError(t, childOut.Close())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = out.Close()
	})
	return cmd, in, out
}

func TestAHostThatStopsReadingIsLeftWithStatusOne(t *testing.T) {
	cmd, in, _ := raw(t, "fixture")
	var b []byte
	for i := range 20000 {
		b = protocol.AppendRequest(b, int64(1+i), "evaluate", []byte(`{"query":"`+strings.Repeat("x", 100)+`"}`), "", 0)
	}
	_, _ = in.Write(b) // fails once the plugin is gone
	_ = cmd.Wait()
	assert.Equal(t, 1, cmd.ProcessState.ExitCode())
}

func TestAFloodOfCataloguesLeavesOnlyTheNewestForASlowHost(t *testing.T) {
	cmd, in, out := raw(t, "fixture")
	_, err := io.WriteString(in, `{"id":1,"method":"perform","params":{"kind":"command","command":"c","subcommand":"flood","args":[]}}`+"\n")
	require.NoError(t, err)
	_, err = cmd.diagnostics.ReadString('\n') // all are published, none is read
	require.NoError(t, err)
	r := bufio.NewReaderSize(out, 1<<20)
	var last string
	n := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			break
		}
		switch {
		case strings.HasPrefix(line, `{"method":"publish"`):
			n++
			last = line[:80]
		case strings.HasPrefix(line, `{"id":1`):
			_ = in.(io.Closer).Close()
		}
	}
	assert.Less(t, n, 20, "more than 16 MiB were queued")
	assert.Contains(t, last, `"title":"99"`)
}

func TestAPluginOutlivesNoClosedOutput(t *testing.T) {
	cmd, in, out := raw(t, "fixture")
	require.NoError(t, out.Close())
	_, err := io.WriteString(in, `{"id":1,"method":"ping"}`+"\n")
	require.NoError(t, err)
	_ = cmd.Wait()
	assert.Zero(t, cmd.ProcessState.ExitCode(), "a broken pipe must be an orderly end: %v", cmd.ProcessState)
}

const orphanMaker = "FLASH_SDK_TEST_ORPHAN"

// makeOrphan is the body of a process between the test and a plugin: it starts
// the plugin on its own streams, as its parent, and ends once the plugin has
// answered the first ping by way of descriptor 3.
func makeOrphan() {
	exe, err := os.Executable()
	if err != nil {
		os.Exit(2)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), orphanMaker+"=", "FLASH_SDKTEST_PLUGIN=fixture", "FLASH_PLUGIN_PARENT_PID="+strconv.Itoa(os.Getpid()))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if cmd.Start() != nil {
		os.Exit(2)
	}
	_, _ = os.NewFile(3, "go").Read(make([]byte, 1))
	os.Exit(0)
}

func TestAPluginEndsWithItsParentThoughItsInputStaysOpen(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	leave, release, err := os.Pipe()
	require.NoError(t, err)
	defer leave.Close()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), orphanMaker+"=1")
	cmd.ExtraFiles = []*os.File{leave}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.WriteString(in, `{"id":1,"method":"ping"}`+"\n")
	require.NoError(t, err)
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, `"ok":true`)
	require.NoError(t, release.Close()) // the parent ends now
	rest, err := io.ReadAll(r)          // until the plugin, the last writer, has ended
	require.NoError(t, err)
	assert.Contains(t, string(rest), "shutdown")
	require.NoError(t, cmd.Wait())
}
