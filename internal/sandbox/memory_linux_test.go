package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const mebibyte = 1 << 20

// A shell that keeps 50 MB at a time, so that no race detector's shadow
// memory is in the way.
func TestAChildThatLeaksMemoryIsStoppedAtItsCap(t *testing.T) {
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Skip("no bash here")
	}
	profiles(t, func(t *testing.T, w *world) {
		limit := int64(128 * mebibyte)
		w.in.MemoryBytes = &limit
		w.in.Argv = []string{"/bin/bash"}
		p, err := NewRunner().Start(context.Background(), Command{
			Argv: []string{"/bin/bash", "-c", "read x; for i in {1..20}; do printf -v s$i '%*s' 50000000 ''; echo $i; done; echo all"},
			Env:  []string{"LC_ALL=C"}, Policy: w.policy(),
		})
		require.NoError(t, err)
		_, err = io.WriteString(p.Stdin(), "go\n")
		require.NoError(t, err)
		out, err := io.ReadAll(p.Stdout())
		require.NoError(t, err)
		said, err := io.ReadAll(p.Stderr())
		require.NoError(t, err)
		exit := p.Wait()
		require.NotEqual(t, Exit{}, exit)
		require.NotContains(t, string(out), "all")
		require.Contains(t, string(said), "cannot allocate")
		require.Contains(t, ExplainExit(w.policy(), exit, string(said)), "128 MiB")
	})
}

func TestTheLimitsAreSetAndCannotBeRaised(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		file := int64(64 * mebibyte)
		w.in.FileBytes = &file
		if !raceDetector {
			w.in.MemoryBytes = nil
		}
		h := w.hand()
		limit := func(which int) string { return h.can("rlimit", strconv.Itoa(which)) }
		if !raceDetector {
			require.Equal(t, fmt.Sprint(DefaultMemoryBytes, " ", DefaultMemoryBytes), limit(unix.RLIMIT_DATA))
			var soft, hard uint64
			_, err := fmt.Sscan(limit(unix.RLIMIT_STACK), &soft, &hard)
			require.NoError(t, err)
			require.LessOrEqual(t, soft, uint64(stackBytes))
			if !w.onThread() {
				require.EqualValues(t, stackBytes, hard)
			}
			h.cannot("raise-limit", words(strconv.Itoa(unix.RLIMIT_DATA)), unix.EPERM)
			h.cannot("raise-limit", words(strconv.Itoa(unix.RLIMIT_STACK)), unix.EPERM)
		}
		require.Equal(t, fmt.Sprint(file, " ", file), limit(unix.RLIMIT_FSIZE))
		require.Equal(t, "0 0", limit(unix.RLIMIT_CORE))
		h.cannot("raise-limit", words(strconv.Itoa(unix.RLIMIT_FSIZE)), unix.EPERM)
		if !w.onThread() {
			require.Equal(t, fmt.Sprint(namespaceProcesses, " ", namespaceProcesses), limit(unix.RLIMIT_NPROC))
		}
	})
}

func TestNoCapMeansNoLimit(t *testing.T) {
	w := newWorld(t)
	none := int64(0)
	w.in.MemoryBytes, w.in.FileBytes = &none, &none
	h := w.hand()
	var host unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_DATA, &host))
	require.Equal(t, fmt.Sprint(host.Cur, " ", host.Max), h.can("rlimit", strconv.Itoa(unix.RLIMIT_DATA)))
}

// The kernel does not apply it to the real root.
func TestAForkBombIsBoundedForAnOrdinaryUser(t *testing.T) {
	needNamespaces(t)
	if os.Getuid() == 0 {
		t.Skip("RLIMIT_NPROC does not bind the real root")
	}
	w := newWorld(t)
	w.in.Exec = []string{"sh", "sleep"}
	p, err := NewRunner().Start(context.Background(), Command{
		Argv: []string{"/bin/sh", "-c", "i=0; while [ $i -lt 2000 ]; do sleep 1000 & i=$((i+1)); done; echo all"},
		Env:  []string{"PATH=/usr/bin:/bin"}, Dir: "/", Policy: w.shellPolicy(),
	})
	require.NoError(t, err)
	out, err := io.ReadAll(p.Stdout())
	require.NoError(t, err)
	require.NotContains(t, string(out), "all")
	p.Wait()
}
