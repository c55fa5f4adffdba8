package devtool

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/protocol"
)

// BuildCommand is what builds the plugin in dir: given by the user, else make
// where there is a Makefile, else nothing.
func BuildCommand(dir, given string) string {
	if given != "" {
		return given
	}
	if _, err := os.Stat(filepath.Join(dir, "Makefile")); err == nil {
		return "make"
	}
	return ""
}

// Program is the file of the plugin in dir that a host starts, or the one that
// bears the plugin's name where the manifest does not tell.
func Program(dir string) string {
	named := filepath.Join(dir, filepath.Base(dir))
	text, err := os.ReadFile(filepath.Join(dir, manifest.FileName))
	if err != nil {
		return named
	}
	m, err := protocol.DecodeManifest(text)
	if err != nil {
		return named
	}
	for _, arg := range m.Exec {
		path := filepath.Join(dir, arg)
		if info, err := os.Stat(path); filepath.IsLocal(arg) && err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	if len(m.Exec) > 0 && strings.HasPrefix(m.Exec[0], "./") && filepath.IsLocal(m.Exec[0]) {
		return filepath.Join(dir, m.Exec[0])
	}
	return named
}

// ModTime is when the file was changed last, the zero time when it is not there.
func ModTime(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Touch makes the file one that changed now, where that can be done.
func Touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// Product is the program when a build makes it, or will; a script
// is nobody's product.
func Product(program string) string {
	head := make([]byte, 2)
	f, err := os.Open(program)
	if err != nil {
		return program
	}
	defer f.Close()
	if _, err := io.ReadFull(f, head); err == nil && string(head) == "#!" {
		return ""
	}
	return program
}

// Build runs command in dir with its output on w.
func Build(ctx context.Context, dir, command string, w io.Writer) error {
	if command == "" {
		return nil
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, w
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build %q in %s: %w", command, dir, err)
	}
	return nil
}
