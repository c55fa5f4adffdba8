// Command package makes what people install: a Debian package for Linux, an
// application bundle for macOS. Scripts/package-linux and Scripts/package-macos
// call it.
//
//	go run ./Scripts/package linux [-arch amd64] [-out dist]
//	go run ./Scripts/package macos [-identity NAME] [-out dist]
//
// A package holds the programs that users run and nothing that only developers
// do: no conformance probe, no measuring, no trace.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/login"
)

const (
	usage   = "say linux or macos; Scripts/package-linux and Scripts/package-macos do"
	homeURL = login.HomeURL
	summary = "Launcher host with sandboxed plugins"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "package:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	f := flag.NewFlagSet("package "+args[0], flag.ContinueOnError)
	out := f.String("out", "dist", "folder that the package is written to")
	arch := f.String("arch", runtime.GOARCH, "linux: amd64 or arm64")
	identity := f.String("identity", adHoc, "macos: signing identity; - signs ad hoc")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	switch args[0] {
	case "linux":
		return packageLinux(*out, *arch)
	case "macos":
		return packageMacOS(*out, *identity)
	}
	return errors.New(usage)
}

// programs are the executables that users run.
var programs = []string{"flash", "flash-plugin"}

// build compiles the programs for a platform into dir.
func build(dir, goos, arch string, cgo bool) error {
	for _, p := range programs {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, p), "./cmd/"+p)
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED="+map[bool]string{true: "1", false: "0"}[cgo])
		if goos == "darwin" {
			// Else the compiler takes the system that it runs on for the oldest. The
			// rest is what Go has by itself.
			cmd.Env = append(cmd.Env, "CGO_CFLAGS=-O2 -g -mmacosx-version-min="+minimumOS, "CGO_LDFLAGS=-O2 -g -mmacosx-version-min="+minimumOS)
		}
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go build ./cmd/%s for %s/%s: %w", p, goos, arch, err)
		}
	}
	return nil
}

// versionOf asks a flash that runs here.
func versionOf(flash string) (string, error) {
	out, err := exec.Command(flash, "version").Output()
	if err != nil {
		return "", fmt.Errorf("%s version: %w", flash, err)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(out), "flash ")), nil
}

// plugins are the ids of the official plugins.
func plugins() ([]string, error) {
	found, err := filepath.Glob("plugins/*/manifest.json")
	if err != nil || len(found) == 0 {
		return nil, errors.Join(err, errors.New("no plugins here; run this in the project's root"))
	}
	var ids []string
	for _, m := range found {
		ids = append(ids, filepath.Base(filepath.Dir(m)))
	}
	return ids, nil
}

// pluginFiles are the files of a plugin's folder that are installed.
var pluginFiles = []string{"manifest.json", "README.md"}

// putPlugins copies the manifests into dir and links the plugins' names in bin.
func putPlugins(dir, bin string) error {
	ids, err := plugins()
	if err != nil {
		return err
	}
	for _, id := range ids {
		for _, name := range pluginFiles {
			if err := put(filepath.Join("plugins", id, name), filepath.Join(dir, id, name), 0o644); err != nil {
				return err
			}
		}
		if err := os.Symlink("flash-plugin", filepath.Join(bin, "flash-plugin-"+id)); err != nil {
			return err
		}
	}
	return nil
}

func put(from, to string, mode os.FileMode) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	return write(to, src, mode)
}

func write(to string, from io.Reader, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, from)
	// The mode of a package's file is not the umask's to choose.
	return errors.Join(err, dst.Chmod(mode), dst.Close())
}

// contents lists what is below dir, sorted, folders left out.
func contents(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, rel)
		}
		return err
	})
	slices.Sort(out)
	return out, err
}

func tool(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
