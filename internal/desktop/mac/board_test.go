package mac

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/event/eventtest"
)

type fakeBoard struct {
	count   int
	types   []string
	text    string
	reads   int
	reading func()
}

func (b *fakeBoard) Count() int      { return b.count }
func (b *fakeBoard) Types() []string { return b.types }
func (b *fakeBoard) Text(most int) string {
	b.reads++
	text := b.text
	if b.reading != nil {
		b.reading()
	}
	if len(text) > most {
		return ""
	}
	return text
}

func (b *fakeBoard) copy(text string, types ...string) {
	b.count, b.text, b.types = b.count+1, text, append(types, "public.utf8-plain-text")
}

func newBoard() (*fakeBoard, *BoardWatch) {
	b := &fakeBoard{}
	return b, NewBoardWatch(BoardOptions{Board: b, Most: 10})
}

func TestEachCopyIsReadOnce(t *testing.T) {
	b, w := newBoard()
	b.copy("one")
	assert.Equal(t, "one", w.look())
	assert.Empty(t, w.look())
	b.copy("one")
	assert.Equal(t, "one", w.look())
	assert.Equal(t, 2, b.reads)
	b.copy("more than is told")
	assert.Empty(t, w.look())
}

func TestWhatIsMarkedIsNeverRead(t *testing.T) {
	for _, mark := range unkept {
		b, w := newBoard()
		b.copy("secret", mark)
		assert.Empty(t, w.look(), mark)
		assert.Zero(t, b.reads, mark)
	}
}

func TestWhatHasNoTextIsNotRead(t *testing.T) {
	b, w := newBoard()
	b.count, b.types = b.count+1, []string{"public.png", "public.file-url"}
	assert.Empty(t, w.look())
	assert.Zero(t, b.reads)
	assert.False(t, Readable(nil))
}

func TestACopyThatIsReplacedWhileItIsReadIsNotTold(t *testing.T) {
	b, w := newBoard()
	b.copy("plain")
	b.reading = func() {
		b.reading = nil
		b.copy("secret", "org.nspasteboard.ConcealedType")
	}
	assert.Empty(t, w.look())
	assert.Empty(t, w.look())
	assert.Equal(t, 1, b.reads)
}

// sharedBoard is a board whose copies come through a channel, for the looking
// goroutine reads it.
type sharedBoard struct {
	copies chan string
	fakeBoard
}

func (s *sharedBoard) Count() int {
	select {
	case text := <-s.copies:
		s.copy(text)
	default:
	}
	return s.fakeBoard.Count()
}

func TestThePasteboardIsLookedAtOnActivationAndByTheSharedClockWhileSomebodyListens(t *testing.T) {
	clock := eventtest.New()
	b := &sharedBoard{copies: make(chan string, 9)}
	var activated func()
	followed := 0
	w := NewBoardWatch(BoardOptions{Board: b, Most: 10, Clock: event.NewClock(clock), Activated: func(fn func()) func() {
		activated = fn
		followed++
		return func() { followed-- }
	}})
	assert.Zero(t, clock.Armed())
	told := make(chan string, 9)
	b.copies <- "from before"
	require.NoError(t, w.Start(func(text string) { told <- text }, func(error) {}))
	assert.Equal(t, 1, clock.Armed())

	b.copies <- "one"
	activated()
	assert.Equal(t, "one", soon(t, told))
	b.copies <- "two"
	clock.Advance((boardEvery + 1) * time.Second) // and what a low tick may wait
	assert.Equal(t, "two", soon(t, told))
	assert.Empty(t, told)

	w.Stop()
	assert.Zero(t, clock.Armed(), "nobody listens, nothing ticks")
	assert.Zero(t, followed)
	b.copies <- "three"
	activated()
	assert.Empty(t, told)
	w.Stop()
}
