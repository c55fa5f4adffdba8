package portal

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/bus"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/hotkey"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

const patience = 30 * time.Second

// fakePortal is the desktop's side: it does what a test says and notes what it
// was asked. Its methods run on a goroutine of the connection's.
type fakePortal struct {
	t     *testing.T
	conn  *dbus.Conn
	code  atomic.Uint32 // of the answer about shortcuts
	asked chan string
	bound chan wanted
	last  chan dbus.ObjectPath // the sessions
}

func newFakePortal(t *testing.T, s *desktoptest.Session, code uint32) *fakePortal {
	t.Helper()
	conn, err := dbus.Connect(s.BusAddress())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	p := &fakePortal{t: t, conn: conn, asked: make(chan string, 64), bound: make(chan wanted, 64), last: make(chan dbus.ObjectPath, 64)}
	p.code.Store(code)
	require.NoError(t, conn.Export(p, portalPath, shortcuts))
	require.NoError(t, conn.Export(version{}, portalPath, "org.freedesktop.DBus.Properties"))
	require.NoError(t, conn.Export(register{p}, portalPath, registry))
	p.own()
	return p
}

func (p *fakePortal) own() {
	p.t.Helper()
	reply, err := p.conn.RequestName(portalName, dbus.NameFlagDoNotQueue)
	require.NoError(p.t, err)
	require.Equal(p.t, dbus.RequestNameReplyPrimaryOwner, reply)
}

type version struct{}

func (version) Get(string, string) (dbus.Variant, *dbus.Error) {
	return dbus.MakeVariant(uint32(1)), nil
}

type register struct{ p *fakePortal }

func (r register) Register(id string, _ map[string]dbus.Variant) *dbus.Error {
	r.p.asked <- "register " + id
	return nil
}

func place(kind string, sender dbus.Sender, token dbus.Variant) dbus.ObjectPath {
	from := strings.ReplaceAll(strings.TrimPrefix(string(sender), ":"), ".", "_")
	return dbus.ObjectPath(portalPath + "/" + kind + "/" + from + "/" + token.Value().(string))
}

type closer struct {
	p    *fakePortal
	what string
}

func (c closer) Close() *dbus.Error {
	c.p.asked <- "close " + c.what
	return nil
}

// answer sends a response before the call returns, as a portal may.
func (p *fakePortal) answer(path dbus.ObjectPath, code uint32, results map[string]dbus.Variant) {
	assert.NoError(p.t, p.conn.Emit(path, requests+".Response", code, results))
}

func (p *fakePortal) CreateSession(sender dbus.Sender, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	request, session := place("request", sender, options["handle_token"]), place("session", sender, options["session_handle_token"])
	_ = p.conn.Export(closer{p, "session"}, session, sessions)
	p.asked <- "create"
	p.answer(request, granted, map[string]dbus.Variant{"session_handle": dbus.MakeVariant(string(session))})
	return request, nil
}

// silent is the code of a user who has not answered yet.
const silent = 99

func (p *fakePortal) BindShortcuts(sender dbus.Sender, session dbus.ObjectPath, all []wanted, _ string, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	request := place("request", sender, options["handle_token"])
	_ = p.conn.Export(closer{p, "request"}, request, requests)
	p.asked <- fmt.Sprint("bind ", len(all))
	given := make([]wanted, len(all))
	for i, w := range all {
		p.bound <- w
		given[i] = wanted{w.ID, map[string]dbus.Variant{"trigger_description": dbus.MakeVariant("Press " + w.Details["preferred_trigger"].Value().(string))}}
	}
	p.last <- session
	if code := p.code.Load(); code != silent {
		p.answer(request, code, map[string]dbus.Variant{"shortcuts": dbus.MakeVariant(given)})
	}
	return request, nil
}

func (p *fakePortal) press(session dbus.ObjectPath, id string) {
	p.t.Helper()
	require.NoError(p.t, p.conn.Emit(portalPath, shortcuts+".Activated", session, id, uint64(1), map[string]dbus.Variant{}))
}

func next[T any](t *testing.T, c chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		require.Fail(t, "nothing came")
		panic("not reached")
	}
}

type rig struct {
	t       *testing.T
	keys    *Keys
	pressed chan string
}

func newRig(t *testing.T, s *desktoptest.Session) *rig {
	t.Helper()
	b := bus.New(s.BusAddress(), event.System())
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	r := &rig{t: t, pressed: make(chan string, 64)}
	r.keys = New(Options{Bus: b, AppID: "org.example.Flash", Env: []string{"XDG_CURRENT_DESKTOP=KDE"}, Pressed: func(id string) { r.pressed <- id }})
	t.Cleanup(r.keys.Close)
	return r
}

func (r *rig) says(backend, remedy string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		b, m := r.keys.Describe()
		return b == backend && strings.Contains(m, remedy)
	}, patience, time.Millisecond, "%s; %s", backend, remedy)
}

func shortcut(id, chord, description string) Shortcut {
	return Shortcut{hotkey.Binding{ID: id, Chord: hotkey.Chord(chord)}, description}
}

func TestAShortcutThatTheDesktopTellsOfReachesItsAction(t *testing.T) {
	leaktest.Check(t)
	s := desktoptest.New(t)
	p := newFakePortal(t, s, granted)
	r := newRig(t, s)
	r.keys.Set([]Shortcut{shortcut("open", "super+space", "Open Flash"), shortcut("run :x", "ctrl+alt+pageup", "Run :x")})
	require.Equal(t, "register org.example.Flash", next(t, p.asked))
	require.Equal(t, "create", next(t, p.asked))
	require.Equal(t, "bind 2", next(t, p.asked))
	first := next(t, p.bound)
	require.Equal(t, "open", first.ID)
	require.Equal(t, "Open Flash", first.Details["description"].Value())
	require.Equal(t, "LOGO+space", first.Details["preferred_trigger"].Value())
	require.Equal(t, "CTRL+ALT+Page_Up", next(t, p.bound).Details["preferred_trigger"].Value())
	session := next(t, p.last)
	r.says("portal (Press LOGO+space, Press CTRL+ALT+Page_Up)", "")

	p.press("/org/freedesktop/portal/desktop/session/other/one", "open")
	p.press(session, "unknown")
	p.press(session, "run :x")
	p.press(session, "open")
	require.Equal(t, "run :x", next(t, r.pressed))
	require.Equal(t, "open", next(t, r.pressed))

	changed := []wanted{{"open", map[string]dbus.Variant{"trigger_description": dbus.MakeVariant("F12")}}}
	require.NoError(t, p.conn.Emit(portalPath, shortcuts+".ShortcutsChanged", session, changed))
	r.says("portal (F12)", "")

	// Others are bound in another session, as one binds once.
	r.keys.Set([]Shortcut{shortcut("open", "f9", "Open Flash")})
	require.Equal(t, "close session", next(t, p.asked))
	require.Equal(t, "register org.example.Flash", next(t, p.asked))
	require.Equal(t, "create", next(t, p.asked))
	require.Equal(t, "bind 1", next(t, p.asked))
	require.Equal(t, "F9", next(t, p.bound).Details["preferred_trigger"].Value())
	p.press(session, "open")
	session = next(t, p.last)
	r.says("portal (Press F9)", "")
	p.press(session, "open")
	require.Equal(t, "open", next(t, r.pressed))
	require.Empty(t, r.pressed)

	require.NoError(t, p.conn.Emit(session, sessions+".Closed", map[string]dbus.Variant{}))
	r.says("", "took the hot keys back")
	r.keys.Set(nil)
	r.says("", "[hotkeys]")
}

func TestAPortalThatIsStartedAnewIsAskedAgain(t *testing.T) {
	leaktest.Check(t)
	s := desktoptest.New(t)
	r := newRig(t, s)
	r.keys.Set([]Shortcut{shortcut("open", "super+space", "Open Flash")})
	r.says("", "no portal for hot keys; in System Settings")
	p := newFakePortal(t, s, granted)
	r.says("portal (Press LOGO+space)", "")
	old := next(t, p.last)
	_, err := p.conn.ReleaseName(portalName)
	require.NoError(t, err)
	r.says("", "no portal")
	p.own()
	r.says("portal (Press LOGO+space)", "")
	session := next(t, p.last)
	require.NotEqual(t, old, session)
	p.press(old, "open")
	p.press(session, "open")
	require.Equal(t, "open", next(t, r.pressed))
	require.Empty(t, r.pressed)
	r.keys.Close()
	for {
		if next(t, p.asked) == "close session" {
			return
		}
	}
}

func TestWhatTheUserDoesNotAllowIsSaid(t *testing.T) {
	leaktest.Check(t)
	s := desktoptest.New(t)
	p := newFakePortal(t, s, cancelled)
	r := newRig(t, s)
	one := []Shortcut{shortcut("open", "super+space", "Open Flash")}
	r.keys.Set(one)
	r.says("", "not allowed; in System Settings, Keyboard, Shortcuts, add a command: flash open --toggle")
	r.keys.Set(one)
	next(t, p.last)

	p2 := newRig(t, s)
	p.code.Store(silent)
	p2.keys.Set(one)
	next(t, p.last)
	p2.says("", "has not answered yet")
	require.Empty(t, p.last, "the same again is not asked again")
	p2.keys.Close()
	for {
		if next(t, p.asked) == "close request" {
			return
		}
	}
}

func TestWithoutABusTheCompositorsOwnLineIsSaid(t *testing.T) {
	leaktest.Check(t)
	k := New(Options{Bus: bus.New("", event.System()), Env: []string{"XDG_CURRENT_DESKTOP=sway"}})
	defer k.Close()
	k.Set([]Shortcut{shortcut("open", "super+space", "")})
	_, remedy := k.Describe()
	require.Contains(t, remedy, "bindsym Mod4+space exec flash open --toggle")
}
