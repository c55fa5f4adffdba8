package mac

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryKeyOfAChordThatGoesDownComesUpInReverse(t *testing.T) {
	for _, held := range [][]string{nil, {"command"}, {"shift", "control"}, {"function", "option", "command", "shift", "control"}} {
		var down []int
		for _, s := range Chord(49, held) {
			if s.Down {
				down = append(down, s.Code)
				continue
			}
			if assert.NotEmpty(t, down) {
				assert.Equal(t, down[len(down)-1], s.Code)
				down = down[:len(down)-1]
			}
		}
		assert.Empty(t, down)
	}
	steps := Chord(49, []string{"shift", "control"})
	assert.Equal(t, KeyStep{Code: 59, Down: true, Flags: 1 << 18, FlagsOnly: true}, steps[0])
	assert.Equal(t, KeyStep{Code: 49, Down: true, Flags: 1<<18 | 1<<17}, steps[2])
	assert.Zero(t, steps[len(steps)-1].Flags, "nothing is held at the end")
}

func TestAKeyForOneAppPressesNoModifierByItself(t *testing.T) {
	assert.Equal(t, []KeyStep{{Code: 8, Down: true, Flags: 1 << 20}, {Code: 8, Flags: 1 << 20}}, Press(8, []string{"command"}))
	assert.EqualValues(t, functionFlag, Press(123, nil)[0].Flags, "an arrow carries the function flag")
	assert.Zero(t, Press(36, []string{"nonsense"})[0].Flags)
}

func TestAMediaKeyGoesDownAndUp(t *testing.T) {
	assert.Equal(t, []MediaStep{{0xa00, 16<<16 | 0xa00, -1}, {0xb00, 16<<16 | 0xb00, -1}}, Media(16))
}
