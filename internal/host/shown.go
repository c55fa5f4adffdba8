package host

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/hotkey"
	"github.com/flash-launcher/flash/internal/ui/panel"
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

// shown is what the screens of all platforms have beside their windows.
type shown struct {
	h   *Host
	ctx context.Context

	binding   sync.Mutex
	bound     []hotkey.Binding
	conflicts atomic.Pointer[[]hotkey.Conflict]
}

// opened and closed are told of the panel.
func (s *shown) opened() {
	s.h.sessions.Add(1)
	s.h.guard.Touch()
	s.h.session.Used()
	// Behind the loop: what plugins do about it must not delay a key.
	s.h.ending.Go(func() { s.h.sessionOpened(s.ctx) })
}

func (s *shown) closed() { s.h.sessions.Add(-1) }

// run does what a click or a hot key is for.
func (s *shown) run(action string) { s.h.ending.Go(func() { s.h.barClicked(s.ctx, action) }) }

// chord does what the hot key of that name is for.
func (s *shown) chord(id string, toggle func(), open func(text string)) {
	if id == openChord {
		toggle()
		return
	}
	if action, ok := strings.CutPrefix(id, runChord); ok {
		s.run(action)
		return
	}
	open(strings.TrimPrefix(id, queryChord))
}

func (s *shown) themeFor(a panel.Appearance) panel.Theme {
	t, err := panel.LoadTheme(s.h.cfg.Load().Flashlight.Theme, s.h.paths.ConfigDir, a)
	if err != nil {
		s.h.log.Warn("the theme is not used", "error", err.Error())
	}
	return t
}

// message shows what an action of the panel had to say.
func (s *shown) message(text string) {
	s.h.ending.Go(func() {
		if err := s.h.desk().Notifier.Notify(s.ctx, "Flash", text, messageTime); err != nil {
			s.h.log.Warn("a message cannot be shown", "error", err.Error())
		}
	})
}

func (s *shown) conflicted(all []hotkey.Conflict) {
	s.conflicts.Store(&all)
	for _, c := range all {
		s.h.log.Warn("a hot key does not work", "chord", string(c.Chord), "problem", c.Problem, "remedy", c.Remedy)
	}
}

// bind brings the hot keys in line with the configuration.
func (s *shown) bind(set func([]hotkey.Binding) []hotkey.Conflict) {
	s.binding.Lock()
	defer s.binding.Unlock()
	if want := bindings(s.h.cfg.Load().Hotkeys); !slices.Equal(want, s.bound) {
		s.bound = want
		s.conflicted(set(want))
	}
}

func (s *shown) chords() desktop.Facet {
	if p := s.conflicts.Load(); p != nil && len(*p) > 0 {
		return desktop.Facet{Name: "hot keys", Remedy: (*p)[0].Error()}
	}
	return desktop.Facet{Name: "hot keys", Backend: s.h.cfg.Load().Hotkeys.Open}
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

// iconName is the icon of an application: its own or, where nothing describes the
// application, the one that has its name, as themes have them for the classes of
// windows. A plugin's word for an application never becomes a path.
func iconName(icons map[string]string, id string) string {
	if name := icons[id]; name != "" {
		return name
	}
	if strings.ContainsRune(id, filepath.Separator) {
		return ""
	}
	return strings.ToLower(id)
}

// iconOf is the picture of a row: the symbol that it writes, or its application's.
func (h *Host) iconOf(r *flashlight.Row) panel.Icon {
	const longest = 32 // bytes of one emoji with all its joiners
	if e := r.Row.Effect; e.Type == protocol.EffectInsertText && len(e.Text) <= longest && !strings.ContainsAny(e.Text, " \n") {
		return panel.Icon{Text: e.Text}
	}
	id, _ := r.Row.Metadata.Get(protocol.MetaBundleID)
	icons := h.apps.icons.Load()
	if id == "" || icons == nil {
		return panel.Icon{}
	}
	return panel.Icon{Name: iconName(*icons, id)}
}
