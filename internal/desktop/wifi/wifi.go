// Package wifi owns the name of the wireless network that a Linux machine is
// in, as NetworkManager or iwd tells it. It changes no network and starts
// neither service.
package wifi

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/desktop/bus"
)

const (
	manager     = "org.freedesktop.NetworkManager"
	managerPath = "/org/freedesktop/NetworkManager"
	iwd         = "net.connman.iwd"
	// kindWifi is NetworkManager's number for a wireless device.
	kindWifi   = 2
	maxDevices = 32
	// maxSSID is the longest name that the standard allows.
	maxSSID = 32
)

// Wifi asks over the system bus.
type Wifi struct{ bus *bus.Bus }

// New asks over b.
func New(b *bus.Bus) *Wifi { return &Wifi{b} }

// Backend is the service that is there, "" when none is.
func (w *Wifi) Backend(ctx context.Context) string {
	for _, name := range [...]string{manager, iwd} {
		if w.there(ctx, name) {
			return name
		}
	}
	return ""
}

func (w *Wifi) there(ctx context.Context, name string) bool {
	var owned bool
	err := w.bus.Call(ctx, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner", 0, []any{&owned}, name)
	return err == nil && owned
}

// SSID is the network's name; present is false where the machine is in none. A
// name that is no text is left out. Nothing asks the user.
func (w *Wifi) SSID(ctx context.Context, _ bool) (ssid string, present bool, err error) {
	switch w.Backend(ctx) {
	case manager:
		ssid, present, err = w.managed(ctx)
	case iwd:
		ssid, present, err = w.station(ctx)
	}
	if err != nil {
		if bus.IsAbsent(err) {
			return "", false, nil // it went just now
		}
		return "", false, fmt.Errorf("wifi: %w", err)
	}
	if len(ssid) > maxSSID || !utf8.ValidString(ssid) || strings.ContainsFunc(ssid, func(r rune) bool { return r < ' ' }) {
		ssid = ""
	}
	return ssid, present, nil
}

// managed asks NetworkManager. A device that is gone by the time that it is
// asked is passed over.
func (w *Wifi) managed(ctx context.Context) (string, bool, error) {
	var devices []dbus.ObjectPath
	if err := w.bus.Property(ctx, manager, managerPath, manager, "Devices", &devices); err != nil {
		return "", false, err
	}
	for _, d := range devices[:min(len(devices), maxDevices)] {
		var kind uint32
		if w.bus.Property(ctx, manager, string(d), manager+".Device", "DeviceType", &kind) != nil || kind != kindWifi {
			continue
		}
		var point dbus.ObjectPath
		if w.bus.Property(ctx, manager, string(d), manager+".Device.Wireless", "ActiveAccessPoint", &point) != nil || !point.IsValid() || point == "/" {
			continue
		}
		var ssid []byte
		if w.bus.Property(ctx, manager, string(point), manager+".AccessPoint", "Ssid", &ssid) != nil {
			continue
		}
		return string(ssid), true, nil
	}
	return "", false, ctx.Err()
}

// station asks iwd.
func (w *Wifi) station(ctx context.Context) (string, bool, error) {
	var all map[dbus.ObjectPath]map[string]map[string]dbus.Variant
	if err := w.bus.Call(ctx, iwd, "/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects", dbus.FlagNoAutoStart, []any{&all}); err != nil {
		return "", false, err
	}
	for _, faces := range all {
		station, ok := faces[iwd+".Station"]
		if !ok {
			continue
		}
		var network dbus.ObjectPath
		if station["ConnectedNetwork"].Value() == nil || station["ConnectedNetwork"].Store(&network) != nil {
			continue
		}
		var name string
		if v := all[network][iwd+".Network"]["Name"]; v.Value() != nil && v.Store(&name) == nil {
			return name, true, nil
		}
	}
	return "", false, nil
}
