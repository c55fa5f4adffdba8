package tap

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/x11"
)

func TestTheReleaseOfADeviceThatIsSwitchedOffIsNoClick(t *testing.T) {
	gone := x11.HierarchyChange{Device: 6, Removed: true}
	for name, c := range map[string]struct {
		then  func(x *xtap)
		kinds []engine.Kind
		click int // which of the events is one
	}{
		"its device goes in the same piece": {func(x *xtap) { x.hierarchy(gone) }, []engine.Kind{engine.DeviceRemoved, engine.Up}, -1},
		"its device goes later":             {func(x *xtap) { x.pause(); x.hierarchy(gone) }, []engine.Kind{engine.Up, engine.DeviceRemoved}, 0},
		"another device goes":               {func(x *xtap) { x.hierarchy(x11.HierarchyChange{Device: 7, Removed: true}) }, []engine.Kind{engine.Up, engine.DeviceRemoved}, 0},
		"its device comes":                  {func(x *xtap) { x.hierarchy(x11.HierarchyChange{Device: 6, Added: true}) }, []engine.Kind{engine.Up, engine.DeviceAdded}, 0},
		"nothing else comes":                {func(x *xtap) { x.pause(); x.pause() }, []engine.Kind{engine.Up}, 0},
		"the next press comes": {func(x *xtap) { x.device(&x11.DeviceEvent{Type: x11.ButtonPress, Source: 6, Detail: 10}) },
			[]engine.Kind{engine.Up, engine.Down}, 0},
		"a connection without pieces": {func(x *xtap) {}, []engine.Kind{engine.Up}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			x, kinds, decisions := fakeTap(new(time.Duration))
			if name != "a connection without pieces" {
				x.pause()
			}
			x.device(&x11.DeviceEvent{Type: x11.ButtonPress, Source: 6, Detail: 10, X: 500, Y: 400})
			x.device(&x11.DeviceEvent{Type: x11.ButtonRelease, Source: 6, Detail: 10, X: 500, Y: 400})
			c.then(x)
			assert.Equal(t, c.kinds, (*kinds)[1:])
			for i, d := range (*decisions)[1:] {
				assert.Equal(t, i == c.click, d.Action == engine.Click, "event %d", i)
				if c.kinds[i] == engine.Up {
					assert.Equal(t, engine.Drop, d.Verdict)
				}
			}
		})
	}
}
