package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// tools are the compiler and the Mach-O linker. Their version is fixed: what a
// compiler accepts and which calls it emits changes between versions, and a
// check that depends on the machine is none.
type tools struct{ clang, lld string }

func findTools() (tools, error) {
	t := tools{clang: "/usr/bin/clang-19", lld: "/usr/bin/ld64.lld-19"}
	if t.present() {
		return t, nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return t, fmt.Errorf("%s and %s are needed; install the packages clang-19 and lld-19 (Debian 12 has them)", t.clang, t.lld)
	}
	fmt.Println("darwin-check: installing clang-19 and lld-19 with apt-get")
	for _, args := range [][]string{{"update", "-qq"}, {"install", "-qq", "-y", "--no-install-recommends", "clang-19", "lld-19"}} {
		cmd := exec.Command("apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return t, fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
		}
	}
	if !t.present() {
		return t, errors.New("apt-get installed clang-19 and lld-19, but not to /usr/bin")
	}
	return t, nil
}

func (t tools) present() bool {
	for _, p := range []string{t.clang, t.lld} {
		if _, err := os.Stat(p); err != nil {
			return false
		}
	}
	return true
}

// moduleDir is where the module cache has the sources of a module at the
// version that go.mod names.
func moduleDir(module string) (string, error) {
	if out, err := exec.Command("go", "mod", "download", module).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go mod download %s: %w\n%s", module, err, out)
	}
	dir, err := output("go", "list", "-m", "-f", "{{.Dir}}", module)
	if err == nil && dir == "" {
		err = errors.New("go.mod does not name it")
	}
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", module, err)
	}
	return dir, nil
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errOut.String())
	}
	return strings.TrimSpace(string(out)), nil
}
