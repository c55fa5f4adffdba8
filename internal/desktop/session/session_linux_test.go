package session

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

const patience = 30 * time.Second

// desk is a desktop session with services of a test's making, of which Session
// tells.
type desk struct {
	t        *testing.T
	desk     *desktoptest.Session
	services *dbus.Conn // on which the test's services are
	env      []string
	time     event.Time
	session  *Session
	events   chan string
	copied   chan string
	states   chan State
}

func newDesk(t *testing.T, clock event.Time) *desk {
	t.Helper()
	leaktest.Check(t)
	s := desktoptest.New(t)
	d := &desk{t: t, desk: s, env: s.Env(), time: clock, events: make(chan string, 64), copied: make(chan string, 64), states: make(chan State, 64)}
	d.services = d.connect()
	return d
}

func (d *desk) connect() *dbus.Conn {
	d.t.Helper()
	c, err := dbus.Connect(d.desk.BusAddress())
	require.NoError(d.t, err)
	d.t.Cleanup(func() { _ = c.Close() })
	return c
}

// open makes the Session. The session bus stands for the system's.
func (d *desk) open(change ...func(*Options)) *Session {
	d.t.Helper()
	facets := desktop.New(d.t.Context(), d.env)
	d.t.Cleanup(func() { _ = facets.Close() })
	o := Options{
		Env: d.env, Facets: facets, SystemBus: d.desk.BusAddress(), Time: d.time, Logger: slog.New(slog.DiscardHandler),
		Emit:   func(event string) { d.events <- event },
		Copied: func(text string) { d.copied <- text },
		State:  func(s State) { d.states <- s },
	}
	for _, c := range change {
		c(&o)
	}
	d.session = New(o)
	d.t.Cleanup(func() { _ = d.session.Close() })
	return d.session
}

func (d *desk) own(name string) {
	d.t.Helper()
	reply, err := d.services.RequestName(name, dbus.NameFlagDoNotQueue)
	require.NoError(d.t, err)
	require.Equal(d.t, dbus.RequestNameReplyPrimaryOwner, reply)
}

// object puts an object with properties on the bus.
func (d *desk) object(path, iface string, props map[string]any) *prop.Properties {
	d.t.Helper()
	m := prop.Map{iface: {}}
	for k, v := range props {
		m[iface][k] = &prop.Prop{Value: v, Emit: prop.EmitTrue, Writable: true}
	}
	p, err := prop.Export(d.services, dbus.ObjectPath(path), m)
	require.NoError(d.t, err)
	return p
}

func (d *desk) emit(path, signal string, body ...any) {
	d.t.Helper()
	require.NoError(d.t, d.services.Emit(dbus.ObjectPath(path), signal, body...))
}

func take[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		require.Fail(t, "nothing came: "+what)
		panic("unreachable")
	}
}

// rules are the match rules of every connection that name a text.
func (d *desk) rules(text string) []string {
	d.t.Helper()
	var all map[string][]string
	require.NoError(d.t, d.services.BusObject().Call("org.freedesktop.DBus.Debug.Stats.GetAllMatchRules", 0).Store(&all))
	var out []string
	for _, rules := range all {
		for _, r := range rules {
			if strings.Contains(r, text) {
				out = append(out, r)
			}
		}
	}
	return out
}

func (d *desk) followed(text string) {
	d.t.Helper()
	require.Eventually(d.t, func() bool { return len(d.rules(text)) > 0 }, patience, time.Millisecond)
}

// listen says what is listened to, and returns once that is followed.
func (d *desk) listen(names ...string) {
	d.t.Helper()
	d.session.Want(want(names...))
	d.session.works.Wait()
}

func want(names ...string) func(string) bool {
	return func(event string) bool { return slices.Contains(names, event) }
}

func TestEveryFacetSaysWhatServesItOrWhatToDo(t *testing.T) {
	d := newDesk(t, event.System())
	require.Equal(t, []string{
		"clipboard: X11 selection", "clipboard watch: XFIXES", "lock and sleep: -", "media keys: MPRIS", "network: rtnetlink",
		"power: kernel events (install upower for the percentage too)", "spaces: _NET_CURRENT_DESKTOP", "volumes: /proc/self/mountinfo", "wifi: -", "keys: XTEST",
	}, inOrder(d.open().Describe(), d.env))
	d.own(upower)
	d.own(login)
	d.own("net.connman.iwd")
	lines := d.session.Describe()
	for _, want := range []desktop.Facet{{Name: "power", Backend: upower}, {Name: "lock and sleep", Backend: login}, {Name: "wifi", Backend: "net.connman.iwd"}} {
		require.Contains(t, lines, want)
	}

	none := New(Options{Env: []string{"PATH=/nowhere"}, SystemBus: "unix:path=/nowhere", Time: event.System()})
	defer func() { _ = none.Close() }()
	for _, f := range none.Describe() {
		require.NotEqual(t, f.Backend == "", f.Remedy == "", "%+v", f)
	}
}

// inOrder are the lines of this package, those for which this machine's tools
// matter without them.
func inOrder(lines []desktop.Facet, env []string) []string {
	var out []string
	for _, name := range []string{"clipboard", "clipboard watch", "lock and sleep", "media keys", "network", "power", "spaces", "volumes", "wifi", "keys"} {
		for _, f := range lines {
			if f.Name != name {
				continue
			}
			backend := f.Backend
			if backend == "" && f.Remedy != "" {
				backend = "-"
			}
			if name == "media keys" {
				backend, _, _ = strings.Cut(backend, ",")
			}
			out = append(out, fmt.Sprintf("%s: %s", name, backend))
		}
	}
	return out
}
