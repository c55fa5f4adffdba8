package session

import (
	"context"
	"errors"

	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/bus"
	"github.com/flash-launcher/flash/internal/desktop/clip"
)

const remedyWayland = "use an X11 session; a Wayland compositor lets no program press keys"

// noKeys is why no key can be pressed.
func (p *parts) noKeys() error {
	if p.wayland {
		return unavailable("keys", "this is a Wayland session", remedyWayland)
	}
	return unavailable("keys", "there is no X display", remedyDisplay)
}

func (p *parts) describe(ctx context.Context) []desktop.Facet {
	var out []desktop.Facet
	out = append(out, p.clipboard()...)
	line := func(name, backend, remedy string) {
		if backend != "" {
			remedy = ""
		}
		out = append(out, desktop.Facet{Name: name, Backend: backend, Remedy: remedy})
	}
	backend, missing := p.media.Backend()
	line("media keys", backend, missing)
	line("wifi", p.wifi.Backend(ctx), "start NetworkManager or iwd")
	supply := first(ctx, p.system, upower)
	if supply == "" {
		supply = "kernel events (install upower for the percentage too)"
	}
	line("power", supply, "")
	line("network", "rtnetlink", "")
	line("lock and sleep", p.lockBackend(ctx), "run systemd-logind or elogind, or a screen saver with a D-Bus service")
	line("volumes", mountTable, "")
	keys, spaces := "", ""
	remedy := remedyDisplay
	if p.wayland {
		remedy = remedyWayland
	}
	if p.display != "" {
		spaces = spaceProperty
	}
	if p.keys != nil {
		keys = "XTEST"
	}
	line("spaces", spaces, remedyDisplay)
	line("keys", keys, remedy)
	return out
}

// clipboard is what writes the clipboard, where that is not one of the desktop's
// programs, and what follows it.
func (p *parts) clipboard() []desktop.Facet {
	write, watch := desktop.Facet{Name: "clipboard"}, desktop.Facet{Name: "clipboard watch"}
	switch {
	case p.way != nil:
		err := p.way.Probe()
		switch {
		case err == nil:
			write.Backend, watch.Backend = "Wayland data control", "Wayland data control"
			return []desktop.Facet{write, watch}
		case errors.Is(err, clip.ErrNoControl):
			watch.Remedy = clip.ErrNoControl.Error() + "; use another compositor, or an X11 session"
		default:
			watch.Remedy = remedyDisplay
		}
	case p.x != nil:
		write.Backend, watch.Backend = "X11 selection", "XFIXES"
		return []desktop.Facet{write, watch}
	default:
		watch.Remedy = remedyDisplay
	}
	return []desktop.Facet{watch}
}

func (p *parts) lockBackend(ctx context.Context) string {
	if b := first(ctx, p.system, login); b != "" {
		return b
	}
	var names []string
	for _, s := range savers {
		names = append(names, s.name)
	}
	return first(ctx, p.session, names...)
}

func first(ctx context.Context, b *bus.Bus, names ...string) string {
	if b.Address() == "" {
		return ""
	}
	for _, n := range names {
		if b.Offers(ctx, n) {
			return n
		}
	}
	return ""
}
