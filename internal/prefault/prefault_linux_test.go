package prefault

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// text is the executable mapping of the running test: where it is, and how much
// of it is mapped.
func text(t *testing.T) (start, end uintptr, resident int) {
	t.Helper()
	exe, err := os.Readlink("/proc/self/exe")
	require.NoError(t, err)
	f, err := os.Open("/proc/self/smaps")
	require.NoError(t, err)
	defer f.Close()
	found := false
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if strings.Contains(line, " r-xp ") && strings.HasSuffix(line, exe) {
			_, err := fmt.Sscanf(line, "%x-%x", &start, &end)
			require.NoError(t, err)
			found = true
		}
		if found && strings.HasPrefix(line, "Rss:") {
			_, err := fmt.Sscanf(line, "Rss: %d kB", &resident)
			require.NoError(t, err)
			return start, end, resident << 10
		}
	}
	t.Fatal("the program is not mapped")
	return 0, 0, 0
}

func TestTheProgramIsMappedWhole(t *testing.T) {
	start, end, _ := text(t)
	if err := unix.Madvise(nil, populate); err != nil {
		t.Skipf("this kernel does not map on demand: %v", err)
	}
	_, _, errno := unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_DONTNEED)
	require.Zero(t, errno)
	_, _, before := text(t)
	require.Less(t, before, int(end-start), "what was let go of is not mapped")
	program()
	_, _, after := text(t)
	require.Equal(t, int(end-start), after)
}
