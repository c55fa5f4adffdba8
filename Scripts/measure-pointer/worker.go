//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/flash-launcher/flash/internal/pointer/worker"
	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

type measure struct {
	flash, dir string
	server     *xvfb.Server
	hand       *xvfb.Hand
}

// quietTable makes holds of any length and travel do nothing.
const quietTable = "[pointer]\nthreshold = 5000\nhold_limit_ms = 60000\nclick = \"none\"\n"

// process is a worker under measurement.
type process struct {
	cmd     *exec.Cmd
	summary bytes.Buffer
}

func (m *measure) env(table string) ([]string, error) {
	home, err := os.MkdirTemp(m.dir, "home-")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(home, "config.toml")
	if err := os.WriteFile(config, []byte(table), 0o600); err != nil {
		return nil, err
	}
	return append(worker.Env(os.Environ()), "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home,
		"FLASH_CONFIG="+config, "DISPLAY="+m.server.Display), nil
}

// start runs a worker with the table and waits until it has settled.
func (m *measure) start(table string, out *os.File, args ...string) (*process, error) {
	env, err := m.env(table)
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	p := &process{cmd: exec.Command(m.flash, append([]string{"pointer", "run", "--started", "--summary"}, args...)...)}
	p.cmd.Env, p.cmd.ExtraFiles, p.cmd.Stderr = env, []*os.File{write}, &p.summary
	if out != nil {
		p.cmd.Stdout = out
	}
	err = p.cmd.Start()
	write.Close()
	if err != nil {
		return nil, err
	}
	if line, _ := bufio.NewReader(read).ReadString('\n'); strings.TrimSpace(line) != "ready" {
		return nil, fmt.Errorf("the worker says %q", line)
	}
	time.Sleep(6 * time.Second) // its start's garbage is collected after two to four
	return p, nil
}

// stop ends the worker and returns what it counted.
func (p *process) stop() (map[string]int, error) {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return nil, err
	}
	if err := p.cmd.Wait(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, p.summary.String())
	}
	out := map[string]int{}
	for line := range strings.Lines(p.summary.String()) {
		if name, n, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			out[name], _ = strconv.Atoi(n)
		}
	}
	return out, nil
}

// usage is what the kernel says of a process.
type usage struct {
	cpu      time.Duration // from the scheduler, in nanoseconds
	ticks    int
	switches int
	threads  int
	rss, own int // KiB; own is anonymous memory
	fds      int
}

func use(pid int) (usage, error) {
	var u usage
	dir := fmt.Sprintf("/proc/%d/", pid)
	tasks, err := os.ReadDir(dir + "task")
	if err != nil {
		return u, err
	}
	u.threads = len(tasks)
	for _, t := range tasks {
		if data, err := os.ReadFile(dir + "task/" + t.Name() + "/schedstat"); err == nil {
			ns, _ := strconv.ParseInt(strings.Fields(string(data))[0], 10, 64)
			u.cpu += time.Duration(ns)
		}
		u.switches += field(dir+"task/"+t.Name()+"/status", "voluntary_ctxt_switches:") + field(dir+"task/"+t.Name()+"/status", "nonvoluntary_ctxt_switches:")
	}
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return u, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')'):]))
	user, _ := strconv.Atoi(fields[12])
	system, _ := strconv.Atoi(fields[13])
	u.ticks = user + system
	u.rss = field(dir+"smaps_rollup", "Rss:")
	u.own = field(dir+"smaps_rollup", "Anonymous:")
	fds, err := os.ReadDir(dir + "fd")
	u.fds = len(fds)
	return u, err
}

func field(path, name string) int {
	data, _ := os.ReadFile(path)
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}
