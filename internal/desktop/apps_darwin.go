//go:build darwin && cgo

package desktop

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/progrium/darwinkit/macos/foundation"

	"github.com/flash-launcher/flash/internal/desktop/bundle"
	"github.com/flash-launcher/flash/internal/desktop/mac"
	"github.com/flash-launcher/flash/protocol"
)

// apps serves the application bundles and NSWorkspace's running ones.
type apps struct{ roots []string }

func (a apps) List(ctx context.Context) ([]App, error) {
	var found []bundle.Info
	for paths := range slices.Chunk(bundle.Find(a.roots), bundlesAtOnce) {
		var part []bundle.Info
		if err := onMain(ctx, func() { part = describe(paths) }); err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	infos := bundle.Unique(found)
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

// bundlesAtOnce is how many bundles the main thread reads before it looks for a
// key again: the first time, each is some milliseconds of the disk.
const bundlesAtOnce = 8

func describe(paths []string) (found []bundle.Info) {
	files := foundation.FileManager_DefaultManager()
	for _, p := range paths {
		if !utf8.ValidString(p) {
			continue // Foundation raises for what is no text
		}
		if b := foundation.Bundle_BundleWithPath(p); !b.IsNil() {
			found = append(found, bundle.Describe(p, b.BundleIdentifier(), files.DisplayNameAtPath(p), b.ExecutablePath()))
		}
	}
	return found
}

func (a apps) Running(ctx context.Context) ([]protocol.Application, error) {
	var out []protocol.Application
	err := onMain(ctx, func() {
		var list []protocol.Application
		for _, r := range mac.Running() {
			if bundle.Counts(r.Policy, r.BundleID, r.PID) {
				list = append(list, protocol.Application{BundleID: r.BundleID, PID: r.PID, LocalizedName: r.Name})
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
