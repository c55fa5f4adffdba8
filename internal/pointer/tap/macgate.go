package tap

import (
	"fmt"
	"time"

	"github.com/flash-launcher/flash/internal/pointer/engine"
)

// The two taps of macOS, as macControl counts them.
const (
	primary  = 0
	movement = 1
)

// macControl is what macOS lets be done to the taps, and asked.
type macControl interface {
	enable(which int, on bool)
	enabled() bool // the primary tap
	trusted() bool // this program has the Accessibility grant
	look()         // has the grant looked at, without waiting for it
}

// macGate decides which of the two taps is on: the primary one always, until
// the permission is lost or the worker ends, and the other one while movement is
// wanted. It belongs to the taps' thread.
type macGate struct {
	control macControl
	mode    Mode
	handle  func(*engine.Event) engine.Decision
	end     func(error) // ends the worker; called once or more
	moving  bool
	event   engine.Event
	offs    [maxOffs]int64 // when macOS switched the primary tap off, the latest times
}

// A program that is only slow is switched off once. One whose grant is gone, and
// which macOS has not told that, is switched off each time that it filters again,
// and all input stands still until then.
const (
	maxOffs  = 3
	offsInMS = 10_000
)

// all: whoever wants to see all movement keeps it.
func (g *macGate) all() bool { return g.mode != Gate }

// start is for taps that were just made, which are on.
func (g *macGate) start() { g.move(g.all()) }

func (g *macGate) move(on bool) {
	g.moving = on
	g.control.enable(movement, on)
}

// apply carries the switches of a decision out.
func (g *macGate) apply(s engine.Switch) {
	if s&engine.MoveOn != 0 {
		g.move(true)
	}
	if s&engine.MoveOff != 0 && !g.all() {
		g.move(false)
	}
	if s&engine.PrimaryEnable != 0 {
		g.enable()
	}
	if s&engine.PrimaryOff != 0 {
		g.move(false)
		g.control.enable(primary, false)
	}
}

func (g *macGate) enable() {
	if !g.control.trusted() {
		g.lost()
		return
	}
	g.control.enable(primary, true)
	if g.all() {
		g.move(true)
	}
	if !g.control.enabled() {
		g.lost()
	}
}

// off notes that macOS switched the primary tap off, and says whether it did so
// too often.
func (g *macGate) off(now int64) bool {
	first := g.offs[0]
	copy(g.offs[:], g.offs[1:])
	g.offs[maxOffs-1] = now
	return first != 0 && now-first <= offsInMS
}

// decide asks about the event that g.event holds, and switches what follows.
// The verdict of a tap that only watches is to pass.
func (g *macGate) decide() engine.Decision {
	g.control.look()
	notice := g.event.Kind == engine.TapDisabled
	if notice && g.off(g.event.T) {
		g.lost()
		return engine.Decision{}
	}
	d := g.handle(&g.event)
	if g.mode == Watch {
		if notice {
			g.apply(engine.PrimaryEnable)
		}
		return engine.Decision{}
	}
	g.apply(d.Switch)
	return d
}

// system tells the engine what is not input.
func (g *macGate) system(kind engine.Kind) {
	g.event = engine.Event{T: g.event.T, Kind: kind}
	g.apply(g.handle(&g.event).Switch)
}

// lost stops the filtering at once: a tap without the grant would hold all
// input up.
func (g *macGate) lost() {
	g.move(false)
	g.control.enable(primary, false)
	g.event = engine.Event{T: g.event.T, Kind: engine.PermissionLost}
	g.handle(&g.event)
	g.end(fmt.Errorf("%w: the Accessibility grant was taken away; allow flash in System Settings, Privacy & Security, Accessibility, then `flash pointer on`", ErrPermission))
}

// doubt is that the grant may be gone.
func (g *macGate) doubt() {
	if !g.control.trusted() {
		g.lost()
	}
}

// IOKit's messages about sleep, from IOMessage.h.
const (
	macWillSleep = 0xe0000280
	macPoweredOn = 0xe0000300
)

func (g *macGate) power(message uint32) {
	switch message {
	case macWillSleep:
		g.system(engine.Sleep)
	case macPoweredOn:
		g.system(engine.Wake) // checks the primary tap and enables it again
	}
}

// recheck is after what time the grant is looked at once more: what macOS answers
// right after a change may be of before it.
const recheck = time.Second

// watchTrust looks at the grant when it is poked, and once more after recheck; it
// tells each time that the grant is missing. Input pokes it: a grant that is lost
// while nothing happens does no harm, and what costs nothing at rest may be asked
// while something does. The notice of the change cannot be relied on, for it
// comes to the main thread's run loop alone.
func watchTrust(poke, done <-chan struct{}, after func(time.Duration) <-chan time.Time, trusted func() bool, missing func()) {
	for {
		select {
		case <-done:
			return
		case <-poke:
		}
		if !trusted() {
			missing()
		}
		select {
		case <-done:
			return
		case <-after(recheck):
		}
		if !trusted() {
			missing()
		}
	}
}

// Names of notices that other programs post.
const (
	noticeAccess   = "com.apple.accessibility.api"
	noticeLocked   = "com.apple.screenIsLocked"
	noticeUnlocked = "com.apple.screenIsUnlocked"
)

// notice hears that the grants have changed, whoever's, or the session.
func (g *macGate) notice(name string) {
	switch name {
	case noticeAccess:
		g.control.look()
		g.doubt()
	case noticeLocked, noticeUnlocked:
		g.system(engine.SessionSwitch)
	}
}
