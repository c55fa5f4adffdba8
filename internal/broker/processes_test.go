package broker

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// run starts a program that ends with the test.
func run(t *testing.T, argv ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	// The program says a line once it is what it will be.
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return cmd
}

func table(t *testing.T, b *Broker, c Caller, windowMS int) map[int]map[string]any {
	t.Helper()
	out := map[int]map[string]any{}
	m := granted(t, b, c, protocol.HostProcessTable, fmt.Sprintf(`{"sample_window_ms":%d}`, windowMS))
	for _, p := range m["processes"].([]any) {
		row := p.(map[string]any)
		out[int(row["pid"].(float64))] = row
	}
	return out
}

func TestTheTableShowsRealProcesses(t *testing.T) {
	busy := run(t, "/bin/sh", "-c", "echo ready; while :; do :; done")
	b, c := New(Options{}), caller(t)
	rows := table(t, b, c, 300)
	me, child := rows[os.Getpid()], rows[busy.Process.Pid]
	require.NotNil(t, me)
	require.NotNil(t, child)
	assert.Equal(t, float64(os.Getpid()), child["ppid"])
	assert.Equal(t, float64(os.Getuid()), child["uid"])
	assert.Greater(t, child["rss"], 0.0)
	assert.Greater(t, child["cpu"], 1.0)
	assert.Equal(t, 0.0, table(t, b, c, 0)[busy.Process.Pid]["cpu"])
	self, err := os.Executable()
	require.NoError(t, err)
	assert.Equal(t, self, me["path"])
	assert.Equal(t, filepath.Base(self), me["name"], "longer names than the kernel keeps are whole")
}

func TestAListedProcessIsEnded(t *testing.T) {
	child := run(t, "/bin/sh", "-c", "echo ready; exec sleep 9999")
	b, c := New(Options{}), caller(t)
	start := table(t, b, c, 0)[child.Process.Pid]["start_time"]
	require.NotNil(t, start)
	granted(t, b, c, protocol.HostSignal, fmt.Sprintf(`{"pid":%d}`, child.Process.Pid))
	err := child.Wait()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, syscall.SIGTERM, exit.Sys().(syscall.WaitStatus).Signal())
	assert.Contains(t, refused(t, b, c, protocol.HostSignal, fmt.Sprintf(`{"pid":%d}`, child.Process.Pid)), "no such process")
}

func TestAProcessThatIsNotTheOneListedIsLeftAlone(t *testing.T) {
	child := run(t, "/bin/sh", "-c", "echo ready; exec sleep 9999")
	pid := child.Process.Pid
	b, c := New(Options{}), caller(t)
	table(t, b, c, 0)
	real := b.listed.start(c.PluginID, pid)
	require.NotZero(t, real)
	b.listed.shown[c.PluginID][pid] = real - 1
	assert.Equal(t, fmt.Sprintf("pid %d: another process has that pid now", pid), refused(t, b, c, protocol.HostSignal, fmt.Sprintf(`{"pid":%d}`, pid)))
	assert.Contains(t, refused(t, b, c, protocol.HostSignal, fmt.Sprintf(`{"pid":%d,"start_time":%d}`, pid, real+1)), "another process")
	require.NoError(t, child.Process.Signal(syscall.Signal(0)), "it lives")
	b.Forget(c.PluginID)
	granted(t, b, c, protocol.HostSignal, fmt.Sprintf(`{"pid":%d,"start_time":"%d"}`, pid, real))
	assert.Error(t, child.Wait())
}

func TestTheHostAndWhatItDependsOnAreOutOfReach(t *testing.T) {
	b, c := New(Options{}), caller(t)
	for pid := os.Getpid(); pid > 1; pid = b.o.Processes.Parent(pid) {
		assert.Contains(t, refused(t, b, c, protocol.HostSignal, `{"pid":`+strconv.Itoa(pid)+`}`), "that process is the host")
	}
}

func TestAProcessOfAnotherUserIsNotEnded(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may signal everything")
	}
	b, c := New(Options{}), caller(t)
	for pid, row := range table(t, b, c, 0) {
		if row["uid"] == 0.0 && pid > 1 && !b.isOurs(pid) {
			assert.Contains(t, refused(t, b, c, protocol.HostSignal, fmt.Sprintf(`{"pid":%d}`, pid)), "not permitted")
			return
		}
	}
	t.Skip("no process of another user is seen")
}

func ended(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestALongWindowEndsWithTheCall(t *testing.T) {
	_, err := SystemProcesses().Table(ended(t), time.Hour)
	assert.Error(t, err)
}
