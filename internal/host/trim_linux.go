package host

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// trim unmaps the pages of the host's own program that were last needed to start
// or to answer. They stay in the page cache, from which what is needed again
// comes back by minor faults; a host that waits needs few of its 16 MiB.
func trim() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	for s := bufio.NewScanner(maps); s.Scan(); {
		start, end, ok := programPages(s.Text(), exe)
		if ok {
			// Nothing depends on it: refused, the pages just stay.
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_DONTNEED)
		}
	}
}

// programPages reads a line of /proc/self/maps; ok is true for pages of exe that
// nothing can have written: dropping others would lose what they hold.
func programPages(line, exe string) (start, end uintptr, ok bool) {
	f := strings.Fields(line)
	if len(f) != 6 || f[5] != exe || f[1] != "r-xp" && f[1] != "r--p" {
		return 0, 0, false
	}
	from, to, _ := strings.Cut(f[0], "-")
	low, err := strconv.ParseUint(from, 16, 64)
	high, err2 := strconv.ParseUint(to, 16, 64)
	return uintptr(low), uintptr(high), err == nil && err2 == nil && high > low
}
