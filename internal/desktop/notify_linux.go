package desktop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	notifyName = "org.freedesktop.Notifications"
	notifyPath = "/org/freedesktop/Notifications"
)

// busNotifier shows messages through the desktop's notification service.
type busNotifier struct {
	bus *bus

	mu     sync.Mutex
	markup bool // the service reads markup in bodies
	asked  bool
}

// newNotifier needs a session bus; whether a service answers on it shows at
// the first message, since many are started by it.
func newNotifier(b *bus) (n Notifier, backend, remedy string) {
	if b.address == "" {
		remedy = "start the host inside a session, or set DBUS_SESSION_BUS_ADDRESS"
		return noNotifier{unavailable("notify", "this session has no bus", remedy)}, "", remedy
	}
	return &busNotifier{bus: b}, notifyName, ""
}

func (n *busNotifier) Notify(ctx context.Context, title, body string, d time.Duration) error {
	markup, err := n.readsMarkup(ctx)
	if err != nil {
		return notifyError(err)
	}
	if markup {
		body = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(body)
	}
	ms := int32(-1) // the service's own choice
	if d > 0 {
		ms = int32(min(d, time.Hour).Milliseconds())
	}
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(byte(1)), "transient": dbus.MakeVariant(true)}
	var id uint32
	return notifyError(n.bus.call(ctx, notifyName, notifyPath, notifyName+".Notify", 0, []any{&id},
		"Flash", uint32(0), "", title, body, []string{}, hints, ms))
}

func (n *busNotifier) readsMarkup(ctx context.Context) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asked {
		return n.markup, nil
	}
	var caps []string
	if err := n.bus.call(ctx, notifyName, notifyPath, notifyName+".GetCapabilities", 0, []any{&caps}); err != nil {
		return false, err
	}
	n.asked, n.markup = true, slices.Contains(caps, "body-markup")
	return n.markup, nil
}

func notifyError(err error) error {
	var e dbus.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && (e.Name == "org.freedesktop.DBus.Error.ServiceUnknown" || e.Name == "org.freedesktop.DBus.Error.NameHasNoOwner"):
		return unavailable("notify", "no notification service runs in this session", "start one (mako, dunst, or the desktop's own)")
	}
	return fmt.Errorf("notify: %w", err)
}
