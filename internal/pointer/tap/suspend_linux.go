package tap

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/pointer/engine"
)

// X says nothing of sleep. The kernel has a clock that goes on during it and one
// that does not; what lies between them grows by each sleep and by nothing else.
// It is looked at when a wake-up brings input, which is the first moment at which
// it matters: nothing has happened since the sleep began.

// sleepLeast is what the two clocks may differ by without a sleep: they are read
// one after the other, and the process may be stopped in between.
const sleepLeast = 500 * time.Millisecond

var started = time.Now()

// slept is how long the machine has slept since some moment before the start.
func slept() time.Duration {
	var t unix.Timespec
	// A raw call, as reads are: x11.socket says why.
	if _, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_BOOTTIME, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		return 0
	}
	return time.Duration(t.Nano()) - time.Since(started)
}

// rested tells the engine of a sleep that has passed since the last look.
func (t *xtap) rested() {
	now := t.slept()
	was := t.asleep
	t.asleep = now
	if now-was < sleepLeast {
		return
	}
	for _, kind := range [...]engine.Kind{engine.Sleep, engine.Wake} {
		t.event = engine.Event{T: t.clock.now, Kind: kind}
		t.o.Handle(&t.event)
	}
}
