package desktop

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/desktop/ewmh"
	"github.com/flash-launcher/flash/internal/desktop/wlipc"
	"github.com/flash-launcher/flash/internal/procid"
)

// newWindows picks what knows the windows of a session, and what says so. A
// compositor that tells of them itself knows all; X under Wayland knows those of
// XWayland.
func newWindows(env environ, l *library) (Windows, func() Facet) {
	who := &identifier{library: l, proc: "/proc"}
	wayland, display := env.get("WAYLAND_DISPLAY") != "", env.get("DISPLAY")
	var x *ewmh.Desktop
	if display != "" {
		x = ewmh.New(ewmh.Options{Display: display, Identify: who.find})
	}
	if d, ok := wlipc.New(wlipc.Options{Env: env, Identify: who.find, Parent: procid.Parent, XOwners: ownersOf(x)}); ok {
		return ipcWindows{d, x}, func() Facet {
			backend, remedy := d.Describe()
			return Facet{Name: "windows", Backend: backend, Remedy: remedy}
		}
	}
	if x == nil {
		remedy := "start Flash inside a graphical session"
		if wayland {
			remedy = "let the compositor run XWayland, whose windows can be listed; " + otherCompositors
		}
		line := Facet{Name: "windows", Remedy: remedy}
		return noWindows{unavailable("windows", "this session has no X display", remedy)}, func() Facet { return line }
	}
	return x11Windows{Desktop: x, wayland: wayland}, func() Facet {
		backend, remedy := x.Describe()
		if backend != "" && wayland {
			backend, remedy = backend+", windows of XWayland only", otherCompositors
		}
		return Facet{Name: "windows", Backend: backend, Remedy: remedy}
	}
}

// otherCompositors is what helps where Wayland keeps windows to itself.
const otherCompositors = "sway and Hyprland tell of all windows"

// ipcWindows is the windows that a compositor tells of.
type ipcWindows struct {
	*wlipc.Desktop
	x *ewmh.Desktop // nil without an X display
}

func (ipcWindows) all() bool { return true }

func (w ipcWindows) Close() error {
	err := w.Desktop.Close()
	if w.x != nil {
		err = errors.Join(err, w.x.Close())
	}
	return err
}

// ownersOf gives the processes of the windows on an X display.
func ownersOf(x *ewmh.Desktop) func(context.Context) map[int64]int {
	if x == nil {
		return nil
	}
	return func(ctx context.Context) map[int64]int {
		list, err := x.List(ctx)
		if err != nil {
			return nil
		}
		out := make(map[int64]int, len(list))
		for _, w := range list {
			out[w.ID] = w.PID
		}
		return out
	}
}

// x11Windows is the windows of an X display, with the errors of a facet.
type x11Windows struct {
	*ewmh.Desktop
	wayland bool
}

func (x x11Windows) all() bool { return !x.wayland }

func (x x11Windows) List(ctx context.Context) ([]Window, error) {
	list, err := x.Desktop.List(ctx)
	return list, known(err)
}

func (x x11Windows) Focused(ctx context.Context) (Window, bool, error) {
	w, ok, err := x.Desktop.Focused(ctx)
	return w, ok, known(err)
}

func (x x11Windows) Activate(ctx context.Context, pid int, window int64) error {
	return known(x.Desktop.Activate(ctx, pid, window))
}

func known(err error) error {
	if errors.Is(err, ewmh.ErrNoManager) {
		return fmt.Errorf("%w (%w); %s", err, ErrUnavailable, ewmh.Remedy)
	}
	return err
}

// identifier names the application of a window.
type identifier struct {
	library *library
	proc    string

	mu      sync.Mutex
	read    time.Time
	owners  *owners
	classes map[string]string // of an X class or instance in lower case, its application
}

// libraryAge is how long a reading of the library serves the windows that open:
// a session's start opens many at once.
const libraryAge = 2 * time.Second

// find goes by what the application itself says of its windows, then by the
// process, then by likeness of names.
func (i *identifier) find(pid int, instance, class string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.owners == nil || time.Since(i.read) > libraryAge {
		s := i.library.read()
		i.owners, i.classes, i.read = newOwners(s), classesOf(s), time.Now()
	}
	for _, name := range []string{"=" + class, "=" + instance} {
		if id := i.classes[strings.ToLower(name)]; id != "" {
			return id
		}
	}
	if pid > 0 {
		if p, ok := readProc(i.proc, pid); ok {
			if id := i.owners.find(p); id != "" {
				return id
			}
		}
	}
	for _, name := range []string{class, instance} {
		if id := i.classes[strings.ToLower(name)]; id != "" {
			return id
		}
	}
	return ""
}

// classesOf maps what a window may call itself to applications: what an entry
// declares, or is called, behind an equals sign, and names that are merely alike
// as they are. Listed applications come before hidden ones.
func classesOf(s *shelf) map[string]string {
	out := map[string]string{}
	add := func(name, id string) {
		if name = strings.ToLower(name); name != "" && name != "=" && out[name] == "" {
			out[name] = id
		}
	}
	for _, hidden := range []bool{false, true} {
		for _, id := range s.order {
			it := s.items[id]
			if it.Hidden || it.Terminal || (it.hidden != "") != hidden {
				continue
			}
			add("="+it.StartupWMClass, id)
		}
		for _, id := range s.order {
			it := s.items[id]
			if it.Hidden || it.Terminal || (it.hidden != "") != hidden {
				continue
			}
			add("="+id, id)
			add(id[strings.LastIndexByte(id, '.')+1:], id)
			if it.program != "" {
				add(filepath.Base(it.program), id)
			}
			add(it.PlainName, id)
			add(it.Name, id)
		}
	}
	return out
}
