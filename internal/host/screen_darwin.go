//go:build darwin && cgo

package host

import (
	"context"

	"github.com/progrium/darwinkit/dispatch"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/hotkey"
	"github.com/flash-launcher/flash/internal/ui/menubar"
	"github.com/flash-launcher/flash/internal/ui/panel"
)

// macScreen is the screen of a Mac. Its parts share the main thread.
type macScreen struct {
	shown
	keys  *hotkey.Keys
	panel *panel.Panel
	bar   *menubar.Bar
}

// onMainQueue runs fn on the main thread, after what was asked of it before.
func onMainQueue(fn func()) { dispatch.MainQueue().DispatchAsync(fn) }

func (h *Host) newScreen(ctx context.Context, _ []string) screen {
	if !desktop.HasLoop() {
		return noScreen{desktop.Facet{Name: "panel", Remedy: "start Flash in the session that you logged in to on the Mac's own screen, or use `flash open --tui`"}}
	}
	s := &macScreen{shown: shown{h: h, ctx: ctx}}
	s.panel = panel.New(panel.Options{
		Platform: panel.Platform{Main: onMainQueue},
		Engine:   panelEngine{h.engine, h}, Clock: h.time, Logger: h.log,
		Config: func() config.Flashlight { return h.cfg.Load().Flashlight },
		Theme:  func() panel.Theme { return s.themeFor(panel.CurrentAppearance()) },
		Icon:   h.iconOf,
		// The clipboard waits for the main thread, on which the panel is: the
		// panel asks for it from elsewhere.
		Copy:    func(text string) error { return h.session.WriteText(ctx, text) },
		Message: s.message,
		Opened:  s.opened,
		Closed:  s.closed,
	})
	s.bar = menubar.New(menubar.Options{
		Do: onMainQueue, Ask: desktop.OnMain, Registry: h.status, Logger: h.log,
		Config:  func() config.StatusBar { return h.cfg.Load().StatusBar },
		Clicked: s.run,
		Open:    func() { s.panel.Open(panel.OpenOptions{}) },
		Quit:    h.end,
		// It is a command as well, and says there what came of it.
		Settings: func() { s.run(":" + settingsCommand) },
	})
	s.keys = hotkey.New(hotkey.Options{OnMain: desktop.OnMain, Pressed: s.pressed, Conflicts: s.conflicted, Logger: h.log})
	onMainQueue(s.panel.Warm)
	return s
}

func (s *macScreen) open(text string, toggle bool) error {
	o := panel.OpenOptions{Query: text}
	onMainQueue(func() {
		if toggle {
			s.panel.Toggle(o)
			return
		}
		s.panel.Open(o)
	})
	return nil
}

// pressed is a hot key, on the main thread.
func (s *macScreen) pressed(id string) {
	s.chord(id, func() { s.panel.Toggle(panel.OpenOptions{}) }, func(text string) { s.panel.Open(panel.OpenOptions{Query: text}) })
}

func (s *macScreen) apply() {
	s.bar.Apply()
	s.bind(s.keys.Set)
}

func (s *macScreen) hold(held bool) { s.bar.Hold(held) }

func (s *macScreen) describe() []desktop.Facet {
	return []desktop.Facet{{Name: "panel", Backend: "AppKit"}, s.chords()}
}

func (s *macScreen) close() {
	s.keys.Close()
	s.bar.Close()
	desktop.OnMain(s.panel.Shutdown)
}
