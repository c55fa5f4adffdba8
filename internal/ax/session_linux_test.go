package ax_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/ax"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

const patience = 60 * time.Second

const stop = syscall.SIGSTOP

var unavailable = desktop.ErrUnavailable

// told is what an observer emitted.
type told struct {
	mu   sync.Mutex
	list []notice
}

type notice struct {
	pid          int
	name, bundle string
}

func (e *told) emit(pid int, name, bundle string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, notice{pid, name, bundle})
}

func (e *told) take() []notice {
	e.mu.Lock()
	defer e.mu.Unlock()
	l := e.list
	e.list = nil
	return l
}

// await waits for a notification and forgets what came up to now.
func (e *told) await(t testing.TB, want notice) {
	t.Helper()
	require.Eventually(t, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		i := slices.Index(e.list, want)
		if i < 0 {
			return false
		}
		e.list = e.list[i+1:]
		return true
	}, patience, 2*time.Millisecond, "%v", want)
}

// desk is a session with an observer and a monitor of its accessibility bus.
type desk struct {
	*desktoptest.Session
	*told
	o *ax.Observer
}

func newDesk(t testing.TB, change func(*ax.Options)) *desk {
	t.Helper()
	leaktest.Check(t)
	d := &desk{Session: desktoptest.New(t), told: &told{}}
	options := ax.Options{Env: d.Env(), Emit: d.emit, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}
	if change != nil {
		change(&options)
	}
	d.o = ax.New(context.Background(), options)
	t.Cleanup(func() { require.NoError(t, d.o.Close()) })
	return d
}

// dialog shows a window with an entry and returns its process and X window.
func (d *desk) dialog(t testing.TB, title string) (*desktoptest.Program, string) {
	t.Helper()
	desktoptest.Need(t, "zenity", "xdotool")
	p := d.Start("zenity", "--entry", "--title="+title, "--text=Say")
	return p, d.Window("^" + title + "$")
}

// The registry's methods, as a monitor names them.
const (
	register   = "org.a11y.atspi.Registry.RegisterEvent"
	deregister = "org.a11y.atspi.Registry.DeregisterEvent"
	texts      = "org.a11y.atspi.Event.Object.TextChanged"
	signals    = "signal" // of any kind, of any app
)

// monitor counts what the accessibility bus carries.
type monitor struct {
	conn  *dbus.Conn
	mu    sync.Mutex
	count map[string]int
}

func (d *desk) a11yBus(t testing.TB) *dbus.Conn {
	t.Helper()
	session, err := dbus.Connect(d.BusAddress())
	require.NoError(t, err)
	defer func() { _ = session.Close() }()
	var address string
	require.NoError(t, session.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&address))
	c, err := dbus.Connect(address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func (d *desk) monitor(t testing.TB) *monitor {
	t.Helper()
	m := &monitor{conn: d.a11yBus(t), count: map[string]int{}}
	messages, stop := make(chan *dbus.Message, 1<<16), make(chan struct{})
	require.NoError(t, m.conn.BusObject().Call("org.freedesktop.DBus.Monitoring.BecomeMonitor", 0, []string{}, uint32(0)).Err)
	m.conn.Eavesdrop(messages)
	t.Cleanup(func() {
		// A connection that is closed while it is listened in on panics.
		m.conn.Eavesdrop(nil)
		close(stop)
	})
	go func() {
		for {
			var msg *dbus.Message
			select {
			case msg = <-messages:
			case <-stop:
			}
			if msg == nil {
				return // stopped, or the bus is gone
			}
			member, _ := msg.Headers[dbus.FieldMember].Value().(string)
			iface, _ := msg.Headers[dbus.FieldInterface].Value().(string)
			m.mu.Lock()
			m.count[iface+"."+member]++
			if msg.Type == dbus.TypeSignal && strings.HasPrefix(iface, "org.a11y.atspi.Event.") {
				m.count[signals]++
			}
			m.mu.Unlock()
		}
	}()
	return m
}

// await waits until the bus has carried something n times.
func (m *monitor) await(t testing.TB, key string, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return m.of(key) >= n }, patience, 2*time.Millisecond, "%s", key)
}

func (m *monitor) all() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, c := range m.count {
		n += c
	}
	return n
}

func (m *monitor) of(key string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count[key]
}
