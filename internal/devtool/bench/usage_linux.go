package bench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// usage is what a process costs at one moment, and has cost so far.
type usage struct {
	rss, pss, private int64 // KiB
	threads           int
	cpu               time.Duration
	switches          int64 // voluntary context switches: each ended a sleep
}

// measure reads /proc of the process and of all that it started. What cannot be
// read stays zero: another user's memory map is not shown.
func measure(pid int) usage {
	u := measureOne(pid)
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		if err != nil {
			continue
		}
		for _, child := range bytes.Fields(data) {
			if n, err := strconv.Atoi(string(child)); err == nil {
				c := measure(n)
				u.rss, u.pss, u.private, u.threads = u.rss+c.rss, u.pss+c.pss, u.private+c.private, u.threads+c.threads
				u.cpu, u.switches = u.cpu+c.cpu, u.switches+c.switches
			}
		}
	}
	return u
}

func measureOne(pid int) usage {
	var u usage
	for line := range lines(fmt.Sprintf("/proc/%d/smaps_rollup", pid)) {
		switch key, n := field(line); key {
		case "Rss:":
			u.rss = n
		case "Pss:":
			u.pss = n
		case "Private_Dirty:":
			u.private = n
		}
	}
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return u
	}
	u.threads = len(tasks)
	for _, task := range tasks {
		dir := fmt.Sprintf("/proc/%d/task/%s/", pid, task.Name())
		for line := range lines(dir + "status") {
			if key, n := field(line); key == "voluntary_ctxt_switches:" {
				u.switches += n
			}
		}
		// schedstat counts nanoseconds where stat has ticks of 10 ms.
		if data, err := os.ReadFile(dir + "schedstat"); err == nil {
			first, _, _ := bytes.Cut(data, []byte(" "))
			n, _ := strconv.ParseInt(string(first), 10, 64)
			u.cpu += time.Duration(n)
		}
	}
	return u
}

func lines(path string) func(func([]byte) bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return func(func([]byte) bool) {}
	}
	return bytes.Lines(data)
}

// field reads a line such as "Rss:  1234 kB".
func field(line []byte) (key string, n int64) {
	f := bytes.Fields(line)
	if len(f) < 2 {
		return "", 0
	}
	n, _ = strconv.ParseInt(string(f[1]), 10, 64)
	return string(f[0]), n
}
