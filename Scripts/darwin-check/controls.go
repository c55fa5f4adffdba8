package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The controls are one directory each: a program (main.go.txt, so that no
// other tool takes it for a part of the project) and, in want.txt, a regular
// expression that what the build prints must match. Without a want.txt the
// program must build: it shows that the others fail for their fault alone.
//
//go:embed all:testdata
var controlFiles embed.FS

// controls builds each program in a module of its own that uses the same
// darwinkit, and returns how many failed as they must.
func (b builder) controls(dir string) (int, error) {
	tmp, err := os.MkdirTemp(dir, "controls-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(tmp, name), data, 0o644); err != nil {
			return 0, err
		}
	}
	cases, err := fs.ReadDir(controlFiles, "testdata")
	if err != nil {
		return 0, err
	}
	var all []error
	failed := 0
	for _, c := range cases {
		program, err := controlFiles.ReadFile("testdata/" + c.Name() + "/main.go.txt")
		if err != nil {
			return failed, err
		}
		pkg := filepath.Join(tmp, c.Name())
		if err := os.MkdirAll(pkg, 0o755); err != nil {
			return failed, err
		}
		if err := os.WriteFile(filepath.Join(pkg, "main.go"), program, 0o644); err != nil {
			return failed, err
		}
		out, err := b.run(tmp, "build", "-ldflags", linkFlags, "-o", filepath.Join(pkg, "out"), "./"+c.Name())
		want, readErr := controlFiles.ReadFile("testdata/" + c.Name() + "/want.txt")
		switch {
		case readErr != nil:
			if err != nil {
				all = append(all, fmt.Errorf("control %s must build and does not:\n%s", c.Name(), out))
			}
		case err == nil:
			all = append(all, fmt.Errorf("control %s builds and must not: the check cannot see its fault", c.Name()))
		case !regexp.MustCompile(strings.TrimSpace(string(want))).MatchString(out):
			all = append(all, fmt.Errorf("control %s fails for another reason than %q:\n%s", c.Name(), strings.TrimSpace(string(want)), out))
		default:
			failed++
		}
	}
	return failed, errors.Join(all...)
}
