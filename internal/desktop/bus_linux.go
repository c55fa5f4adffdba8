package desktop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// busTimeout bounds a call on the session bus when the caller set no earlier
// deadline: a service that has to be started first takes a second or two.
const busTimeout = 5 * time.Second

// bus is the session bus, connected at the first call and again when the
// connection was lost.
type bus struct {
	address string // "" where the session has none

	mu     sync.Mutex
	conn   *dbus.Conn
	closed bool
}

func newBus(env environ) *bus { return &bus{address: SessionBusAddress(env)} }

// SessionBusAddress is the address of the bus of the session that env (in the
// form of os.Environ) describes: the one it names, or the well-known socket of
// the user's runtime directory. It is "" where the session has none; an
// autolaunch address, which would start one, counts as none.
func SessionBusAddress(block []string) string {
	env := environ(block)
	addr := env.get("DBUS_SESSION_BUS_ADDRESS")
	if strings.HasPrefix(addr, "autolaunch:") {
		addr = ""
	}
	if dir := env.get("XDG_RUNTIME_DIR"); addr == "" && filepath.IsAbs(dir) {
		sock := filepath.Join(dir, "bus")
		if info, err := os.Stat(sock); err == nil && info.Mode()&os.ModeSocket != 0 {
			addr = "unix:path=" + sock
		}
	}
	return addr
}

func (b *bus) connect() (*dbus.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.address == "":
		return nil, errors.New("this session has no bus")
	case b.closed:
		return nil, errors.New("the session bus was let go")
	case b.conn != nil && b.conn.Connected():
		return b.conn, nil
	}
	conn, err := dbus.Connect(b.address)
	if err != nil {
		return nil, fmt.Errorf("session bus: %w", err)
	}
	b.conn = conn
	return conn, nil
}

func (b *bus) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.conn == nil {
		return nil
	}
	err := b.conn.Close()
	b.conn = nil
	return err
}

// call invokes a method and stores its results.
func (b *bus) call(ctx context.Context, dest, path, method string, flags dbus.Flags, out []any, args ...any) error {
	conn, err := b.connect()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, busTimeout)
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

// activate starts or raises an application that speaks
// org.freedesktop.Application under its own id.
func (b *bus) activate(ctx context.Context, id, action string, urls []string) error {
	if strings.Count(id, ".") == 0 || strings.ContainsAny(id, "/: ") {
		return fmt.Errorf("its id is no bus name")
	}
	path := "/" + strings.NewReplacer(".", "/", "-", "_").Replace(id)
	const face = "org.freedesktop.Application."
	data := map[string]dbus.Variant{}
	switch {
	case action != "":
		return b.call(ctx, id, path, face+"ActivateAction", 0, nil, action, []dbus.Variant{}, data)
	case len(urls) > 0:
		uris := make([]string, len(urls))
		for i, u := range urls {
			if uris[i] = u; filepath.IsAbs(u) {
				uris[i] = fileURL(u)
			}
		}
		return b.call(ctx, id, path, face+"Open", 0, nil, uris, data)
	}
	return b.call(ctx, id, path, face+"Activate", 0, nil, data)
}
