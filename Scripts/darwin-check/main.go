// Command darwin-check compiles, vets and links the macOS side of the project
// on Linux: every package, every command and the tests of macOS's own code, for
// arm64 and amd64, with cgo and Objective-C. It compiles against stub headers
// and links against stub libraries, both written for this project (stubs,
// symbols); it runs nothing of what it builds, and it never replaces a Mac.
//
// A check that passes proves something only if it can fail, so each run also
// builds small programs that each hold one fault, and fails when one of them
// builds or breaks for another reason than its fault.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const usage = `usage: Scripts/darwin-check/run [flags] [packages]

Checks the packages (default ./...) for macOS. Needs clang-19 and lld-19, which
it installs with apt-get when they are missing and it runs as root.

`

func main() {
	flags := flag.NewFlagSet("darwin-check", flag.ExitOnError)
	arch := flags.String("arch", "arm64,amd64", "architectures to check")
	controls := flags.Bool("controls", true, "also build the programs that must fail")
	dir := flags.String("dir", filepath.Join(os.TempDir(), "flash-darwin-check"), "where stubs and outputs go")
	keep := flags.Bool("keep", false, "keep what was linked")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	_ = flags.Parse(os.Args[1:])
	pkgs := flags.Args()
	if len(pkgs) == 0 {
		pkgs = []string{"./..."}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := check(ctx, strings.Split(*arch, ","), *controls, *keep, *dir, pkgs); err != nil {
		fmt.Fprintln(os.Stderr, "darwin-check: FAIL:", err)
		os.Exit(1)
	}
}

func check(ctx context.Context, archs []string, controls, keep bool, dir string, pkgs []string) error {
	start := time.Now()
	tools, err := findTools()
	if err != nil {
		return err
	}
	kit, err := moduleDir("github.com/progrium/darwinkit")
	if err != nil {
		return err
	}
	sdk, err := buildSDK(dir, kit)
	if err != nil {
		return fmt.Errorf("making the stub SDK: %w", err)
	}
	// Checks may run side by side, so each has its own outputs.
	outputs, err := os.MkdirTemp(dir, "out-")
	if err != nil {
		return err
	}
	if !keep {
		defer func() { _ = os.RemoveAll(outputs) }()
	}
	var all []error
	var sums []string
	for _, a := range archs {
		if cpus[a] == 0 {
			return fmt.Errorf("macOS has no architecture %q; arm64 and amd64 are it", a)
		}
		b := builder{ctx: ctx, arch: a, tools: tools, sdk: sdk, out: filepath.Join(outputs, a)}
		sum, err := b.project(pkgs)
		sums = append(sums, sum)
		if err != nil {
			all = append(all, err)
		}
	}
	held := 0
	if controls {
		// One architecture is enough: the faults are of the source.
		b := builder{ctx: ctx, arch: archs[0], tools: tools, sdk: sdk, out: outputs}
		n, err := b.controls(outputs)
		held = n
		if err != nil {
			all = append(all, err)
		}
	}
	for _, s := range sums {
		fmt.Println("darwin-check:", s)
	}
	if err := errors.Join(all...); err != nil {
		return err
	}
	fmt.Printf("darwin-check: ok: %s; %d negative controls failed as they must; %.1f s\n",
		strings.Join(pkgs, " "), held, time.Since(start).Seconds())
	if keep {
		fmt.Println("darwin-check: outputs in", outputs)
	}
	return nil
}
