package tap

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
)

// fakeMac is macOS as far as the taps see it. Switched on counts, per tap.
type fakeMac struct {
	on             [2]bool
	grant, refuses bool
	most           int // taps that were on at once
	looks          int
}

func (m *fakeMac) enable(which int, on bool) {
	m.on[which] = on && !(which == primary && m.refuses)
	n := 0
	for _, on := range m.on {
		if on {
			n++
		}
	}
	m.most = max(m.most, n)
}
func (m *fakeMac) enabled() bool { return m.on[primary] }
func (m *fakeMac) trusted() bool { return m.grant }
func (m *fakeMac) look()         { m.looks++ }

type macRig struct {
	mac   fakeMac
	gate  macGate
	state engine.State
	seen  []engine.Kind
	ended []error
}

func newMacRig(mode Mode) *macRig {
	r := &macRig{mac: fakeMac{on: [2]bool{true, true}, grant: true}}
	s := settings.Default()
	r.gate = macGate{
		control: &r.mac, mode: mode,
		handle: func(e *engine.Event) engine.Decision {
			r.seen = append(r.seen, e.Kind)
			return engine.Step(&r.state, &s.Engine, e)
		},
		end: func(err error) { r.ended = append(r.ended, err) },
	}
	r.gate.start()
	return r
}

func (r *macRig) event(e engine.Event) engine.Decision {
	r.gate.event = e
	return r.gate.decide()
}

var (
	gestureDown = engine.Event{T: 10, Kind: engine.Down, Button: 5, Dev: 1, Class: engine.MX}
	gestureUp   = engine.Event{T: 50, Kind: engine.Up, Button: 5, Dev: 1, Class: engine.MX}
)

func TestTheMovementTapIsOnWhileTheGestureButtonIsDownAndNoLonger(t *testing.T) {
	r := newMacRig(Gate)
	assert.Equal(t, [2]bool{true, false}, r.mac.on)
	for range 1000 {
		assert.Equal(t, engine.Drop, r.event(gestureDown).Verdict)
		require.Equal(t, [2]bool{true, true}, r.mac.on, "inside the callback of the press")
		r.event(gestureUp)
		require.Equal(t, [2]bool{true, false}, r.mac.on)
	}
	assert.Equal(t, 2, r.mac.most)
}

// losses are the ways in which macOS lets a worker know that the grant is gone.
var losses = map[string]func(*macRig){
	"a look at the grant": func(r *macRig) { r.gate.doubt() },
	"off again and again, though macOS says that it is there": func(r *macRig) {
		r.mac.grant = true
		for i := range int64(maxOffs + 1) {
			r.event(engine.Event{Kind: engine.TapDisabled, T: 1000 + i*1500})
		}
	},
	"the notice about grants":            func(r *macRig) { r.gate.notice(noticeAccess) },
	"the tap was switched off":           func(r *macRig) { r.event(engine.Event{Kind: engine.TapDisabled}) },
	"a wake":                             func(r *macRig) { r.gate.power(macPoweredOn) },
	"the tap does not come back at wake": func(r *macRig) { r.mac.grant, r.mac.refuses = true, true; r.gate.power(macPoweredOn) },
}

func TestALostGrantStopsAllFilteringAtOnceAndEndsTheWorker(t *testing.T) {
	for name, lose := range losses {
		for _, mode := range []Mode{Gate, Full, Watch} {
			t.Run(name, func(t *testing.T) {
				r := newMacRig(mode)
				r.event(gestureDown)
				r.mac.grant = false
				lose(r)
				assert.Equal(t, [2]bool{}, r.mac.on, "input must not wait for a tap without the grant")
				require.NotEmpty(t, r.ended)
				for _, err := range r.ended {
					require.ErrorIs(t, err, ErrPermission)
					assert.ErrorContains(t, err, "System Settings, Privacy & Security, Accessibility")
				}
				assert.Equal(t, engine.PermissionLost, r.seen[len(r.seen)-1])
				assert.False(t, r.state.Moving(), "the hold is cancelled")
				// What was on its way passes, but for the release of what was swallowed.
				assert.Equal(t, engine.Pass, r.event(engine.Event{Kind: engine.Down, Button: 3, Dev: 1}).Verdict)
				up := r.event(gestureUp)
				assert.Equal(t, engine.NoAction, up.Action)
				assert.Equal(t, [2]bool{}, r.mac.on)
			})
		}
	}
}

func TestATapThatIsSwitchedOffNowAndThenComesBack(t *testing.T) {
	r := newMacRig(Gate)
	for i := range int64(20) {
		r.mac.on = [2]bool{}
		r.event(engine.Event{Kind: engine.TapDisabled, T: 1000 + i*offsInMS/(maxOffs-1)})
		require.Equal(t, [2]bool{true, false}, r.mac.on)
	}
	assert.Empty(t, r.ended)
}

func TestEachEventHasTheGrantLookedAt(t *testing.T) {
	for _, mode := range []Mode{Gate, Full, Watch} {
		r := newMacRig(mode)
		r.event(gestureDown)
		r.event(gestureUp)
		assert.Equal(t, 2, r.mac.looks)
	}
}

func TestTheGrantIsLookedAtWhenSomethingHappensAndASecondLater(t *testing.T) {
	poke, done, ended := make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	later := make(chan time.Time)
	asked, missing := make(chan time.Duration, 1), make(chan struct{}, 9)
	answers := make(chan bool, 9)
	go func() {
		defer close(ended)
		watchTrust(poke, done, func(d time.Duration) <-chan time.Time { asked <- d; return later },
			func() bool { return <-answers }, func() { missing <- struct{}{} })
	}()
	poke <- struct{}{}
	answers <- true // what macOS says may be of before
	assert.Equal(t, recheck, <-asked)
	assert.Empty(t, missing)
	answers <- false
	later <- time.Time{}
	<-missing
	poke <- struct{}{}
	answers <- false
	<-missing
	<-asked
	close(done)
	<-ended
}

func TestTheGrantOfAnotherProgramIsNoLoss(t *testing.T) {
	r := newMacRig(Gate)
	r.event(gestureDown)
	r.gate.notice(noticeAccess)
	r.gate.notice("another notice")
	assert.Empty(t, r.ended)
	assert.Equal(t, [2]bool{true, true}, r.mac.on)
	assert.True(t, r.state.Moving())
}

func TestAfterADisableNoticeOnlyTheTapsThatAreMeantToBeOnComeBack(t *testing.T) {
	for _, c := range []struct {
		mode Mode
		want [2]bool
	}{{Gate, [2]bool{true, false}}, {Full, [2]bool{true, true}}, {Watch, [2]bool{true, true}}} {
		r := newMacRig(c.mode)
		r.event(gestureDown)
		r.mac.on = [2]bool{}
		r.event(engine.Event{Kind: engine.TapDisabled})
		assert.Equal(t, c.want, r.mac.on, c.mode)
		assert.False(t, r.state.Moving(), "the hold is cancelled")
		assert.Empty(t, r.ended)
	}
}

func TestSleepWakeAndALockedScreenCancelTheHold(t *testing.T) {
	for name, happen := range map[string]func(*macRig){
		"sleep":  func(r *macRig) { r.gate.power(macWillSleep) },
		"wake":   func(r *macRig) { r.gate.power(macPoweredOn) },
		"lock":   func(r *macRig) { r.gate.notice(noticeLocked) },
		"unlock": func(r *macRig) { r.gate.notice(noticeUnlocked) },
	} {
		r := newMacRig(Gate)
		r.event(gestureDown)
		r.mac.on[primary] = name != "wake" // macOS may have switched it off meanwhile
		happen(r)
		assert.Equal(t, [2]bool{true, false}, r.mac.on, name)
		up := r.event(gestureUp)
		assert.Equal(t, engine.Drop, up.Verdict, name)
		assert.Equal(t, engine.NoAction, up.Action, name)
	}
}

func TestATapThatOnlyWatchesChangesNothing(t *testing.T) {
	r := newMacRig(Watch)
	assert.Equal(t, engine.Decision{}, r.event(gestureDown))
	assert.Equal(t, engine.Decision{}, r.event(gestureUp))
	assert.Equal(t, [2]bool{true, true}, r.mac.on)
}
