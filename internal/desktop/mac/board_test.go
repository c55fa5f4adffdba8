package mac

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
func (b *fakeBoard) Text() string {
	b.reads++
	text := b.text
	if b.reading != nil {
		b.reading()
	}
	return text
}

func (b *fakeBoard) copy(text string, types ...string) {
	b.count, b.text, b.types = b.count+1, text, append(types, "public.utf8-plain-text")
}

func watchBoard() (*fakeBoard, *BoardWatch, *[]string) {
	b, got := &fakeBoard{}, &[]string{}
	b.copy("from before")
	w := NewBoardWatch(b)
	w.Start(func(text string) { *got = append(*got, text) })
	return b, w, got
}

func TestEachCopyIsToldOnceAndTheOneFromBeforeNever(t *testing.T) {
	b, w, got := watchBoard()
	w.Look()
	b.copy("one")
	w.Look()
	w.Look()
	b.copy("two")
	w.Look()
	assert.Equal(t, []string{"one", "two"}, *got)
	assert.Equal(t, 2, b.reads)
	w.Stop()
	b.copy("three")
	w.Look()
	assert.Equal(t, 2, b.reads, "nothing is read that nobody listens to")
}

func TestWhatIsMarkedIsNeverRead(t *testing.T) {
	for _, mark := range unkept {
		b, w, got := watchBoard()
		b.copy("secret", mark)
		w.Look()
		assert.Empty(t, *got, mark)
		assert.Zero(t, b.reads, mark)
	}
}

func TestWhatHasNoTextIsNotRead(t *testing.T) {
	b, w, got := watchBoard()
	b.count, b.types = b.count+1, []string{"public.png", "public.file-url"}
	w.Look()
	assert.Empty(t, *got)
	assert.Zero(t, b.reads)
	assert.False(t, Readable(nil))
}

func TestACopyThatIsReplacedWhileItIsReadIsNotTold(t *testing.T) {
	b, w, got := watchBoard()
	b.copy("plain")
	b.reading = func() {
		b.reading = nil
		b.copy("secret", "org.nspasteboard.ConcealedType")
	}
	w.Look()
	assert.Empty(t, *got)
	w.Look()
	assert.Empty(t, *got)
	assert.Equal(t, 1, b.reads)
}
