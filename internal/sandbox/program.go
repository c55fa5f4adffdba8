package sandbox

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// programs finds executables and what the kernel opens with them.
type programs struct {
	files Files
	path  string
	goos  string
}

// closure is what running one program takes: the files that must be
// executable and the directories that must be readable beyond the broad
// system reads.
type closure struct {
	exec  []string
	read  []string
	links []string // directories of the symlinks through which exec is reached
}

// scriptDepth is the kernel's own limit on interpreters of interpreters.
const scriptDepth = 5

// find resolves a name as a manifest writes it: absolute, ./relative to the
// plugin root, or bare over the login PATH.
func (p programs) find(name, root string) (string, error) {
	switch {
	case filepath.IsAbs(name):
		return name, p.runnable(name)
	case strings.Contains(name, "/"):
		path := filepath.Join(root, name)
		return path, p.runnable(path)
	}
	for _, dir := range filepath.SplitList(p.path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name)
		if p.runnable(path) == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%q is not on the login PATH", name)
}

func (p programs) runnable(path string) error {
	f, err := p.files.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return fmt.Errorf("%q is not an executable file", path)
	}
	return nil
}

func (p programs) closure(path string) (closure, error) {
	var c closure
	for range scriptDepth {
		real, err := p.files.Resolve(path)
		if err != nil {
			return c, err
		}
		c.exec = append(c.exec, real)
		if p.goos == "darwin" && real == "/bin/sh" {
			// It becomes the shell that the machine has chosen: sh(1).
			if shell, err := p.files.Resolve("/private/var/select/sh"); err == nil {
				c.exec = append(c.exec, shell)
			}
		}
		if path != real {
			// A virtual environment is found by the link's place.
			c.links = append(c.links, linkDirs(p.files, path)...)
			c.read = append(c.read, p.prefix(path)...)
		}
		next, err := p.inspect(real, &c)
		if err != nil {
			return c, err
		}
		if next == "" {
			return c, nil
		}
		path = next
	}
	return c, errors.New("too many interpreters in a row")
}

// inspect adds what one file needs and returns the interpreter that runs it,
// if it is a script.
func (p programs) inspect(real string, c *closure) (string, error) {
	f, err := p.files.Open(real)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head, err := bufio.NewReaderSize(f, 256).Peek(256)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if bytes.HasPrefix(head, []byte("#!")) {
		return p.interpreter(head, c)
	}
	c.read = append(c.read, p.prefix(real)...)
	if p.goos == "darwin" || !bytes.HasPrefix(head, []byte(elf.ELFMAG)) {
		return "", nil
	}
	file, err := elf.NewFile(f)
	if err != nil {
		return "", fmt.Errorf("%q is no valid ELF file: %w", real, err)
	}
	p.dynamic(real, file, c)
	return "", nil
}

// interpreter reads a #! line. `#!/usr/bin/env NAME` needs both env and NAME.
func (p programs) interpreter(head []byte, c *closure) (string, error) {
	line, _, _ := bytes.Cut(head[2:], []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return "", errors.New("empty #! line")
	}
	if filepath.Base(words[0]) != "env" {
		return words[0], nil
	}
	env, err := p.closure(words[0])
	if err != nil {
		return "", err
	}
	c.exec = append(c.exec, env.exec...)
	c.read = append(c.read, env.read...)
	c.links = append(c.links, env.links...)
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		return p.find(word, "/")
	}
	return "", errors.New("#! line runs env without a program")
}

// dynamic adds the loader (the kernel executes it) and the library
// directories that the file itself names.
func (p programs) dynamic(real string, file *elf.File, c *closure) {
	for _, prog := range file.Progs {
		if prog.Type != elf.PT_INTERP {
			continue
		}
		raw, err := io.ReadAll(io.LimitReader(prog.Open(), 4096))
		if err != nil {
			continue
		}
		if loader, err := p.files.Resolve(string(bytes.TrimRight(raw, "\x00"))); err == nil {
			c.exec = append(c.exec, loader)
		}
	}
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		values, err := file.DynString(tag)
		if err != nil {
			continue
		}
		for _, value := range values {
			for _, dir := range filepath.SplitList(value) {
				dir = strings.ReplaceAll(dir, "${ORIGIN}", filepath.Dir(real))
				dir = strings.ReplaceAll(dir, "$ORIGIN", filepath.Dir(real))
				if !filepath.IsAbs(dir) {
					continue
				}
				if lib, err := p.files.Resolve(dir); err == nil && lib != "/" {
					c.read = append(c.read, lib)
				}
			}
		}
	}
}

// prefix grants an interpreter outside the system directories its own
// library tree: PREFIX/bin/python3 reads PREFIX/lib.
func (p programs) prefix(real string) []string {
	bin := filepath.Dir(real)
	if filepath.Base(bin) != "bin" {
		return nil
	}
	var reads []string
	for _, name := range []string{"lib", "lib64", "libexec", "pyvenv.cfg"} {
		dir := filepath.Join(filepath.Dir(bin), name)
		if lib, err := p.files.Resolve(dir); err == nil && lib == dir {
			reads = append(reads, lib)
		}
	}
	return reads
}
