//go:build !darwin || cgo

package desktop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// tree is a set of directory trees to watch for files of one kind.
type tree struct {
	roots []string
	// depth bounds how far below a root directories are followed.
	depth int
	// suffix is the end of the names that matter.
	suffix string
	// settle is how long nothing must happen before changed is called, and
	// ceiling how long a steady stream of changes may put that off.
	settle, ceiling time.Duration
	// nudge is another reason for a change, for a platform that has one; nil
	// is none.
	nudge <-chan struct{}
}

// The package managers of every platform write a burst of files; 300 ms of
// quiet covers it, and an endless burst still shows after 3 s.
const (
	settle  = 300 * time.Millisecond
	ceiling = 3 * time.Second
)

// watch calls changed when a matching file appears, changes or goes, or a
// directory does, until ctx is done; nothing ticks in between. A root may not
// exist yet, and any part of its path may be a symbolic link that is turned
// later (profiles of some package managers are): the directories that decide
// what the root's path means are watched for exactly those names.
func (t tree) watch(ctx context.Context, changed func()) error {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching for applications: %w; raise fs.inotify.max_user_instances", err)
	}
	w := &watching{tree: t, fs: fs}
	if err := w.arm(); err != nil {
		_ = fs.Close()
		return err
	}
	go w.run(ctx, changed)
	return nil
}

type watching struct {
	tree
	fs *fsnotify.Watcher
	// dirs is what is watched: nil for a directory inside a tree, where every
	// matching name counts, else the only names that count.
	dirs map[string][]string
}

func (w *watching) run(ctx context.Context, changed func()) {
	defer func() { _ = w.fs.Close() }()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	var first time.Time // of a burst; zero between bursts
	touch := func() {
		now := time.Now()
		if first.IsZero() {
			first = now
		}
		timer.Reset(min(w.settle, max(0, first.Add(w.ceiling).Sub(now))))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-w.fs.Events:
			if !ok {
				return
			}
			if w.matters(ev) {
				touch()
			}
		case _, ok := <-w.fs.Errors:
			if !ok {
				return
			}
			touch() // an overflow: something was missed, so look at everything
		case <-w.nudge:
			touch()
		case <-timer.C:
			first = time.Time{}
			_ = w.arm() // a directory that cannot be watched now is tried again at the next change
			changed()
		}
	}
}

func (w *watching) matters(ev fsnotify.Event) bool {
	if ev.Op == fsnotify.Chmod {
		return false // indexers and backups touch attributes of everything
	}
	if _, self := w.dirs[ev.Name]; self {
		return true
	}
	dir, name := filepath.Split(ev.Name)
	names, ok := w.dirs[filepath.Clean(dir)]
	if !ok {
		return false
	}
	if names != nil {
		return slices.Contains(names, name)
	}
	if strings.HasSuffix(name, w.suffix) {
		return true
	}
	info, err := os.Stat(ev.Name)
	return err == nil && info.IsDir()
}

// arm brings the watches to what the disk looks like now. A directory that
// appears while this runs may already hold others, so it looks again until a
// look adds nothing.
func (w *watching) arm() error {
	for {
		want := w.want()
		// The watcher is asked, not w.dirs: it drops a directory that was
		// deleted, and one of the same name may stand in its place.
		have := w.fs.WatchList()
		added, failed := 0, error(nil)
		for dir := range want {
			if slices.Contains(have, dir) {
				continue
			}
			if err := w.fs.Add(dir); err != nil {
				delete(want, dir)
				if !errors.Is(err, os.ErrNotExist) {
					failed = fmt.Errorf("watching %s: %w; raise fs.inotify.max_user_watches if it says no space", dir, err)
				}
				continue
			}
			added++
		}
		for _, dir := range have {
			if _, keep := want[dir]; !keep {
				_ = w.fs.Remove(dir) // an error says that it went by itself
			}
		}
		w.dirs = want
		if added == 0 {
			if len(want) == 0 && failed != nil {
				return failed
			}
			return nil
		}
	}
}

func (w *watching) want() map[string][]string {
	want := map[string][]string{}
	for _, root := range w.roots {
		dir, steps, ok := trail(root)
		for _, s := range steps {
			if names, have := want[s.dir]; !have || names != nil {
				want[s.dir] = append(names, s.name)
			}
		}
		if ok {
			w.descend(want, dir, w.depth)
		}
	}
	return want
}

func (w *watching) descend(want map[string][]string, dir string, depth int) {
	if names, have := want[dir]; have && names == nil {
		return
	}
	want[dir] = nil
	if depth == 0 {
		return
	}
	list, _ := os.ReadDir(dir)
	for _, d := range list {
		p := filepath.Join(dir, d.Name())
		if strings.HasSuffix(d.Name(), w.suffix) || !d.IsDir() && d.Type()&os.ModeSymlink == 0 {
			continue
		}
		if info, err := os.Stat(p); err != nil || !info.IsDir() {
			continue
		}
		if real, err := filepath.EvalSymlinks(p); err == nil {
			w.descend(want, real, depth-1)
		}
	}
}

// step is a name in a directory that decides what a path means.
type step struct{ dir, name string }

// trail resolves path as the kernel would and collects every symbolic link on
// the way, and the first component that is not there.
func trail(path string) (dir string, steps []step, ok bool) {
	dir = "/"
	rest := strings.Split(path, "/")
	for hops := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			dir = filepath.Dir(dir)
			continue
		}
		p := filepath.Join(dir, name)
		info, err := os.Lstat(p)
		switch {
		case err != nil:
			return "", append(steps, step{dir, name}), false
		case info.Mode()&os.ModeSymlink != 0:
			steps = append(steps, step{dir, name})
			target, err := os.Readlink(p)
			if hops++; err != nil || hops > 40 { // the kernel's own limit
				return "", steps, false
			}
			if filepath.IsAbs(target) {
				dir = "/"
			}
			rest = append(strings.Split(target, "/"), rest...)
		case !info.IsDir():
			return "", append(steps, step{dir, name}), false
		default:
			dir = p
		}
	}
	return dir, steps, true
}
