package broker

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// tree is an accessibility tree: a window with a button, per app.
type tree struct {
	mu       sync.Mutex
	asked    []AXQuery
	used     []*leaf
	released int
	many     int
	wait     chan struct{}
	waiting  chan struct{}
}

type leaf struct {
	tree *tree
	name string
}

func (l *leaf) Release() {
	l.tree.mu.Lock()
	defer l.tree.mu.Unlock()
	l.tree.released++
}

func (x *tree) Snapshot(_ context.Context, q AXQuery) (AXSnapshot, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.asked = append(x.asked, q)
	s := AXSnapshot{Nodes: []AXNode{
		{Element: &leaf{x, "window"}, Parent: -1, Attrs: []byte(`{"AXRole":"AXWindow"}`), Frame: &protocol.Frame{X: -1.5, Y: 2, Width: 3, Height: 4}},
		{Element: &leaf{x, "button"}, Parent: 0},
	}}
	for range x.many {
		s.Nodes = append(s.Nodes, AXNode{Element: &leaf{x, "more"}, Parent: 1})
	}
	return s, nil
}

func (x *tree) use(e ...AXElement) error {
	if x.wait != nil {
		x.waiting <- struct{}{}
		<-x.wait
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range e {
		x.used = append(x.used, e.(*leaf))
	}
	return nil
}

func (x *tree) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.released
}

func (x *tree) Perform(_ context.Context, e AXElement, _ string) error       { return x.use(e) }
func (x *tree) Set(_ context.Context, e AXElement, _ string, _ []byte) error { return x.use(e) }
func (x *tree) SelectChild(_ context.Context, parent, child AXElement) error {
	return x.use(parent, child)
}
func snapshot(t *testing.T, b *Broker, c Caller, params string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, n := range granted(t, b, c, protocol.HostAXSnapshot, params)["nodes"].([]any) {
		out = append(out, n.(map[string]any))
	}
	return out
}

func TestASnapshotHidesElementsBehindHandles(t *testing.T) {
	x := &tree{}
	b := New(Options{Accessibility: x})
	c := caller(t)
	n := snapshot(t, b, c, `{"pid":5,"roots":"windows","follow":["AXChildren"],"collect":["AXRole"],"prune_roles":["AXGroup"],"max_nodes":10,"geometry":true,"deadline_ms":50}`)
	require.Len(t, n, 2)
	window, button := n[0]["handle"].(string), n[1]["handle"].(string)
	assert.Equal(t, map[string]any{"handle": window, "root": window, "attrs": map[string]any{"AXRole": "AXWindow"}, "frame": map[string]any{"x": -1.5, "y": 2.0, "width": 3.0, "height": 4.0}}, n[0])
	assert.Equal(t, map[string]any{"handle": button, "root": window, "parent": window, "attrs": map[string]any{}}, n[1])
	assert.Equal(t, AXQuery{PID: 5, Windows: true, Follow: []string{"AXChildren"}, Collect: []string{"AXRole"}, PruneRoles: []string{"AXGroup"}, MaxNodes: 10, Geometry: true}, x.asked[0])
	granted(t, b, c, protocol.HostAXPerform, `{"handle":"`+button+`"}`)
	granted(t, b, c, protocol.HostAXSet, `{"handle":"`+window+`","attribute":"AXMinimized","value":false}`)
	granted(t, b, c, protocol.HostAXSelectChild, `{"parent":"`+window+`","child":"`+button+`"}`)
	var names []string
	for _, l := range x.used {
		names = append(names, l.name)
	}
	assert.Equal(t, []string{"button", "window", "window", "button"}, names)
}

func TestAHandleIsGoodForItsPluginUntilTheNextSnapshotOfThatApp(t *testing.T) {
	x := &tree{}
	b := New(Options{Accessibility: x})
	c := caller(t)
	five := snapshot(t, b, c, `{"pid":5,"roots":"app"}`)[0]["handle"].(string)
	six := snapshot(t, b, c, `{"pid":6,"roots":"app"}`)[0]["handle"].(string)
	perform := func(c Caller, handle string) map[string]any {
		return reply(t, b, c, protocol.HostAXPerform, `{"handle":"`+handle+`"}`)
	}
	stale := map[string]any{"ok": false, "error": "stale ax handle"}
	assert.Equal(t, stale, perform(Caller{PluginID: "other", Capabilities: everything}, five))
	assert.Equal(t, stale, perform(c, "made-up"))
	assert.Equal(t, true, perform(c, five)["ok"])
	again := snapshot(t, b, c, `{"pid":5,"roots":"app"}`)[0]["handle"].(string)
	assert.NotEqual(t, five, again)
	assert.Equal(t, stale, perform(c, five))
	assert.Equal(t, true, perform(c, again)["ok"])
	assert.Equal(t, true, perform(c, six)["ok"], "another app's snapshot purges nothing")
	assert.Equal(t, 2, x.count())
	b.Forget("probe")
	assert.Equal(t, stale, perform(c, six))
	assert.Equal(t, 6, x.count())
}

func TestWhatExceedsTheAskedNumberIsCutAndSaid(t *testing.T) {
	x := &tree{many: 20}
	b := New(Options{Accessibility: x})
	m := granted(t, b, caller(t), protocol.HostAXSnapshot, `{"pid":5,"roots":"app","max_nodes":3}`)
	assert.Len(t, m["nodes"], 3)
	assert.Equal(t, true, m["truncated"])
	assert.Equal(t, 19, x.count())
}

func TestAnElementInUseIsReleasedOnlyAfterwards(t *testing.T) {
	x := &tree{wait: make(chan struct{}), waiting: make(chan struct{})}
	b := New(Options{Accessibility: x})
	c := caller(t)
	h := snapshot(t, b, c, `{"pid":5,"roots":"app"}`)[0]["handle"].(string)
	var wg sync.WaitGroup
	wg.Go(func() { granted(t, b, c, protocol.HostAXPerform, `{"handle":"`+h+`"}`) })
	<-x.waiting
	snapshot(t, b, c, `{"pid":5,"roots":"app"}`)
	assert.Equal(t, 0, x.count())
	close(x.wait)
	wg.Wait()
	require.Eventually(t, func() bool { return x.count() == 2 }, 10*time.Second, time.Millisecond)
}

func TestTheHandlesOfOnePluginAreBounded(t *testing.T) {
	x := &tree{}
	b := New(Options{Accessibility: x})
	nodes := []AXNode{{Element: &leaf{x, "a"}, Parent: -1}}
	for pid := 1; pid <= maxAXApps+10; pid++ {
		b.ax.replace("probe", pid, nodes)
	}
	assert.Len(t, b.ax.plugins["probe"], maxAXApps)
	assert.NotContains(t, b.ax.plugins["probe"], 10)
	assert.Contains(t, b.ax.plugins["probe"], 11)
	assert.Equal(t, 10, x.count())
}
