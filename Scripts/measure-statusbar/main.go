//go:build linux

// Command measure-statusbar starts a resident of its own on a private X server
// with the status bar on, first with segments that change by events alone and
// then with monitors, and prints what the host, the bar's plugins and a
// `flash statusbar` beside it do: processor ticks and context switches, as the
// kernel counts them, and memory.
//
//	make build && dbus-run-session go run ./Scripts/measure-statusbar
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
	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

// The plugin states a value once, and then what an event would change stays.
const (
	manifest = `{"id":"still","name":"still","version":"1","description":"a segment that changes by events alone","exec":["./plugin.sh"],"status":["state"],"sandbox":{"exec":["sh"]}}`
	script   = `#!/bin/sh
read -r line
echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'
echo '{"method":"status","params":{"segments":{"state":"on battery"}}}'
while read -r line; do
	id=${line#*\"id\":}; id=${id%%,*}
	case $line in *'"ping"'*) echo "{\"id\":$id,\"result\":{\"ok\":true}}" ;; esac
done
`
	still    = "#{flash.plugin.still.state}"
	monitors = "#{spark:flash.plugin.cpu.history} #{flash.plugin.cpu.percent} #{meter:flash.plugin.memory.percent}"
)

func main() {
	log.SetFlags(0)
	settle := flag.Duration("settle", 20*time.Second, "rest before each measurement")
	window := flag.Duration("window", time.Minute, "length of each measurement")
	bin := flag.String("bin", "bin", "folder of the programs")
	flag.Parse()
	if err := measure(*bin, *settle, *window); err != nil {
		log.Fatal(err)
	}
}

func measure(bin string, settle, window time.Duration) error {
	if missing := xvfb.Missing(); missing != "" {
		return fmt.Errorf("needs %s", missing)
	}
	server, err := xvfb.Start()
	if err != nil {
		return err
	}
	defer server.Stop()
	flash, err := filepath.Abs(filepath.Join(bin, "flash"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fl")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	env := append(os.Environ(), "DISPLAY="+server.Display, "WAYLAND_DISPLAY=")
	for _, v := range []string{"CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"} {
		sub := filepath.Join(dir, strings.ToLower(v))
		if err := os.Mkdir(sub, 0o700); err != nil {
			return err
		}
		env = append(env, "XDG_"+v+"="+sub)
	}
	plugin := filepath.Join(dir, "config_home/flash/plugins/still")
	if err := os.MkdirAll(plugin, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(plugin, "plugin.sh"), []byte(script), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(plugin, "manifest.json"), []byte(manifest), 0o644); err != nil {
		return err
	}
	configure := func(enabled bool, template string) error {
		text := fmt.Sprintf("[statusbar]\nenabled = %t\ntemplate = %q\n", enabled, template)
		return os.WriteFile(filepath.Join(dir, "config_home/flash/config.toml"), []byte(text), 0o600)
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command(flash, args...)
		cmd.Env, cmd.Stderr = env, os.Stderr
		return cmd.Output()
	}
	if err := configure(false, still); err != nil {
		return err
	}
	if _, err := run("start"); err != nil {
		return fmt.Errorf("run `make build` first: %w", err)
	}
	defer func() { _, _ = run("stop") }()

	watch := func(title string) error {
		time.Sleep(settle)
		pids, err := processes(run)
		if err != nil {
			return err
		}
		emitter := exec.Command(flash, "statusbar", "--format", "i3bar")
		emitter.Env = env
		in, err := emitter.StdinPipe()
		if err != nil {
			return err
		}
		if err := emitter.Start(); err != nil {
			return err
		}
		defer func() { in.Close(); _ = emitter.Wait() }()
		pids = append(pids, process{"flash statusbar", emitter.Process.Pid})
		time.Sleep(settle)
		before := make([]usage, len(pids))
		for i, p := range pids {
			before[i] = read(p.pid)
		}
		time.Sleep(window)
		fmt.Printf("%s, %s:\n", title, window)
		for i, p := range pids {
			now := read(p.pid)
			fmt.Printf("  %-16s %4d ticks %6d context switches %8.1f MiB RSS %8.1f MiB PSS\n", p.name,
				now.ticks-before[i].ticks, now.switches-before[i].switches, float64(now.rss)/1024, float64(now.pss)/1024)
		}
		return nil
	}
	for _, step := range []struct {
		title    string
		enabled  bool
		template string
	}{{"bar off", false, still}, {"bar on, event-driven segments", true, still}, {"bar on, cpu and memory once a second", true, monitors}} {
		if err := configure(step.enabled, step.template); err != nil {
			return err
		}
		if err := watch(step.title); err != nil {
			return err
		}
	}
	return nil
}

type process struct {
	name string
	pid  int
}

// processes are the host and the plugins that a bar can need.
func processes(run func(...string) ([]byte, error)) ([]process, error) {
	var st control.Status
	out, err := run("status", "--json")
	if err == nil {
		err = json.Unmarshal(out, &st)
	}
	if err != nil {
		return nil, err
	}
	list := []process{{"host", st.PID}}
	var all control.Plugins
	if out, err = run("plugins", "--json"); err == nil {
		err = json.Unmarshal(out, &all)
	}
	for _, p := range all.Plugins {
		if p.PID > 0 && p.Activation == "status-bound" {
			list = append(list, process{p.ID, p.PID})
		}
	}
	return list, err
}

type usage struct{ ticks, switches, rss, pss int64 }

func read(pid int) (u usage) {
	proc := "/proc/" + strconv.Itoa(pid)
	if stat, err := os.ReadFile(proc + "/stat"); err == nil {
		f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		for _, i := range [...]int{11, 12} { // utime, stime
			n, _ := strconv.ParseInt(string(f[i]), 10, 64)
			u.ticks += n
		}
	}
	tasks, _ := filepath.Glob(proc + "/task/*/status")
	for _, t := range tasks {
		u.switches += field(t, "voluntary_ctxt_switches:") + field(t, "nonvoluntary_ctxt_switches:")
	}
	u.rss, u.pss = field(proc+"/smaps_rollup", "Rss:"), field(proc+"/smaps_rollup", "Pss:")
	return u
}

// field is the first number of a line that begins so.
func field(path, name string) int64 {
	data, _ := os.ReadFile(path)
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n
		}
	}
	return 0
}
