package session

import (
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/protocol"
)

const ownPath = loginPath + "/session/_37"

// logind is the part of it that a session is found with.
type logind struct{ byPID bool }

func (logind) GetSession(id string) (dbus.ObjectPath, *dbus.Error) {
	if id != "7" {
		return "", dbus.NewError("org.freedesktop.login1.NoSuchSession", nil)
	}
	return ownPath, nil
}

func (l logind) GetSessionByPID(uint32) (dbus.ObjectPath, *dbus.Error) {
	if !l.byPID {
		return "", dbus.NewError("org.freedesktop.login1.NoSessionForPID", nil)
	}
	return ownPath, nil
}

// locks asks for a lock until that is heard: which session is the own one shows
// in nothing but this.
func (d *desk) locks() {
	d.t.Helper()
	require.Eventually(d.t, func() bool {
		d.emit(ownPath, login+".Session.Lock")
		return len(d.states) > 0
	}, patience, 10*time.Millisecond)
}

type session interface {
	SetMust(iface, name string, v any)
}

// login puts logind on the bus.
func (d *desk) login(l logind, asleep, locked bool) session {
	d.t.Helper()
	require.NoError(d.t, d.services.Export(l, loginPath, login+".Manager"))
	d.object(loginPath, login+".Manager", map[string]any{"PreparingForSleep": asleep})
	d.object(loginPath+"/user/self", login+".User", map[string]any{"Display": struct {
		ID   string
		Path dbus.ObjectPath
	}{"7", ownPath}})
	s := d.object(ownPath, login+".Session", map[string]any{"LockedHint": locked, "IdleHint": false})
	d.own(login)
	return s
}

func (d *desk) state() State { d.t.Helper(); return take(d.t, d.states, "a state") }

func TestTheClockStandsWhileTheSessionIsLockedOrAsleep(t *testing.T) {
	d := newDesk(t, event.System())
	s := d.login(logind{byPID: true}, false, false)
	fake := eventtest.New()
	clock := event.NewClock(fake)
	require.NoError(t, clock.Register("p", []protocol.Registration{{Name: "t", Every: 1}}, func(string) { clock.Done("p", "t") }))
	hold := Hold(clock)
	d.open(func(o *Options) {
		o.State = func(s State) {
			hold(s)
			d.states <- s
		}
	})
	d.followed("PrepareForSleep")
	d.followed("PropertiesChanged',path_namespace")
	s.SetMust(login+".Session", "LockedHint", true)
	require.Equal(t, State{Locked: true}, d.state())
	require.False(t, clock.Armed())
	d.emit(loginPath, login+".Manager.PrepareForSleep", true)
	require.Equal(t, State{Locked: true, Asleep: true}, d.state())
	d.emit(loginPath, login+".Manager.PrepareForSleep", false)
	require.Equal(t, State{Locked: true}, d.state())
	require.False(t, clock.Armed(), "awake and still locked")
	s.SetMust(login+".Session", "IdleHint", true)
	s.SetMust(login+".Session", "LockedHint", false)
	require.Equal(t, State{}, d.state())
	require.True(t, clock.Armed())
	assert.Empty(t, d.states)
}

func TestALockIsKnownFromTheStart(t *testing.T) {
	for _, find := range []struct {
		what string
		l    logind
		env  string
	}{{"by its id", logind{}, "XDG_SESSION_ID=7"}, {"by the process", logind{byPID: true}, ""}, {"by the user's display", logind{}, "XDG_SESSION_ID=gone"}} {
		t.Run(find.what, func(t *testing.T) {
			d := newDesk(t, event.System())
			d.env = append(d.env, find.env)
			d.open() // before logind is there
			d.login(find.l, true, true)
			require.Equal(t, State{Asleep: true}, d.state())
			require.Equal(t, State{Asleep: true, Locked: true}, d.state())
			d.session.Move(d.env, d.session.o.Facets)
			require.Equal(t, State{}, d.state(), "what a session said goes with it")
			require.Equal(t, State{Asleep: true}, d.state())
			require.Equal(t, State{Asleep: true, Locked: true}, d.state())
		})
	}
}

func TestALockRequestHoldsUntilTheUserIsBack(t *testing.T) {
	d := newDesk(t, event.System())
	s := d.login(logind{byPID: true}, false, false)
	d.open()
	d.followed("Lock'")
	d.followed("PropertiesChanged',path_namespace")
	lock := func() { d.emit(ownPath, login+".Session.Lock") }
	d.locks()
	require.Equal(t, State{Locked: true}, d.state())
	d.session.Used()
	require.Equal(t, State{}, d.state(), "the locker did not say that it ended")
	lock()
	require.Equal(t, State{Locked: true}, d.state())
	d.emit(ownPath, login+".Session.Unlock")
	require.Equal(t, State{}, d.state())
	lock()
	require.Equal(t, State{Locked: true}, d.state())
	s.SetMust(login+".Session", "LockedHint", true)
	s.SetMust(login+".Session", "LockedHint", false)
	require.Equal(t, State{}, d.state(), "the hint ends the request too")
	d.emit(loginPath+"/session/_38", login+".Session.Lock")
	d.emit(loginPath, login+".Manager.PrepareForSleep", true)
	require.Equal(t, State{Asleep: true}, d.state(), "another session's lock is not ours")
}

type saver struct{ active bool }

func (s saver) GetActive() (bool, *dbus.Error) { return s.active, nil }

func TestAScreenSaverLocksLikeALocker(t *testing.T) {
	for _, s := range savers {
		t.Run(s.name, func(t *testing.T) {
			d := newDesk(t, event.System())
			require.NoError(t, d.services.Export(saver{true}, dbus.ObjectPath(s.path), s.name))
			d.own(s.name)
			d.open()
			require.Equal(t, State{Locked: true}, d.state(), "it was on already")
			d.emit(s.path, s.name+".ActiveChanged", false)
			require.Equal(t, State{}, d.state())
			d.emit(s.path, s.name+".ActiveChanged", true)
			require.Equal(t, State{Locked: true}, d.state())
			_, err := d.services.ReleaseName(s.name)
			require.NoError(t, err)
			require.Equal(t, State{}, d.state(), "it ended")
		})
	}
}

func TestASignalOfSomebodyElseCountsForNothing(t *testing.T) {
	d := newDesk(t, event.System())
	d.login(logind{byPID: true}, false, false)
	d.open()
	d.followed("PrepareForSleep")
	other := d.connect()
	require.NoError(t, other.Emit(loginPath, login+".Manager.PrepareForSleep", true))
	var names []string
	require.NoError(t, other.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&names))
	for _, name := range names { // to each connection by its name, which no rule keeps out
		msg := &dbus.Message{Type: dbus.TypeSignal, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath(loginPath)), dbus.FieldInterface: dbus.MakeVariant(login + ".Manager"),
			dbus.FieldMember: dbus.MakeVariant("PrepareForSleep"), dbus.FieldDestination: dbus.MakeVariant(name),
			dbus.FieldSignature: dbus.MakeVariant(dbus.SignatureOf(true)),
		}, Body: []any{true}}
		if name[0] == ':' {
			require.NoError(t, other.Send(msg, nil).Err)
		}
	}
	var id string
	require.NoError(t, other.BusObject().Call("org.freedesktop.DBus.GetId", 0).Store(&id)) // the daemon has taken them all
	d.locks()
	require.Equal(t, State{Locked: true}, d.state())
}

func TestNothingIsFollowedForTheStateThatNobodyAsksFor(t *testing.T) {
	d := newDesk(t, event.System())
	d.login(logind{byPID: true}, true, true)
	d.open(func(o *Options) { o.State = nil })
	d.listen(protocol.EventNetworkChanged)
	d.session.Used()
	require.Empty(t, d.rules("login1"))
	require.Empty(t, d.rules("ScreenSaver"))
}
