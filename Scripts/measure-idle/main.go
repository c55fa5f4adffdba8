//go:build linux

// Command measure-idle starts a resident of its own with all resident plugins,
// lets it settle, and prints what host and children do while nobody asks them
// anything: processor ticks and context switches, as the kernel counts them.
//
//	make build && go run ./Scripts/measure-idle
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/control"
)

func main() {
	log.SetFlags(0)
	settle := flag.Duration("settle", 30*time.Second, "rest before the measurement")
	window := flag.Duration("window", time.Minute, "length of the measurement")
	flag.Parse()
	if err := measure(*settle, *window); err != nil {
		log.Fatal(err)
	}
}

func measure(settle, window time.Duration) error {
	flash, err := filepath.Abs("bin/flash")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fl")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	env := os.Environ()
	for _, v := range []string{"CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"} {
		sub := filepath.Join(dir, strings.ToLower(v))
		if err := os.Mkdir(sub, 0o700); err != nil {
			return err
		}
		env = append(env, "XDG_"+v+"="+sub)
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command(flash, args...)
		cmd.Env, cmd.Stderr = env, os.Stderr
		return cmd.Output()
	}
	if _, err := run("start"); err != nil {
		return fmt.Errorf("run `make build` first: %w", err)
	}
	defer run("stop")

	names := map[int]string{}
	var st control.Status
	var plugins control.Plugins
	if err := ask(run, &st, "status"); err != nil {
		return err
	}
	if err := ask(run, &plugins, "plugins"); err != nil {
		return err
	}
	order := []int{st.PID}
	names[st.PID] = "host"
	for _, p := range plugins.Plugins {
		if p.PID > 0 {
			order = append(order, p.PID)
			names[p.PID] = p.ID
		}
	}
	time.Sleep(settle)
	before := map[int]counters{}
	for _, pid := range order {
		before[pid] = read(pid)
	}
	time.Sleep(window)
	fmt.Printf("%-12s %8s %10s %10s %8s %8s\n", "process", "ticks", "switches", "preempted", "threads", "rss MiB")
	for _, pid := range order {
		a, b := before[pid], read(pid)
		fmt.Printf("%-12s %8d %10d %10d %8d %8.1f\n", names[pid], b.ticks-a.ticks, b.voluntary-a.voluntary, b.involuntary-a.involuntary, b.threads, float64(b.rss)/1024)
	}
	fmt.Printf("in %s, %s after the start; a tick is 10 ms of processor time\n", window, settle)
	return nil
}

func ask(run func(...string) ([]byte, error), v any, verb string) error {
	out, err := run(verb, "--json")
	if err != nil {
		return err
	}
	return json.Unmarshal(out, v)
}

// counters are a process's, summed over its threads.
type counters struct {
	ticks, voluntary, involuntary, rss int64
	threads                            int
}

func read(pid int) (c counters) {
	base := fmt.Sprintf("/proc/%d", pid)
	stat, err := os.ReadFile(base + "/stat")
	if err != nil {
		log.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
	for _, i := range []int{11, 12} { // utime and stime
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		c.ticks += n
	}
	tasks, err := filepath.Glob(base + "/task/*/status")
	if err != nil {
		log.Fatal(err)
	}
	c.threads = len(tasks)
	for _, path := range tasks {
		status, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for line := range bytes.Lines(status) {
			f := bytes.Fields(line)
			if len(f) < 2 {
				continue
			}
			n, _ := strconv.ParseInt(string(f[1]), 10, 64)
			switch string(f[0]) {
			case "voluntary_ctxt_switches:":
				c.voluntary += n
			case "nonvoluntary_ctxt_switches:":
				c.involuntary += n
			case "VmRSS:":
				c.rss = n
			}
		}
	}
	return c
}
