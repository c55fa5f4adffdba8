package supervisor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/transport"
)

type kind int

const (
	// Commands, from outside.
	msgStart kind = iota
	msgStop
	msgClose
	msgReload
	msgReplace
	msgObserve
	msgManifestError
	msgPerform
	msgGiveUp
	// Outcomes, each of a generation.
	msgInstalled
	msgLaunched
	msgLaunchFailed
	msgInitialized
	msgDown
	msgExited
	msgTerminate
	msgKill
	msgRetry
	msgHoldOver
)

func (k kind) String() string {
	return [...]string{
		"start", "stop", "close", "reload", "replace", "observe", "manifest-error", "perform", "give-up",
		"installed", "launched", "launch-failed", "initialized", "down", "exited", "terminate", "kill", "retry", "hold-over",
	}[k]
}

// message is one thing for apply; which fields count follows kind.
type message struct {
	kind     kind
	gen      uint64
	text     string
	segments []string
	def      Definition
	ack      chan struct{}
	waiter   *waiter
	started  *child
	hello    hello
	exit     Exit
}

// hello is the outcome of initialize.
type hello struct {
	ended   bool   // the conversation did, which is reported on its own
	refused string // the child answered and cannot be used
	failed  string // it did not answer, or not in a readable way
	elapsed time.Duration
}

// waiter is a perform that waits for the child.
type waiter struct {
	ready chan *transport.Conn // one send: the child, or nil for none
}

// mailbox is the queue of a lifecycle. Posting never waits, so anything may
// post, apply included. It is bounded by what can be under way: a handful of
// outcomes per generation, one standing command of a kind, and the performs,
// which are counted before they are posted.
type mailbox struct {
	mu     sync.Mutex
	filled sync.Cond
	queue  []message
	closed bool // the lifecycle is over
}

func (b *mailbox) post(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	if n := len(b.queue) - 1; n >= 0 && m.ack == nil && m.kind == b.queue[n].kind && m.kind.standing() {
		b.queue[n] = m
		return
	}
	b.queue = append(b.queue, m)
	b.filled.Signal()
}

// standing says that of two such commands in a row the first is pointless.
func (k kind) standing() bool {
	switch k {
	case msgStart, msgReload, msgReplace, msgObserve, msgManifestError:
		return true
	}
	return false
}

func (b *mailbox) take() message {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) == 0 {
		b.filled.Wait()
	}
	m := b.queue[0]
	b.queue[0] = message{}
	if b.queue = b.queue[1:]; len(b.queue) == 0 {
		b.queue = nil
	}
	return m
}

func (b *mailbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed, b.queue = true, nil
}

// await waits for ack, for the end of the lifecycle, or for ctx.
func (p *Plugin) await(ctx context.Context, ack <-chan struct{}) error {
	select {
	case <-ack:
		return nil
	case <-p.over:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("plugin %s has not ended yet: %w", p.id, ctx.Err())
	}
}
