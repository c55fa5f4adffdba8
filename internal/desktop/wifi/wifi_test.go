package wifi

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/bus"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

type machine struct {
	t    *testing.T
	conn *dbus.Conn
	wifi *Wifi
}

func newMachine(t *testing.T) *machine {
	leaktest.Check(t)
	s := desktoptest.New(t)
	c, err := dbus.Connect(s.BusAddress())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	b := bus.New(s.BusAddress(), event.System())
	t.Cleanup(func() { _ = b.Close() })
	return &machine{t, c, New(b)}
}

func (m *machine) object(path string, faces map[string]map[string]any) {
	m.t.Helper()
	all := prop.Map{}
	for iface, props := range faces {
		all[iface] = map[string]*prop.Prop{}
		for k, v := range props {
			all[iface][k] = &prop.Prop{Value: v}
		}
	}
	_, err := prop.Export(m.conn, dbus.ObjectPath(path), all)
	require.NoError(m.t, err)
}

func (m *machine) own(name string) {
	m.t.Helper()
	_, err := m.conn.RequestName(name, dbus.NameFlagDoNotQueue)
	require.NoError(m.t, err)
}

func (m *machine) want(ssid string, present bool) {
	m.t.Helper()
	got, is, err := m.wifi.SSID(m.t.Context(), true)
	require.NoError(m.t, err)
	require.Equal(m.t, present, is)
	require.Equal(m.t, ssid, got)
}

func TestNetworkManagerNamesTheNetwork(t *testing.T) {
	m := newMachine(t)
	m.want("", false)
	m.object(managerPath, map[string]map[string]any{manager: {"Devices": []dbus.ObjectPath{"/gone", "/d/eth", "/d/idle", "/d/wifi"}}})
	m.object("/d/eth", map[string]map[string]any{manager + ".Device": {"DeviceType": uint32(1)}})
	m.object("/d/idle", map[string]map[string]any{manager + ".Device": {"DeviceType": uint32(2)}, manager + ".Device.Wireless": {"ActiveAccessPoint": dbus.ObjectPath("/")}})
	m.own(manager)
	m.want("", false)
	m.object("/d/wifi", map[string]map[string]any{manager + ".Device": {"DeviceType": uint32(2)}, manager + ".Device.Wireless": {"ActiveAccessPoint": dbus.ObjectPath("/ap")}})
	for ssid, want := range map[string]string{"Café 5G": "Café 5G", "": "", "a\xff": "", "a\nb": "", strings.Repeat("x", 33): ""} {
		m.object("/ap", map[string]map[string]any{manager + ".AccessPoint": {"Ssid": []byte(ssid)}})
		m.want(want, true)
	}
}

type tree map[dbus.ObjectPath]map[string]map[string]dbus.Variant

// objects is what iwd tells of.
type objects struct{ atomic.Pointer[tree] }

func (o *objects) GetManagedObjects() (tree, *dbus.Error) { return *o.Load(), nil }

func TestIwdNamesTheNetwork(t *testing.T) {
	m := newMachine(t)
	station := func(props map[string]dbus.Variant) *tree {
		return &tree{
			"/net/connman/iwd/0/4":    {iwd + ".Station": props},
			"/net/connman/iwd/0/4/ap": {iwd + ".Network": {"Name": dbus.MakeVariant("Home")}},
		}
	}
	var o objects
	o.Store(station(map[string]dbus.Variant{"State": dbus.MakeVariant("disconnected")}))
	require.NoError(t, m.conn.Export(&o, "/", "org.freedesktop.DBus.ObjectManager"))
	m.own(iwd)
	m.want("", false)
	o.Store(station(map[string]dbus.Variant{"ConnectedNetwork": dbus.MakeVariant(dbus.ObjectPath("/net/connman/iwd/0/4/ap"))}))
	m.want("Home", true)
}

func TestAMachineWithoutEitherServiceIsInNoNetwork(t *testing.T) {
	leaktest.Check(t)
	w := New(bus.New("", event.System()))
	_, present, err := w.SSID(t.Context(), false)
	require.NoError(t, err)
	require.False(t, present)
	require.Empty(t, w.Backend(t.Context()))
}
