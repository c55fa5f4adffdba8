// Package action performs what the engine asks for: workspaces, overviews,
// key chords, commands. It does so on a queue of its own, so that the tap
// never waits for it, and it decides nothing about input.
package action

import (
	"sync"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
)

// Backend performs actions on a platform. Its methods are called by one
// goroutine and may take their time.
type Backend interface {
	Named(name string) error
	Chord(keys []string) error
	Close()
}

// maxQueued bounds actions that wait: more strokes than that at once come from
// no hand, and late ones would surprise.
const maxQueued = 8

// Queue performs actions in order.
type Queue struct {
	jobs chan settings.Action
	wg   sync.WaitGroup
	note func(settings.Action, error)
}

// NewQueue starts a queue. open makes the backend when the first action that
// needs it is due, so that a worker whose button is never pressed has none.
// note, which may be nil, hears of each action.
func NewQueue(open func() (Backend, error), note func(settings.Action, error)) *Queue {
	q := &Queue{jobs: make(chan settings.Action, maxQueued), note: note}
	q.wg.Add(1)
	go q.run(open)
	return q
}

// Add queues a; false means that the queue is full and a is dropped.
func (q *Queue) Add(a settings.Action) bool {
	select {
	case q.jobs <- a:
		return true
	default:
		return false
	}
}

// Close performs what is queued and ends the queue. Add must not be called
// after it.
func (q *Queue) Close() {
	close(q.jobs)
	q.wg.Wait()
}

func (q *Queue) run(open func() (Backend, error)) {
	defer q.wg.Done()
	var backend Backend
	children := newChildren()
	defer func() {
		children.close()
		if backend != nil {
			backend.Close()
		}
	}()
	perform := func(a settings.Action) (err error) {
		if a.Kind == settings.Command {
			return children.start(a.Argv)
		}
		if backend == nil {
			if backend, err = open(); err != nil {
				backend = nil
				return err
			}
		}
		if a.Kind == settings.Chord {
			return backend.Chord(a.Keys)
		}
		return backend.Named(a.Name)
	}
	for {
		select {
		case <-children.ended:
			children.reap()
		case a, ok := <-q.jobs:
			if !ok {
				return
			}
			err := perform(a)
			if q.note != nil {
				q.note(a, err)
			}
		}
	}
}

// Resolve is what a decision asks for under s: what the table binds to the
// stroke or button, else the action's own meaning. False: nothing, or a replay
// of the click, which is the tap's business.
func Resolve(s *settings.Settings, d engine.Decision) (settings.Action, bool) {
	key := ""
	switch {
	case d.Action == engine.Click:
		key = "click"
	case d.Action == engine.Back:
		key = "back"
	case d.Action == engine.Forward:
		key = "forward"
	case d.Direction != engine.NoDirection:
		key = [...]string{"", "left", "right", "up", "down"}[d.Direction]
	}
	if a, ok := s.Actions[key]; ok {
		return a, a.Kind != settings.None
	}
	switch d.Action {
	case engine.NoAction:
		return settings.Action{}, false
	case engine.Click:
		return named("overview"), s.Click == settings.ClickOverview
	case engine.WorkspaceLeft:
		return named("workspace_left"), true
	case engine.WorkspaceRight:
		return named("workspace_right"), true
	case engine.Overview:
		return named("overview"), true
	case engine.AppWindows:
		return named("app_windows"), true
	case engine.Back:
		return named("back"), true
	}
	return named("forward"), true
}

// Replays reports whether a decision replays a plain click to the window below.
func Replays(s *settings.Settings, d engine.Decision) bool {
	_, bound := s.Actions["click"]
	return d.Action == engine.Click && s.Click == settings.ClickPass && !bound
}

func named(name string) settings.Action { return settings.Action{Kind: settings.Named, Name: name} }
