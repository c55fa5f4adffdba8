package engine

import "math"

// scroll is the state of the wheel that is the transform's target.
type scroll struct {
	dev      Device
	set      bool
	vertical axis
	side     axis
}

// axis is the state of one direction of the wheel. s, carry and rest are in
// output units, after the inversion.
type axis struct {
	live    bool    // s is the state of a run of steps
	s       float64 // smoothed step
	carry   float64 // what max_step cut and inertia may release
	last    int64   // when the last step was believed
	step    float64 // the last believed step, as it came in
	pending bool    // one opposite pulse was dropped
	// line and point are the fractions not yet written. They outlive a reset
	// of the run, so that the lines never drift from what was put out; only a
	// cancel clears them.
	line, point float64
}

// reset ends the run of steps; the fractions stay.
func (a *axis) reset() { *a = axis{line: a.line, point: a.point} }

func (s *State) wheel(c *Config, e *Event, d *Decision) {
	r := c.passes(s, e)
	if r == ReasonOther && e.AsIs {
		r = ReasonAsIs
	}
	if r != ReasonOther {
		d.Why.Reason = r
		return
	}
	v, h := e.Vertical.notches(), e.Horizontal.notches()
	if v == 0 && h == 0 {
		d.Why.Reason = ReasonNoStep
		return
	}
	w := &s.scroll
	if !w.set || w.dev != e.Dev {
		w.vertical.reset()
		w.side.reset()
		w.set, w.dev = true, e.Dev
	}
	kept := false
	if h != 0 {
		kept = w.side.advance(c, e.T, h, c.InvertHorizontal, &d.Horizontal, &d.Why)
	}
	if v != 0 {
		kept = w.vertical.advance(c, e.T, v, c.InvertVertical, &d.Vertical, &d.Why) || kept
	}
	d.Verdict = Modify
	if !kept {
		d.Verdict = Drop
	}
}

// passes says why the event is none of the transform's business, or ReasonOther.
func (c *Config) passes(s *State, e *Event) Reason {
	switch {
	case e.Tagged:
		return ReasonTag
	case s.lost:
		return ReasonNoPermission
	case c.Target == TargetOff:
		return ReasonTransformOff
	case e.Class == MX:
		return ReasonOther
	case e.Class == Mouse && c.Target == TargetAllMice:
		return ReasonOther
	case e.Class != Unknown:
		return ReasonClass
	case e.Continuous || e.Phase != 0 || e.Momentum != 0:
		return ReasonContinuous
	}
	return ReasonOther
}

// advance takes one step x through the whole chain: reverse guard, spike damping,
// inversion, smoothing, carry, clamp, rounding. False: the step is dropped.
func (a *axis) advance(c *Config, t int64, x float64, invert bool, out *Written, why *Why) bool {
	gap := since(t, a.last)
	if a.live && gap > c.GapResetMS {
		a.reset()
	}
	if a.live && (x < 0) != (a.step < 0) {
		if c.ReverseGuardMS > 0 && math.Abs(x) <= 1 && gap <= c.ReverseGuardMS && !a.pending {
			a.pending = true
			*why = Why{ReasonReverse, float64(gap), a.step}
			return false
		}
		a.reset()
	}
	a.pending = false
	a.last, a.step = t, x
	*why = Why{Reason: ReasonFresh}

	if a.live && c.SpikeRatio > 0 {
		limit := c.SpikeRatio * max(math.Abs(a.s), 1)
		if math.Abs(x) > limit {
			*why = Why{ReasonSpike, x, math.Copysign(limit, x)}
			x = math.Copysign(limit, x)
		}
	}
	if invert {
		x = -x
	}
	switch {
	case !a.live || c.Smoothing == SmoothNone:
		a.s = x
	default:
		a.s = c.Alpha*x + (1-c.Alpha)*a.s
		if why.Reason == ReasonFresh {
			*why = Why{ReasonSmoothed, a.s, 0}
		}
	}
	a.live = true

	y := a.s
	if c.Inertia {
		released := a.carry * c.Release
		a.carry -= released
		y += released
	}
	if math.Abs(y) > c.MaxStep {
		limit := math.Copysign(c.MaxStep, y)
		if why.Reason != ReasonSpike {
			*why = Why{ReasonClamped, y, limit}
		}
		if c.Inertia {
			a.carry = max(-c.CarryMax, min(c.CarryMax, a.carry+y-limit))
		}
		y = limit
	}
	out.Value = y
	out.Line = take(&a.line, y, 1)
	out.Point = take(&a.point, y*pointsPerLine, pointsPerLine)
	return true
}

// take moves the whole part of rest+v out of rest. A step of a notch or more
// always writes something in its own direction, even against a fraction left
// the other way; rest stays within 1 either way.
func take(rest *float64, v, notch float64) int32 {
	sum := *rest + v
	whole := math.Trunc(sum)
	if whole == 0 && math.Abs(v) >= notch {
		whole = math.Copysign(1, v)
	}
	*rest = sum - whole
	return int32(whole)
}
