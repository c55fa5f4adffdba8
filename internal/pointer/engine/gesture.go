package engine

// hold is the gesture button being down, from its down to its up or a cancel.
type hold struct {
	active bool
	owner  Device
	began  int64
	// sumX and sumY are the travel since the down, or since the last rest with
	// Repeat. 2^32 reports of the largest delta fit.
	sumX, sumY int64
	lastMove   int64
	reports    bool      // one report was seen
	fired      Direction // the stroke that fired last
	spent      bool      // nothing fires until the pointer has rested
}

func (s *State) down(c *Config, e *Event, d *Decision) {
	if e.Tagged {
		d.Why.Reason = ReasonTag
		return
	}
	if s.lost {
		d.Why.Reason = ReasonNoPermission
		return
	}
	switch e.Button {
	case c.Gesture:
		if s.hold.active && s.hold.owner != e.Dev {
			d.Why.Reason = ReasonOwned
			return
		}
		if !s.swallow(e.Dev, e.Button) {
			d.Why.Reason = ReasonFull
			return
		}
		if !s.hold.active {
			d.Switch |= MoveOn
		}
		s.hold = hold{active: true, owner: e.Dev, began: e.T, lastMove: e.T}
		d.Why.Reason = ReasonGestureDown
	case c.Back, c.Forward:
		again := s.isHeld(e.Dev, e.Button)
		if !s.swallow(e.Dev, e.Button) {
			d.Why.Reason = ReasonFull
			return
		}
		d.Why.Reason = ReasonButton
		if !again { // a platform that repeats a held button fires once
			d.Action = Back
			if e.Button == c.Forward {
				d.Action = Forward
			}
		}
	default:
		return
	}
	d.Verdict = Drop
}

func (s *State) isHeld(dev Device, button int32) bool {
	for i := range s.held {
		if h := &s.held[i]; h.used && !h.gone && h.dev == dev && h.button == button {
			return true
		}
	}
	return false
}

func (s *State) up(c *Config, e *Event, d *Decision) {
	if e.Tagged {
		d.Why.Reason = ReasonTag
		return
	}
	if !s.release(e.Dev, e.Button) {
		return
	}
	d.Verdict = Drop
	d.Why.Reason = ReasonPairedUp
	if e.Button != c.Gesture {
		return
	}
	h := &s.hold
	if !h.active || h.owner != e.Dev {
		d.Why.Reason = ReasonLateUp
		return
	}
	d.Switch |= MoveOff
	d.Why.Reason = ReasonGestureUp
	if h.fired == NoDirection {
		d.Action = Click
		d.Why = Why{ReasonClick, float64(max(abs(h.sumX), abs(h.sumY))), 0}
	}
	s.hold = hold{}
}

// move adds the report to the hold and fires on the crossing. The report
// itself always passes: the pointer goes where the hand does.
func (s *State) move(c *Config, e *Event, d *Decision) {
	h := &s.hold
	if !h.active {
		d.Why.Reason = ReasonIdleMove
		return
	}
	if h.owner != e.Dev && h.owner != 0 && e.Dev != 0 {
		d.Why.Reason = ReasonOwned
		return
	}
	first := !h.reports
	h.reports = true
	rest := since(e.T, h.lastMove)
	h.lastMove = e.T
	if first && (c.SkipFirstReport || e.SkipFirst) {
		d.Why.Reason = ReasonFirstReport
		return
	}
	if h.spent {
		if !c.Repeat || rest < repeatRestMS {
			d.Why.Reason = ReasonSpent
			return
		}
		h.spent, h.sumX, h.sumY = false, 0, 0
		d.Why = Why{ReasonRearmed, float64(rest), 0}
	}
	h.sumX += int64(e.DX)
	h.sumY += int64(e.DY)
	dominant, cross := abs(h.sumX), abs(h.sumY)
	horizontal := dominant >= cross // a tie is horizontal
	if !horizontal {
		dominant, cross = cross, dominant
	}
	if dominant < c.Threshold {
		if d.Why.Reason != ReasonRearmed {
			d.Why = Why{ReasonMoving, float64(h.sumX), float64(h.sumY)}
		}
		return
	}
	if c.CrossRatio > 0 && float64(cross) > c.CrossRatio*float64(dominant) {
		d.Why = Why{ReasonCross, float64(dominant), float64(cross)}
		return
	}
	dir := direction(h.sumX, h.sumY, horizontal)
	h.spent = true
	if opposite(h.fired) == dir {
		d.Why = Why{ReasonReturn, float64(dominant), 0}
		return
	}
	h.fired = dir
	d.Direction = dir
	d.Action = c.action(dir)
	d.Why = Why{ReasonFired, float64(dominant), 0}
}

func direction(x, y int64, horizontal bool) Direction {
	switch {
	case horizontal && x < 0:
		return StrokeLeft
	case horizontal:
		return StrokeRight
	case y < 0:
		return StrokeUp
	}
	return StrokeDown
}

func opposite(d Direction) Direction {
	switch d {
	case StrokeLeft:
		return StrokeRight
	case StrokeRight:
		return StrokeLeft
	case StrokeUp:
		return StrokeDown
	case StrokeDown:
		return StrokeUp
	}
	return 255 // no stroke at all
}

func (c *Config) action(d Direction) Action {
	switch d {
	case StrokeUp:
		return Overview
	case StrokeDown:
		return AppWindows
	}
	// With the inversion the desktop follows the hand: a stroke to the right
	// brings the one on the left.
	if (d == StrokeRight) == c.InvertDesktop {
		return WorkspaceLeft
	}
	return WorkspaceRight
}

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}
