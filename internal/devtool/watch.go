package devtool

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/protocol"
)

// settleChanges is how long a folder rests before it counts as changed: an
// editor writes a file in several steps.
const settleChanges = 200 * time.Millisecond

// passedOver are folders whose changes are nobody's edits.
var passedOver = []string{".git", "node_modules", "__pycache__", ".venv"}

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

// Changes tells of changes below a folder.
type Changes struct {
	watcher *fsnotify.Watcher
	built   string // the build's own product, whose change is none
}

// WatchChanges watches dir and what lies below it. built is the file that a
// build makes, "" when nothing is built.
func WatchChanges(dir, built string) (*Changes, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", dir, err)
	}
	c := &Changes{watcher: w, built: built}
	if err := c.add(dir); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("watch %s: %w", dir, err)
	}
	return c, nil
}

func (c *Changes) add(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || !e.IsDir():
			return err
		case slices.Contains(passedOver, e.Name()):
			return fs.SkipDir
		}
		return c.watcher.Add(path)
	})
}

// Close ends the watch.
func (c *Changes) Close() error { return c.watcher.Close() }

// Next waits until something changed and the folder rests again.
func (c *Changes) Next(ctx context.Context) error {
	var rest <-chan time.Time
	for {
		select {
		case ev, ok := <-c.watcher.Events:
			if !ok {
				return context.Canceled
			}
			if c.counts(ev) {
				rest = time.After(settleChanges)
			}
		case err, ok := <-c.watcher.Errors:
			if ok && err != nil {
				return fmt.Errorf("watch: %w", err)
			}
		case <-rest:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Drop forgets what changed until now, such as what a build wrote.
func (c *Changes) Drop() {
	for {
		select {
		case <-c.watcher.Events:
		default:
			return
		}
	}
}

func (c *Changes) counts(ev fsnotify.Event) bool {
	name := filepath.Base(ev.Name)
	if ev.Op == fsnotify.Chmod || ev.Name == c.built || strings.HasSuffix(name, "~") || strings.HasPrefix(name, ".") ||
		slices.Contains(passedOver, name) {
		return false
	}
	if ev.Has(fsnotify.Create) {
		if info, err := os.Stat(ev.Name); err == nil && info.IsDir() {
			_ = c.add(ev.Name)
		}
	}
	return true
}
