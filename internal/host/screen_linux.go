package host

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/hotkey"
	"github.com/flash-launcher/flash/internal/ui/bar"
	"github.com/flash-launcher/flash/internal/ui/panel"
	"github.com/flash-launcher/flash/internal/x11"
	"github.com/flash-launcher/flash/protocol"
)

const (
	// openChord is the name of the chord that opens the flashlight. The others are
	// named by what they do: runChord and a row's id or a command, or queryChord
	// and the text that the flashlight opens with.
	openChord  = "open"
	runChord   = "run "
	queryChord = "query "
	// messageTime is how long a notice of the panel's actions stays.
	messageTime = 5 * time.Second
)

// xscreen is the screen of an X session. Its parts share one connection.
type xscreen struct {
	h     *Host
	ctx   context.Context
	loop  *x11.Loop
	keys  *hotkey.Keys
	panel *panel.Panel
	bar   *bar.Bar
	look  *look

	applying  sync.Mutex
	bound     []hotkey.Binding
	conflicts atomic.Pointer[[]hotkey.Conflict]
}

// newScreen takes up the display of a session, if it has one.
func (h *Host) newScreen(ctx context.Context, env []string) screen {
	display := lookup(env, "DISPLAY")
	if display == "" {
		remedy := "start Flash inside a graphical session, or run `flash open` in one"
		if lookup(env, "WAYLAND_DISPLAY") != "" {
			remedy = "let the compositor run XWayland, on which the panel is drawn"
		}
		return noScreen{desktop.Facet{Name: "panel", Remedy: remedy}}
	}
	s := &xscreen{h: h, ctx: ctx}
	loop, err := x11.OpenLoop(display, func() { h.do(ctx, "display lost", func() { h.screenLost(ctx, s) }) })
	if err != nil {
		h.log.Warn("the display cannot be used", "error", err.Error())
		return noScreen{desktop.Facet{Name: "panel", Remedy: err.Error()}}
	}
	s.loop = loop
	s.look = newLook(h, env, s.restyle)
	s.panel = panel.New(panel.Options{
		Platform: panel.Platform{Loop: loop, HotKey: s.pressedInPanel},
		Engine:   panelEngine{h.engine, h}, Clock: h.time, Logger: h.log,
		Config:  func() config.Flashlight { return h.cfg.Load().Flashlight },
		Theme:   s.theme,
		Icon:    h.iconOf,
		Copy:    func(text string) error { return h.session.WriteText(ctx, text) },
		Message: s.message,
		Opened: func() {
			h.sessions.Add(1)
			h.guard.Touch()
			h.session.Used()
			// Behind the loop: what plugins do about it must not delay a key.
			h.ending.Go(func() { h.sessionOpened(ctx) })
		},
		Closed: func() { h.sessions.Add(-1) },
	})
	s.bar = bar.New(bar.Options{
		Loop: loop, Registry: h.status, Clock: h.time, Logger: h.log,
		Config:  func() config.StatusBar { return h.cfg.Load().StatusBar },
		Clicked: func(action string, _ int) { h.ending.Go(func() { h.barClicked(ctx, action) }) },
		Theme: func() bar.Theme {
			t := s.theme()
			return bar.Of(t.Background, t.Text, t.Dim, t.Accent, t.Border)
		},
	})
	s.keys = hotkey.New(hotkey.Options{Loop: loop, Pressed: s.pressed, Conflicts: s.conflicted, Logger: h.log})
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
	if id == openChord {
		s.panel.Toggle(panel.OpenOptions{Time: t})
		return
	}
	if action, ok := strings.CutPrefix(id, runChord); ok {
		s.h.ending.Go(func() { s.h.barClicked(s.ctx, action) })
		return
	}
	s.panel.Open(panel.OpenOptions{Query: strings.TrimPrefix(id, queryChord), Time: t})
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

func (s *xscreen) theme() panel.Theme {
	cfg := s.h.cfg.Load()
	t, err := panel.LoadTheme(cfg.Flashlight.Theme, s.h.paths.ConfigDir, s.look.get())
	if err != nil {
		s.h.log.Warn("the theme is not used", "error", err.Error())
	}
	return t
}

func (s *xscreen) restyle() { s.bar.Apply() }

func (s *xscreen) message(text string) {
	s.h.ending.Go(func() {
		if err := s.h.desk().Notifier.Notify(s.ctx, "Flash", text, messageTime); err != nil {
			s.h.log.Warn("a message cannot be shown", "error", err.Error())
		}
	})
}

func (s *xscreen) conflicted(all []hotkey.Conflict) {
	s.conflicts.Store(&all)
	for _, c := range all {
		s.h.log.Warn("a hot key does not work", "chord", string(c.Chord), "problem", c.Problem, "remedy", c.Remedy)
	}
}

func (s *xscreen) apply() {
	s.applying.Lock()
	defer s.applying.Unlock()
	s.bar.Apply()
	if want := bindings(s.h.cfg.Load().Hotkeys); !slices.Equal(want, s.bound) {
		s.bound = want
		s.conflicted(s.keys.Set(want))
	}
}

// bindings are the chords that the configuration binds.
func bindings(c config.Hotkeys) []hotkey.Binding {
	var out []hotkey.Binding
	if c.Open != "" {
		out = append(out, hotkey.Binding{ID: openChord, Chord: hotkey.Chord(c.Open)})
	}
	for chord, target := range c.Bind {
		id := queryChord + target.Query
		if run := cmp.Or(target.Row, target.Command); run != "" {
			id = runChord + run
		}
		out = append(out, hotkey.Binding{ID: id, Chord: hotkey.Chord(chord)})
	}
	slices.SortFunc(out, func(a, b hotkey.Binding) int { return strings.Compare(string(a.Chord), string(b.Chord)) })
	return out
}

func (s *xscreen) hold(held bool) { s.bar.Hold(held) }

func (s *xscreen) describe() []desktop.Facet {
	out := []desktop.Facet{{Name: "panel", Backend: "X11 " + s.loop.Display}}
	keys := desktop.Facet{Name: "hot keys", Backend: s.h.cfg.Load().Hotkeys.Open}
	if p := s.conflicts.Load(); p != nil && len(*p) > 0 {
		keys = desktop.Facet{Name: "hot keys", Remedy: (*p)[0].Error()}
	}
	return append(out, keys)
}

func (s *xscreen) close() {
	s.look.close()
	s.keys.Close()
	s.bar.Close()
	s.panel.Shutdown()
	s.loop.Close()
}

// iconOf is the picture of a row: its application's, or the symbol that it writes.
func (h *Host) iconOf(r *flashlight.Row) panel.Icon {
	if id, _ := r.Row.Metadata.Get(protocol.MetaBundleID); id != "" {
		if icons := h.apps.icons.Load(); icons != nil {
			if name := (*icons)[id]; name != "" {
				return panel.Icon{Name: name}
			}
		}
	}
	const longest = 32 // bytes of one emoji with all its joiners
	if e := r.Row.Effect; e.Type == protocol.EffectInsertText && len(e.Text) <= longest && !strings.ContainsAny(e.Text, " \n") {
		return panel.Icon{Text: e.Text}
	}
	return panel.Icon{}
}

// lookup returns the last entry of a name in an environment block.
func lookup(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}
