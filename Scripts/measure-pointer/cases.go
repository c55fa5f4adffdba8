//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const rate = 200 // movements a second

// glide posts n movements at the rate, each by a unit, around one place. With
// again > 0 the gesture button is held, and pressed anew every again moves.
func (m *measure) glide(n, again int) error {
	const gesture = 10 // the X button of pointer.gesture = 5
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	for i := range n {
		<-tick.C
		if again > 0 && i%again == 0 {
			if i > 0 {
				m.hand.Release(gesture)
			}
			m.hand.Press(gesture)
		}
		m.hand.MoveTo(int16(400+i%50), int16(300+i%30))
	}
	if again > 0 {
		m.hand.Release(gesture)
	}
	return m.hand.Sync()
}

func (m *measure) moves(n int) error {
	m.hand.MoveTo(400, 300)
	perMove := map[string]float64{}
	fmt.Printf("%-12s %9s %10s %9s %9s %9s %8s %8s %8s\n", "", "delivered", "CPU ms", "us/move", "switches", "syscalls", "RSS KiB", "own KiB", "threads")
	for _, c := range []struct {
		name  string
		args  []string
		again int
	}{{"not held", nil, 0}, {"held", nil, 2000}, {"always", []string{"--full-mask"}, 0}} {
		p, err := m.start(quietTable, nil, c.args...)
		if err != nil {
			return err
		}
		pid := p.cmd.Process.Pid
		before, err := use(pid)
		if err != nil {
			return err
		}
		if err := m.glide(n, c.again); err != nil {
			return err
		}
		after, err := use(pid)
		if err != nil {
			return err
		}
		// Counting system calls slows them down, so it has moves of its own.
		calls := m.calls(pid, c.again)
		counts, err := p.stop()
		if err != nil {
			return err
		}
		delivered := counts["move"]
		if delivered > 0 {
			delivered -= callMoves
		}
		cpu := after.cpu - before.cpu
		fmt.Printf("%-12s %9d %10.2f %9.2f %9d %9s %8d %8d %8d\n", c.name, delivered, float64(cpu.Microseconds())/1000,
			micros(cpu)/float64(n), after.switches-before.switches, calls, after.rss, after.own, after.threads)
		perMove[c.name] = micros(cpu) / float64(n)
	}
	fmt.Printf("of always: not held %.5f, held %.3f\n", perMove["not held"]/perMove["always"], perMove["held"]/perMove["always"])
	for _, f := range []struct {
		name, of string
		batch    time.Duration
	}{{"woken by each", "always", 0}, {"a batch each 48 ms", "held", 48 * time.Millisecond}} {
		// The floor runs right after, for as long.
		cost, wakes, err := floor(n, f.batch)
		if err != nil {
			return err
		}
		fmt.Printf("a process that only reads, %s: %.2f us/move, %d wake-ups, %.1f us each; %s is %.2f times that\n", f.name,
			micros(cost), wakes, micros(cost)*float64(n)/float64(max(wakes, 1)), f.of, perMove[f.of]/micros(cost))
	}
	return nil
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// callMoves are posted while strace counts.
const callMoves = 1000

// calls counts system calls a move with strace, where there is one.
func (m *measure) calls(pid, again int) string {
	path, err := exec.LookPath("strace")
	if err != nil {
		_ = m.glide(callMoves, again)
		return "-"
	}
	out := filepath.Join(m.dir, "strace")
	s := exec.Command(path, "-f", "-c", "-o", out, "-p", strconv.Itoa(pid))
	if err := s.Start(); err != nil {
		return "-"
	}
	time.Sleep(time.Second) // attaching to each thread
	_ = m.glide(callMoves, again)
	time.Sleep(300 * time.Millisecond)
	_ = s.Process.Signal(syscall.SIGINT)
	_ = s.Wait()
	data, err := os.ReadFile(out)
	if err != nil {
		return "-"
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) >= 4 && f[len(f)-1] == "total" {
			n, _ := strconv.Atoi(f[3])
			return fmt.Sprintf("%.2f/mv", float64(n)/callMoves)
		}
	}
	return "0"
}

func (m *measure) idle(d time.Duration) error {
	p, err := m.start("", nil)
	if err != nil {
		return err
	}
	time.Sleep(5 * time.Second)
	before, err := use(p.cmd.Process.Pid)
	if err != nil {
		return err
	}
	time.Sleep(d)
	after, err := use(p.cmd.Process.Pid)
	if err != nil {
		return err
	}
	counts, err := p.stop()
	fmt.Printf("%s without input: %d ticks, %.3f ms, %d context switches, events %v, RSS %d KiB, own %d KiB, %d threads\n", d,
		after.ticks-before.ticks, float64((after.cpu-before.cpu).Microseconds())/1000, after.switches-before.switches, counts, after.rss, after.own, after.threads)
	return err
}

// wheelTable makes the device of test input the one whose wheel is transformed.
const wheelTable = "[pointer.devices.\"Virtual core XTEST pointer\"]\nclass = \"mx_master\"\n"

func (m *measure) soak() error {
	log, err := os.Create(filepath.Join(m.dir, "debug.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	p, err := m.start(quietTable+wheelTable, log, "--debug")
	if err != nil {
		return err
	}
	const moves, every = 4000, 4
	scrolls := 0
	for i := range moves {
		m.hand.MoveTo(int16(300+i%200), int16(200+i%100))
		if i%every == 0 {
			m.hand.Click(byte(4 + i/100%2))
			scrolls++
		}
		if i%20 == 0 {
			if err := m.hand.Sync(); err != nil {
				return err
			}
			time.Sleep(time.Millisecond)
		}
	}
	if err := m.hand.Sync(); err != nil {
		return err
	}
	time.Sleep(2 * time.Second)
	counts, err := p.stop()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(log.Name())
	fmt.Printf("%d moves and %d wheel steps posted; delivered %d and %d; %d lines of debug output; dropped actions %d; ended by itself: no\n",
		moves, scrolls, counts["move"], counts["scroll"], bytes.Count(data, []byte("\n")), counts["actions_dropped"])
	return err
}

func (m *measure) holds() error {
	p, err := m.start("[pointer]\nthreshold = 100\nclick = \"none\"\n", nil)
	if err != nil {
		return err
	}
	pid := p.cmd.Process.Pid
	print := func(n int) error {
		if err := m.hand.Sync(); err != nil {
			return err
		}
		time.Sleep(6 * time.Second)
		u, err := use(pid)
		fmt.Printf("after %4d holds: RSS %d KiB, own %d KiB, %d threads, %d descriptors, CPU %.1f ms\n", n, u.rss, u.own, u.threads, u.fds, float64(u.cpu.Microseconds())/1000)
		return err
	}
	if err := print(0); err != nil {
		return err
	}
	const holds = 1000
	for i := 1; i <= holds; i++ {
		m.hand.MoveTo(500, 400)
		m.hand.Press(10)
		travel := int16(5)
		if i%10 == 0 {
			travel = 150 // a flick: the action goes to the window manager
		}
		if i%20 == 0 {
			travel = -travel
		}
		m.hand.MoveTo(500+travel, 400)
		m.hand.Release(10)
		if err := m.hand.Sync(); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
		if i == holds/2 || i == holds {
			if err := print(i); err != nil {
				return err
			}
		}
	}
	counts, err := p.stop()
	fmt.Printf("downs %d, ups %d, actions %d, dropped %d\n", counts["down"], counts["up"], counts["actions"], counts["actions_dropped"])
	return err
}

func (m *measure) cycles() error {
	env, err := m.env("")
	if err != nil {
		return err
	}
	do := func(args ...string) (string, int) {
		cmd := exec.Command(m.flash, append([]string{"pointer"}, args...)...)
		cmd.Env = env
		out, _ := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), cmd.ProcessState.ExitCode()
	}
	const cycles = 25
	bad := 0
	start := time.Now()
	for range cycles {
		first, c1 := do("on")
		second, c2 := do("on")
		status, c3 := do("status")
		_, c4 := do("off")
		gone, c5 := do("status")
		if c1 != 0 || c2 != 0 || c3 != 0 || c4 != 0 || c5 != 3 || !strings.Contains(second, "already") || gone != "stopped" {
			bad++
			fmt.Println(first, second, status, gone)
		}
	}
	fmt.Printf("%d cycles of on, on, status, off, status: %d wrong, %.0f ms a cycle\n", cycles, bad, float64(time.Since(start).Milliseconds())/cycles)
	return nil
}

// mixed is twenty minutes of a day: movement, rests, flicks, clicks of the
// gesture button, back and forward, bursts of the wheel.
func (m *measure) mixed(d time.Duration) error {
	p, err := m.start(wheelTable, nil)
	if err != nil {
		return err
	}
	pid := p.cmd.Process.Pid
	stop := make(chan struct{})
	done := make(chan error, 1)
	go func() { done <- m.use(stop) }()
	const every = 30 * time.Second
	first, err := use(pid)
	if err != nil {
		return err
	}
	last := first
	fmt.Printf("%6s %8s %9s %9s %9s %8s %8s\n", "s", "CPU %", "switches", "RSS KiB", "own KiB", "threads", "fds")
	for at := every; at <= d; at += every {
		time.Sleep(every)
		u, err := use(pid)
		if err != nil {
			return fmt.Errorf("the worker ended: %w", err)
		}
		fmt.Printf("%6.0f %8.3f %9d %9d %9d %8d %8d\n", at.Seconds(), 100*float64(u.cpu-last.cpu)/float64(every), u.switches-last.switches, u.rss, u.own, u.threads, u.fds)
		last = u
	}
	close(stop)
	if err := <-done; err != nil {
		return err
	}
	counts, err := p.stop()
	fmt.Printf("over %s: %.3f %% of a core, %d context switches; %v\n", d, 100*float64(last.cpu-first.cpu)/float64(d), last.switches-first.switches, counts)
	return err
}

func (m *measure) use(stop <-chan struct{}) error {
	for i := 0; ; i++ {
		if err := m.glide(5*rate, 0); err != nil { // five seconds of movement
			return err
		}
		m.hand.MoveTo(500, 400)
		m.hand.Press(10)
		for step := range 12 {
			m.hand.MoveTo(int16(500+25*(step+1)*(1-i%2*2)), 400)
			time.Sleep(8 * time.Millisecond)
		}
		m.hand.Release(10)
		m.hand.Click(byte(8 + i%2))
		for n := range 60 { // half a second of the wheel
			m.hand.Click(byte(4 + i%2))
			time.Sleep(time.Duration(8+n/6) * time.Millisecond)
		}
		if err := m.glide(rate, rate); err != nil { // a second held below the threshold
			return err
		}
		if err := m.hand.Sync(); err != nil {
			return err
		}
		select {
		case <-stop:
			return nil
		case <-time.After(8 * time.Second): // reading
		}
	}
}
