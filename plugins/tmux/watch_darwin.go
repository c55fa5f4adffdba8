package tmux

import (
	"errors"
	"sync"

	"golang.org/x/sys/unix"
)

// dirWatch tells of folders in which a file appeared or went. fsnotify, which
// watches each file by itself on macOS, leaves sockets out: it tells of one that
// is new, and not of one that is put in the place of another.
type dirWatch struct {
	queue int

	mu      sync.Mutex
	dirs    map[string]int // descriptors
	running bool
	closed  bool
}

var errWatchClosed = errors.New("the watch is closed")

func newWatcher() (watcher, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(queue)
	w := &dirWatch{queue: queue, dirs: map[string]int{}}
	// What wakes the thread that waits, when it is to end.
	if err := w.tell(0, unix.EVFILT_USER, unix.EV_ADD|unix.EV_CLEAR, 0); err != nil {
		unix.Close(queue)
		return nil, err
	}
	return w, nil
}

func (w *dirWatch) tell(ident, filter, flags int, notes uint32) error {
	change := make([]unix.Kevent_t, 1)
	unix.SetKevent(&change[0], ident, filter, flags)
	change[0].Fflags = notes
	_, err := unix.Kevent(w.queue, change, nil, nil)
	return err
}

func (w *dirWatch) Add(dir string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errWatchClosed
	}
	if _, ok := w.dirs[dir]; ok {
		return nil
	}
	fd, err := unix.Open(dir, unix.O_EVTONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	notes := uint32(unix.NOTE_WRITE | unix.NOTE_DELETE | unix.NOTE_RENAME | unix.NOTE_REVOKE)
	if err := w.tell(fd, unix.EVFILT_VNODE, unix.EV_ADD|unix.EV_CLEAR, notes); err != nil {
		unix.Close(fd)
		return err
	}
	w.dirs[dir] = fd
	return nil
}

func (w *dirWatch) run(changed func(path string), lost func()) {
	w.mu.Lock()
	w.running = !w.closed
	w.mu.Unlock()
	if !w.running {
		return
	}
	events := make([]unix.Kevent_t, 8)
	for {
		n, err := unix.Kevent(w.queue, nil, events, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		w.mu.Lock()
		if w.closed || err != nil {
			w.closed = true
			w.release()
			w.mu.Unlock()
			return
		}
		var dirs []string
		for _, ev := range events[:n] {
			for dir, fd := range w.dirs {
				if uint64(fd) != ev.Ident || ev.Filter != unix.EVFILT_VNODE {
					continue
				}
				dirs = append(dirs, dir)
				if ev.Fflags&^unix.NOTE_WRITE != 0 {
					// Another may come in its place.
					delete(w.dirs, dir)
					unix.Close(fd)
				}
			}
		}
		w.mu.Unlock()
		for _, dir := range dirs {
			changed(dir)
		}
	}
}

func (w *dirWatch) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	if !w.running {
		w.release()
		return nil
	}
	return w.tell(0, unix.EVFILT_USER, 0, unix.NOTE_TRIGGER)
}

// release is called with mu, once nothing waits any more.
func (w *dirWatch) release() {
	for _, fd := range w.dirs {
		unix.Close(fd)
	}
	w.dirs = nil
	unix.Close(w.queue)
}
