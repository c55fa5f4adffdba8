package sandbox

import (
	"bufio"
	"io"
	"strconv"
)

// watchGroups is the watchdog of platforms without a parent-death signal: it
// reads "+PID" and "-PID" lines for process groups that start and end, and
// kills what is left when the host's end of the pipe closes, however the host
// ended.
func watchGroups(in io.Reader, kill func(group int)) {
	groups := map[int]bool{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		if line == "" {
			continue
		}
		pid, err := strconv.Atoi(line[1:])
		if err != nil || pid <= 1 {
			continue
		}
		switch line[0] {
		case '+':
			groups[pid] = true
		case '-':
			delete(groups, pid)
		}
	}
	for pid := range groups {
		kill(pid)
	}
}
