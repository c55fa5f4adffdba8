//go:build darwin && cgo

package desktop

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/foundation"

	"github.com/flash-launcher/flash/internal/desktop/bundle"
	"github.com/flash-launcher/flash/internal/desktop/mac"
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
		out[i] = App{ID: b.ID, Name: b.Name, PlainName: b.PlainName, Program: b.Program, Path: b.Path, Icon: b.Path, Running: pids[b.ID]}
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
	context.AfterFunc(ctx, mac.Follow(OnMain, []string{mac.AppLaunched, mac.AppTerminated}, func(mac.Note) {
		select {
		case nudge <- struct{}{}:
		default: // one is pending already
		}
	}))
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

func homeDir(env environ) string {
	if h := env.get("HOME"); h != "" {
		return h
	}
	h, _ := os.UserHomeDir()
	return h
}
