//go:build linux

// Command measure-open measures how long the flashlight in the terminal takes
// from its start to its painted prompt, and in turn with it what the same
// machine takes at the same moment for a Go program that does nothing and for
// `flash version`, both from their start to their end.
//
//	make build && go run ./Scripts/measure-open
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/creack/pty"
)

const floorSource = "package main\n\nfunc main() {}\n"

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 40, "how often each is started")
	flash := flag.String("flash", "bin/flash", "the program to measure")
	show := flag.Bool("show", false, "print what the flashlight wrote to its terminal, once")
	flag.Parse()
	if _, err := os.Stat(*flash); err != nil {
		log.Fatalf("%v; run `make build` in the project's root first", err)
	}
	dir, err := os.MkdirTemp("", "measure-open-*")
	check(err)
	defer os.RemoveAll(dir)
	if *show {
		_, written := open(*flash, dir, true)
		fmt.Printf("%q\n", written)
		return
	}
	floor := filepath.Join(dir, "floor")
	check(os.WriteFile(floor+".go", []byte(floorSource), 0o600))
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", floor, floor+".go")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	check(build.Run())

	subjects := []struct {
		name  string
		once  func() time.Duration
		times []time.Duration
	}{
		{name: "a Go program, to its end", once: func() time.Duration { return run(floor) }},
		{name: "flash version, to its end", once: func() time.Duration { return run(*flash, "version") }},
		{name: "flash open --tui, to its prompt", once: func() time.Duration {
			took, _ := open(*flash, dir, false)
			return took
		}},
	}
	for range *rounds {
		for i := range subjects {
			subjects[i].times = append(subjects[i].times, subjects[i].once())
		}
	}
	for _, s := range subjects {
		slices.Sort(s.times)
		fmt.Printf("%-32s least %5.1f ms, p50 %5.1f ms, p95 %5.1f ms; p50 is %.2f of the Go program\n", s.name,
			ms(s.times[0]), ms(at(s.times, 50)), ms(at(s.times, 95)),
			float64(at(s.times, 50))/float64(at(subjects[0].times, 50)))
	}
}

func run(argv ...string) time.Duration {
	c := exec.Command(argv[0], argv[1:]...)
	begin := time.Now()
	check(c.Run())
	return time.Since(begin)
}

// open starts the flashlight in a terminal of its own, without a resident, and
// returns the time until its prompt stands there. A terminal that answers no
// question is the slowest kind.
func open(flash, dir string, more bool) (time.Duration, []byte) {
	master, tty, err := pty.Open()
	check(err)
	defer master.Close()
	check(pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}))
	c := exec.Command(flash, "open", "--tui", "--socket", filepath.Join(dir, "none.sock"))
	c.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8")
	c.Stdin, c.Stdout, c.Stderr = tty, tty, tty
	begin := time.Now()
	check(c.Start())
	tty.Close()
	if more {
		defer time.AfterFunc(time.Second, func() { _ = c.Process.Kill() }).Stop()
	}
	var took time.Duration
	var seen []byte
	buf := make([]byte, 64<<10)
	for took == 0 || more {
		n, err := master.Read(buf)
		seen = append(seen, buf[:n]...)
		if took == 0 && bytes.Contains(seen, []byte(prompt)) {
			took = time.Since(begin)
		}
		if err != nil && more {
			break // the flashlight has ended
		}
		check(err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	return took, seen
}

// prompt is what the prompt's line begins with.
const prompt = "❯"

// at returns the percentile p of sorted times, the next higher one between two.
func at(sorted []time.Duration, p int) time.Duration {
	return sorted[min((len(sorted)*p+99)/100, len(sorted))-1]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
