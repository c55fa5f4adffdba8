package tap

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// stroke plays a hand that moves by step every 5 ms and returns at which travel
// and how long after the crossing of the threshold the worker reads it.
func stroke(g *gatherer, step int32, moves int) (late time.Duration, reads int) {
	const every = 5 * time.Millisecond
	now, posted, crossed := time.Duration(0), 0, time.Duration(-1)
	g.press(0)
	for posted < moves {
		wait := max(g.pause(), every)
		if reads == 0 {
			wait = every // the first movement wakes at once
		}
		reads++
		for end := now + wait; now+every <= end && posted < moves; posted++ {
			now += every
			g.move(now.Milliseconds(), step, 0)
			if int64(posted+1)*int64(step) >= g.threshold && crossed < 0 {
				crossed = now
			}
		}
		if crossed >= 0 {
			return now - crossed, reads
		}
	}
	return -1, reads
}

func TestAStrokeIsReadSoonAfterItsCrossingWhateverItsSpeed(t *testing.T) {
	for step := int32(1); step < 300; step++ {
		g := &gatherer{threshold: 220}
		late, _ := stroke(g, step, 400)
		assert.LessOrEqual(t, late, 2*gatherLeast, "%d units every 5 ms", step)
		assert.GreaterOrEqual(t, late, time.Duration(0))
	}
}

func TestAHandThatOnlyWandersIsReadSeldom(t *testing.T) {
	g := &gatherer{threshold: 220}
	_, reads := stroke(g, 0, 2000)
	assert.LessOrEqual(t, reads, 230, "of 2000 movements in 10 s")
}

func TestNothingGathersWithoutAHold(t *testing.T) {
	g := &gatherer{threshold: 220}
	g.move(5, 100, 100)
	assert.Zero(t, g.pause())
	g.press(10)
	assert.Equal(t, gatherLeast, g.pause())
	g.release()
	assert.Zero(t, g.pause())
}

func TestAfterARestTheHandIsReadSoonAgain(t *testing.T) {
	g := &gatherer{threshold: 220}
	g.press(0)
	for range 5 {
		g.pause()
	}
	assert.Equal(t, gatherMost, g.pause())
	g.move(1000, 1, 0)
	assert.Equal(t, gatherLeast, g.pause())
	g.move(1005, 500, 0)
	g.pause()
	assert.True(t, g.fired)
	g.move(2000, 1, 0)
	assert.Equal(t, gatherLeast, g.pause())
	assert.False(t, g.fired, "a hold that repeats begins a new stroke")
}
