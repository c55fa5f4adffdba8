package action

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// childrenOf counts the children of this process, dead ones included.
func childrenOf(t *testing.T) int {
	t.Helper()
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	require.NoError(t, err)
	n := 0
	for _, p := range all {
		if int(p.Eproc.Ppid) == os.Getpid() {
			n++
		}
	}
	return n
}
