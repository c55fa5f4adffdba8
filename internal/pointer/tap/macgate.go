package tap

import (
	"fmt"

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
}

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
		g.control.enable(primary, true)
		if g.all() {
			g.move(true)
		}
		if !g.control.enabled() || !g.control.trusted() {
			g.lost()
		}
	}
	if s&engine.PrimaryOff != 0 {
		g.move(false)
		g.control.enable(primary, false)
	}
}

// decide asks about the event that g.event holds, and switches what follows.
// The verdict of a tap that only watches is to pass.
func (g *macGate) decide() engine.Decision {
	notice := g.event.Kind == engine.TapDisabled
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
		if !g.control.trusted() {
			g.lost()
		}
	case noticeLocked, noticeUnlocked:
		g.system(engine.SessionSwitch)
	}
}
