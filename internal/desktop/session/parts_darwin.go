//go:build darwin && cgo

package session

import (
	"context"
	"fmt"
	"time"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/clip"
	"github.com/flash-launcher/flash/internal/desktop/mac"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// parts is what the host follows and does in the user's session; macOS has one.
type parts struct {
	facets *desktop.Facets
	time   event.Time
	ax     mac.AX
	board  *mac.BoardWatch
	media  mediaKeys
	wifi   wireless
	locks  *locks // nil where nobody asks
	serial *mac.Serial
	stop   func() // the following of locks

	followed map[string]*followed // by event
}

var errNoClipboard error // there always is one

func newParts(o Options) *parts {
	clock := o.Clock
	if clock == nil {
		clock = event.NewClock(o.Time)
	}
	p := &parts{facets: o.Facets, time: o.Time, ax: mac.NewAX(), serial: &mac.Serial{}, followed: map[string]*followed{}}
	p.media.ax = p.ax
	p.board = mac.NewBoardWatch(mac.BoardOptions{
		Board: board{}, Most: clip.MaxText, Clock: clock,
		Activated: func(fn func()) func() {
			return mac.Follow(desktop.OnMain, []string{mac.AppActivated}, func(mac.Note) { fn() })
		},
	})
	if o.State != nil {
		p.locks = newLocks(o.State)
		// Whoever is told may want the main thread, which tells.
		p.stop = mac.Follow(desktop.OnMain, mac.PresenceNotices, func(n mac.Note) {
			p.serial.Do(func() { p.present(n.Name) })
		})
	}
	return p
}

func (p *parts) present(notice string) {
	switch s, ok := mac.PresenceOf(notice); {
	case !ok:
	case s.Sleep:
		p.locks.sleep(s.On)
	default:
		p.locks.lock(s.By, s.On)
	}
}

func (p *parts) close() {
	for event := range p.followed {
		p.leave(event)
	}
	if p.locks != nil {
		p.stop()
		p.serial.End()
		p.locks.close()
	}
}

func (p *parts) source() clip.Source { return p.board }

func (p *parts) writers() []func(context.Context, string) error {
	return []func(context.Context, string) error{p.facets.Clipboard.WriteText}
}

// follow starts to follow what an event is about.
func (p *parts) follow(name string, wait time.Duration, o Options) *followed {
	f := &followed{settle: &settle{time: o.Time, wait: wait, call: func() { o.Emit(name) }}}
	p.followed[name] = f
	notices := func(names ...string) (func(), error) {
		return mac.Follow(desktop.OnMain, names, func(mac.Note) { f.settle.touch() }), nil
	}
	switch name {
	case protocol.EventPowerChanged:
		var supply mac.Changed[mac.Supply] // on the run-loop thread, but for the first look
		supply.Now(mac.ReadSupply())
		f.cancel, f.err = mac.FollowPower(func() {
			if supply.Now(mac.ReadSupply()) {
				f.settle.touch()
			}
		})
	case protocol.EventNetworkChanged:
		f.cancel, f.err = mac.FollowNetwork(f.settle.touch)
	case protocol.EventVolumesChanged:
		f.cancel, f.err = notices(mac.VolumeMounted, mac.VolumeGone, mac.VolumeRenamed)
	case protocol.EventSpaceChanged:
		f.cancel, f.err = notices(mac.SpaceChanged, mac.ScreensChanged)
	}
	if f.err != nil {
		f.cancel = func() {}
	}
	return f
}

// allowed is nil where events may be posted.
func allowed(ax mac.AX, facet string) error {
	if ax.Trusted(false) {
		return nil
	}
	return fmt.Errorf("%s %w: %s", facet, desktop.ErrUnavailable, mac.Remedy)
}

type mediaKeys struct{ ax mac.AX }

// PostMediaKey presses a media key. AppKit makes its events.
func (m mediaKeys) PostMediaKey(_ context.Context, code int) error {
	if err := allowed(m.ax, "media keys"); err != nil {
		return err
	}
	err := make(chan error, 1)
	desktop.OnMain(func() {
		for _, s := range mac.Media(code) {
			if e := mac.PostMedia(s); e != nil {
				err <- fmt.Errorf("media keys: %w", e)
				return
			}
		}
		err <- nil
	})
	select {
	case e := <-err:
		return e
	default: // the main thread ended
		return desktop.ErrUnavailable
	}
}

type wireless struct{}

// SSID names the wireless network, to those who may know the location; the user
// is asked for that only when authorize is set.
func (wireless) SSID(_ context.Context, authorize bool) (string, bool, error) {
	if authorize {
		desktop.OnMain(mac.AskLocation)
	}
	w, err := mac.ReadWireless()
	if err != nil {
		return "", false, err
	}
	ssid, present := w.Network()
	return ssid, present, nil
}

func (p *parts) postKeys(ctx context.Context, pid int, keys []broker.Key, interval time.Duration) error {
	if err := allowed(p.ax, "keys"); err != nil {
		return err
	}
	for i, k := range keys {
		if i > 0 {
			if err := event.Wait(ctx, p.time, interval); err != nil {
				return err
			}
		}
		if err := post(pid, mac.Press(k.Code, k.Modifiers)); err != nil {
			return err
		}
	}
	return nil
}

func (p *parts) postGlobalKey(_ context.Context, k broker.Key) error {
	if err := allowed(p.ax, "keys"); err != nil {
		return err
	}
	return post(0, mac.Chord(k.Code, k.Modifiers))
}

// post posts all of the steps, whatever one comes to: what went down comes up.
func post(pid int, steps []mac.KeyStep) error {
	var failed error
	for _, s := range steps {
		if err := mac.PostKey(pid, s); err != nil {
			failed = fmt.Errorf("keys: %w", err)
		}
	}
	return failed
}

func (p *parts) describe(context.Context) []desktop.Facet {
	out := []desktop.Facet{
		{Name: "clipboard watch", Backend: "NSPasteboard change count"}, {Name: "wifi", Backend: "CoreWLAN"}, {Name: "power", Backend: "IOPowerSources"},
		{Name: "network", Backend: "SCDynamicStore"}, {Name: "lock and sleep", Backend: "NSWorkspace and the lock screen's notices"},
		{Name: "volumes", Backend: "NSWorkspace"}, {Name: "spaces", Backend: "NSWorkspace"},
	}
	for _, name := range [...]string{"media keys", "keys"} {
		if p.ax.Trusted(false) {
			out = append(out, desktop.Facet{Name: name, Backend: "CGEvent"})
		} else {
			out = append(out, desktop.Facet{Name: name, Remedy: mac.Remedy})
		}
	}
	return out
}
