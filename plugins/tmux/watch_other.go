//go:build !darwin

package tmux

import "github.com/fsnotify/fsnotify"

// fileWatch tells of each file.
type fileWatch struct{ *fsnotify.Watcher }

func newWatcher() (watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return fileWatch{w}, nil
}

func (w fileWatch) run(changed func(path string), lost func()) {
	for {
		select {
		case ev, ok := <-w.Events:
			if !ok {
				return
			}
			changed(ev.Name)
		case _, ok := <-w.Errors:
			if !ok {
				return
			}
			lost()
		}
	}
}
