package tmux

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// fileWatch tells of each file. It is inotify itself: fsnotify keeps 64 KiB of
// stack in use for as long as it watches, a tenth of what the plugin holds.
type fileWatch struct {
	file *os.File // non-blocking, so that waiting takes no thread
	buf  []byte   // of run, kept off its stack

	mu   sync.Mutex
	dirs map[int32]string // by watch descriptor
}

func newWatcher() (watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return &fileWatch{
		file: os.NewFile(uintptr(fd), "inotify"),
		buf:  make([]byte, 4096), // a dozen events with the longest names
		dirs: map[int32]string{},
	}, nil
}

// Add of a folder that is watched already changes nothing.
func (w *fileWatch) Add(dir string) error {
	raw, err := w.file.SyscallConn()
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var wd int
	var failed error
	err = raw.Control(func(fd uintptr) {
		wd, failed = unix.InotifyAddWatch(int(fd), dir, unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_FROM|unix.IN_MOVED_TO|
			unix.IN_ATTRIB|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF)
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		w.dirs[int32(wd)] = dir
	}
	return err
}

func (w *fileWatch) Close() error { return w.file.Close() }

func (w *fileWatch) run(changed func(path string), lost func()) {
	for {
		n, err := w.file.Read(w.buf)
		if err != nil {
			return // closed
		}
		for rest := w.buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			wd, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:end], []byte{0})
			rest = rest[end:]
			if mask&unix.IN_Q_OVERFLOW != 0 {
				lost()
			} else if dir := w.of(wd, mask); dir != "" {
				changed(filepath.Join(dir, string(name)))
			}
		}
	}
}

// of returns the folder that an event belongs to, and forgets one that the
// kernel no longer watches.
func (w *fileWatch) of(wd int32, mask uint32) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if mask&unix.IN_IGNORED != 0 {
		delete(w.dirs, wd)
	}
	return w.dirs[wd]
}
