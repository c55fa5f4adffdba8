package session

import "sync"

// locks gathers what several services say about the lock.
type locks struct {
	tell func(State)

	mu     sync.Mutex
	closed bool
	by     map[string]bool // who says that it is locked
	state  State
}

func newLocks(tell func(State)) *locks { return &locks{tell: tell, by: map[string]bool{}} }

// lock takes what one service says.
func (l *locks) lock(who string, on bool) {
	l.change(func() {
		if on {
			l.by[who] = true
		} else {
			delete(l.by, who)
		}
	})
}

// used says that the user is here, whatever was said: a locker that tells of
// its beginning and not of its end must not hold the clock for ever.
func (l *locks) used() { l.change(func() { clear(l.by) }) }

func (l *locks) sleep(on bool) { l.change(func() { l.state.Asleep = on }) }

// close ends what is held.
func (l *locks) close() {
	l.change(func() {
		clear(l.by)
		l.state.Asleep = false
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

func (l *locks) change(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	before := l.state
	do()
	if l.state.Locked = len(l.by) > 0; l.state != before {
		l.tell(l.state)
	}
}
