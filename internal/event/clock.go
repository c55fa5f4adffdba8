package event

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

const (
	priorityHigh   = "high"
	priorityNormal = "normal"
	priorityLow    = "low"
)

// A low-priority timer may wait a quarter of its interval, at most this long,
// for a neighbour to tick with: fifteen seconds let the liveness pings of all
// children fall into one wake-up a minute.
const maxSlack = 15 * time.Second

// Clock is the one clock for everything periodic. It arms a single timer for
// the next moment at which something is due; with nothing registered, or while
// held, it arms none. A timer whose last tick is still being handled is
// skipped, and one that fell behind ticks once, not once for every period
// missed. All methods may be called from any goroutine.
type Clock struct {
	time Time

	mu     sync.Mutex
	owners map[string]*owner
	held   map[string]struct{} // reasons
	heldAt time.Time
	timer  Timer
	at     time.Time // when timer fires; meaningful while timer is not nil
	epoch  uint64    // grows with every arming, so that a late firing is known
}

type owner struct {
	fire    func(name string)
	entries []*entry
}

type entry struct {
	name  string
	every time.Duration // 0: fires once
	slack time.Duration
	due   time.Time
	busy  bool // ticked and not yet Done
}

// NewClock returns a clock with nothing registered.
func NewClock(t Time) *Clock {
	return &Clock{time: t, owners: map[string]*owner{}, held: map[string]struct{}{}}
}

// Register replaces the whole set of timers of owner; an empty set removes the
// owner. A repeating timer that is restated with its interval keeps its
// rhythm; a one-shot starts anew. fire is called on the clock's goroutine and
// must not block; a repeating timer ticks again only after Done. A set that
// breaks the bounds is refused whole and the one before it stands.
func (c *Clock) Register(ownerID string, regs []protocol.Registration, fire func(name string)) error {
	now := c.time.Now()
	fresh, err := entriesOf(regs, now)
	if err != nil {
		return fmt.Errorf("timers of %s: %w", ownerID, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(fresh) == 0 {
		delete(c.owners, ownerID)
		c.arm(now)
		return nil
	}
	if old := c.owners[ownerID]; old != nil {
		for _, e := range fresh {
			if was := old.find(e.name); was != nil {
				e.busy = was.busy
				if e.every > 0 && e.every == was.every {
					e.due = was.due
				}
			}
		}
	}
	c.owners[ownerID] = &owner{fire: fire, entries: fresh}
	c.arm(now)
	return nil
}

// Unregister removes all timers of owner. A tick that is being delivered at
// this moment may still arrive.
func (c *Clock) Unregister(ownerID string) {
	_ = c.Register(ownerID, nil, nil) // an empty set breaks no bound
}

// Done says that the last tick of a timer is handled.
func (c *Clock) Done(ownerID, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.owners[ownerID]; o != nil {
		if e := o.find(name); e != nil {
			e.busy = false
		}
	}
}

// Hold stops all ticks until Release, while the session sleeps or is locked.
func (c *Clock) Hold() { c.HoldFor("") }

// Release lets ticks flow again. What came due meanwhile ticks once.
func (c *Clock) Release() { c.ReleaseFor("") }

// HoldFor is Hold with a reason: ticks are held while any reason stands, so
// that waking up inside a locked session releases nothing.
func (c *Clock) HoldFor(reason string) {
	now := c.time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.held) == 0 {
		c.heldAt = now
	}
	c.held[reason] = struct{}{}
	c.arm(now)
}

// ReleaseFor takes back one reason of HoldFor.
func (c *Clock) ReleaseFor(reason string) {
	now := c.time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.held[reason]; !ok {
		return
	}
	delete(c.held, reason)
	if len(c.held) > 0 {
		return
	}
	// A sleeping machine stops the monotonic clock that intervals are measured
	// with; the wall clock knows how long it slept.
	if slept := now.Round(0).Sub(c.heldAt.Round(0)) - now.Sub(c.heldAt); slept > 0 {
		for _, o := range c.owners {
			for _, e := range o.entries {
				e.due = e.due.Add(-slept)
			}
		}
	}
	c.arm(now)
}

// Armed reports whether a timer is running: never while nothing is registered.
func (c *Clock) Armed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer != nil
}

// arm sets the one timer to the next moment at which something must tick.
func (c *Clock) arm(now time.Time) {
	var next time.Time
	if len(c.held) == 0 {
		for _, o := range c.owners {
			for _, e := range o.entries {
				if at := e.due.Add(e.slack); next.IsZero() || at.Before(next) {
					next = at
				}
			}
		}
	}
	if c.timer != nil {
		if next.Equal(c.at) {
			return
		}
		c.timer.Stop()
		c.timer = nil
	}
	if next.IsZero() {
		return
	}
	c.epoch++
	epoch := c.epoch
	c.at = next
	c.timer = c.time.AfterFunc(max(0, next.Sub(now)), func() { c.fire(epoch) })
}

type tick struct {
	fire func(name string)
	name string
}

func (c *Clock) fire(epoch uint64) {
	for _, t := range c.due(epoch) {
		t.fire(t.name)
	}
}

// due collects what ticks now and arms the timer again.
func (c *Clock) due(epoch uint64) []tick {
	now := c.time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if epoch != c.epoch || c.timer == nil {
		return nil
	}
	c.timer = nil
	var ticks []tick
	for id, o := range c.owners {
		for i := 0; i < len(o.entries); i++ {
			e := o.entries[i]
			if e.due.After(now) {
				continue
			}
			if e.every == 0 {
				o.entries = slices.Delete(o.entries, i, i+1)
				i--
				ticks = append(ticks, tick{o.fire, e.name})
				continue
			}
			if !e.busy {
				e.busy = true
				ticks = append(ticks, tick{o.fire, e.name})
			}
			e.advance(now)
		}
		if len(o.entries) == 0 {
			delete(c.owners, id)
		}
	}
	c.arm(now)
	return ticks
}

// advance keeps the rhythm where it can and begins a new one where periods
// were missed.
func (e *entry) advance(now time.Time) {
	if e.due = e.due.Add(e.every); !e.due.After(now) {
		e.due = now.Add(e.every)
	}
}

func (o *owner) find(name string) *entry {
	for _, e := range o.entries {
		if e.name == name {
			return e
		}
	}
	return nil
}

func entriesOf(regs []protocol.Registration, now time.Time) ([]*entry, error) {
	if len(regs) > protocol.MaxRegistrations {
		return nil, fmt.Errorf("%d timers, at most %d are allowed", len(regs), protocol.MaxRegistrations)
	}
	entries := make([]*entry, 0, len(regs))
	for _, r := range regs {
		e, err := entryOf(r, now)
		if err == nil && slices.ContainsFunc(entries, func(o *entry) bool { return o.name == r.Name }) {
			err = errors.New("named twice")
		}
		if err != nil {
			return nil, fmt.Errorf("timer %q: %w", r.Name, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func entryOf(r protocol.Registration, now time.Time) (*entry, error) {
	switch {
	case !protocol.ValidRegistrationName(r.Name):
		return nil, errors.New("the name must match [a-z0-9_-]{1,64}")
	case (r.Every != 0) == (r.After != 0):
		return nil, errors.New("exactly one of every and after must be above zero")
	case r.Every != 0 && !(r.Every >= protocol.MinEvery && r.Every <= protocol.MaxPollSeconds):
		return nil, fmt.Errorf("every must be from %v to %v seconds", protocol.MinEvery, protocol.MaxPollSeconds)
	case r.After != 0 && !(r.After > 0 && r.After <= protocol.MaxPollSeconds):
		return nil, fmt.Errorf("after must be above 0 and at most %v seconds", protocol.MaxPollSeconds)
	}
	wait := time.Duration((r.Every + r.After) * float64(time.Second))
	e := &entry{name: r.Name, due: now.Add(wait)}
	if r.Every != 0 {
		e.every = wait
	}
	switch r.Priority {
	case priorityLow:
		e.slack = min(wait/4, maxSlack)
	case "", priorityNormal, priorityHigh:
	default:
		return nil, errors.New("the priority must be high, normal or low")
	}
	return e, nil
}
