package engine

import "math"

// maxHeld bounds the swallowed buttons that are down at once: three of ours on
// five devices. One more passes, so that it cannot be left half-swallowed.
const maxHeld = 15

// held is a button whose down was swallowed, so that its up has to be.
type held struct {
	dev    Device
	button int32
	used   bool
	gone   bool // the device was removed; the up may never come
}

// State is all that the engine remembers. Its zero value is ready.
type State struct {
	held   [maxHeld]held
	hold   hold
	scroll scroll
	lost   bool // no permission: nothing new is swallowed or changed
}

// Step decides about e and changes s. It allocates nothing.
func Step(s *State, c *Config, e *Event) Decision {
	var d Decision
	if s.hold.active && e.Kind < TapDisabled {
		if age := since(e.T, s.hold.began); age > c.HoldLimitMS {
			d.Switch |= s.cancel()
			d.Why = Why{ReasonHoldLimit, float64(age), 0}
		}
	}
	expired := d
	switch e.Kind {
	case Down:
		s.down(c, e, &d)
	case Up:
		s.up(c, e, &d)
	case Move:
		s.move(c, e, &d)
	case Scroll:
		s.wheel(c, e, &d)
	default:
		s.system(e, &d)
	}
	if expired.Why.Reason == ReasonHoldLimit {
		d.Why = expired.Why
		if d.Switch&MoveOn != 0 {
			d.Switch &^= MoveOn | MoveOff // off for the old hold and on for the new: it stays on
		}
	}
	return d
}

// Moving reports whether movement has to be read now.
func (s *State) Moving() bool { return s.hold.active }

// Holding reports whether a swallowed button is down.
func (s *State) Holding() bool {
	for i := range s.held {
		if s.held[i].used && !s.held[i].gone {
			return true
		}
	}
	return false
}

// system handles what is not input. Every cause of a cancel ends the hold and
// forgets the wheel; buttons that were swallowed stay in the books, so that
// their late up is swallowed too.
func (s *State) system(e *Event, d *Decision) {
	d.Why.Reason = ReasonNothingToCancel
	if s.hold.active {
		d.Why.Reason = ReasonCancel
	}
	switch e.Kind {
	case DeviceAdded:
		d.Why.Reason = ReasonAdded
		return
	case DeviceRemoved:
		for i := range s.held {
			if s.held[i].dev == e.Dev {
				s.held[i].gone = true
			}
		}
		mine := e.Dev == 0 || (s.hold.active && s.hold.owner == e.Dev) || s.scroll.dev == e.Dev
		if !mine {
			d.Why.Reason = ReasonElsewhere
			return
		}
		if e.Dev != 0 && s.hold.active && s.hold.owner != e.Dev {
			s.scroll = scroll{} // only the wheel's device left
			d.Why.Reason = ReasonElsewhere
			return
		}
	}
	d.Switch = s.cancel()
	switch e.Kind {
	case TapDisabled:
		d.Switch |= PrimaryEnable
	case Wake:
		d.Switch |= PrimaryEnable
		s.lost = false
	case PermissionLost:
		d.Switch |= PrimaryOff
		s.lost = true
	case Off:
		d.Switch |= PrimaryOff
	}
}

// cancel ends the hold without an action and clears the wheel's state.
func (s *State) cancel() Switch {
	var sw Switch
	if s.hold.active {
		sw = MoveOff
	}
	s.hold = hold{}
	s.scroll = scroll{}
	return sw
}

// swallow books a down; false means that there is no room and it must pass.
func (s *State) swallow(dev Device, button int32) bool {
	free := -1
	for i := range s.held {
		h := &s.held[i]
		switch {
		case h.used && h.dev == dev && h.button == button:
			h.gone = false
			return true
		case !h.used:
			free = i
		case h.gone && free < 0:
			free = i
		}
	}
	if free < 0 {
		return false
	}
	s.held[free] = held{dev: dev, button: button, used: true}
	return true
}

// release takes the down of this up out of the books.
func (s *State) release(dev Device, button int32) bool {
	for i := range s.held {
		if h := &s.held[i]; h.used && h.dev == dev && h.button == button {
			*h = held{}
			return true
		}
	}
	return false
}

// since is the time from a to now; it cannot overflow, and a clock that went
// back counts as no time.
func since(now, a int64) int64 {
	if now <= a {
		return 0
	}
	if d := now - a; d > 0 {
		return d
	}
	return math.MaxInt64
}
