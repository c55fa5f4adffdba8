package sdk_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// settled is longer than the SDK takes to fall quiet.
const settled = 7 * time.Second

// measured is a child as it would be shipped, on bare pipes: no harness stands
// between the clock and the child.
type measured struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	buf []byte
	id  int64
}

func buildStill(t testing.TB) string {
	t.Helper()
	if _, err := os.Stat("../go.mod"); err != nil {
		t.Skip("not in the module's tree, so there is nothing to build from")
	}
	path := filepath.Join(t.TempDir(), "stillplugin")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./internal/stillplugin")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	// Pages of a file that is not on disk yet would count as dirty.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
	return path
}

func startMeasured(t testing.TB, path string) *measured {
	t.Helper()
	cmd := exec.Command(path)
	cmd.Env = []string{
		"PATH=/usr/bin:/bin", "FLASH_PLUGIN_ID=still", "GOMAXPROCS=1", "GOGC=25", "GOMEMLIMIT=64MiB",
		"FLASH_PLUGIN_PARENT_PID=" + strconv.Itoa(os.Getpid()),
	}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	m := &measured{cmd: cmd, in: in, out: bufio.NewReader(out)}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	m.call(t, protocol.MethodInitialize, []byte(`{"protocol_version":1}`))
	_, err = m.out.ReadSlice('\n') // the catalogue
	require.NoError(t, err)
	return m
}

func (m *measured) call(t testing.TB, method string, params []byte) {
	m.id++
	m.buf = protocol.AppendRequest(m.buf[:0], m.id, method, params, "", 0)
	_, err := m.in.Write(m.buf)
	if err == nil {
		_, err = m.out.ReadSlice('\n')
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (m *measured) proc(file string) string {
	return fmt.Sprintf("/proc/%d/%s", m.cmd.Process.Pid, file)
}

// kib returns a line of smaps_rollup.
func (m *measured) kib(t testing.TB, field string) int {
	t.Helper()
	b, err := os.ReadFile(m.proc("smaps_rollup"))
	require.NoError(t, err)
	_, rest, ok := bytes.Cut(b, []byte("\n"+field+":"))
	require.True(t, ok)
	n, err := strconv.Atoi(strings.Fields(string(rest))[0])
	require.NoError(t, err)
	return n
}

// switches returns the context switches of all threads since their start.
func (m *measured) switches(t testing.TB) int {
	t.Helper()
	sum := 0
	for _, path := range m.tasks(t) {
		b, err := os.ReadFile(path + "/status")
		require.NoError(t, err)
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.HasSuffix(name, "ctxt_switches") {
				n, err := strconv.Atoi(strings.TrimSpace(value))
				require.NoError(t, err)
				sum += n
			}
		}
	}
	return sum
}

func (m *measured) tasks(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(m.proc("task/*"))
	require.NoError(t, err)
	return paths
}

func TestAChildHoldsAtMostOneMebibyteAfterTwelveThousandPings(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and waits for it to settle")
	}
	m := startMeasured(t, buildStill(t))
	for range 12000 {
		m.call(t, protocol.MethodPing, nil)
	}
	assert.LessOrEqual(t, m.kib(t, "Private_Dirty"), 1024)
	for range 200 {
		m.call(t, protocol.MethodEvaluate, []byte(`{"query":"q","scope":"","surface":""}`))
	}
	// Falling quiet must not cost what it saves.
	deadline := time.Now().Add(settled)
	for time.Now().Before(deadline) {
		require.LessOrEqual(t, m.kib(t, "Private_Dirty"), 1536)
		time.Sleep(100 * time.Millisecond)
	}
	t.Logf("private dirty %d KiB, RSS %d KiB, %d threads", m.kib(t, "Private_Dirty"), m.kib(t, "Rss"), len(m.tasks(t)))
}

// BenchmarkPing is the round trip to a child over pipes, and what the child
// holds after 12,000 of them. Run it alone:
//
//	go test -run xxx -bench Ping ./sdk
func BenchmarkPing(b *testing.B) {
	m := startMeasured(b, buildStill(b))
	for b.Loop() {
		m.call(b, protocol.MethodPing, nil)
	}
	b.StopTimer()
	for m.id < 12000 {
		m.call(b, protocol.MethodPing, nil)
	}
	b.ReportMetric(float64(m.kib(b, "Private_Dirty")), "dirty-KiB")
	b.ReportMetric(float64(m.kib(b, "Rss")), "rss-KiB")
	b.ReportMetric(float64(len(m.tasks(b))), "threads")
}

// BenchmarkStart is a child's start up to its first catalogue.
func BenchmarkStart(b *testing.B) {
	path := buildStill(b)
	for b.Loop() {
		m := startMeasured(b, path)
		_ = m.in.Close()
		_ = m.cmd.Wait()
	}
}

// BenchmarkIdle reports the context switches of a settled child. One iteration
// is its window: FLASH_IDLE_WINDOW, or 30 s.
//
//	FLASH_IDLE_WINDOW=150s go test -run xxx -bench Idle -benchtime 1x ./sdk
func BenchmarkIdle(b *testing.B) {
	window := 30 * time.Second
	if v := os.Getenv("FLASH_IDLE_WINDOW"); v != "" {
		var err error
		window, err = time.ParseDuration(v)
		require.NoError(b, err)
	}
	m := startMeasured(b, buildStill(b))
	for range 12000 {
		m.call(b, protocol.MethodPing, nil)
	}
	time.Sleep(settled)
	switches := 0
	for b.Loop() {
		before := m.switches(b)
		time.Sleep(window)
		switches += m.switches(b) - before
	}
	b.ReportMetric(float64(switches)/(float64(b.N)*window.Minutes()), "switches/min")
	b.ReportMetric(float64(m.kib(b, "Private_Dirty")), "dirty-KiB")
	b.ReportMetric(float64(m.kib(b, "Rss")), "rss-KiB")
	b.ReportMetric(float64(len(m.tasks(b))), "threads")
}
