package native

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop/mac"
	"github.com/flash-launcher/flash/protocol"
)

// thing is an element of the fake app. Each time that it is given out it is
// another reference, as on macOS.
type thing struct {
	attrs   map[string]mac.Value
	lists   map[string][]int // of other things
	status  mac.Status
	number  int64
	actions []string
	deaf    map[string]mac.Status // of Write
}

type fakeTree struct {
	t       *testing.T
	things  map[int]*thing
	refs    map[mac.Ref]int // live references
	counts  map[mac.Ref]int
	next    mac.Ref
	reads   int
	onRead  func()
	written []string
	done    []string
}

func newTree(t *testing.T) *fakeTree {
	f := &fakeTree{t: t, things: map[int]*thing{}, refs: map[mac.Ref]int{}, counts: map[mac.Ref]int{}, next: 100}
	t.Cleanup(func() { assert.Empty(t, f.counts, "references were kept") })
	return f
}

func (f *fakeTree) give(id int) mac.Ref {
	f.next++
	f.refs[f.next], f.counts[f.next] = id, 1
	return f.next
}

func (f *fakeTree) at(r mac.Ref) *thing {
	require.Positive(f.t, f.counts[r], "a reference that was let go is used")
	return f.things[f.refs[r]]
}

func (f *fakeTree) App(pid int) mac.Ref { return f.give(pid) }

func (f *fakeTree) Read(e mac.Ref, names []string) ([]mac.Value, mac.Status) {
	f.reads++
	if f.onRead != nil {
		f.onRead()
	}
	x := f.at(e)
	if x.status != mac.OK {
		return nil, x.status
	}
	out := make([]mac.Value, len(names))
	for i, n := range names {
		if ids, ok := x.lists[n]; ok {
			out[i].Kind = mac.List
			for _, id := range ids {
				out[i].List = append(out[i].List, mac.Value{Kind: mac.Element, Ref: f.give(id)})
			}
		} else if v, ok := x.attrs[n]; ok {
			out[i] = v
		} else {
			out[i] = mac.Value{Kind: mac.Failed, Status: mac.NoAttribute}
		}
	}
	return out, mac.OK
}

func (f *fakeTree) Write(e mac.Ref, name string, v mac.Value) mac.Status {
	x := f.at(e)
	if s, ok := x.deaf[name]; ok {
		return s
	}
	if v.Kind == mac.Bool && name == "AXValue" {
		return mac.IllegalArgument
	}
	f.written = append(f.written, name)
	return x.status
}

func (f *fakeTree) Actions(e mac.Ref) ([]string, mac.Status) {
	x := f.at(e)
	return x.actions, x.status
}

func (f *fakeTree) Perform(e mac.Ref, action string) mac.Status {
	x := f.at(e)
	if x.status != mac.OK {
		return x.status
	}
	for _, a := range x.actions {
		if a == action {
			f.done = append(f.done, a)
			return mac.OK
		}
	}
	return mac.NoAction
}

func (f *fakeTree) Number(e mac.Ref) int64 { return f.at(e).number }
func (f *fakeTree) Same(a, b mac.Ref) bool { return f.at(a) == f.at(b) }
func (f *fakeTree) Hash(e mac.Ref) uint64  { f.at(e); return uint64(f.refs[e] % 2) }
func (f *fakeTree) Retain(e mac.Ref)       { f.counts[e]++ }
func (f *fakeTree) PrimaryHeight() float64 { return 1000 }
func (f *fakeTree) Release(e mac.Ref) {
	require.Positive(f.t, f.counts[e], "released twice")
	if f.counts[e]--; f.counts[e] == 0 {
		delete(f.counts, e)
	}
}

func text(s string) mac.Value { return mac.Value{Kind: mac.String, Str: s} }

// editor is an app, 7, with two windows; the first has a group with a button
// and a table.
func editor(t *testing.T) *fakeTree {
	f := newTree(t)
	f.things[7] = &thing{attrs: map[string]mac.Value{"AXRole": text("AXApplication")}, lists: map[string][]int{"AXWindows": {1, 2}, "AXChildren": {1, 2}}}
	f.things[1] = &thing{number: 55, lists: map[string][]int{"AXChildren": {3, 4, 5}}, attrs: map[string]mac.Value{
		"AXRole": text("AXWindow"), "AXTitle": text("one"), "AXPosition": {Kind: mac.Point, Num: [4]float64{-10, 20}}, "AXSize": {Kind: mac.Size, Num: [4]float64{100, 200}},
	}}
	f.things[2] = &thing{attrs: map[string]mac.Value{"AXRole": text("AXWindow"), "AXTitle": text("two")}}
	f.things[3] = &thing{attrs: map[string]mac.Value{"AXRole": text("AXButton")}, lists: map[string][]int{"AXParent": {1}}, actions: []string{"AXShowMenu", "AXPress"}}
	f.things[4] = &thing{attrs: map[string]mac.Value{"AXRole": text("AXTable")}, lists: map[string][]int{"AXChildren": {6}}}
	f.things[5] = &thing{status: mac.Invalid}
	f.things[6] = &thing{attrs: map[string]mac.Value{"AXRole": text("AXRow")}, lists: map[string][]int{"AXChildren": {3}}}
	return f
}

func release(s broker.AXSnapshot) {
	for _, n := range s.Nodes {
		n.Element.(broker.AXReleaser).Release()
	}
}

func TestASnapshotWalksBreadthFirstWithOneCallForEachNode(t *testing.T) {
	f := editor(t)
	s, err := Snapshot(context.Background(), f, broker.AXQuery{
		PID: 7, Windows: true, Follow: []string{"AXChildren", "AXParent"}, Collect: []string{"AXRole", "AXTitle", "AXWindowNumber", "AXRole"}, Geometry: true,
	})
	require.NoError(t, err)
	defer release(s)
	var attrs []string
	var parents []int
	for _, n := range s.Nodes {
		attrs, parents = append(attrs, string(n.Attrs)), append(parents, n.Parent)
	}
	assert.Equal(t, []string{
		`{"AXRole":"AXWindow","AXTitle":"one","AXWindowNumber":55}`, `{"AXRole":"AXWindow","AXTitle":"two"}`,
		`{"AXRole":"AXButton"}`, `{"AXRole":"AXTable"}`, `{"AXRole":"AXRow"}`,
	}, attrs, "an element that is gone is left out, and each is there once")
	assert.Equal(t, []int{-1, -1, 0, 0, 3}, parents)
	assert.Equal(t, &protocol.Frame{X: -10, Y: 780, Width: 100, Height: 200}, s.Nodes[0].Frame)
	assert.Nil(t, s.Nodes[1].Frame)
	assert.False(t, s.Truncated)
	assert.Equal(t, 1+6, f.reads)
}

func TestAPrunedRoleIsShownAndNotDescendedInto(t *testing.T) {
	f := editor(t)
	s, err := Snapshot(context.Background(), f, broker.AXQuery{PID: 7, Follow: []string{"AXChildren"}, PruneRoles: []string{"AXTable"}})
	require.NoError(t, err)
	defer release(s)
	assert.Len(t, s.Nodes, 5)
	assert.Nil(t, s.Nodes[0].Attrs)
}

func TestASnapshotEndsAtItsBoundAndLetsTheRestGo(t *testing.T) {
	for most := 1; most <= 5; most++ {
		f := editor(t)
		s, err := Snapshot(context.Background(), f, broker.AXQuery{PID: 7, Windows: true, Follow: []string{"AXChildren"}, MaxNodes: most})
		require.NoError(t, err)
		assert.LessOrEqual(t, len(s.Nodes), most)
		assert.Equal(t, most < 5, s.Truncated, "%d", most)
		release(s)
	}
}

func TestASnapshotEndsWithItsTimeAndKeepsWhatItHas(t *testing.T) {
	f := editor(t)
	ctx, cancel := context.WithCancel(context.Background())
	f.onRead = func() {
		if f.reads == 3 {
			cancel()
		}
	}
	s, err := Snapshot(ctx, f, broker.AXQuery{PID: 7, Windows: true, Follow: []string{"AXChildren"}})
	require.NoError(t, err)
	assert.Len(t, s.Nodes, 2)
	assert.True(t, s.Truncated)
	release(s)
}

func TestAnAppThatDoesNotAnswerIsNamed(t *testing.T) {
	f := editor(t)
	f.things[7].status = mac.CannotComplete
	_, err := Snapshot(context.Background(), f, broker.AXQuery{PID: 7, Windows: true})
	require.ErrorIs(t, err, mac.CannotComplete)
	assert.ErrorContains(t, err, "process 7")
	f.things[7].status = mac.Disabled
	_, err = Snapshot(context.Background(), f, broker.AXQuery{PID: 7, Windows: true})
	assert.ErrorContains(t, err, mac.Remedy)
}

func (f *fakeTree) element(id int) *Element {
	e := &Element{f, f.give(id), 7}
	f.t.Cleanup(e.Release)
	return e
}

func TestTheDefaultActionIsToPress(t *testing.T) {
	f := editor(t)
	button := f.element(3)
	require.NoError(t, Perform(button, ""))
	require.NoError(t, Perform(button, "AXShowMenu"))
	assert.Equal(t, []string{"AXPress", "AXShowMenu"}, f.done)
	assert.ErrorContains(t, Perform(button, "AXFly"), "AXPress")
	assert.Error(t, Perform(f.element(2), ""), "it has no actions")
	assert.ErrorIs(t, Perform(f.element(5), "AXPress"), broker.ErrStaleElement)
	assert.ErrorIs(t, Perform("nonsense", ""), errNotElement)
}

func TestABooleanIsWhatACheckBoxTakes(t *testing.T) {
	f := editor(t)
	e := f.element(3)
	require.NoError(t, Set(e, "AXValue", []byte("true")))
	require.NoError(t, Set(e, "AXTitle", []byte(`"x"`)))
	assert.Equal(t, []string{"AXValue", "AXTitle"}, f.written)
	assert.Error(t, Set(e, "AXTitle", []byte(`{}`)))
	f.things[3].deaf = map[string]mac.Status{"AXRole": mac.NoAttribute}
	assert.ErrorContains(t, Set(e, "AXRole", []byte(`"x"`)), "AXRole cannot be set")
	assert.ErrorIs(t, Set(f.element(5), "AXTitle", []byte(`"x"`)), broker.ErrStaleElement)
}

func TestAChildIsSelectedTheWayThatTheAppTakes(t *testing.T) {
	f := editor(t)
	table, row := f.element(4), f.element(6)
	require.NoError(t, SelectChild(table, row))
	f.things[4].deaf = map[string]mac.Status{"AXSelectedChildren": mac.NoAttribute}
	require.NoError(t, SelectChild(table, row))
	f.things[4].deaf["AXSelectedRows"] = mac.IllegalArgument
	require.NoError(t, SelectChild(table, row))
	assert.Equal(t, []string{"AXSelectedChildren", "AXSelectedRows", "AXSelected"}, f.written)
	f.things[6].deaf = map[string]mac.Status{"AXSelected": mac.NoAttribute}
	assert.Error(t, SelectChild(table, row))
	f.things[4].deaf["AXSelectedChildren"] = mac.CannotComplete
	assert.ErrorIs(t, SelectChild(table, row), mac.CannotComplete)
	assert.Error(t, SelectChild(table, &Element{pid: 8}))
}
