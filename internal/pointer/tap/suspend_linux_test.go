package tap

import (
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/x11"
)

// fakeTap is a tap without a server, with a clock that the test sets.
func fakeTap(asleep *time.Duration) (*xtap, *[]engine.Kind, *[]engine.Decision) {
	var state engine.State
	s := settings.Default()
	kinds, decisions := new([]engine.Kind), new([]engine.Decision)
	x := &xtap{
		o: Options{Settings: s, Handle: func(e *engine.Event) engine.Decision {
			d := engine.Step(&state, &s.Engine, e)
			*kinds, *decisions = append(*kinds, e.Kind), append(*decisions, d)
			return d
		}},
		conn:  &x11.Conn{Screen: &xproto.ScreenInfo{WidthInPixels: 1000, HeightInPixels: 800}},
		slept: func() time.Duration { return *asleep },
	}
	x.table.Store(&table{devices: map[uint16]known{6: {}}})
	return x, kinds, decisions
}

func TestASleepDuringAHoldCancelsItBeforeTheNextEventCounts(t *testing.T) {
	var asleep time.Duration
	x, kinds, decisions := fakeTap(&asleep)
	x.rested()
	x.device(&x11.DeviceEvent{Type: x11.ButtonPress, Source: 6, Detail: 10, X: 500, Y: 400, Time: 100})
	x.rested()
	asleep += time.Hour
	x.rested() // the first look at input after it
	x.device(&x11.DeviceEvent{Type: x11.Motion, Source: 6, X: 100, Y: 400, Time: 150})
	x.device(&x11.DeviceEvent{Type: x11.ButtonRelease, Source: 6, Detail: 10, X: 100, Y: 400, Time: 200})
	assert.Equal(t, []engine.Kind{engine.Down, engine.Sleep, engine.Wake, engine.Move, engine.Up}, *kinds)
	for _, d := range *decisions {
		assert.Equal(t, engine.NoAction, d.Action)
	}
	assert.Equal(t, engine.Drop, (*decisions)[4].Verdict, "the late release is swallowed: its press was")
}

func TestTimeThatIsNotSleepIsNone(t *testing.T) {
	var asleep time.Duration
	x, kinds, _ := fakeTap(&asleep)
	for range 100 {
		asleep += 10 * time.Millisecond // the two clocks are read one after the other
		x.rested()
	}
	assert.Empty(t, *kinds)
	before := slept()
	assert.Less(t, (slept() - before).Abs(), sleepLeast, "the machine that tests does not sleep meanwhile")
}

func TestLookingForSleepAllocatesNothing(t *testing.T) {
	x, _, _ := fakeTap(new(time.Duration))
	x.slept = slept
	x.asleep = slept()
	assert.Zero(t, testing.AllocsPerRun(100, x.rested))
}
