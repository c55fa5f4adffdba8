package mac

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsToldIsDoneInItsOrder(t *testing.T) {
	var s Serial
	var got []int
	hold := make(chan struct{})
	s.Do(func() { <-hold })
	for i := range 100 {
		s.Do(func() { got = append(got, i) })
	}
	close(hold)
	s.End()
	s.Do(func() { t.Error("it came after the end") })
	for i := range 100 {
		assert.Equal(t, i, got[i])
	}
}
