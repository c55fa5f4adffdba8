package mac

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/internal/desktop/window"
	"github.com/flash-launcher/flash/protocol"
)

func listedValue(id, pid int64, x, y, w, h float64, shown int64) Value {
	n := func(v float64) Value { return Value{Kind: Float, Num: [4]float64{v}} }
	return Value{Kind: Dict, Keys: []string{"kCGWindowNumber", "kCGWindowOwnerPID", "kCGWindowLayer", "kCGWindowIsOnscreen", "kCGWindowBounds"}, List: []Value{
		{Kind: Int, Int: id}, {Kind: Int, Int: pid}, {Kind: Int}, {Kind: Bool, Int: shown},
		{Kind: Dict, Keys: []string{"X", "Y", "Width", "Height"}, List: []Value{n(x), n(y), n(w), n(h)}},
	}}
}

func frame(x, y, w, h float64) protocol.Frame {
	return protocol.Frame{X: x, Y: y, Width: w, Height: h}
}

func TestTheWindowServersListIsRead(t *testing.T) {
	shown := []Value{listedValue(5, 70, -100, 10, 300, 200, 1), listedValue(6, 70, 0, 0, 0, 0, 1), {}}
	all := []Value{listedValue(7, 71, 0, 0, 1, 1, 0), listedValue(5, 70, -100, 10, 300, 200, 1)}
	assert.Equal(t, []Listed{{ID: 5, PID: 70, Frame: frame(-100, 790, 300, 200), Shown: true}, {ID: 7, PID: 71, Frame: frame(0, 999, 1, 1)}},
		ListedOf(1000, shown, all), "in the order of the screen, and each once")
}

func TestAWindowWithoutANumberTakesThatOfTheOnlyOneLikeIt(t *testing.T) {
	a, b := frame(0, 0, 100, 100), frame(50, 0, 100, 100)
	listed := []Listed{{ID: 1, PID: 7, Frame: a}, {ID: 2, PID: 7, Frame: frame(50.4, 0, 100, 100)}, {ID: 3, PID: 8, Frame: b}, {ID: 4, PID: 9, Frame: a}, {ID: 5, PID: 9, Frame: a}}
	seen := []Seen{{PID: 7, Frame: &b}, {PID: 7, Number: 1, Frame: &a}, {PID: 9, Frame: &a}, {PID: 7}}
	Number(seen, listed)
	assert.EqualValues(t, 2, seen[0].Number)
	assert.Zero(t, seen[2].Number, "two are alike")
	assert.Zero(t, seen[3].Number, "nothing is known of it")
}

func TestWindowsComeFrontFirstAndHiddenOnesLast(t *testing.T) {
	f := frame(0, 0, 10, 10)
	listed := []Listed{
		{ID: 30, PID: 3, Frame: f, Shown: true}, {ID: 99, PID: 9, Frame: f, Shown: true}, {ID: 11, PID: 1, Frame: f, Shown: true},
		{ID: 10, PID: 1, Frame: f}, {ID: 31, PID: 3, Layer: 25, Frame: f, Shown: true},
	}
	seen := []Seen{
		{Number: 10, PID: 1, AppID: "one", Title: "in the Dock", Minimized: true}, {Number: 11, PID: 1, AppID: "one", Title: "shown", Main: true, Frame: &f},
		{Number: 12, PID: 1, AppID: "one", Subrole: "AXFloatingWindow"}, {PID: 1, Title: "without a number"},
	}
	got := Windows(seen, listed, map[int]string{1: "one", 3: "three"}, 1)
	assert.Equal(t, []window.Window{
		{ID: 30, PID: 3, AppID: "three", Frame: f},
		{ID: 11, PID: 1, AppID: "one", Title: "shown", Frame: f, Focused: true},
		{ID: 10, PID: 1, AppID: "one", Title: "in the Dock", Frame: f, Minimized: true},
	}, got, "app 9 is none of the user's, window 31 lies above all others")
}

func TestTheFrontmostAppsFirstWindowIsFocusedIfItNamesNone(t *testing.T) {
	f := frame(0, 0, 10, 10)
	listed := []Listed{{ID: 2, PID: 2, Frame: f, Shown: true}, {ID: 1, PID: 1, Frame: f, Shown: true}}
	got := Windows(nil, listed, map[int]string{1: "one", 2: "two"}, 1)
	assert.False(t, got[0].Focused)
	assert.True(t, got[1].Focused, "without the permission too")
}

func TestTheAttributesOfAWindowAreReadInTheirOrder(t *testing.T) {
	v := []Value{{Kind: String, Str: "T"}, {Kind: Point, Num: [4]float64{1, 2}}, {Kind: Size, Num: [4]float64{3, 4}}, {Kind: Bool, Int: 1}, {Kind: String, Str: "AXDialog"}, {Kind: Bool, Int: 1}}
	f := frame(1, 94, 3, 4)
	assert.Equal(t, Seen{Title: "T", Frame: &f, Minimized: true, Subrole: "AXDialog", Main: true}, SeenOf(100, v))
	assert.Equal(t, Seen{}, SeenOf(100, nil))
}

func TestOnlyAppsWithWindowsAreAsked(t *testing.T) {
	listed := []Listed{{ID: 1, PID: 3}, {ID: 2, PID: 2, Layer: 25}, {ID: 3, PID: 9}, {ID: 4, PID: 1}}
	assert.Equal(t, []App{{1, "one"}, {3, "three"}}, WithWindows(map[int]string{3: "three", 2: "two", 1: "one"}, listed))
}
