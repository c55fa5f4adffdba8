package tap

import "github.com/flash-launcher/flash/internal/pointer/engine"

// A device that is switched off, as all are when another session takes the
// screen, is first released by the server, button by button, as by a hand, and
// only then reported gone. Both come in one piece, so the release of the gesture
// button waits for the end of what was read: it is a click if nothing says that
// its device has gone.

// releases is the release that waits.
type releases struct {
	event   engine.Event
	waits   bool
	batches bool // the connection says when what was read has ended
}

// up has the release of the gesture button in t.event wait, or handles it.
func (t *xtap) up() {
	if !t.late.batches {
		t.o.Handle(&t.event)
		return
	}
	t.late.event, t.late.waits = t.event, true
}

// settle handles the release that waits. It comes before whatever comes next.
func (t *xtap) settle() {
	if t.late.waits {
		t.late.waits = false
		t.o.Handle(&t.late.event)
	}
}
