package ewmh

import (
	"context"
	"slices"
	"sync"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// watcher hands changes to one function, on a goroutine of its own: it may ask
// for windows itself, and a slow one holds up nobody.
type watcher struct {
	changed func(window.Change)

	mu    sync.Mutex
	queue []window.Change
	ended bool
	wake  chan struct{}
	done  chan struct{}
}

func (w *watcher) push(c window.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	w.queue = append(w.queue, c)
	w.signal()
}

func (w *watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *watcher) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.queue = nil
	w.signal()
}

func (w *watcher) run() {
	defer close(w.done)
	for range w.wake {
		for {
			w.mu.Lock()
			if w.ended {
				w.mu.Unlock()
				return
			}
			if len(w.queue) == 0 {
				w.queue = nil
				w.mu.Unlock()
				break
			}
			c := w.queue[0]
			w.queue = w.queue[1:]
			w.mu.Unlock()
			w.changed(c)
		}
	}
}

// Watch calls changed from one goroutine until ctx is done or the desktop is
// closed. The window that has the focus at first is told at once; the windows
// that are there already are not.
func (d *Desktop) Watch(ctx context.Context, changed func(window.Change)) error {
	w := &watcher{changed: changed, wake: make(chan struct{}, 1), done: make(chan struct{})}
	d.mu.Lock()
	s, err := d.connectLocked()
	if err != nil {
		d.mu.Unlock()
		return err
	}
	d.watchers = append(slices.Clip(d.watchers), w)
	d.mu.Unlock()
	go w.run()
	context.AfterFunc(ctx, func() { d.unwatch(w) })
	err = s.ask(ctx, func() {
		s.subscribe()
		if f, ok, _ := s.focused(); ok {
			w.push(window.Change{Window: f, Focus: true})
		}
	})
	if err != nil {
		d.unwatch(w)
	}
	return err
}

func (d *Desktop) unwatch(w *watcher) {
	w.stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watchers = slices.DeleteFunc(slices.Clone(d.watchers), func(o *watcher) bool { return o == w })
	if len(d.watchers) == 0 && d.session != nil {
		s := d.session
		s.loop.Do(func() {
			if !d.watched() {
				s.unsubscribe()
			}
		})
	}
}

func (d *Desktop) watched() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.watchers) > 0
}

// deliver is called on the loop.
func (d *Desktop) deliver(c window.Change) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.watchers {
		w.push(c)
	}
}
