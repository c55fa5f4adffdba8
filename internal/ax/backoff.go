package ax

import "time"

// ladder is how long to wait before each further try of what just failed or
// broke off. A desktop that starts again has its buses back within seconds.
// Past the last step nothing is tried until somebody asks for something again:
// an idle host does not poll for a bus that is not coming.
var ladder = [...]time.Duration{
	250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second,
	4 * time.Second, 8 * time.Second, 15 * time.Second, 30 * time.Second,
}

const (
	// calm is how long things must go well for the ladder to begin anew.
	calm = time.Minute
	// askAgain is how often somebody's asking leads to a try at the most.
	askAgain = 5 * time.Second
)

// backoff decides when something that failed is tried again. It keeps no timer.
type backoff struct {
	step    int
	last    time.Time // of the last failure
	next    time.Time // no try before; zero: at once
	dormant bool
}

// failed notes a failure and says how long to wait; false: until touched.
func (b *backoff) failed(now time.Time) (time.Duration, bool) {
	if now.Sub(b.last) > calm+ladder[len(ladder)-1] {
		b.step = 0
	}
	b.last = now
	if b.step >= len(ladder) {
		b.dormant, b.next = true, now.Add(askAgain)
		return 0, false
	}
	wait := ladder[b.step]
	b.step++
	b.dormant, b.next = false, now.Add(wait)
	return wait, true
}

// touched says that somebody asks: a try is due if the last is long enough ago.
func (b *backoff) touched(now time.Time) {
	if b.dormant && !now.Before(b.next) {
		b.dormant = false
	}
}

// due says whether to try now.
func (b *backoff) due(now time.Time) bool { return !b.dormant && !now.Before(b.next) }
