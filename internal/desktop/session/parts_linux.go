package session

import (
	"context"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/bus"
	"github.com/flash-launcher/flash/internal/desktop/clip"
	"github.com/flash-launcher/flash/internal/desktop/keys"
	"github.com/flash-launcher/flash/internal/desktop/media"
	"github.com/flash-launcher/flash/internal/desktop/wifi"
	"github.com/flash-launcher/flash/internal/environ"
	"github.com/flash-launcher/flash/protocol"
)

// parts is what belongs to one session and goes with it.
type parts struct {
	env     []string
	facets  *desktop.Facets
	system  *bus.Bus
	session *bus.Bus
	display string // of X11, "" where there is none
	wayland bool

	x     *clip.X11     // nil without an X display
	way   *clip.Wayland // nil without a Wayland one
	media *media.Keys
	wifi  *wifi.Wifi
	keys  *keys.X11 // nil where no key can be pressed
	locks *locks    // nil where nobody asks

	followed map[string]*followed // by event
}

func newParts(o Options) *parts {
	p := &parts{
		env: o.Env, facets: o.Facets, session: bus.New(desktop.SessionBusAddress(o.Env), o.Time),
		display: environ.Lookup(o.Env, "DISPLAY"), wayland: environ.Lookup(o.Env, "WAYLAND_DISPLAY") != "", followed: map[string]*followed{},
	}
	system := o.SystemBus
	if system == "" {
		system = bus.SystemAddress(o.Env)
	}
	p.system = bus.New(system, o.Time)
	if p.wayland {
		p.way = clip.NewWayland(waylandSocket(o.Env))
	}
	var presser media.Presser
	if p.display != "" {
		p.x = clip.NewX11(p.display, o.Time)
		if !p.wayland { // there only the X programs among them would hear of a key
			p.keys = keys.New(p.display, o.Time)
			presser = p.keys
		}
	}
	p.wifi = wifi.New(p.system)
	p.media = media.New(media.Options{
		Bus: p.session, Presser: presser, Error: unavailable,
		Find: func(program string) string { return desktop.FindProgram(o.Env, program) },
		Run: func(ctx context.Context, argv ...string) ([]byte, error) {
			cmd, err := p.tool(ctx, argv...)
			if err != nil {
				return nil, err
			}
			return cmd.Output()
		},
	})
	if o.State != nil {
		p.locks = newLocks(o.State)
		followLogin(p.system, environ.Lookup(o.Env, "XDG_SESSION_ID"), p.locks)
		followSavers(p.session, p.locks)
	}
	return p
}

func (p *parts) tool(ctx context.Context, argv ...string) (*exec.Cmd, error) {
	return desktop.Tool(ctx, p.env, argv...)
}

func (p *parts) close() {
	for event := range p.followed {
		p.leave(event)
	}
	_ = p.system.Close()
	_ = p.session.Close()
	if p.locks != nil {
		p.locks.close()
	}
	if p.x != nil {
		p.x.Close()
	}
	if p.way != nil {
		p.way.Close()
	}
}

// waylandSocket is where the compositor of an environment listens.
func waylandSocket(env []string) string {
	name := environ.Lookup(env, "WAYLAND_DISPLAY")
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(environ.Lookup(env, "XDG_RUNTIME_DIR"), name)
}

// source is where copies are heard of, nil where nowhere. The clipboard of
// XWayland is not the compositor's.
func (p *parts) source() clip.Source {
	switch {
	case p.way != nil:
		return p.way
	case p.x != nil:
		return p.x
	}
	return nil
}

// follow starts to follow what an event is about.
func (p *parts) follow(event string, wait time.Duration, o Options) *followed {
	ctx, cancel := context.WithCancel(context.Background())
	f := &followed{cancel: cancel, settle: &settle{time: o.Time, wait: wait, call: func() { o.Emit(event) }}}
	p.followed[event] = f
	switch event {
	case protocol.EventPowerChanged:
		f.err = followPower(ctx, p.system, f.settle.touch)
	case protocol.EventNetworkChanged:
		f.err = followNetwork(ctx, f.settle.touch)
	case protocol.EventVolumesChanged:
		f.err = followMounts(ctx, mountTable, f.settle.touch)
	case protocol.EventSpaceChanged:
		if p.display == "" {
			f.err = unavailable("spaces", "there is no X display", remedyDisplay)
			break
		}
		f.err = followSpace(ctx, p.display, f.settle.touch, func() {})
	}
	return f
}

const remedyDisplay = "start Flash inside a graphical session, or open the flashlight from one once"

var errNoClipboard = unavailable("clipboard watch", "there is no display", remedyDisplay)

// writers are the ways to the clipboard, the best first. Those of the desktop
// leave a program behind that holds the text.
func (p *parts) writers() []func(context.Context, string) error {
	tool := p.facets.Clipboard.WriteText
	switch {
	case p.way != nil && p.x != nil:
		return []func(context.Context, string) error{p.way.WriteText, tool, p.x.WriteText}
	case p.way != nil:
		return []func(context.Context, string) error{p.way.WriteText, tool}
	case p.x != nil:
		return []func(context.Context, string) error{p.x.WriteText, tool}
	}
	return []func(context.Context, string) error{tool}
}

func (p *parts) postKeys(ctx context.Context, pid int, keys []broker.Key, interval time.Duration) error {
	if p.keys == nil {
		return p.noKeys()
	}
	return p.keys.PostKeys(ctx, pid, keys, interval)
}

func (p *parts) postGlobalKey(ctx context.Context, key broker.Key) error {
	if p.keys == nil {
		return p.noKeys()
	}
	return p.keys.PostGlobalKey(ctx, key)
}
