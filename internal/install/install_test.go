package install

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const patience = 20 * time.Second

func step(t *testing.T, command string) Step {
	dir := t.TempDir()
	return Step{Plugin: "x", Root: dir, Command: command, Env: []string{"PATH=" + os.Getenv("PATH")}, Log: filepath.Join(dir, "log")}
}

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func read(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

func TestAStepRunsInItsFolderAndItsOutputIsKept(t *testing.T) {
	var j Jobs
	s := step(t, "pwd; echo careful >&2; touch built")
	require.NoError(t, j.Run(t.Context(), s))
	assert.FileExists(t, filepath.Join(s.Root, "built"))
	log := read(t, s.Log)
	assert.Contains(t, log, "$ pwd;")
	assert.Contains(t, log, s.Root+"\n")
	assert.Contains(t, log, "careful\n")
}

func TestAFailingStepSaysHowAndWhereToReadOn(t *testing.T) {
	var j Jobs
	s := step(t, "echo first >&2; echo no such compiler >&2; exit 7")
	err := j.Run(t.Context(), s)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "exit status 7: no such compiler; its output is in "+s.Log)
	assert.NotContains(t, err.Error(), "first")
}

func TestOutputOfAnySizeIsDrainedAndItsBeginningKept(t *testing.T) {
	var j Jobs
	s := step(t, "head -c 20000000 /dev/zero | tr '\\0' o; head -c 20000000 /dev/zero | tr '\\0' e >&2; echo last words >&2; exit 1")
	err := j.Run(t.Context(), s)
	assert.ErrorContains(t, err, "last words")
	log := read(t, s.Log)
	assert.Equal(t, KeepStdout, strings.Count(log, "o")-strings.Count(s.Command, "o")-strings.Count("[the rest is not kept][the rest is not kept]", "o"))
	assert.LessOrEqual(t, len(log), KeepStdout+KeepStderr+1024)
}

func TestADescendantThatHoldsThePipeDoesNotHoldTheStep(t *testing.T) {
	var j Jobs
	s := step(t, "sleep 9999 & echo $! > pid; exit 0")
	require.NoError(t, j.Run(t.Context(), s))
	pid, err := strconv.Atoi(strings.TrimSpace(read(t, filepath.Join(s.Root, "pid"))))
	require.NoError(t, err)
	eventually(t, "the descendant is gone", func() bool { return gone(pid) })
}

func TestWhoLeavesWaitsForNothingAndTheStepEndsThoughItIgnoresTheAsking(t *testing.T) {
	var j Jobs
	s := step(t, "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done")
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- j.Run(ctx, s) }()
	var pid int
	eventually(t, "it runs", func() bool {
		data, _ := os.ReadFile(filepath.Join(s.Root, "pid"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		return pid > 0
	})
	cancel()
	select {
	case err := <-left:
		assert.ErrorIs(t, err, context.Canceled)
	case <-time.After(termGrace / 2):
		t.Fatal("leaving waited for the step")
	}
	j.Wait()
	eventually(t, "the step is gone", func() bool { return gone(pid) })
}

func TestASuccessorWaitsForTheFolder(t *testing.T) {
	var j Jobs
	s := step(t, "trap '' TERM; echo one >> order; echo up > up; sleep 1; echo two >> order")
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { first <- j.Run(ctx, s) }()
	eventually(t, "the first runs", func() bool { _, err := os.Stat(filepath.Join(s.Root, "up")); return err == nil })
	cancel()
	<-first
	next := s
	next.Command, next.Log = "echo three >> order", s.Log+"2"
	require.NoError(t, j.Run(t.Context(), next))
	order := strings.Fields(read(t, filepath.Join(s.Root, "order")))
	assert.Equal(t, "one", order[0])
	assert.Equal(t, "three", order[len(order)-1], "the successor began when the first had ended")
	j.Wait()
}

func TestAStepWhoseFolderIsTakenCanBeLeft(t *testing.T) {
	var j Jobs
	s := step(t, "echo up > up; while [ ! -e go ]; do sleep 0.02; done")
	first := make(chan error, 1)
	go func() { first <- j.Run(context.Background(), s) }()
	eventually(t, "the first runs", func() bool { _, err := os.Stat(filepath.Join(s.Root, "up")); return err == nil })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, j.Run(ctx, s), context.DeadlineExceeded)
	require.NoError(t, os.WriteFile(filepath.Join(s.Root, "go"), nil, 0o600))
	require.NoError(t, <-first)
	j.Wait()
}
