//go:build darwin && cgo

package desktop

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/foundation"
	"github.com/progrium/darwinkit/objc"

	"github.com/flash-launcher/flash/internal/desktop/bundle"
	"github.com/flash-launcher/flash/protocol"
)

// apps serves the application bundles and NSWorkspace's running ones.
type apps struct{ roots []string }

func (a apps) List(ctx context.Context) ([]App, error) {
	paths := bundle.Find(a.roots)
	var infos []bundle.Info
	if err := onMain(ctx, func() {
		found := make([]bundle.Info, 0, len(paths))
		files := foundation.FileManager_DefaultManager()
		for _, p := range paths {
			if b := foundation.Bundle_BundleWithPath(p); !b.IsNil() {
				found = append(found, bundle.Describe(p, b.BundleIdentifier(), files.DisplayNameAtPath(p), b.ExecutablePath()))
			}
		}
		infos = bundle.Unique(found)
	}); err != nil {
		return nil, err
	}
	running, err := a.Running(ctx)
	if err != nil {
		return nil, err
	}
	pids := map[string][]int{}
	for _, r := range running {
		pids[r.BundleID] = append(pids[r.BundleID], r.PID)
	}
	out := make([]App, len(infos))
	for i, b := range infos {
		out[i] = App{ID: b.ID, Name: b.Name, PlainName: b.PlainName, Program: b.Program, Path: b.Path, Running: pids[b.ID]}
	}
	return out, nil
}

func (a apps) Running(ctx context.Context) ([]protocol.Application, error) {
	var out []protocol.Application
	err := onMain(ctx, func() {
		var list []protocol.Application
		for _, r := range appkit.Workspace_SharedWorkspace().RunningApplications() {
			id, pid := r.BundleIdentifier(), int(r.ProcessIdentifier())
			if bundle.Counts(int(r.ActivationPolicy()), id, pid) {
				list = append(list, protocol.Application{BundleID: id, PID: pid, LocalizedName: r.LocalizedName()})
			}
		}
		out = list
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(x, y protocol.Application) int {
		if c := strings.Compare(x.BundleID, y.BundleID); c != 0 {
			return c
		}
		return x.PID - y.PID
	})
	return out, nil
}

// Watch hears of launches and exits from NSWorkspace, which needs RunMain's
// loop, and of installs from the directories.
func (a apps) Watch(ctx context.Context, changed func()) error {
	nudge := make(chan struct{}, 1)
	if err := lifecycle.subscribe(ctx, nudge); err != nil {
		return err
	}
	return tree{roots: a.roots, depth: bundle.Depth, suffix: bundle.Suffix, settle: settle, ceiling: ceiling, nudge: nudge}.watch(ctx, changed)
}

func (a apps) Launch(ctx context.Context, id string, urls []string) error {
	for _, u := range urls {
		if _, err := checkURL(u); err != nil {
			return err
		}
	}
	if id == "" || strings.HasPrefix(id, "-") || strings.ContainsRune(id, ':') {
		return fmt.Errorf("application %q: not a bundle id", id)
	}
	if err := runTool(ctx, bundle.OpenArgs(id, urls)); err != nil {
		return fmt.Errorf("application %q: not installed, or it refused to start: %w", id, err)
	}
	return nil
}

// lifecycle holds the process's two NSWorkspace observers. They are made once
// and kept: darwinkit reads freed memory when one of its blocks goes.
var lifecycle observers

type observers struct {
	once sync.Once
	mu   sync.Mutex
	subs []chan<- struct{}
}

func (o *observers) subscribe(ctx context.Context, nudge chan<- struct{}) error {
	o.mu.Lock()
	o.subs = append(o.subs, nudge)
	o.mu.Unlock()
	context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.subs = slices.DeleteFunc(o.subs, func(c chan<- struct{}) bool { return c == nudge })
	})
	var err error
	o.once.Do(func() { err = onMain(ctx, o.install) })
	return err
}

func (o *observers) install() {
	center := appkit.Workspace_SharedWorkspace().NotificationCenter()
	for _, name := range []foundation.NotificationName{"NSWorkspaceDidLaunchApplicationNotification", "NSWorkspaceDidTerminateApplicationNotification"} {
		token := center.AddObserverForNameObjectQueueUsingBlock(name, nil, foundation.OperationQueue_MainQueue(), func(foundation.Notification) { o.tell() })
		objc.Retain(&token)
	}
}

func (o *observers) tell() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.subs {
		select {
		case c <- struct{}{}:
		default: // one is pending already
		}
	}
}

func homeDir(env environ) string {
	if h := env.get("HOME"); h != "" {
		return h
	}
	h, _ := os.UserHomeDir()
	return h
}
