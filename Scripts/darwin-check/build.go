package main

import (
	"bytes"
	"context"
	"debug/macho"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// cpus are the architectures that macOS runs on and what their programs say.
var cpus = map[string]macho.Cpu{"arm64": macho.CpuArm64, "amd64": macho.CpuAmd64}

// linkFlags send every link through the external linker, so that a missing
// framework or symbol shows, and all of them at once. Symbol tables are left
// out because making them needs tools of a Mac.
const linkFlags = "-s -w -linkmode=external -extldflags=-Wl,--error-limit=0"

// fast has the compiler leave out what nobody runs: no optimizing, no inlining,
// nothing for debuggers. With an empty cache that is a seventh of the time.
const fast = "-N -l -dwarf=false"

// builder runs the go command for one architecture.
type builder struct {
	ctx   context.Context // ends when the check is interrupted
	arch  string
	tools tools
	sdk   sdk
	out   string
}

// module is this project's, and of the controls, which borrow its name.
const module = "github.com/flash-launcher/flash"

// env points cgo at the stub SDK. The compiler's -D gives a directory for
// relative imports, of which there are none: it carries the SDK's hash into
// the cache keys of this project's packages.
func (b builder) env() []string {
	triple := map[string]string{"arm64": "arm64-apple-macos14", "amd64": "x86_64-apple-macos14"}[b.arch]
	cc := fmt.Sprintf("%s -Qunused-arguments -target %s -isysroot %s -fuse-ld=lld --ld-path=%s", b.tools.clang, triple, b.sdk.dir, b.tools.lld)
	return append(os.Environ(), "GOOS=darwin", "GOARCH="+b.arch, "CGO_ENABLED=1", "CC="+cc, "CGO_CFLAGS=-O1 -Werror=implicit-function-declaration",
		fmt.Sprintf("GOFLAGS=-buildvcs=false '-gcflags=all=%s' '-gcflags=%s/...=%[1]s -D stubs-%[3]s'", fast, module, b.sdk.hash))
}

// run calls go in dir and returns everything it printed.
func (b builder) run(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(b.ctx, "go", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go ends its compilers itself
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir, cmd.Env = dir, b.env()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// listed is one package of the project.
type listed struct {
	path, name string
	tests      bool
	darwin     bool // has files that only macOS compiles
}

func (b builder) list(pkgs []string) ([]listed, error) {
	out, err := b.run("", append([]string{"list", "-f", "{{.ImportPath}} {{.Name}} {{or .TestGoFiles .XTestGoFiles | len}} {{.GoFiles}}{{.CgoFiles}}{{.TestGoFiles}}{{.XTestGoFiles}}", "--"}, pkgs...)...)
	if err != nil {
		return nil, fmt.Errorf("darwin/%s: go list: %w\n%s", b.arch, err, out)
	}
	var list []listed
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 {
			return nil, fmt.Errorf("darwin/%s: go list said %q", b.arch, strings.TrimSpace(line))
		}
		list = append(list, listed{path: f[0], name: f[1], tests: f[2] != "0", darwin: strings.Contains(line, "_darwin")})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("darwin/%s: no packages match %s", b.arch, strings.Join(pkgs, " "))
	}
	return list, nil
}

// project vets, builds and links the packages and their tests. Each step runs
// whatever the one before it found: a half of the project that is broken says
// nothing about the other.
func (b builder) project(pkgs []string) (string, error) {
	list, err := b.list(pkgs)
	if err != nil {
		return "darwin/" + b.arch + ": nothing checked", err
	}
	if err := os.MkdirAll(filepath.Join(b.out, "test"), 0o755); err != nil {
		return "", err
	}
	var all []error
	step := func(name string, args []string, paths []string) {
		if len(paths) == 0 {
			return
		}
		start := time.Now()
		defer func() {
			fmt.Printf("darwin-check: darwin/%s: %s: %d packages, %.1f s\n", b.arch, name, len(paths), time.Since(start).Seconds())
		}()
		if out, err := b.run("", append(args, paths...)...); err != nil {
			all = append(all, fmt.Errorf("darwin/%s: %s: %w\n%s", b.arch, name, err, out))
		}
	}
	var every, mains, libraries []string
	for _, p := range list {
		every = append(every, p.path)
		if p.name == "main" {
			mains = append(mains, p.path)
		} else {
			libraries = append(libraries, p.path)
		}
	}
	step("go vet", []string{"vet"}, every)
	step("go build", []string{"build"}, libraries)
	step("linking commands", []string{"build", "-ldflags", linkFlags, "-o", b.out + "/"}, mains)
	for _, batch := range testBatches(linked(list)) {
		step("linking tests", []string{"test", "-c", "-vet=off", "-ldflags", linkFlags, "-o", filepath.Join(b.out, "test") + "/"}, batch)
	}
	commands, err := b.verify(b.out)
	all = append(all, err)
	tests, err := b.verify(filepath.Join(b.out, "test"))
	all = append(all, err)
	state := "ok"
	if err = errors.Join(all...); err != nil {
		state = "FAIL"
	}
	return fmt.Sprintf("darwin/%s: %s: %d packages vetted and built, %d commands and %d test binaries linked", b.arch, state, len(list), commands, tests), err
}

// linked are the packages whose tests are linked: those with files of macOS's own.
// What is portable is vetted, tests included, and its tests link on Linux.
func linked(list []listed) []listed {
	return slices.DeleteFunc(slices.Clone(list), func(p listed) bool { return !p.darwin })
}

// testBatches groups the packages with tests so that no two of a group share
// the name of their test binary, which the go command refuses.
func testBatches(list []listed) [][]string {
	var batches [][]string
	var names []map[string]bool
next:
	for _, p := range list {
		if !p.tests {
			continue
		}
		base := path.Base(p.path)
		for i := range batches {
			if !names[i][base] {
				names[i][base] = true
				batches[i] = append(batches[i], p.path)
				continue next
			}
		}
		batches, names = append(batches, []string{p.path}), append(names, map[string]bool{base: true})
	}
	return batches
}

// verify opens what was linked: programs of the right kind and architecture
// that ask for the system's library.
func (b builder) verify(dir string) (int, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		bin, err := macho.Open(filepath.Join(dir, f.Name()))
		if err != nil {
			return n, fmt.Errorf("%s is no Mach-O program: %w", f.Name(), err)
		}
		libs, err := bin.ImportedLibraries()
		_ = bin.Close()
		switch {
		case err != nil:
			return n, fmt.Errorf("%s: %w", f.Name(), err)
		case bin.Type != macho.TypeExec || bin.Cpu != cpus[b.arch]:
			return n, fmt.Errorf("%s is %v for %v, not a program for %s", f.Name(), bin.Type, bin.Cpu, b.arch)
		case !strings.Contains(strings.Join(libs, " "), "libSystem"):
			return n, fmt.Errorf("%s does not ask for libSystem", f.Name())
		}
		n++
	}
	return n, nil
}
