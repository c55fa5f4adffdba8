package logfile

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Options bounds the files.
type Options struct {
	MaxBytes int64            // size at which the file is turned over; 0: DefaultMaxBytes
	Keep     int              // old files kept
	Now      func() time.Time // nil: the machine's
}

// What the configuration says unless the user does.
const (
	DefaultMaxBytes = 10 << 20
	DefaultKeep     = 3
)

const (
	fileMode = 0o600
	dirMode  = 0o700
)

// Writer appends whole lines to a file. It is safe for concurrent use, and two
// processes may write one file.
type Writer struct {
	path string
	max  int64
	keep int
	now  func() time.Time

	mu      sync.Mutex
	file    *os.File // nil while the file cannot be opened
	info    os.FileInfo
	size    int64
	torn    bool // the last line was cut short and has no newline
	dropped int64
	closed  bool
}

// Open opens or makes the file and its directory.
func Open(path string, o Options) (*Writer, error) {
	w := &Writer{path: path, max: o.MaxBytes, keep: o.Keep, now: o.Now}
	if w.max == 0 {
		w.max = DefaultMaxBytes
	}
	if w.now == nil {
		w.now = time.Now
	}
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, fmt.Errorf("log %s: %w", path, err)
	}
	if err := w.open(); err != nil {
		return nil, fmt.Errorf("log %s: %w", path, err)
	}
	return w, nil
}

// Logger returns a logger that writes JSON lines to w from that level on.
func Logger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
}

func (w *Writer) open() error {
	f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, fileMode)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return err
	}
	if st.Mode().IsRegular() && st.Mode().Perm() != fileMode {
		_ = f.Chmod(fileMode) // another's file, which can be written all the same
	}
	w.file, w.info, w.size, w.torn = f, st, st.Size(), false
	return nil
}

// Write appends one line, which ends in a newline. It reports success even if
// the line was lost: a logger has nobody to tell. How many were lost is the
// first thing written once writing works again.
func (w *Writer) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return len(line), nil
	}
	w.follow()
	if w.size > 0 && w.size+int64(len(line)) > w.max {
		w.turnOver()
	}
	if w.dropped > 0 {
		note := fmt.Sprintf(`{"time":%q,"level":"WARN","msg":"log lines were lost","lines":%d}`+"\n", w.now().Format(time.RFC3339Nano), w.dropped)
		if w.append([]byte(note)) {
			w.dropped = 0
		}
	}
	if !w.append(line) {
		w.dropped++
	}
	return len(line), nil
}

// follow opens the path anew when it no longer names the open file: somebody
// removed it, turned it over, or the directory was made again.
func (w *Writer) follow() {
	if w.file != nil {
		if there, err := os.Stat(w.path); err == nil && os.SameFile(there, w.info) {
			w.size = there.Size()
			return
		}
		_ = w.file.Close()
		w.file = nil
	}
	if w.open() != nil {
		// The directory may be gone; what cannot be made now is tried again.
		if os.MkdirAll(filepath.Dir(w.path), dirMode) == nil {
			_ = w.open()
		}
	}
}

func (w *Writer) append(line []byte) bool {
	if w.file == nil {
		return false
	}
	if w.torn {
		// Close the cut line, or this one would be lost in it.
		if _, err := w.file.Write([]byte{'\n'}); err != nil {
			return false
		}
		w.torn = false
		w.size++
	}
	n, err := w.file.Write(line)
	w.size += int64(n)
	w.torn = n > 0 && n < len(line)
	return err == nil
}

// turnOver moves the file to .1, that to .2 and so on. Another writer of the
// same file may be about to: the lock is on the file itself, and whoever finds
// that it has moved just opens the new one.
func (w *Writer) turnOver() {
	if w.file == nil {
		return
	}
	old := w.file
	defer old.Close()
	locked := unix.Flock(int(old.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
	there, err := os.Stat(w.path)
	if locked && err == nil && os.SameFile(there, w.info) {
		if w.keep <= 0 {
			_ = os.Remove(w.path)
		} else {
			for i := w.keep - 1; i >= 1; i-- {
				_ = os.Rename(numbered(w.path, i), numbered(w.path, i+1))
			}
			_ = os.Rename(w.path, numbered(w.path, 1))
		}
	}
	w.file = nil
	_ = w.open()
}

// numbered is the name of the i-th old file, of the present one for 0.
func numbered(path string, i int) string {
	if i == 0 {
		return path
	}
	return path + "." + strconv.Itoa(i)
}

// Dropped is how many lines were lost since the last that was written.
func (w *Writer) Dropped() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dropped
}

// Close closes the file. What is written later is lost.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
