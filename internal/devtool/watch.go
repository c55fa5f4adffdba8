package devtool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleChanges is how long a folder rests before it counts as changed: an
// editor writes a file in several steps.
const settleChanges = 200 * time.Millisecond

// Changes tells of changes below a folder. Events only say when to look; what
// counts is whether a file is another than when one looked last, so that
// what came and went again is none, and an edit during a build is not lost.
type Changes struct {
	watcher *fsnotify.Watcher
	dir     string
	product string // the file that a build makes, "" when nothing is built
	last    map[string]fileState
	// suspects changed during the last build. What changes during the next one
	// too is a build's product like the program, until it changes between builds.
	suspects, products map[string]bool
}

type fileState struct {
	size int64
	mode fs.FileMode
	at   time.Time
}

// WatchChanges watches dir and what lies below it.
func WatchChanges(dir string) (*Changes, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", dir, err)
	}
	c := &Changes{watcher: w, dir: dir, suspects: map[string]bool{}, products: map[string]bool{}}
	if err := c.add(dir); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("watch %s: %w", dir, err)
	}
	c.last = c.look()
	return c, nil
}

// passedOver are files and folders whose changes are nobody's edits.
func passedOver(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || name == "node_modules" || name == "__pycache__"
}

// walk calls f for what counts below root. What is gone by then is passed over.
func (c *Changes) walk(root string, f func(path string, e fs.DirEntry) error) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != c.dir:
			return nil
		case err != nil:
			return err
		case path == c.dir || !passedOver(e.Name()):
			return f(path, e)
		case e.IsDir():
			return fs.SkipDir
		}
		return nil
	})
}

func (c *Changes) add(dir string) error {
	return c.walk(dir, func(path string, e fs.DirEntry) error {
		if !e.IsDir() {
			return nil
		}
		return c.watcher.Add(path)
	})
}

// look is the state of all files that count.
func (c *Changes) look() map[string]fileState {
	now := map[string]fileState{}
	_ = c.walk(c.dir, func(path string, e fs.DirEntry) error {
		if e.IsDir() || path == c.product {
			return nil
		}
		if info, err := e.Info(); err == nil {
			now[path] = fileState{info.Size(), info.Mode(), info.ModTime()}
		}
		return nil
	})
	return now
}

// Close ends the watch.
func (c *Changes) Close() error { return c.watcher.Close() }

// Product says which file a build makes, "" when nothing is built.
func (c *Changes) Product(path string) { c.product = path }

// Next waits until a file is another than before and the folder rests again.
func (c *Changes) Next(ctx context.Context) error {
	var rest <-chan time.Time
	for {
		select {
		case ev := <-c.watcher.Events:
			if info, err := os.Stat(ev.Name); ev.Has(fsnotify.Create) && err == nil && info.IsDir() && !passedOver(info.Name()) {
				_ = c.add(ev.Name)
			}
			rest = time.After(settleChanges)
		case err := <-c.watcher.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("watch %s: %w", c.dir, err)
			}
			rest = time.After(settleChanges)
		case <-rest:
			rest = nil
			if _, err := os.Stat(c.dir); err != nil {
				return fmt.Errorf("watch: the folder is gone: %w", err)
			}
			changed := c.changed()
			for _, path := range changed {
				delete(c.products, path)
				delete(c.suspects, path)
			}
			if len(changed) > 0 {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// changed are the files that are new, gone or other than at the last look.
func (c *Changes) changed() (paths []string) {
	before := c.last
	c.last = c.look()
	for path, now := range c.last {
		if then, was := before[path]; !was || now != then {
			paths = append(paths, path)
		}
	}
	for path := range before {
		if _, is := c.last[path]; !is && path != c.product {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Built ends a build: what it made is no change. again reports that a file was
// edited meanwhile, so that the build may have missed it.
func (c *Changes) Built() (again bool) {
	before := c.last
	changed := map[string]bool{}
	for _, path := range c.changed() {
		if _, was := before[path]; !was || c.products[path] {
			continue // made by the build
		}
		if _, is := c.last[path]; !is {
			continue
		}
		changed[path] = true
		if c.suspects[path] {
			c.products[path] = true
			continue
		}
		again = true
	}
	c.suspects = changed
	return again
}
