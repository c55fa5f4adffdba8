// Package bus owns a connection to a D-Bus daemon: made when first needed, made
// again when it was lost, with the services that somebody follows on it. It
// never starts a daemon, never asks on a timer, and knows no service.
package bus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/event"
)

// Timeout bounds a call when its caller set no earlier deadline: a service that
// has to be started first takes a second or two.
const Timeout = 5 * time.Second

var (
	// ErrNone is wrapped by what a bus without an address answers.
	ErrNone    = errors.New("there is no bus")
	errLetGo   = errors.New("the bus was let go")
	errConnect = errors.New("it does not answer")
)

// Bus is one bus. All methods may be called from any goroutine.
type Bus struct {
	address string
	time    event.Time

	mu      sync.Mutex
	conn    *link
	closed  bool
	watches []*Watch
	serving bool          // serve runs, as it does while anything is followed
	wake    chan struct{} // something above changed
	served  sync.WaitGroup
}

// link is one connection and what came over it for those that follow services.
type link struct {
	*dbus.Conn
	cancel  context.CancelFunc
	signals chan *dbus.Signal
	missed  chan struct{} // signals found no room: what is known is out of date
}

// New is the bus at address; "" is a bus that is not there.
func New(address string, t event.Time) *Bus {
	return &Bus{address: address, time: t, wake: make(chan struct{}, 1)}
}

// SystemAddress is where the system bus is, by the environment or by
// convention; "" where no socket is.
func SystemAddress(env []string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], "DBUS_SYSTEM_BUS_ADDRESS="); ok && v != "" {
			return v
		}
	}
	for _, sock := range [...]string{"/run/dbus/system_bus_socket", "/var/run/dbus/system_bus_socket"} {
		if info, err := os.Stat(sock); err == nil && info.Mode()&os.ModeSocket != 0 {
			return "unix:path=" + sock
		}
	}
	return ""
}

// Address is where the bus is, "" when there is none.
func (b *Bus) Address() string { return b.address }

// Conn is the connection, made if there is none.
func (b *Bus) Conn() (*dbus.Conn, error) {
	l, err := b.link()
	if err != nil {
		return nil, err
	}
	return l.Conn, nil
}

func (b *Bus) link() (*link, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.address == "":
		return nil, ErrNone
	case b.closed:
		return nil, errLetGo
	case b.conn != nil && b.conn.Connected():
		return b.conn, nil
	}
	l, err := dial(b.address)
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	b.conn = l
	b.signal() // what is followed may have waited for it
	return l, nil
}

func dial(address string) (*link, error) {
	ctx, cancel := context.WithCancel(context.Background())
	late := time.AfterFunc(Timeout, cancel)
	l := &link{cancel: cancel, signals: make(chan *dbus.Signal, maxSignals), missed: make(chan struct{}, 1)}
	conn, err := dbus.Connect(address, dbus.WithContext(ctx), dbus.WithSignalHandler(l))
	if err == nil && !late.Stop() {
		err = errConnect
	}
	if err != nil {
		late.Stop()
		cancel()
		return nil, err
	}
	l.Conn = conn
	return l, nil
}

// Close ends the connection and everything that is followed on it.
func (b *Bus) Close() error {
	b.mu.Lock()
	l := b.conn
	b.conn, b.closed = nil, true
	b.signal()
	b.mu.Unlock()
	var err error
	if l != nil {
		err = l.Close()
		l.cancel()
	}
	b.served.Wait()
	return err
}

func (b *Bus) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Call invokes a method and stores its results.
func (b *Bus) Call(ctx context.Context, dest, path, method string, flags dbus.Flags, out []any, args ...any) error {
	conn, err := b.Conn()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	call := conn.Object(dest, dbus.ObjectPath(path)).CallWithContext(ctx, method, flags, args...)
	if call.Err != nil {
		return call.Err
	}
	if len(out) == 0 {
		return nil
	}
	return call.Store(out...)
}

// Property reads one property. It starts no service, as Properties does not.
func (b *Bus) Property(ctx context.Context, dest, path, iface, name string, out any) error {
	var v dbus.Variant
	if err := b.Call(ctx, dest, path, "org.freedesktop.DBus.Properties.Get", dbus.FlagNoAutoStart, []any{&v}, iface, name); err != nil {
		return err
	}
	return v.Store(out)
}

// Properties reads all properties of one interface.
func (b *Bus) Properties(ctx context.Context, dest, path, iface string) (map[string]dbus.Variant, error) {
	var all map[string]dbus.Variant
	err := b.Call(ctx, dest, path, "org.freedesktop.DBus.Properties.GetAll", dbus.FlagNoAutoStart, []any{&all}, iface)
	return all, err
}

// Offers reports whether a name has an owner or the daemon would start one.
func (b *Bus) Offers(ctx context.Context, name string) bool {
	var owned bool
	if b.Call(ctx, daemon, daemonPath, daemon+".NameHasOwner", 0, []any{&owned}, name) != nil {
		return false
	}
	if owned {
		return true
	}
	var names []string
	if b.Call(ctx, daemon, daemonPath, daemon+".ListActivatableNames", 0, []any{&names}) != nil {
		return false
	}
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// IsAbsent reports whether err says that nobody has the name that was called.
func IsAbsent(err error) bool {
	var e dbus.Error
	return errors.Is(err, ErrNone) || errors.As(err, &e) && (e.Name == "org.freedesktop.DBus.Error.ServiceUnknown" || e.Name == "org.freedesktop.DBus.Error.NameHasNoOwner")
}
