package desktop

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/desktop/bus"
)

const (
	notifyName = "org.freedesktop.Notifications"
	notifyPath = "/org/freedesktop/Notifications"
)

// busNotifier shows messages through the desktop's notification service. A
// message takes the place of the one before it under the same title, while that
// still shows.
type busNotifier struct {
	bus *services

	mu     sync.Mutex
	markup bool // the service reads markup in bodies
	asked  bool
	shown  map[string]notice // by title
}

// notice is a message that may still show. Its number means something to the
// service that gave it only.
type notice struct {
	id    uint32
	owner string
	until time.Time
}

// usualNotice is how long services show a message of no stated duration.
const usualNotice = 5 * time.Second

// newNotifier needs a session bus; whether a service answers on it shows at
// the first message, since many are started by it.
func newNotifier(b *services) (n Notifier, backend, remedy string) {
	if b.Address() == "" {
		remedy = "start Flash inside a session, or set DBUS_SESSION_BUS_ADDRESS"
		return noNotifier{unavailable("notify", "this session has no bus", remedy)}, "", remedy
	}
	return &busNotifier{bus: b, shown: map[string]notice{}}, notifyName, ""
}

func (n *busNotifier) Notify(ctx context.Context, title, body string, d time.Duration) error {
	markup, err := n.readsMarkup(ctx)
	if err != nil {
		return notifyError(err)
	}
	title, body = plain(title), plain(body)
	if markup {
		body = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(body)
	}
	ms := int32(-1) // the service's own choice
	if d > 0 {
		ms = int32(min(d, time.Hour).Milliseconds())
	}
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(byte(1)), "transient": dbus.MakeVariant(true)}
	var owner string
	if n.bus.Call(ctx, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetNameOwner", 0, []any{&owner}, notifyName) != nil {
		owner = notifyName // not there now: the message starts it
	}
	var id uint32
	if err := n.bus.Call(ctx, owner, notifyPath, notifyName+".Notify", 0, []any{&id},
		"Flash", n.replaces(title, owner), "", title, body, []string{}, hints, ms); err != nil {
		return notifyError(err)
	}
	if d <= 0 {
		d = usualNotice
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.shown[title] = notice{id, owner, time.Now().Add(d)}
	return nil
}

// replaces is the number of the message that one under title takes the place
// of, 0 for none. What no longer shows is forgotten.
func (n *busNotifier) replaces(title, owner string) uint32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	for t, s := range n.shown {
		if s.owner != owner || now.After(s.until) {
			delete(n.shown, t)
		}
	}
	return n.shown[title].id
}

// plain is a text as a bus takes it: one that holds a zero byte, or is no UTF-8,
// ends the connection.
func plain(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

func (n *busNotifier) readsMarkup(ctx context.Context) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asked {
		return n.markup, nil
	}
	var caps []string
	if err := n.bus.Call(ctx, notifyName, notifyPath, notifyName+".GetCapabilities", 0, []any{&caps}); err != nil {
		return false, err
	}
	n.asked, n.markup = true, slices.Contains(caps, "body-markup")
	return n.markup, nil
}

func notifyError(err error) error {
	if bus.IsAbsent(err) {
		return unavailable("notify", "no notification service runs in this session", "start one (mako, dunst, or the desktop's own)")
	}
	return fmt.Errorf("notify: %w", err)
}
