//go:build linux

// Command measure-children starts many official plugins at once, each in its
// real sandbox, and prints what that costs: the time until all are initialized,
// their memory, and what one child's memory comes to after many pings. In turn
// with those rounds go three floors of the same machine at the same moment: as
// many plain starts of /bin/sh, of a Go program that only says a word, and of
// the same plugins without a sandbox.
//
//	make build && go run ./Scripts/measure-children
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/protocol"
)

func main() {
	log.SetFlags(0)
	children := flag.Int("children", 33, "children at once")
	rounds := flag.Int("rounds", 20, "how often they are started")
	pings := flag.Int("pings", 12000, "pings to one child")
	settle := flag.Duration("settle", 10*time.Second, "rest before memory is read")
	each := flag.Bool("each", false, "print each child's memory too")
	only := flag.String("only", "", "start only subjects with this in their name, for a profiler")
	without := flag.String("without", "", "ids of plugins to leave out, with commas between them")
	flag.Parse()

	m, err := newMeasure(strings.Split(*without, ","))
	check(err)
	defer os.RemoveAll(m.data)

	subjects := []subject{
		{name: "/bin/sh", start: func() ([]*child, time.Duration) {
			return m.words(*children, "/bin/sh", "-c", "echo; read x")
		}},
		{name: "a Go program", start: func() ([]*child, time.Duration) { return m.words(*children, m.floor) }},
		{name: "plugins, no sandbox", start: func() ([]*child, time.Duration) { return m.startAll(*children, false) }},
		{name: "plugins in the sandbox", start: func() ([]*child, time.Duration) { return m.startAll(*children, true) }},
	}
	subjects = slices.DeleteFunc(subjects, func(s subject) bool { return !strings.Contains(s.name, *only) })
	if len(subjects) == 0 {
		log.Fatalf("no subject has %q in its name", *only)
	}
	for range *rounds {
		for i := range subjects {
			subjects[i].round()
		}
	}
	fmt.Printf("%d started at once, %d rounds in turn, until the last has answered:\n", *children, *rounds)
	for _, s := range subjects {
		slices.Sort(s.times)
		p50 := at(s.times, 50)
		n := int64(*children * *rounds)
		fmt.Printf("  %-23s least %6.1f ms, p50 %6.1f ms, p95 %6.1f ms; p50 is %.2f of the first; each, to its end: %.2f ms of processor, %d page faults\n",
			s.name, ms(s.times[0]), ms(p50), ms(at(s.times, 95)), float64(p50)/float64(at(subjects[0].times, 50)),
			ms(s.cpu/time.Duration(n)), s.faults/n)
	}
	last, _ := m.startAll(*children, true)

	time.Sleep(*settle)
	var rss, pss, dirty int64
	for _, c := range last {
		u := usage(c.pid)
		rss, pss, dirty = rss+u["Rss:"], pss+u["Pss:"], dirty+u["Private_Dirty:"]
		if *each {
			fmt.Printf("  %-12s PSS %5d KiB, RSS %5d KiB, private dirty %5d KiB, threads %d\n", c.id, u["Pss:"], u["Rss:"], u["Private_Dirty:"], threads(c.pid))
		}
	}
	fmt.Printf("their memory after %s: PSS %.1f MiB, RSS %.1f MiB, private dirty %.1f MiB in all\n", *settle, mib(pss), mib(rss), mib(dirty))

	c := last[0]
	took := make([]time.Duration, 0, *pings)
	for range *pings {
		took = append(took, c.call("ping"))
	}
	slices.Sort(took)
	u := usage(c.pid)
	fmt.Printf("%d pings to %s: p50 %.0f µs, p95 %.0f µs; then private dirty %.2f MiB, RSS %.2f MiB, threads %d\n", *pings, c.id,
		us(at(took, 50)), us(at(took, 95)), mib(u["Private_Dirty:"]), mib(u["Rss:"]), threads(c.pid))
	stopAll(last)
}

// subject is one kind of start.
type subject struct {
	name  string
	start func() ([]*child, time.Duration)

	times  []time.Duration
	cpu    time.Duration // of this process and the children, from their start to their end
	faults int64         // likewise
}

func (s *subject) round() {
	cpu, faults := used()
	all, took := s.start()
	stopAll(all)
	cpuNow, faultsNow := used()
	s.times = append(s.times, took)
	s.cpu += cpuNow - cpu
	s.faults += faultsNow - faults
}

// used returns the processor time and page faults of this process and of all
// that it has waited for. Unlike the clock they hardly depend on neighbours.
func used() (cpu time.Duration, faults int64) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		check(unix.Getrusage(who, &u))
		cpu += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		faults += u.Minflt + u.Majflt
	}
	return cpu, faults
}

// measure holds what every start needs.
type measure struct {
	runner *sandbox.Runner
	defs   []manifest.Definition
	data   string
	floor  string // a program in Go that says a word and waits for the end of its input
}

const floorSource = "package main\n\nimport \"os\"\n\nfunc main() {\n\tos.Stdout.WriteString(\"\\n\")\n\tos.Stdin.Read(make([]byte, 1))\n}\n"

func newMeasure(skip []string) (*measure, error) {
	bin, err := filepath.Abs("bin/flash")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(bin), "flash-plugin")); err != nil {
		return nil, fmt.Errorf("run `make build` in the project's root first: %w", err)
	}
	set, faults := manifest.Load([]manifest.Dir{{Path: "plugins", Official: true}}, manifest.WithExecutable(bin))
	if len(faults) > 0 {
		return nil, faults[0]
	}
	set = slices.DeleteFunc(set, func(d manifest.Definition) bool { return d.Argv == nil || slices.Contains(skip, d.ID()) })
	data, err := os.MkdirTemp("", "measure-children-*")
	if err != nil {
		return nil, err
	}
	m := &measure{runner: sandbox.NewRunner(), defs: set, data: data, floor: filepath.Join(data, "floor")}
	source := m.floor + ".go"
	if err := os.WriteFile(source, []byte(floorSource), 0o600); err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", m.floor, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the floor: %w\n%s", err, out)
	}
	return m, nil
}

// words starts n programs that each say a word, without a sandbox, and returns
// them with the time until the last has said it.
func (m *measure) words(n int, argv ...string) ([]*child, time.Duration) {
	all := make([]*child, n)
	order := sandbox.Command{Argv: argv, Dir: "/", Env: []string{"GOMAXPROCS=1"}, Policy: &sandbox.Policy{PluginID: "floor", Disabled: true}}
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			p, err := m.runner.Start(context.Background(), order)
			check(err)
			_, err = io.ReadFull(p.Stdout(), make([]byte, 1))
			check(err)
			all[i] = &child{process: p}
		})
	}
	wg.Wait()
	return all, time.Since(begin)
}

// startAll starts n children at once, the official plugins in turn, and returns
// them with the time from the first start to the last good initialize reply.
func (m *measure) startAll(n int, confined bool) ([]*child, time.Duration) {
	all := make([]*child, n)
	specs := make([]sandbox.Command, n)
	for i := range all {
		specs[i] = m.command(i, confined)
	}
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			p, err := m.runner.Start(context.Background(), specs[i])
			check(err)
			all[i] = &child{id: m.defs[i%len(m.defs)].ID(), pid: p.PID(), process: p, in: protocol.NewCollector(protocol.MaxFrame), replies: make(chan int64, 1)}
			go all[i].read() // a catalogue that nobody takes would stay in the child
			all[i].call("initialize")
		})
	}
	wg.Wait()
	return all, time.Since(begin)
}

func (m *measure) command(i int, confined bool) sandbox.Command {
	def := m.defs[i%len(m.defs)]
	data := filepath.Join(m.data, strconv.Itoa(i))
	check(os.MkdirAll(data, 0o700))
	box := def.Manifest.Sandbox
	policy, _, err := sandbox.PolicyFor(sandbox.PolicyInput{
		PluginID: def.ID(), Root: def.Root, DataDir: data, Argv: def.Argv,
		Exec: box.Exec, UnixSockets: box.UnixSockets, Read: box.Read, Capabilities: def.Manifest.Capabilities,
		Disabled: !confined,
	})
	check(err)
	return sandbox.Command{Argv: def.Argv, Dir: def.Root, Env: manifest.Environment(def, manifest.World{DataDir: data}), Policy: policy}
}

// child is one running plugin and a conversation with it.
type child struct {
	id      string
	pid     int
	process *sandbox.Process
	in      *protocol.Collector
	next    int64
	frame   []byte
	replies chan int64
}

// read takes what the child says until its end, and hands on the ids of replies.
func (c *child) read() {
	for {
		line, ok, err := c.in.Next()
		check(err)
		if !ok {
			if _, err := c.in.Fill(c.process.Stdout()); err != nil {
				return
			}
			continue
		}
		if e, err := protocol.DecodeEnvelope(line); err == nil && e.IsResponse() {
			c.replies <- e.ID
		}
	}
}

// call sends one request and returns the time to its reply.
func (c *child) call(method string) time.Duration {
	c.next++
	var params []byte
	if method == "initialize" {
		params = []byte(`{"protocol_version":1}`)
	}
	c.frame = protocol.AppendRequest(c.frame[:0], c.next, method, params, "", 0)
	begin := time.Now()
	_, err := c.process.Stdin().Write(c.frame)
	check(err)
	for id := range c.replies {
		if id == c.next {
			break
		}
	}
	return time.Since(begin)
}

func stopAll(all []*child) {
	for _, c := range all {
		c.process.Stdin().Close()
	}
	for _, c := range all {
		c.process.Wait()
		c.process.Stdout().Close()
		c.process.Stderr().Close()
	}
}

// usage returns the figures of smaps_rollup in KiB.
func usage(pid int) map[string]int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	check(err)
	out := map[string]int64{}
	for line := range bytes.Lines(data) {
		if f := bytes.Fields(line); len(f) == 3 {
			n, _ := strconv.ParseInt(string(f[1]), 10, 64)
			out[string(f[0])] = n
		}
	}
	return out
}

func threads(pid int) int {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	check(err)
	return len(tasks)
}

// at returns the percentile p of sorted times, the next higher one between two.
func at(sorted []time.Duration, p int) time.Duration {
	return sorted[min((len(sorted)*p+99)/100, len(sorted))-1]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
func mib(kib int64) float64      { return float64(kib) / 1024 }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
