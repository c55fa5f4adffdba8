package manifest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/flash-launcher/flash/internal/event"
)

// Settle is how long the files must be left alone before a change counts: an
// editor writes a file in several steps, a build writes for a while.
const Settle = 300 * time.Millisecond

// Watch calls changed whenever a manifest, the executable of a plugin or the set
// of plugin folders changed and was left alone for Settle. It watches until ctx
// ends, then done is closed; changed is called on one goroutine, which it may
// keep for a while.
func Watch(ctx context.Context, dirs []Dir, changed func(), opts ...Option) (done <-chan struct{}, err error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("plugin folders cannot be watched: %w", err)
	}
	w := &watcher{
		fs: fs, dirs: dirs, opts: opts, time: newOptions(opts).time,
		changed: changed, settled: make(chan struct{}, 1),
	}
	w.sync()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		w.run(ctx)
	}()
	return closed, nil
}

type watcher struct {
	fs      *fsnotify.Watcher
	dirs    []Dir
	opts    []Option
	time    event.Time
	changed func()

	watched []string            // folders
	files   map[string]struct{} // paths that count in them; "<folder>/*" counts all names
	timer   event.Timer
	settled chan struct{}
}

func (w *watcher) run(ctx context.Context) {
	defer w.fs.Close()
	defer func() {
		if w.timer != nil {
			w.timer.Stop()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.fs.Events:
			if !ok {
				return
			}
			if w.counts(e) {
				w.arm()
			}
		case _, ok := <-w.fs.Errors:
			if !ok {
				return
			}
			w.arm() // events were lost: what they said can only be read anew
		case <-w.settled:
			w.sync()
			w.changed()
		}
	}
}

func (w *watcher) arm() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.timer = w.time.AfterFunc(Settle, func() {
		select {
		case w.settled <- struct{}{}:
		default: // one is on its way already
		}
	})
}

func (w *watcher) counts(e fsnotify.Event) bool {
	if _, ok := w.files[e.Name]; ok {
		return true
	}
	_, any := w.files[filepath.Join(filepath.Dir(e.Name), "*")]
	return any && !e.Has(fsnotify.Write) && e.Op != fsnotify.Chmod
}

// sync watches what there is now to be watched.
func (w *watcher) sync() {
	w.files = map[string]struct{}{}
	var folders []string
	add := func(folder, name string) {
		folders = append(folders, folder)
		w.files[filepath.Join(folder, name)] = struct{}{}
	}
	for _, dir := range w.dirs {
		root, err := filepath.Abs(dir.Path)
		if err != nil {
			continue // Load reports it
		}
		folder, name := root, "*"
		for !isFolder(folder) && folder != filepath.Dir(folder) {
			folder, name = filepath.Dir(folder), filepath.Base(folder)
		}
		add(folder, name)
		entries, _ := os.ReadDir(root) // Load reports it
		for _, e := range entries {
			if plugin := filepath.Join(root, e.Name()); isFolder(plugin) {
				add(plugin, FileName)
			}
		}
	}
	set, _ := Load(w.dirs, w.opts...) // whoever reacts to the change reports its faults
	for _, d := range set {
		for _, f := range d.files {
			add(filepath.Dir(f.path), filepath.Base(f.path))
		}
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	for _, f := range w.watched {
		if _, still := slices.BinarySearch(folders, f); !still {
			_ = w.fs.Remove(f) // it may be gone, and its watch with it
		}
	}
	for _, f := range folders {
		// Adding again is free, and needed where a folder was replaced by another of
		// its name. One that vanished meanwhile is reported by its parent.
		_ = w.fs.Add(f)
	}
	w.watched = folders
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
