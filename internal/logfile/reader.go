package logfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

const (
	// maxLine bounds what is held of one line; a longer one is left out.
	maxLine = 1 << 20
	// searched is how many old files are looked through. More may be kept.
	searched = 100
)

// ErrNoLog is wrapped when there is no log to read.
var ErrNoLog = errors.New("no log yet; `flash start` starts Flash")

// Tail returns the last n whole lines without their newlines, oldest first,
// going back into the old files where the present one has fewer.
func Tail(path string, n int) ([][]byte, error) {
	present, out, err := last(path, n)
	if err != nil {
		return nil, err
	}
	if present != nil {
		defer present.file.Close()
	}
	out, found := older(path, present, out, n)
	if present == nil && !found {
		return nil, fmt.Errorf("%s: %w", path, ErrNoLog)
	}
	return out, nil
}

// last opens the present file, nil if there is none, and reads it to its end.
func last(path string, n int) (*lines, [][]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("log: %w", err)
	}
	l, r := &lines{file: file}, ring{max: n}
	if err := l.drain(r.add); err != nil {
		_ = file.Close()
		return nil, nil, fmt.Errorf("log: %w", err)
	}
	return l, r.all(), nil
}

// older puts lines of the old files before out until there are n, and says
// whether there is an old file. The files may be turned over meanwhile: then a
// number is missing for a moment, and the file just read comes again under the
// next one.
func older(path string, present *lines, out [][]byte, n int) (all [][]byte, found bool) {
	var before os.FileInfo
	if present != nil {
		before, _ = present.file.Stat()
	}
	for i := 1; len(out) < n && i <= searched; i++ {
		l, more, err := last(numbered(path, i), n-len(out))
		if err != nil || l == nil {
			continue
		}
		st, err := l.file.Stat()
		_ = l.file.Close()
		if err != nil || before != nil && os.SameFile(st, before) {
			continue
		}
		before, found = st, true
		out = append(more, out...)
	}
	return out, found
}

// Follow gives the last n lines and then each new one to emit, over any number
// of turn-overs, until ctx ends (no error) or emit fails. Between lines nothing
// runs. The slice is emit's only until it returns.
func Follow(ctx context.Context, path string, n int, emit func(line []byte) error) error {
	watch, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	defer watch.Close()
	dir := filepath.Dir(path)
	if err := watch.Add(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", path, ErrNoLog)
		}
		return fmt.Errorf("log: watch %s: %w", dir, err)
	}
	f := &follower{path: path, emit: emit}
	defer f.close()
	if err := f.begin(n); err != nil {
		return err
	}
	for {
		if err := f.catchUp(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case ev, ok := <-watch.Events:
			if !ok {
				return nil
			}
			if ev.Name == dir && ev.Has(fsnotify.Remove|fsnotify.Rename) {
				return fmt.Errorf("log: %s was removed", dir)
			}
		case _, ok := <-watch.Errors:
			// Events were lost: look, as after any event.
			if !ok {
				return nil
			}
		}
	}
}

// lines reads the whole lines of a file as it grows.
type lines struct {
	file    *os.File
	offset  int64
	partial []byte
	skip    bool // inside a line that is too long
}

func (l *lines) drain(emit func([]byte) error) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := l.file.Read(buf)
		l.offset += int64(n)
		if ferr := l.feed(buf[:n], emit); ferr != nil {
			return ferr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (l *lines) feed(b []byte, emit func([]byte) error) error {
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		line := b[:i]
		if len(l.partial) > 0 {
			line = append(l.partial, line...)
		}
		skipped := l.skip || len(line) > maxLine
		l.partial, l.skip = l.partial[:0], false
		if !skipped && len(line) > 0 {
			if err := emit(line); err != nil {
				return err
			}
		}
		b = b[i+1:]
	}
	if l.skip = l.skip || len(l.partial)+len(b) > maxLine; l.skip {
		l.partial = nil
	} else {
		l.partial = append(l.partial, b...)
	}
	return nil
}

// ring keeps the last lines that it is given.
type ring struct {
	max   int
	lines [][]byte
	next  int
}

func (r *ring) add(line []byte) error {
	switch {
	case r.max <= 0:
	case len(r.lines) < r.max:
		r.lines = append(r.lines, bytes.Clone(line))
	default:
		r.lines[r.next] = append(r.lines[r.next][:0], line...)
		r.next = (r.next + 1) % r.max
	}
	return nil
}

func (r *ring) all() [][]byte {
	return append(r.lines[r.next:len(r.lines):len(r.lines)], r.lines[:r.next]...)
}

type follower struct {
	path string
	emit func([]byte) error
	now  *lines // the file being read, nil while there is none
}

func (f *follower) close() {
	if f.now != nil {
		_ = f.now.file.Close()
		f.now = nil
	}
}

// begin reads the present file once: its last lines are shown, and following
// goes on from where that reading ended, so no line is missed or shown twice.
func (f *follower) begin(n int) error {
	present, out, err := last(f.path, n)
	if err != nil {
		return err
	}
	f.now = present
	out, _ = older(f.path, present, out, n)
	for _, line := range out {
		if err := f.emit(line); err != nil {
			return err
		}
	}
	return nil
}

// catchUp reads what is new: the rest of the file that was being read, then
// every file that came after it, up to the present one.
func (f *follower) catchUp() error {
	for {
		var mine os.FileInfo
		if f.now != nil {
			var err error
			if mine, err = f.now.file.Stat(); err != nil {
				return fmt.Errorf("log: %w", err)
			}
			if mine.Size() < f.now.offset {
				// Emptied in place.
				if _, err := f.now.file.Seek(0, io.SeekStart); err != nil {
					return fmt.Errorf("log: %w", err)
				}
				f.now.offset, f.now.partial, f.now.skip = 0, nil, false
			}
			if err := f.now.drain(f.emit); err != nil {
				return err
			}
		}
		next, found := f.successor(mine)
		if !found {
			return nil
		}
		file, err := os.Open(numbered(f.path, next))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // being turned over right now: an event follows
		}
		if err != nil {
			return fmt.Errorf("log: %w", err)
		}
		if again, found := f.successor(mine); !found || again != next {
			// Turned over while it was opened: it may be one too new.
			_ = file.Close()
			continue
		}
		if f.now != nil {
			// What was written between the reading above and the moment that
			// the successor was seen; after that nobody writes to it.
			if err := f.now.drain(f.emit); err != nil {
				_ = file.Close()
				return err
			}
		}
		f.close()
		f.now = &lines{file: file}
	}
}

// successor is the number of the file after the one being read, if there is
// one. While the files are turned over a number is missing for a moment, so a
// missing one ends no search; and since files only move up, one that is looked
// for upwards is not missed.
func (f *follower) successor(mine os.FileInfo) (number int, found bool) {
	for i := 0; i <= searched && mine != nil; i++ {
		if st, err := os.Stat(numbered(f.path, i)); err == nil && os.SameFile(st, mine) {
			return i - 1, i > 0
		}
	}
	// Nowhere to be found, removed or too old: the present one is next.
	_, err := os.Stat(f.path)
	return 0, err == nil
}
