//go:build !linux

package bench

import (
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// usage is what a process costs at one moment, and has cost so far.
type usage struct {
	rss, pss, private int64 // KiB; only rss is known here
	threads           int
	cpu               time.Duration
	switches          int64
}

// measure asks ps. Memory that is shared, and wake-ups, it does not know.
func measure(pid int) usage {
	var u usage
	out, err := exec.Command("/bin/ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err == nil {
		u.rss, _ = strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	}
	if out, err = exec.Command("/bin/ps", "-M", "-p", strconv.Itoa(pid)).Output(); err == nil {
		u.threads = max(0, strings.Count(string(out), "\n")-1)
	}
	return u
}
