package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long the file must be left alone before it is read: editors
// write in several steps, and some leave it absent for a moment.
const settle = 100 * time.Millisecond

// ceiling bounds settling when something writes without a pause.
const ceiling = 2 * time.Second

// WatchOptions is what Watch may be given; the zero value is fine.
type WatchOptions struct {
	Logger *slog.Logger
}

// Watch loads the file, hands the result to changed, and does so again each
// time the file's content changes, until ctx ends. changed runs first before
// Watch returns, then on the watcher's goroutine, never twice at once. With
// faults, config is the last good value (of the first load: what Load says).
//
// The file may be absent, replaced by rename, reached through links, or in a
// directory that does not exist yet. Between changes nothing runs.
func Watch(ctx context.Context, path string, o WatchOptions, changed func(Config, []Fault)) error {
	fw, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	w := &watcher{path: path, fs: fw, log: o.Logger, changed: changed, watched: map[string]bool{}}
	w.resync()
	w.load()
	go w.run(ctx)
	return nil
}

type watcher struct {
	path    string
	fs      *fsnotify.Watcher
	log     *slog.Logger
	changed func(Config, []Fault)
	watched map[string]bool

	loaded bool
	absent bool
	last   []byte // content of the last load
	good   Config
}

func (w *watcher) run(ctx context.Context) {
	defer w.fs.Close()
	var (
		timer *time.Timer
		fire  <-chan time.Time
		began time.Time
	)
	stop := func() {
		if timer != nil {
			timer.Stop()
		}
		timer, fire = nil, nil
	}
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-w.fs.Events:
			if !ok {
				return
			}
		case err, ok := <-w.fs.Errors:
			if !ok {
				return
			}
			// An overflow means lost events: look again, as after any event.
			w.log.Warn("config watch reported an error", "overflow", errors.Is(err, fsnotify.ErrEventOverflow))
		case <-fire:
			stop()
			w.resync()
			w.load()
			continue
		}
		now := time.Now()
		wait := settle
		if fire == nil {
			began = now
		} else {
			wait = min(wait, max(0, ceiling-now.Sub(began)))
		}
		if timer != nil {
			timer.Stop()
		}
		timer = time.NewTimer(wait)
		fire = timer.C
	}
}

// resync watches the directories whose entries decide what path leads to. It
// repeats until they stand still: a directory made while its parent was being
// watched raised no event for what is in it.
func (w *watcher) resync() {
	for range 8 {
		want := watchDirs(w.path)
		same := len(want) == len(w.watched)
		for dir := range w.watched {
			if !want[dir] {
				same = false
				_ = w.fs.Remove(dir)
				delete(w.watched, dir)
			}
		}
		// Add is repeated for those that stand: a directory that was removed
		// and made again has lost its watch under the same name.
		for dir := range want {
			if err := w.fs.Add(dir); err != nil {
				if !errors.Is(err, fs.ErrNotExist) {
					w.log.Warn("config directory cannot be watched; restart Flash after a change", "error", err)
				}
				same = false
				delete(w.watched, dir)
				continue
			}
			if !w.watched[dir] {
				same = false
				w.watched[dir] = true
			}
		}
		if same {
			return
		}
	}
}

func (w *watcher) load() {
	data, err := readFile(w.path)
	absent := errors.Is(err, fs.ErrNotExist)
	if err == nil && w.loaded && !w.absent && bytes.Equal(data, w.last) || absent && w.loaded && w.absent {
		return
	}
	var c Config
	var faults []Fault
	switch {
	case absent:
		c = Defaults()
	case err != nil:
		c, faults = Defaults(), []Fault{{Problem: err.Error(), Remedy: "make it a readable file"}}
	default:
		c, faults = Parse(data)
	}
	for i := range faults {
		faults[i].File = w.path
	}
	if len(faults) == 0 || !w.loaded {
		w.good = c
	}
	w.loaded, w.absent, w.last = true, absent, data
	w.log.Info("config read", "faults", len(faults), "absent", absent)
	w.changed(w.good, faults)
}
