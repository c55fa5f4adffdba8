package session

import (
	"context"
	"sync/atomic"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/desktop/bus"
)

const (
	upower        = "org.freedesktop.UPower"
	upowerPath    = "/org/freedesktop/UPower"
	upowerDisplay = upowerPath + "/devices/DisplayDevice" // all batteries as one
	upowerDevice  = upower + ".Device"
)

// power is what of the power supply plugins are told the change of. UPower
// itself says more often that it looked.
type power struct {
	known   bool
	battery bool
	percent int
	state   uint32
}

func (p *power) read(props map[string]dbus.Variant) {
	if on, ok := props["OnBattery"].Value().(bool); ok {
		p.battery = on
	}
	if v, ok := props["Percentage"].Value().(float64); ok {
		p.percent = int(v)
	}
	if v, ok := props["State"].Value().(uint32); ok {
		p.state = v
	}
}

// followPower follows UPower, which is started if the system has it, and the
// kernel where it has not. It ends with ctx.
func followPower(ctx context.Context, b *bus.Bus, changedTo func()) error {
	var served atomic.Bool
	err := followSupplies(ctx, func() {
		if !served.Load() {
			changedTo()
		}
	})
	if b.Address() == "" {
		return err
	}
	var now power // on the bus's goroutine
	take := func(props ...map[string]dbus.Variant) {
		before := now
		for _, p := range props {
			now.read(p)
		}
		if now.known = true; before.known && before != now {
			changedTo()
		}
	}
	stop := b.Follow(&bus.Watch{
		Name: upower,
		Rules: []bus.Rule{
			{Path: upowerPath, Interface: properties, Member: "PropertiesChanged", Arg0: upower},
			{Path: upowerDisplay, Interface: properties, Member: "PropertiesChanged", Arg0: upowerDevice},
		},
		Owner: func(present bool) {
			if served.Store(present); !present {
				return
			}
			ctx, cancel := context.WithTimeout(ctx, readTime)
			defer cancel()
			line, err := b.Properties(ctx, upower, upowerPath, upower)
			if err != nil {
				return
			}
			battery, _ := b.Properties(ctx, upower, upowerDisplay, upowerDevice)
			take(line, battery)
		},
		Signal: func(s *dbus.Signal) { take(changed(s)) },
	})
	context.AfterFunc(ctx, stop)
	start(ctx, b, upower)
	return nil
}

// start has the daemon start a service that it knows and that does not run.
// Nobody waits for it: it shows by its name.
func start(ctx context.Context, b *bus.Bus, name string) {
	go func() {
		_ = b.Call(ctx, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.StartServiceByName", 0, nil, name, uint32(0))
	}()
}
