//go:build linux

// Command measure-pointer measures the pointer worker on a private X server:
// what movement costs while nothing is held, while the gesture button is, and
// when all movement is taken always; what doing nothing costs; whether mixed
// use, a soak under --debug, a thousand holds and on/off cycles leave anything.
//
//	go run ./Scripts/measure-pointer                    # the quick ones, 7 minutes
//	go run ./Scripts/measure-pointer -only mixed        # 20 minutes
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

func main() {
	log.SetFlags(0)
	if batch, ok := os.LookupEnv(floorEnv); ok {
		beFloor(batch)
		return
	}
	only := flag.String("only", "moves,idle,soak,holds,cycles", "what to measure: moves, idle, soak, holds, cycles, mixed")
	flash := flag.String("flash", "", "the flash program (default: built now)")
	moves := flag.Int("moves", 12000, "movements, at 200 a second")
	idle := flag.Duration("idle", 150*time.Second, "how long idle is watched")
	mixed := flag.Duration("mixed", 20*time.Minute, "how long mixed use lasts")
	flag.Parse()
	if m := xvfb.Missing(); m != "" {
		log.Fatalf("measure-pointer: %s is not installed", m)
	}
	check(run(strings.Split(*only, ","), *flash, *moves, *idle, *mixed))
}

func check(err error) {
	if err != nil {
		log.Fatalf("measure-pointer: %v", err)
	}
}

func run(only []string, flash string, moves int, idle, mixed time.Duration) error {
	dir, err := os.MkdirTemp("", "measure-pointer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if flash == "" {
		flash = filepath.Join(dir, "flash")
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", flash, "./cmd/flash")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build: %s", out)
		}
	}
	server, err := xvfb.Start()
	if err != nil {
		return err
	}
	defer server.Stop()
	hand, err := server.Hand()
	if err != nil {
		return err
	}
	defer hand.Close()
	m := &measure{flash: flash, dir: dir, server: server, hand: hand}
	all := []struct {
		name string
		do   func() error
	}{
		{"moves", func() error { return m.moves(moves) }},
		{"idle", func() error { return m.idle(idle) }},
		{"soak", m.soak},
		{"holds", m.holds},
		{"cycles", m.cycles},
		{"mixed", func() error { return m.mixed(mixed) }},
	}
	for _, a := range all {
		if !slices.Contains(only, a.name) {
			continue
		}
		fmt.Printf("\n## %s\n", a.name)
		if err := a.do(); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return nil
}
