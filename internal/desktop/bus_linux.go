package desktop

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/desktop/bus"
	"github.com/flash-launcher/flash/internal/event"
)

// services is the session bus with what is asked of the services on it.
type services struct{ *bus.Bus }

func newServices(env environ) *services {
	return &services{bus.New(SessionBusAddress(env), event.System())}
}

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

// activate starts or raises an application that speaks
// org.freedesktop.Application under its own id.
func (b *services) activate(ctx context.Context, id, action string, urls []string) error {
	if strings.Count(id, ".") == 0 || strings.ContainsAny(id, "/: ") {
		return fmt.Errorf("its id is no bus name")
	}
	path := "/" + strings.NewReplacer(".", "/", "-", "_").Replace(id)
	const face = "org.freedesktop.Application."
	data := map[string]dbus.Variant{}
	switch {
	case action != "":
		return b.Call(ctx, id, path, face+"ActivateAction", 0, nil, action, []dbus.Variant{}, data)
	case len(urls) > 0:
		uris := make([]string, len(urls))
		for i, u := range urls {
			if uris[i] = u; filepath.IsAbs(u) {
				uris[i] = fileURL(u)
			}
		}
		return b.Call(ctx, id, path, face+"Open", 0, nil, uris, data)
	}
	return b.Call(ctx, id, path, face+"Activate", 0, nil, data)
}
