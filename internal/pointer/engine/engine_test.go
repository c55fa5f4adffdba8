package engine_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/pointer/engine"
)

// traces is how many generated traces each property is tried on.
const traces = 800

// each runs property on generated traces; the seed names a failing one.
func each(t *testing.T, property func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for seed := range uint64(traces) {
		property(t, rand.New(rand.NewPCG(seed, 1)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func randomConfig(r *rand.Rand) engine.Config {
	c := engine.Default()
	c.Threshold = 10 + r.Int64N(400)
	c.InvertDesktop = r.IntN(2) == 0
	c.SkipFirstReport = r.IntN(4) == 0
	c.Repeat = r.IntN(3) == 0
	if r.IntN(3) == 0 {
		c.CrossRatio = r.Float64()
	}
	c.Target = engine.Target(r.IntN(3))
	c.InvertVertical, c.InvertHorizontal = r.IntN(2) == 0, r.IntN(2) == 0
	c.Smoothing = engine.Smoothing(r.IntN(2))
	c.Alpha = 0.01 + 0.99*r.Float64()
	c.SpikeRatio = []float64{0, 1, 3, 100}[r.IntN(4)]
	c.ReverseGuardMS = r.Int64N(100)
	c.GapResetMS = 10 + r.Int64N(500)
	c.MaxStep = 1 + 10*r.Float64()
	c.Inertia = r.IntN(2) == 0
	c.Release = 0.01 + 0.99*r.Float64()
	c.CarryMax = 20 * r.Float64()
	return c
}

var classes = [...]engine.Class{engine.Unknown, engine.MX, engine.Mouse, engine.Trackpad}

func randomStep(r *rand.Rand) engine.Axis {
	switch r.IntN(6) {
	case 0:
		return engine.Axis{Fixed: (r.Float64() - 0.5) * 4}
	case 1:
		return engine.Axis{Point: int32(r.IntN(60) - 30)}
	case 2:
		return engine.Axis{Line: []int32{math.MinInt32, math.MaxInt32}[r.IntN(2)]}
	case 3:
		return engine.Axis{}
	}
	return engine.Axis{Line: int32(r.IntN(9) - 4)}
}

// input makes a trace as hands could: each device presses a button that is up
// and releases one that is down.
func input(r *rand.Rand, n int, cancels bool) []engine.Event {
	type key struct {
		dev engine.Device
		btn int32
	}
	down := map[key]bool{}
	var out []engine.Event
	t := int64(0)
	for range n {
		t += r.Int64N(400)
		if r.IntN(30) == 0 {
			t += 4000
		}
		dev := engine.Device(r.IntN(4))
		e := engine.Event{T: t, Dev: dev, Class: classes[dev]}
		switch k := r.IntN(10); {
		case k < 4:
			e.Button = int32(r.IntN(7))
			e.Kind = engine.Down
			if key := (key{dev, e.Button}); down[key] {
				e.Kind = engine.Up
				delete(down, key)
			} else {
				down[key] = true
			}
		case k < 7:
			e.Kind = engine.Move
			e.DX, e.DY = int32(r.IntN(300)-150), int32(r.IntN(300)-150)
		case k < 9 || !cancels:
			e.Kind = engine.Scroll
			e.Vertical, e.Horizontal = randomStep(r), randomStep(r)
			e.Continuous, e.Phase = r.IntN(4) == 0, int32(r.IntN(2))
			e.Tagged = r.IntN(10) == 0
		default:
			e.Kind = engine.TapDisabled + engine.Kind(r.IntN(8))
		}
		out = append(out, e)
	}
	for k := range down {
		t++
		out = append(out, engine.Event{T: t, Kind: engine.Up, Dev: k.dev, Button: k.btn, Class: classes[k.dev]})
	}
	return out
}

func run(c engine.Config, events []engine.Event) []engine.Decision {
	var s engine.State
	out := make([]engine.Decision, len(events))
	for i := range events {
		out[i] = engine.Step(&s, &c, &events[i])
	}
	return out
}

func TestAnUpIsDroppedIfAndOnlyIfItsDownWas(t *testing.T) {
	type key struct {
		dev engine.Device
		btn int32
	}
	each(t, func(t *testing.T, r *rand.Rand) {
		events := input(r, 40, true)
		// A cut anywhere: the worker starts or is stopped in the middle, or
		// the hold is cancelled there.
		cut := r.IntN(len(events))
		events = events[cut:]
		dropped := map[key]bool{}
		for i, d := range run(randomConfig(r), events) {
			e := events[i]
			k := key{e.Dev, e.Button}
			switch e.Kind {
			case engine.Down:
				dropped[k] = d.Verdict == engine.Drop
			case engine.Up:
				assert.Equal(t, dropped[k], d.Verdict == engine.Drop, "event %d", i)
				delete(dropped, k)
			}
		}
	})
}

func TestTheMovementTapIsOnExactlyWhileAHoldIs(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand) {
		c := randomConfig(r)
		events := input(r, 60, true)
		var s engine.State
		on := false
		for i := range events {
			d := engine.Step(&s, &c, &events[i])
			if d.Switch&engine.MoveOn != 0 {
				assert.False(t, on, "event %d turns it on twice", i)
				on = true
			}
			if d.Switch&engine.MoveOff != 0 {
				assert.True(t, on, "event %d turns it off twice", i)
				on = false
			}
			assert.Equal(t, s.Moving(), on, "event %d", i)
		}
		d := engine.Step(&s, &c, &engine.Event{T: 1 << 40, Kind: engine.Off})
		assert.Equal(t, on, d.Switch&engine.MoveOff != 0)
		assert.NotZero(t, d.Switch&engine.PrimaryOff)
		assert.False(t, s.Moving())
	})
}

func TestMirroredInIsMirroredOut(t *testing.T) {
	mirror := map[engine.Direction]engine.Direction{
		engine.StrokeLeft: engine.StrokeRight, engine.StrokeRight: engine.StrokeLeft,
		engine.StrokeUp: engine.StrokeDown, engine.StrokeDown: engine.StrokeUp,
	}
	negate := func(a engine.Axis) engine.Axis {
		// The smallest int32 has no mirror image.
		return engine.Axis{Line: -max(a.Line, -math.MaxInt32), Fixed: -a.Fixed, Point: -max(a.Point, -math.MaxInt32)}
	}
	each(t, func(t *testing.T, r *rand.Rand) {
		c := randomConfig(r)
		events := input(r, 60, true)
		back := make([]engine.Event, len(events))
		for i, e := range events {
			e.DX, e.DY = -e.DX, -e.DY
			e.Vertical, e.Horizontal = negate(e.Vertical), negate(e.Horizontal)
			back[i] = e
		}
		a, b := run(c, events), run(c, back)
		for i := range a {
			require.Equal(t, a[i].Verdict, b[i].Verdict, "event %d", i)
			require.Equal(t, mirror[a[i].Direction], b[i].Direction, "event %d", i)
			require.Equal(t, a[i].Switch, b[i].Switch, "event %d", i)
			for _, w := range [][2]engine.Written{{a[i].Vertical, b[i].Vertical}, {a[i].Horizontal, b[i].Horizontal}} {
				require.Equal(t, w[0].Line, -w[1].Line, "event %d", i)
				require.Equal(t, w[0].Point, -w[1].Point, "event %d", i)
				require.InDelta(t, w[0].Value, -w[1].Value, 1e-9, "event %d", i)
			}
		}
	})
}

func TestSplittingAStraightMoveChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand) {
		c := engine.Default()
		c.InvertDesktop = r.IntN(2) == 0
		if r.IntN(2) == 0 {
			c.CrossRatio = r.Float64()
		}
		ux, uy, n := int32(r.IntN(9)-4), int32(r.IntN(9)-4), int32(1+r.IntN(120))
		act := func(parts []int32) (engine.Action, engine.Action) {
			events := []engine.Event{{Kind: engine.Down, Button: 5, Dev: 1}}
			for i, p := range parts {
				events = append(events, engine.Event{T: int64(i) * 8, Kind: engine.Move, Dev: 1, DX: ux * p, DY: uy * p})
			}
			events = append(events, engine.Event{T: int64(len(parts)) * 8, Kind: engine.Up, Button: 5, Dev: 1})
			var fired engine.Action
			all := run(c, events)
			for _, d := range all[1 : len(all)-1] {
				if d.Action != engine.NoAction {
					require.Equal(t, engine.NoAction, fired, "one action a hold")
					fired = d.Action
				}
			}
			return fired, all[len(all)-1].Action
		}
		var parts []int32
		for left := n; left > 0; {
			p := 1 + int32(r.IntN(int(left)))
			parts, left = append(parts, p), left-p
		}
		wholeFired, wholeUp := act([]int32{n})
		splitFired, splitUp := act(parts)
		assert.Equal(t, wholeFired, splitFired, "%v of %d,%d", parts, ux, uy)
		assert.Equal(t, wholeUp, splitUp)
	})
}

func TestLinesStayWithinOneOfWhatIsPutOutAndNoStepExceedsTheMaximum(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand) {
		c := randomConfig(r)
		c.HoldLimitMS = math.MaxInt64 // a cancel starts the count anew
		events := input(r, 80, false)
		const rounding = 1e-9 // of the sums that this test adds up itself
		var lines, points, values [2]float64
		for i, d := range run(c, events) {
			if d.Verdict != engine.Modify {
				continue
			}
			for axis, w := range [...]engine.Written{d.Vertical, d.Horizontal} {
				require.LessOrEqual(t, math.Abs(w.Value), c.MaxStep, "event %d", i)
				lines[axis] += float64(w.Line)
				points[axis] += float64(w.Point)
				values[axis] += w.Value
				require.LessOrEqual(t, math.Abs(lines[axis]-values[axis]), 1+rounding, "event %d", i)
				require.LessOrEqual(t, math.Abs(points[axis]-10*values[axis]), 1+rounding, "event %d", i)
				require.False(t, w.Line != 0 && w.Value != 0 && (w.Line < 0) != (w.Value < 0), "event %d: fields disagree", i)
				if math.Abs(w.Value) >= 1 {
					require.NotZero(t, w.Line, "event %d: a notch is never 0", i)
				}
			}
		}
	})
}

func TestEventsOfOthersPassAsTheyAre(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand) {
		c := randomConfig(r)
		events := input(r, 60, true)
		before := append([]engine.Event(nil), events...)
		for i, d := range run(c, events) {
			require.Equal(t, before[i], events[i], "the engine writes to no event")
			e := events[i]
			ours := e.Kind == engine.Scroll && !e.Tagged && (e.Class == engine.MX && c.Target != engine.TargetOff ||
				e.Class == engine.Mouse && c.Target == engine.TargetAllMice ||
				e.Class == engine.Unknown && c.Target != engine.TargetOff && !e.Continuous && e.Phase == 0 && e.Momentum == 0)
			if e.Kind == engine.Scroll && !ours {
				require.Equal(t, engine.Pass, d.Verdict, "event %d", i)
			}
			if d.Verdict != engine.Modify {
				require.Zero(t, d.Vertical)
				require.Zero(t, d.Horizontal)
			}
			if e.Kind == engine.Move {
				require.Equal(t, engine.Pass, d.Verdict, "movement always passes")
			}
		}
	})
}

func TestAStepAllocatesNothingAndTheStateDoesNotGrow(t *testing.T) {
	c := engine.Default()
	c.Inertia, c.Repeat = true, true
	events := input(rand.New(rand.NewPCG(7, 7)), 500, true)
	var s engine.State
	i := 0
	assert.Zero(t, testing.AllocsPerRun(5000, func() {
		engine.Step(&s, &c, &events[i%len(events)])
		i++
	}))
	assert.Less(t, int(unsafe.Sizeof(s)), 1024)
}

func TestNoNumberOverflows(t *testing.T) {
	c := engine.Default()
	c.Smoothing, c.SpikeRatio, c.Inertia, c.MaxStep = engine.SmoothNone, 0, true, 100
	var s engine.State
	engine.Step(&s, &c, &engine.Event{T: math.MinInt64, Kind: engine.Down, Button: 5, Dev: 1})
	for _, v := range []int32{math.MinInt32, math.MaxInt32} {
		for _, axis := range []engine.Axis{{Line: v}, {Point: v}, {Fixed: math.MaxFloat64}, {Fixed: -math.MaxFloat64}, {Fixed: math.Inf(1)}, {Fixed: math.NaN()}} {
			d := engine.Step(&s, &c, &engine.Event{T: math.MaxInt64, Kind: engine.Scroll, Class: engine.MX, Vertical: axis})
			assert.LessOrEqual(t, math.Abs(d.Vertical.Value), 100.0)
			assert.LessOrEqual(t, math.Abs(float64(d.Vertical.Line)), 101.0)
			assert.LessOrEqual(t, math.Abs(float64(d.Vertical.Point)), 1001.0)
		}
	}
	assert.False(t, s.Moving(), "the largest gap there is ends a hold")
}

func TestPassingEventsOfAnotherDeviceDoNotEndARun(t *testing.T) {
	c := engine.Default()
	var s engine.State
	scroll := func(ms int64, dev engine.Device, class engine.Class, line int32) engine.Decision {
		return engine.Step(&s, &c, &engine.Event{T: ms, Kind: engine.Scroll, Dev: dev, Class: class, Vertical: engine.Axis{Line: line}})
	}
	scroll(0, 1, engine.MX, 4)
	scroll(5, 2, engine.Mouse, 1)
	assert.InDelta(t, -(0.35 + 0.65*4), scroll(10, 1, engine.MX, 1).Vertical.Value, 1e-9)
}

func BenchmarkStep(b *testing.B) {
	c := engine.Default()
	events := input(rand.New(rand.NewPCG(7, 7)), 1000, true)
	var s engine.State
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		engine.Step(&s, &c, &events[i%len(events)])
	}
}
