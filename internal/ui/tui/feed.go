package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/control"
)

// retryEvery is how often a resident that does not answer is looked for again:
// often enough that the rows are there when the eye comes back from starting it.
const retryEvery = 500 * time.Millisecond

// What a feed tells.
type (
	// connectedMsg says whether the resident answers; err says why not.
	connectedMsg struct{ err error }
	viewMsg      *control.SessionView
	actedMsg     struct {
		entry control.SessionEntry
		acted control.SessionActed
		err   error
	}
	actionsMsg struct {
		entry   control.SessionEntry
		actions control.SessionActions
		err     error
	}
)

// feed is the session with the resident. It keeps the newest input and sends
// that one, whatever was typed while an earlier one was on its way; it connects
// again when the resident was restarted.
type feed struct {
	dial    func(ctx context.Context) (*control.Client, error)
	version string
	tell    func(any) // called from several goroutines

	mu     sync.Mutex
	input  control.SessionInput
	client *control.Client // of the session
	ready  chan struct{}   // closed while there is a session
	wake   chan struct{}
}

func newFeed(dial func(context.Context) (*control.Client, error), version string, tell func(any)) *feed {
	return &feed{dial: dial, version: version, tell: tell, ready: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// update makes in the input. It waits for nothing.
func (f *feed) update(in control.SessionInput) {
	f.mu.Lock()
	f.input = in
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// run keeps a session open until ctx ends.
func (f *feed) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := f.session(ctx)
		if ctx.Err() != nil {
			return
		}
		f.tell(connectedMsg{err})
		select {
		case <-ctx.Done():
		case <-time.After(retryEvery):
		}
	}
}

// session holds one session open until it breaks, and says why it did.
func (f *feed) session(ctx context.Context) error {
	c, err := f.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if c.Server.Version != f.version {
		return fmt.Errorf("flash %s is running and this is flash %s; `flash stop` and `flash start` make them one", c.Server.Version, f.version)
	}
	ctx, cancel := context.WithCancel(ctx)
	var sending sync.WaitGroup
	defer sending.Wait()
	defer cancel()

	f.mu.Lock()
	in := f.input
	f.mu.Unlock()
	known := make(chan struct{}) // the resident has the session for certain
	sending.Go(func() {
		select {
		case <-known:
			f.send(ctx, c, in.Generation)
		case <-ctx.Done():
		}
	})
	first := true
	err = c.Call(ctx, control.MethodSessionOpen, in, nil, func(raw json.RawMessage) {
		var v control.SessionView
		if json.Unmarshal(raw, &v) != nil {
			return
		}
		if first {
			first = false
			close(known)
			f.tell(connectedMsg{})
		}
		f.tell(viewMsg(&v))
	})
	if err == nil {
		err = control.ErrGone
	}
	return err
}

// send sends each newest input until ctx ends or the connection does.
func (f *feed) send(ctx context.Context, c *control.Client, sent uint64) {
	f.mu.Lock()
	f.client = c
	close(f.ready)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.client, f.ready = nil, make(chan struct{})
		f.mu.Unlock()
	}()
	for {
		f.mu.Lock()
		in := f.input
		f.mu.Unlock()
		if in.Generation > sent {
			sent = in.Generation
			if err := c.Call(ctx, control.MethodSessionUpdate, in, nil, nil); err != nil {
				if errors.Is(err, control.ErrGone) || ctx.Err() != nil {
					return
				}
				f.tell(connectedMsg{err})
			}
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		}
	}
}

// sessionWait is how long a key waits for a resident that was just dialled.
const sessionWait = 3 * time.Second

func (f *feed) call(ctx context.Context, method string, params, result any) error {
	f.mu.Lock()
	ready := f.ready
	f.mu.Unlock()
	select {
	case <-ready:
	case <-time.After(sessionWait):
	case <-ctx.Done():
	}
	f.mu.Lock()
	c := f.client
	f.mu.Unlock()
	if c == nil {
		return fmt.Errorf("%w; `flash start` starts it", control.ErrNotRunning)
	}
	return c.Call(ctx, method, params, result, nil)
}

// act carries out what e names; it waits until the resident knows what that is.
func (f *feed) act(ctx context.Context, e control.SessionEntry) actedMsg {
	msg := actedMsg{entry: e}
	msg.err = f.call(ctx, control.MethodSessionAct, e, &msg.acted)
	return msg
}

// actions asks what can be done with what e names.
func (f *feed) actions(ctx context.Context, e control.SessionEntry) actionsMsg {
	msg := actionsMsg{entry: e}
	msg.err = f.call(ctx, control.MethodSessionActions, e, &msg.actions)
	return msg
}
