package bench

import (
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/rusage"
)

// usage is what a process costs at one moment, and has cost so far.
type usage struct {
	rss, pss, private int64 // KiB; macOS counts no proportional share
	threads           int
	cpu               time.Duration
	switches          int64 // wake-ups
}

// measure asks the kernel, and ps for the threads. Private is the footprint:
// what only the end of the process would free.
func measure(pid int) usage {
	var u usage
	if r, err := rusage.Of(pid); err == nil {
		u.rss, u.private, u.cpu, u.switches = r.Resident>>10, r.Footprint>>10, r.CPU, r.Wakeups
	}
	if out, err := exec.Command("/bin/ps", "-M", "-p", strconv.Itoa(pid)).Output(); err == nil {
		u.threads = max(0, strings.Count(string(out), "\n")-1)
	}
	return u
}
