package host

import (
	"context"

	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/environ"
	"github.com/flash-launcher/flash/internal/hotkey"
	"github.com/flash-launcher/flash/internal/ui/bar"
	"github.com/flash-launcher/flash/internal/ui/panel"
	"github.com/flash-launcher/flash/internal/x11"
)

// xscreen is the screen of an X session. Its parts share one connection.
type xscreen struct {
	shown
	loop  *x11.Loop
	keys  *hotkey.Keys
	far   *farKeys // nil where keys can be grabbed
	panel *panel.Panel
	bar   *bar.Bar
	look  *look
}

// newScreen takes up the display of a session, if it has one.
func (h *Host) newScreen(ctx context.Context, env []string) screen {
	display := environ.Lookup(env, "DISPLAY")
	if display == "" {
		remedy := "start Flash inside a graphical session, or run `flash open` in one"
		if environ.Lookup(env, "WAYLAND_DISPLAY") != "" {
			remedy = "let the compositor run XWayland, on which the panel is drawn"
		}
		return noScreen{desktop.Facet{Name: "panel", Remedy: remedy}}
	}
	wayland := environ.Lookup(env, "WAYLAND_DISPLAY") != ""
	s := &xscreen{shown: shown{h: h, ctx: ctx}}
	loop, err := x11.OpenLoop(display, func() { h.do(ctx, "display lost", func() { h.screenLost(ctx, s) }) })
	if err != nil {
		h.log.Warn("the display cannot be used", "error", err.Error())
		return noScreen{desktop.Facet{Name: "panel", Remedy: err.Error()}}
	}
	s.loop = loop
	s.look = newLook(h, env, s.restyle)
	s.panel = panel.New(panel.Options{
		Platform: panel.Platform{Loop: loop, HotKey: s.pressedInPanel, Wayland: wayland},
		Engine:   panelEngine{h.engine, h}, Clock: h.time, Logger: h.log,
		Config:  func() config.Flashlight { return h.cfg.Load().Flashlight },
		Theme:   s.theme,
		Icon:    h.iconOf,
		Copy:    func(text string) error { return h.session.WriteText(ctx, text) },
		Message: s.message,
		Opened:  s.opened,
		Closed:  s.closed,
	})
	s.bar = bar.New(bar.Options{
		Loop: loop, Registry: h.status, Clock: h.time, Logger: h.log,
		Config:  func() config.StatusBar { return h.cfg.Load().StatusBar },
		Clicked: func(action string, _ int) { s.run(action) },
		Theme: func() bar.Theme {
			t := s.theme()
			return bar.Of(t.Background, t.Text, t.Dim, t.Accent, t.Border)
		},
	})
	s.keys = hotkey.New(hotkey.Options{Loop: loop, Pressed: s.pressed, Conflicts: s.conflicted, Logger: h.log})
	if wayland {
		s.far = newFarKeys(h, env, func(id string) { loop.Do(func() { s.pressed(id, xproto.TimeCurrentTime) }) })
	}
	loop.Do(s.panel.Warm)
	return s
}

func (s *xscreen) open(text string, toggle bool) error {
	o := panel.OpenOptions{Query: text}
	s.loop.Do(func() {
		if toggle {
			s.panel.Toggle(o)
			return
		}
		s.panel.Open(o)
	})
	return nil
}

// pressed is a hot key, on the loop and with the keyboard frozen.
func (s *xscreen) pressed(id string, t xproto.Timestamp) {
	s.chord(id, func() { s.panel.Toggle(panel.OpenOptions{Time: t}) }, func(text string) { s.panel.Open(panel.OpenOptions{Query: text, Time: t}) })
}

// pressedInPanel acts on a hot key that reached the open panel as a key.
func (s *xscreen) pressedInPanel(e xproto.KeyPressEvent, held bool) bool {
	id := s.keys.Find(e.Detail, e.State)
	if id == "" {
		return false
	}
	if !held {
		s.pressed(id, e.Time)
	}
	return true
}

func (s *xscreen) theme() panel.Theme { return s.themeFor(s.look.get()) }

func (s *xscreen) restyle() { s.bar.Apply() }

func (s *xscreen) apply() {
	s.bar.Apply()
	if s.far != nil {
		s.bind(s.far.set)
		return
	}
	s.bind(s.keys.Set)
}

func (s *xscreen) hold(held bool) { s.bar.Hold(held) }

func (s *xscreen) describe() []desktop.Facet {
	if s.far != nil {
		return []desktop.Facet{{Name: "panel", Backend: "XWayland " + s.loop.Display}, s.far.describe()}
	}
	return []desktop.Facet{{Name: "panel", Backend: "X11 " + s.loop.Display}, s.chords()}
}

func (s *xscreen) close() {
	s.look.close()
	s.keys.Close()
	if s.far != nil {
		s.far.close()
	}
	s.bar.Close()
	s.panel.Shutdown()
	s.loop.Close()
}
