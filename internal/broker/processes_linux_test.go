package broker

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func TestANameMayHoldAnything(t *testing.T) {
	s, ok := parseStat([]byte("7 (a) S) (\n\xff) R 3 7 7 0 -1 4194560 1 0 0 0 11 22 0 0 20 0 1 0 987 1000 55 18446744073709551615\n"))
	require.True(t, ok)
	assert.Equal(t, stat{name: "a) S) (\n�", ppid: 3, ticks: 33, start: 987, pages: 55}, s)
	for _, line := range []string{"", "7", "7 (x", "7 x) R", "7 (x) R 3"} {
		_, ok := parseStat([]byte(line))
		assert.False(t, ok, line)
	}
}

func TestTheIDOfAThreadIsNoProcess(t *testing.T) {
	b, c := New(Options{}), caller(t)
	tasks, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		require.NoError(t, err)
		if tid != os.Getpid() {
			assert.Contains(t, refused(t, b, c, protocol.HostSignal, `{"pid":`+task.Name()+`}`), "no such process")
		}
	}
}

func TestAProgramWithALongNameIsNamedWhole(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	data, err := os.ReadFile(sleep)
	require.NoError(t, err)
	long := filepath.Join(t.TempDir(), "a-program-with-quite-a-long-name")
	require.NoError(t, os.WriteFile(long, data, 0o700))
	child := exec.Command(long, "9999")
	if child.Start() != nil {
		t.Skip("a copied program does not run here")
	}
	defer func() { _ = child.Wait() }()
	defer func() { _ = child.Process.Kill() }()
	row := table(t, New(Options{}), caller(t), 0)[child.Process.Pid]
	require.NotNil(t, row)
	assert.Equal(t, long, row["path"])
	assert.Equal(t, filepath.Base(long), row["name"])
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("7 (a) R 3 7 7 0 -1 4194560 1 0 0 0 11 22 0 0 20 0 1 0 987 1000 55 1\n"))
	f.Fuzz(func(_ *testing.T, line []byte) { parseStat(line) })
}

func BenchmarkTable(b *testing.B) {
	t := SystemProcesses()
	for b.Loop() {
		if _, err := t.Table(context.Background(), 0); err != nil {
			b.Fatal(err)
		}
	}
}
