package mac

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/internal/desktop/window"
	"github.com/flash-launcher/flash/protocol"
)

// fakeWindows is an app, 7, with windows of the numbers that it has.
type fakeWindows struct {
	t       *testing.T
	status  Status
	titles  map[int64]string
	frames  map[int64]protocol.Frame // from the top left
	mute    bool                     // no window has a number of its own
	focused int64
	live    map[Ref]int64
	next    Ref
	did     []string
}

func newFakeWindows(t *testing.T) *fakeWindows {
	f := &fakeWindows{t: t, live: map[Ref]int64{}, titles: map[int64]string{11: "one", 12: "two"}, frames: map[int64]protocol.Frame{
		11: {X: 0, Y: 0, Width: 10, Height: 10}, 12: {X: 5, Y: 5, Width: 20, Height: 20},
	}}
	t.Cleanup(func() { assert.Empty(t, f.live, "references were kept") })
	return f
}

func (f *fakeWindows) give(id int64) Value {
	f.next++
	f.live[f.next] = id
	return Value{Kind: Element, Ref: f.next}
}

func (f *fakeWindows) App(pid int) Ref        { return f.give(int64(-pid)).Ref }
func (f *fakeWindows) PrimaryHeight() float64 { return 100 }
func (f *fakeWindows) Release(r Ref) {
	assert.Contains(f.t, f.live, r, "released twice")
	delete(f.live, r)
}

func (f *fakeWindows) Number(r Ref) int64 {
	if f.mute {
		return 0
	}
	return f.live[r]
}

func (f *fakeWindows) Read(r Ref, names []string) ([]Value, Status) {
	if f.status != OK {
		return nil, f.status
	}
	id := f.live[r]
	var out []Value
	for _, n := range names {
		v := Value{Kind: Failed, Status: NoValue}
		fr := f.frames[id]
		switch {
		case n == "AXWindows":
			v = Value{Kind: List, List: []Value{f.give(11), f.give(12)}}
		case n == "AXFocusedWindow" && f.focused != 0:
			v = f.give(f.focused)
		case n == "AXTitle":
			v = Value{Kind: String, Str: f.titles[id]}
		case n == "AXPosition":
			v = Value{Kind: Point, Num: [4]float64{fr.X, fr.Y}}
		case n == "AXSize":
			v = Value{Kind: Size, Num: [4]float64{fr.Width, fr.Height}}
		case n == "AXMinimized":
			v = Value{Kind: Bool, Int: id - 11}
		}
		out = append(out, v)
	}
	return out, OK
}

func (f *fakeWindows) Write(r Ref, name string, _ Value) Status {
	assert.Contains(f.t, f.live, r)
	f.did = append(f.did, name)
	return OK
}

func (f *fakeWindows) Perform(r Ref, action string) Status {
	f.did = append(f.did, f.titles[f.live[r]]+" "+action)
	return OK
}

var seven = App{7, "org.example.Seven"}

func list() []Listed {
	return []Listed{{ID: 99, PID: 7, Layer: 25, Shown: true, Frame: frame(0, 0, 1, 1)}, {ID: 12, PID: 7, Shown: true, Frame: frame(5, 75, 20, 20)}, {ID: 11, PID: 7, Shown: true, Frame: frame(0, 90, 10, 10)}}
}

func TestTheFocusedWindowIsTheAppsWord(t *testing.T) {
	f := newFakeWindows(t)
	f.focused = 11
	want := window.Window{ID: 11, PID: 7, AppID: seven.BundleID, Title: "one", Frame: frame(0, 90, 10, 10), Focused: true}
	assert.Equal(t, want, FocusedIn(f, seven, func() []Listed { t.Error("the list was read for nothing"); return nil }))
	f.mute = true
	assert.Equal(t, want, FocusedIn(f, seven, list), "by its frame")
}

func TestWithoutThePermissionTheFrontmostWindowIsFocused(t *testing.T) {
	f := newFakeWindows(t)
	f.status = Disabled
	assert.Equal(t, window.Window{ID: 12, PID: 7, AppID: seven.BundleID, Frame: frame(5, 75, 20, 20), Focused: true}, FocusedIn(f, seven, list))
	assert.Equal(t, window.Window{PID: 8}, FocusedIn(f, App{PID: 8}, list), "an app without a window")
}

func TestAWindowIsRaisedOutOfTheDock(t *testing.T) {
	f := newFakeWindows(t)
	found, status := Raise(f, seven, 12, list())
	assert.True(t, found)
	assert.Equal(t, OK, status)
	assert.Equal(t, []string{"AXMinimized", "AXMain", "two AXRaise"}, f.did)
	found, _ = Raise(f, seven, 13, list())
	assert.False(t, found)
	assert.Equal(t, OK, Front(f, seven))
	f.status = CannotComplete
	found, status = Raise(f, seven, 12, list())
	assert.False(t, found)
	assert.Equal(t, CannotComplete, status)
}

func TestWindowsOfAnAppHaveTheListsNumbers(t *testing.T) {
	f := newFakeWindows(t)
	f.mute = true
	var numbers []int64
	assert.Equal(t, OK, WindowsOf(f, seven, list(), func(all []Seen) {
		for _, s := range all {
			numbers = append(numbers, s.Number)
		}
	}))
	assert.Equal(t, []int64{11, 12}, numbers)
}
