package sandbox

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// watchGroups is the watchdog of platforms without a parent-death signal: it
// reads "+PID" and "-PID" lines for process groups that start and end, and
// kills what is left when the host's end of the pipe closes, however the host
// ended.
func watchGroups(in io.Reader, kill func(group int)) {
	groups := map[int]bool{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		pid, err := strconv.Atoi(strings.TrimLeft(lines.Text(), "+-"))
		if err != nil || pid <= 1 {
			continue
		}
		if strings.HasPrefix(lines.Text(), "+") {
			groups[pid] = true
		} else {
			delete(groups, pid)
		}
	}
	for pid := range groups {
		kill(pid)
	}
}
