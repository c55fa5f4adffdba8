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
)

// newWindows picks what knows the windows of a session, and what says so.
func newWindows(env environ, l *library) (Windows, func() Facet) {
	display := env.get("DISPLAY")
	if display == "" {
		remedy := "start Flash inside a graphical session"
		if env.get("WAYLAND_DISPLAY") != "" {
			remedy = "let the compositor run XWayland, whose windows can be listed"
		}
		line := Facet{Name: "windows", Remedy: remedy}
		return noWindows{unavailable("windows", "this session has no X display", remedy)}, func() Facet { return line }
	}
	who := &identifier{library: l, proc: "/proc"}
	w := x11Windows{ewmh.New(ewmh.Options{Display: display, Identify: who.find})}
	return w, func() Facet {
		backend, remedy := w.Describe()
		if backend != "" && env.get("WAYLAND_DISPLAY") != "" {
			backend += ", windows of XWayland only"
		}
		return Facet{Name: "windows", Backend: backend, Remedy: remedy}
	}
}

// x11Windows is the windows of an X display, with the errors of a facet.
type x11Windows struct{ *ewmh.Desktop }

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
