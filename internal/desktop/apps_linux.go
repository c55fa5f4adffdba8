package desktop

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/flash-launcher/flash/internal/desktop/entry"
	"github.com/flash-launcher/flash/protocol"
)

// apps serves the applications of the .desktop files.
type apps struct {
	env      environ
	library  *library
	launcher *launcher
	bus      *services
	proc     string // where the process table is
}

func (a *apps) List(ctx context.Context) ([]App, error) {
	s := a.library.read()
	pids, err := a.pids(s)
	if err != nil {
		return nil, err
	}
	var out []App
	for _, id := range s.order {
		if it := s.items[id]; it.hidden == "" {
			out = append(out, it.app(pids[id]))
		}
	}
	return out, ctx.Err()
}

func (it *item) app(pids []int) App {
	app := App{
		ID: it.id, Name: it.Name, PlainName: it.PlainName, GenericName: it.GenericName, PlainGenericName: it.PlainGenericName,
		Comment: it.Comment, Keywords: it.Keywords, Path: it.file, Icon: it.Icon, Terminal: it.Terminal, Running: pids,
	}
	if it.command != nil {
		app.Program = filepath.Base(it.command.Program())
	}
	for _, act := range it.Entry.Actions {
		app.Actions = append(app.Actions, Action{ID: act.ID, Name: act.Name})
	}
	return app
}

func (a *apps) pids(s *shelf) (map[string][]int, error) {
	procs, err := readProcs(a.proc)
	if err != nil {
		return nil, fmt.Errorf("running applications: %w", err)
	}
	return newOwners(s).running(procs), nil
}

func (a *apps) Running(ctx context.Context) ([]protocol.Application, error) {
	s := a.library.read()
	pids, err := a.pids(s)
	if err != nil {
		return nil, err
	}
	var out []protocol.Application
	for _, id := range s.order {
		for _, pid := range pids[id] {
			out = append(out, protocol.Application{BundleID: id, PID: pid, LocalizedName: s.items[id].Name})
		}
	}
	return out, ctx.Err()
}

func (a *apps) Watch(ctx context.Context, changed func()) error {
	return tree{roots: a.library.dirs, depth: maxDepth, suffix: ".desktop", settle: settle, ceiling: ceiling}.watch(ctx, changed)
}

func (a *apps) Launch(ctx context.Context, id string, urls []string) error {
	if err := a.launch(ctx, id, urls); err != nil {
		return fmt.Errorf("application %q: %w", id, err)
	}
	return nil
}

func (a *apps) launch(ctx context.Context, id string, urls []string) error {
	for _, u := range urls {
		if _, err := checkURL(u); err != nil {
			return err
		}
	}
	app, action, _ := strings.Cut(id, ":")
	it := a.library.read().items[app]
	if it == nil || it.Hidden {
		return fmt.Errorf("not installed; no %s.desktop in %s", app, strings.Join(a.library.dirs, ", "))
	}
	line := it.Exec
	fields := entry.Fields{URLs: urls, Icon: it.Icon, Name: it.Name, Path: it.file}
	if action != "" {
		act := it.action(action)
		if act == nil {
			return fmt.Errorf("it has no action %q", action)
		}
		line, fields.Icon, fields.Name = act.Exec, act.Icon, act.Name
	}
	if it.DBusActivatable && a.bus.Address() != "" {
		err := a.bus.activate(ctx, app, action, urls)
		if err == nil || line == "" {
			return err
		}
	}
	if line == "" {
		return unavailable("launch", "it is started over the session bus and there is none", "start Flash inside a session")
	}
	cmd, err := entry.ParseExec(line)
	if err != nil {
		return fmt.Errorf("%s: %w", it.file, err)
	}
	runs, err := cmd.Expand(fields)
	if err != nil {
		return err
	}
	var wrap []string
	if it.Terminal {
		if wrap, err = a.env.terminal(); err != nil {
			return err
		}
	}
	for _, argv := range runs {
		if a.env.lookPath(argv[0]) == "" {
			return fmt.Errorf("%s is not in PATH; install it", argv[0])
		}
		if err := a.launcher.start(ctx, append(wrap[:len(wrap):len(wrap)], argv...), it.WorkDir, a.launcher.grace); err != nil {
			return err
		}
	}
	return nil
}

func (it *item) action(id string) *entry.Action {
	for i := range it.Entry.Actions {
		if it.Entry.Actions[i].ID == id {
			return &it.Entry.Actions[i]
		}
	}
	return nil
}
