package tap

import "time"

// Each wake-up costs more than all that is done with a movement, and a mouse
// reports up to a thousand times a second, so movement gathers during a hold
// before it is read. How long follows the hand: least after the press or a rest,
// when nobody knows how fast it will go, then twice as long each time, but never
// longer than the stroke, going on as it does, needs to the threshold. An action
// so comes late by about the least, and a hand that only wanders costs little.
const (
	gatherLeast = 8 * time.Millisecond
	gatherMost  = 48 * time.Millisecond // three frames of a screen
	gatherRest  = 100                   // milliseconds without movement
)

// gatherer says how long movement may gather. Its zero value is no hold.
type gatherer struct {
	threshold int64
	held      bool
	fired     bool
	x, y      int64         // travel of the hold
	now       int64         // of the newest event, in milliseconds
	at, last  int64         // now and the travel when the last batch ended
	length    time.Duration // of the last pause
}

func (g *gatherer) press(t int64) {
	*g = gatherer{threshold: g.threshold, held: true, now: t, at: t}
}

func (g *gatherer) release() { g.held = false }

func (g *gatherer) move(t int64, dx, dy int32) {
	if t-g.now >= gatherRest {
		g.length = 0
		if g.fired { // a hold that repeats begins a new stroke
			g.fired, g.x, g.y, g.last = false, 0, 0, 0
		}
	}
	g.now = t
	g.x += int64(dx)
	g.y += int64(dy)
}

// pause is asked for once a batch.
func (g *gatherer) pause() time.Duration {
	if !g.held {
		return 0
	}
	far := max(g.x, -g.x, g.y, -g.y)
	took, went := g.now-g.at, far-g.last
	g.at, g.last = g.now, far
	g.fired = g.fired || far >= g.threshold
	g.length = max(gatherLeast, min(gatherMost, 2*g.length))
	if !g.fired && took > 0 && went > 0 {
		left := time.Duration((g.threshold-far)*took/went) * time.Millisecond
		g.length = max(gatherLeast, min(g.length, left))
	}
	return g.length
}
