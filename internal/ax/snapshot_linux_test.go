package ax_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/ax"
	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event/eventtest"
)

// seen is a node with its attributes read.
type seen struct {
	broker.AXNode
	attrs map[string]any
}

func (d *desk) look(t *testing.T, q broker.AXQuery) ([]seen, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := d.o.Snapshot(ctx, q)
	require.NoError(t, err)
	out := make([]seen, len(s.Nodes))
	for i, n := range s.Nodes {
		out[i] = seen{AXNode: n}
		require.Less(t, n.Parent, i, "parents come first")
		if n.Attrs != nil {
			require.NoError(t, json.Unmarshal(n.Attrs, &out[i].attrs))
		}
	}
	return out, s.Truncated
}

func find(t *testing.T, nodes []seen, role, title string) seen {
	t.Helper()
	for _, n := range nodes {
		if n.attrs["AXRole"] == role && (title == "*" || n.attrs["AXTitle"] == title) {
			return n
		}
	}
	for _, n := range nodes {
		t.Log(n.Parent, string(n.Attrs), n.Frame)
	}
	t.Fatalf("no %s %q", role, title)
	return seen{}
}

var everything = []string{"AXRole", "AXSubrole", "AXTitle", "AXValue", "AXDescription", "AXEnabled", "AXFocused", "AXMain", "AXMinimized", "AXPosition", "AXSize"}

func TestADialogsButtonIsFoundAndPressed(t *testing.T) {
	d := newDesk(t, nil)
	p, window := d.dialog(t, "dialog")
	d.Run("xdotool", "windowactivate", "--sync", window, "type", "--delay", "1", "hello")
	q := broker.AXQuery{PID: p.PID(), Windows: true, Follow: []string{"AXChildren"}, Collect: everything, MaxNodes: 3000}
	var entry seen
	require.Eventually(t, func() bool {
		nodes, truncated := d.look(t, q)
		require.False(t, truncated)
		entry = find(t, nodes, "AXTextField", "*")
		return entry.attrs["AXValue"] == "hello"
	}, patience, 5*time.Millisecond)
	require.Equal(t, true, entry.attrs["AXFocused"])

	nodes, _ := d.look(t, q)
	top := find(t, nodes, "AXWindow", "dialog")
	require.Equal(t, -1, top.Parent)
	require.Equal(t, "AXDialog", top.attrs["AXSubrole"])
	require.Equal(t, true, top.attrs["AXMain"])

	require.NoError(t, d.o.Set(t.Context(), entry.Element, "AXValue", []byte(`"sét"`)))
	require.NoError(t, d.o.Set(t.Context(), entry.Element, "AXSelectedText", []byte(`"ins"`)))
	require.Error(t, d.o.Set(t.Context(), entry.Element, "AXValue", []byte(`{}`)))
	require.Error(t, d.o.Set(t.Context(), entry.Element, "AXRole", []byte(`"x"`)))
	nodes, _ = d.look(t, q)
	require.Contains(t, find(t, nodes, "AXTextField", "*").attrs["AXValue"], "ins")

	ok := find(t, nodes, "AXButton", "OK")
	err := d.o.Perform(t.Context(), ok.Element, "AXFly")
	require.ErrorContains(t, err, "click", "it says what there is")
	require.NoError(t, d.o.Perform(t.Context(), ok.Element, "AXPress"))
	<-p.Done()
	require.Contains(t, p.Output(), "ins")

	require.ErrorIs(t, d.o.Perform(t.Context(), ok.Element, "AXPress"), broker.ErrStaleElement)
	require.ErrorIs(t, d.o.Set(t.Context(), entry.Element, "AXValue", []byte(`"x"`)), broker.ErrStaleElement)
	require.ErrorIs(t, d.o.SelectChild(t.Context(), top.Element, ok.Element), broker.ErrStaleElement)
	_, err = d.o.Snapshot(t.Context(), q)
	require.ErrorContains(t, err, "process")
}

func TestAnAppsTreeBeginsWithTheApp(t *testing.T) {
	d := newDesk(t, nil)
	p, _ := d.dialog(t, "dialog")
	nodes, _ := d.look(t, broker.AXQuery{PID: p.PID(), Follow: []string{"AXWindows"}, Collect: everything})
	require.Len(t, nodes, 2, "windows were followed and not what is in them")
	require.Equal(t, "AXApplication", nodes[0].attrs["AXRole"])
	require.Equal(t, "AXWindow", nodes[1].attrs["AXRole"])
	require.Equal(t, 0, nodes[1].Parent)

	all, _ := d.look(t, broker.AXQuery{PID: p.PID(), Follow: []string{"AXChildren"}, Collect: everything})
	find(t, all, "AXButton", "Cancel")
	pruned, _ := d.look(t, broker.AXQuery{PID: p.PID(), Follow: []string{"AXChildren"}, PruneRoles: []string{"AXWindow"}})
	require.Len(t, pruned, 2)
	some, truncated := d.look(t, broker.AXQuery{PID: p.PID(), Follow: []string{"AXChildren"}, MaxNodes: 4})
	require.Len(t, some, 4)
	require.True(t, truncated)
	alone, truncated := d.look(t, broker.AXQuery{PID: p.PID()})
	require.Len(t, alone, 1)
	require.False(t, truncated)
}

func TestASnapshotEndsWithItsTime(t *testing.T) {
	d := newDesk(t, nil)
	p, _ := d.dialog(t, "dialog")
	_, _ = d.look(t, broker.AXQuery{PID: p.PID(), Follow: []string{"AXChildren"}})
	p.Signal(stop)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	s, err := d.o.Snapshot(ctx, broker.AXQuery{PID: p.PID(), Follow: []string{"AXChildren"}})
	require.True(t, err != nil || s.Truncated, "an app that hangs holds up nobody")
}

func TestASessionWithoutABusSaysWhatToDo(t *testing.T) {
	o := ax.New(t.Context(), ax.Options{Env: []string{"HOME=/nonexistent"}})
	defer func() { require.NoError(t, o.Close()) }()
	o.SetWanted(ax.All())
	o.Focused(1, "x")
	f := o.Describe()
	require.Empty(t, f.Backend)
	require.Contains(t, f.Remedy, "DBUS_SESSION_BUS_ADDRESS")
	_, err := o.Snapshot(t.Context(), broker.AXQuery{PID: 1})
	require.ErrorIs(t, err, unavailable)
}

func TestAListsRowIsSelected(t *testing.T) {
	desktoptest.Need(t, "zenity", "xdotool")
	d := newDesk(t, nil)
	p := d.Start("zenity", "--list", "--title=list", "--column=Name", "one", "two", "three")
	d.Window("^list$")
	q := broker.AXQuery{PID: p.PID(), Windows: true, Follow: []string{"AXChildren"}, Collect: append(everything, "AXSelected")}
	nodes, _ := d.look(t, q)
	two := find(t, nodes, "AXCell", "two")
	require.Equal(t, false, two.attrs["AXSelected"])
	require.NoError(t, d.o.SelectChild(t.Context(), nodes[two.Parent].Element, two.Element))
	require.Error(t, d.o.SelectChild(t.Context(), nodes[0].Element, two.Element), "it is not that one's child")
	require.Eventually(t, func() bool {
		nodes, _ = d.look(t, q)
		return find(t, nodes, "AXCell", "two").attrs["AXSelected"] == true
	}, patience, 5*time.Millisecond)
	require.NoError(t, d.o.Perform(t.Context(), find(t, nodes, "AXButton", "OK").Element, ""))
	<-p.Done()
	require.Equal(t, "two\n", p.Output())
}

func TestAConnectionMadeForASnapshotIsLetGo(t *testing.T) {
	clock := eventtest.New()
	d := newDesk(t, func(o *ax.Options) { o.Time = clock })
	p, _ := d.dialog(t, "dialog")
	bus := d.a11yBus(t)
	clients := func() int {
		var names []string
		require.NoError(t, bus.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&names))
		own := 0
		for _, n := range names {
			var pid uint32
			if bus.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, n).Store(&pid) == nil && int(pid) == os.Getpid() {
				own++
			}
		}
		return own
	}
	before := clients()
	_, _ = d.look(t, broker.AXQuery{PID: p.PID()})
	require.Equal(t, before+1, clients())
	clock.AwaitTimer(30 * time.Second)
	clock.Advance(30 * time.Second)
	require.Eventually(t, func() bool { return clients() == before }, patience, time.Millisecond)
	require.Zero(t, clock.Armed())
}
