package engine

import "strconv"

// Reason says why a decision was taken.
type Reason uint8

// The reasons. A and B of Why hold what the comment names.
const (
	ReasonOther           Reason = iota // not a button or device of ours
	ReasonGestureDown                   // the hold begins
	ReasonOwned                         // another device holds the gesture button
	ReasonFull                          // too many buttons are held
	ReasonMoving                        // A, B: the sums so far
	ReasonFirstReport                   // the first report of the hold is skipped
	ReasonCross                         // A, B: dominant and cross travel
	ReasonFired                         // A: dominant travel
	ReasonSpent                         // the hold has fired
	ReasonReturn                        // A: travel of a return stroke
	ReasonRearmed                       // A: ms of rest
	ReasonGestureUp                     // the hold ends after an action
	ReasonClick                         // A: dominant travel
	ReasonLateUp                        // the hold was cancelled earlier
	ReasonHoldLimit                     // A: ms since the down
	ReasonButton                        // back or forward
	ReasonPairedUp                      // up of a swallowed down
	ReasonIdleMove                      // no hold
	ReasonTag                           // own event
	ReasonTransformOff                  // transform = "off"
	ReasonClass                         // not the target's class
	ReasonContinuous                    // no device, continuous or phased
	ReasonNoStep                        // no step in the event
	ReasonFresh                         // first event after a reset
	ReasonSmoothed                      // A: smoothed state
	ReasonSpike                         // A, B: from, to
	ReasonClamped                       // A, B: from, to
	ReasonReverse                       // A: ms after, B: the last step
	ReasonCancel                        // a cancel with a hold under way
	ReasonNothingToCancel               // a cancel without one
	ReasonAdded                         // device added
	ReasonElsewhere                     // device removed that had no part
	ReasonNoPermission                  // no permission: everything passes
	ReasonAsIs                          // no tap can change it
)

// Why is a reason with its numbers; it becomes text only when somebody reads it.
type Why struct {
	Reason Reason
	A, B   float64
}

// String is the reason in words.
func (w Why) String() string {
	a, b := num(w.A), num(w.B)
	switch w.Reason {
	case ReasonOther:
		return "not a button of ours"
	case ReasonGestureDown:
		return "gesture button down: movement is read"
	case ReasonOwned:
		return "another device holds the gesture button"
	case ReasonFull:
		return "too many buttons are held at once"
	case ReasonMoving:
		return "travelled " + a + ", " + b
	case ReasonFirstReport:
		return "skipped: first report of the hold"
	case ReasonCross:
		return "refused: " + b + " across " + a
	case ReasonFired:
		return "fired at " + a
	case ReasonSpent:
		return "this hold has fired"
	case ReasonReturn:
		return "refused: a return stroke of " + a
	case ReasonRearmed:
		return "armed again after " + a + " ms of rest"
	case ReasonGestureUp:
		return "dropped: the hold has fired"
	case ReasonClick:
		return "click: travelled " + a
	case ReasonLateUp:
		return "dropped: up of a hold that was cancelled"
	case ReasonHoldLimit:
		return "cancelled: held for " + a + " ms"
	case ReasonButton:
		return "button of ours"
	case ReasonPairedUp:
		return "dropped: its down was dropped"
	case ReasonIdleMove:
		return "no hold"
	case ReasonTag:
		return "own event"
	case ReasonTransformOff:
		return "transform is off"
	case ReasonClass:
		return "not a wheel to transform"
	case ReasonContinuous:
		return "no device, and continuous or phased: a trackpad"
	case ReasonNoStep:
		return "no step"
	case ReasonFresh:
		return "first step"
	case ReasonSmoothed:
		return "smoothed to " + a
	case ReasonSpike:
		return "spike: " + a + " damped to " + b
	case ReasonClamped:
		return "clamped: " + a + " to " + b
	case ReasonReverse:
		return "dropped: opposite pulse " + a + " ms after " + b
	case ReasonCancel:
		return "hold cancelled"
	case ReasonNothingToCancel:
		return "no hold to cancel"
	case ReasonAdded:
		return "device added"
	case ReasonElsewhere:
		return "device had no part in anything"
	case ReasonNoPermission:
		return "no permission: everything passes"
	case ReasonAsIs:
		return "this wheel cannot be changed on its way: flash pointer check says why"
	}
	return "reason " + strconv.Itoa(int(w.Reason))
}

func num(f float64) string {
	s := strconv.FormatFloat(f, 'f', 4, 64)
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	if s == "-0" {
		return "0"
	}
	return s
}
