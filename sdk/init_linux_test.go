package sdk_test

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

// initFixture is the fixture as pid 1 of a namespace with a /proc of its own.
func initFixture() sdk.Plugin {
	if unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") != nil || unix.Mount("proc", "/proc", "proc", 0, "") != nil {
		os.Exit(3)
	}
	p := fixture()
	p.Search = func(ctx context.Context, h *sdk.Host, q protocol.Search) ([]protocol.Row, error) {
		return []protocol.Row{{Source: "pid", Title: strconv.Itoa(os.Getpid())}, {Source: "ppid", Title: strconv.Itoa(os.Getppid())}}, nil
	}
	return p
}

// inNamespace starts the plugin as pid 1 by way of a wrapper, since the
// harness starts plain processes.
func inNamespace(t *testing.T) *sdktest.Harness {
	t.Helper()
	if err := exec.Command("unshare", "--pid", "--mount", "--fork", "true").Run(); err != nil {
		t.Skipf("pid namespaces are not to be had here: %v", err)
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	h := sdktest.Process(t, []string{"unshare", "--pid", "--mount", "--fork", exe},
		sdktest.Options{Env: []string{"FLASH_SDKTEST_PLUGIN=init"}})
	h.Initialize()
	return h
}

// childOf returns the one child of a process.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(pid) + "/children")
	require.NoError(t, err)
	child, err := strconv.Atoi(string(b[:len(b)-1]))
	require.NoError(t, err)
	return child
}

func TestAsPidOneAPluginServesAndEndsBySIGTERM(t *testing.T) {
	h := inNamespace(t)
	rows := h.Search("", "")
	require.Equal(t, "1", rows[0].Title)
	require.Equal(t, "0", rows[1].Title)
	require.NoError(t, syscall.Kill(childOf(t, h.PID()), syscall.SIGTERM))
	assert.Equal(t, "shutdown", h.NextLog().Message)
	assert.Zero(t, h.WaitExit())
}

func TestAsPidOneAPluginReapsOrphansAndLeavesItsOwnChildrenAlone(t *testing.T) {
	h := inNamespace(t)
	for range 5 {
		require.True(t, h.Command("c", "run", "sh", "-c", "for i in 1 2 3 4; do (sleep 0.1 &) ; done").OK)
	}
	pid := childOf(t, h.PID())
	children := "/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(pid) + "/children"
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(children)
		return err == nil && len(b) == 0
	}, 20*time.Second, 20*time.Millisecond, "orphans were not reaped")
	assert.True(t, h.Command("c", "run", "sh", "-c", "exit 0").OK)
}

func threadsOf(t *testing.T, pid int) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	require.NoError(t, err)
	return len(entries)
}

func TestTheThreadsOfBlockingWorkGoWhenThePluginIsStill(t *testing.T) {
	t.Parallel()
	h := self(t, "still")
	ids := make([]int64, 4)
	for i := range ids {
		ids[i] = h.Request("perform", `{"kind":"command","command":"c","subcommand":"run-many","args":[]}`)
	}
	for _, id := range ids {
		h.Reply(id)
	}
	require.Greater(t, threadsOf(t, h.PID()), 8, "the work did not block threads, the test shows nothing")
	// One more than at rest: the runtime starts a thread to start threads from
	// once a goroutine has been locked to its own.
	require.Eventually(t, func() bool { return threadsOf(t, h.PID()) <= 6 }, 20*time.Second, 50*time.Millisecond)
	assert.Equal(t, `{"ok":true}`, ping(h))
	assert.True(t, h.Command("c", "run", "true").OK)
}
