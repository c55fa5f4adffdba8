package session

import (
	"context"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/desktop/bus"
)

const (
	login      = "org.freedesktop.login1"
	loginPath  = "/org/freedesktop/login1"
	properties = "org.freedesktop.DBus.Properties"
	// readTime bounds a look at a service's state from the bus's own goroutine.
	readTime = 2 * time.Second
	// What logind says in two ways: that the session is to be locked, and that
	// it is.
	byRequest, byHint = "logind request", "logind"
)

// savers are the services that tell of a blanked or locked screen. Their
// interfaces have their names.
var savers = [...]struct{ name, path string }{
	{"org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"},
	{"org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"},
	{"org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver"},
	{"org.mate.ScreenSaver", "/org/mate/ScreenSaver"},
	{"org.xfce.ScreenSaver", "/org/xfce/ScreenSaver"},
}

// followLogin follows the lock and the sleep by logind.
func followLogin(b *bus.Bus, id string, l *locks) {
	session := dbus.ObjectPath("") // on the bus's goroutine
	b.Follow(&bus.Watch{
		Name: login,
		Rules: []bus.Rule{
			{Path: loginPath, Interface: login + ".Manager", Member: "PrepareForSleep"},
			{Under: loginPath + "/session", Interface: login + ".Session", Member: "Lock"},
			{Under: loginPath + "/session", Interface: login + ".Session", Member: "Unlock"},
			{Under: loginPath + "/session", Interface: properties, Member: "PropertiesChanged", Arg0: login + ".Session"},
		},
		Owner: func(present bool) {
			if !present {
				return // what it said holds: a restart of it unlocks nothing
			}
			ctx, cancel := context.WithTimeout(context.Background(), readTime)
			defer cancel()
			var asleep, locked bool
			if b.Property(ctx, login, loginPath, login+".Manager", "PreparingForSleep", &asleep) == nil {
				l.sleep(asleep)
			}
			session = ownSession(ctx, b, id)
			if session != "" && b.Property(ctx, login, string(session), login+".Session", "LockedHint", &locked) == nil {
				l.lock(byHint, locked)
			}
		},
		Signal: func(s *dbus.Signal) {
			switch s.Name {
			case login + ".Manager.PrepareForSleep":
				if on, ok := boolean(s); ok {
					l.sleep(on)
				}
				return
			}
			if s.Path != session {
				return
			}
			switch s.Name {
			case login + ".Session.Lock":
				l.lock(byRequest, true)
			case login + ".Session.Unlock":
				l.lock(byRequest, false)
			default:
				if hint, ok := changed(s)["LockedHint"]; ok {
					on, _ := hint.Value().(bool)
					l.lock(byHint, on)
					if !on {
						l.lock(byRequest, false)
					}
				}
			}
		},
	})
}

// ownSession is logind's object for the session: by its id, by this process,
// and for a service of the user, which is in none, the session with the display.
func ownSession(ctx context.Context, b *bus.Bus, id string) dbus.ObjectPath {
	var path dbus.ObjectPath
	if id != "" && b.Call(ctx, login, loginPath, login+".Manager.GetSession", 0, []any{&path}, id) == nil {
		return path
	}
	if b.Call(ctx, login, loginPath, login+".Manager.GetSessionByPID", 0, []any{&path}, uint32(0)) == nil {
		return path
	}
	var display struct {
		ID   string
		Path dbus.ObjectPath
	}
	if b.Property(ctx, login, loginPath+"/user/self", login+".User", "Display", &display) == nil && display.ID != "" {
		return display.Path
	}
	return ""
}

// followSavers follows the screen savers of the desktops.
func followSavers(b *bus.Bus, l *locks) {
	for _, saver := range savers {
		b.Follow(&bus.Watch{
			Name:  saver.name,
			Rules: []bus.Rule{{Interface: saver.name, Member: "ActiveChanged"}},
			Owner: func(present bool) {
				on := false
				if present {
					ctx, cancel := context.WithTimeout(context.Background(), readTime)
					defer cancel()
					_ = b.Call(ctx, saver.name, saver.path, saver.name+".GetActive", dbus.FlagNoAutoStart, []any{&on})
				}
				l.lock(saver.name, on)
			},
			Signal: func(s *dbus.Signal) {
				if on, ok := boolean(s); ok {
					l.lock(saver.name, on)
					if !on {
						l.lock(byRequest, false)
					}
				}
			},
		})
	}
}

func boolean(s *dbus.Signal) (on, ok bool) {
	if len(s.Body) == 0 {
		return false, false
	}
	on, ok = s.Body[0].(bool)
	return on, ok
}

// changed are the properties that a PropertiesChanged tells the values of.
func changed(s *dbus.Signal) map[string]dbus.Variant {
	if len(s.Body) < 2 {
		return nil
	}
	props, _ := s.Body[1].(map[string]dbus.Variant)
	return props
}
