package tap

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestASpanHasItsSequencesAndNoOthers(t *testing.T) {
	assert.False(t, span(0).has(0), "none is set")
	for _, first := range []uint16{0, 7, 65530, 65535} {
		s := newSpan(first, 10)
		for i := range uint16(40) {
			assert.Equal(t, i >= 15 && i < 25, s.has(first-15+i), "%d of the span at %d", i, first)
		}
	}
}

func TestLibinputsSwitchIsTurnedForTheVerticalDirectionOnly(t *testing.T) {
	for _, c := range []struct {
		p            []byte
		vertical     bool
		horizontal   bool
		changed      bool
		want         []byte
		driverFn     func([]byte, bool, bool) bool
		whatItShould string
	}{
		{[]byte{0}, true, false, true, []byte{1}, invertNatural, "on"},
		{[]byte{1}, true, true, true, []byte{0}, invertNatural, "off where the user had it on: inverted is what it was not"},
		{[]byte{0}, false, true, false, []byte{0}, invertNatural, "it has none for the horizontal direction alone"},
		{[]byte{0, 0}, true, true, false, []byte{0, 0}, invertNatural, "not of the known form"},
		{[]byte{15, 0, 0, 0, 15, 0, 0, 0, 1, 0, 0, 0}, true, false, true, []byte{241, 255, 255, 255, 15, 0, 0, 0, 1, 0, 0, 0}, invertDistance, "-15"},
		{[]byte{15, 0, 0, 0, 15, 0, 0, 0, 1, 0, 0, 0}, false, true, true, []byte{15, 0, 0, 0, 241, 255, 255, 255, 1, 0, 0, 0}, invertDistance, "the other one"},
		{[]byte{15, 0, 0}, true, true, false, []byte{15, 0, 0}, invertDistance, "cut short"},
	} {
		assert.Equal(t, c.changed, c.driverFn(c.p, c.vertical, c.horizontal), c.whatItShould)
		assert.Equal(t, c.want, c.p, c.whatItShould)
	}
}
