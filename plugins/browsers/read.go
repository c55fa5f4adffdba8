package browsers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/flash-launcher/flash/sdk"
)

const (
	// titlesPatience is how long a browser may take to tell its windows.
	titlesPatience = 2 * time.Second
	maxWindows     = 256
)

// look reads a browser by the best way that is open. reason says what closes a
// better one. On an error its last tabs stay.
func (p *plugin) look(ctx context.Context, b *browser, pids []int) (tabs []tab, way string, reason, err error) {
	if b.firefox() {
		if tabs, reason = p.stored(); reason == nil {
			way = wayStore
		}
	} else {
		tabs, way, reason = p.pages(ctx, b)
	}
	p.mu.Lock()
	before := b.way
	p.mu.Unlock()
	if before != "" && before != wayTitles && way == "" && !closed(reason) {
		return nil, "", nil, reason // it failed, which is no reason to know less
	}
	if way == wayScript {
		return tabs, way, nil, nil // it tells what is in front by itself
	}
	titles, problem := p.titles(ctx, b, pids)
	switch {
	case way == "":
		return titles, wayTitles, reason, problem
	case way == wayTools:
		return placed(tabs, titles, pids[0]), way, nil, nil
	}
	// The store is some seconds old: what the windows show is newer.
	tabs = placed(tabs, titles, pids[0])
	for _, t := range titles {
		if !slices.ContainsFunc(tabs, func(o tab) bool { return o.title == t.title }) {
			tabs = append(tabs, t)
		}
	}
	return tabs, way, nil, nil
}

// pages reads all tabs of a browser other than Firefox: over DevTools where that
// is on, else by Apple events where there are any.
func (p *plugin) pages(ctx context.Context, b *browser) (tabs []tab, way string, reason error) {
	if b.dir(p.home, p.mac) != "" {
		port, err := toolsPort(p.toolsDir(b))
		if err == nil {
			tabs, err = toolsTabs(ctx, port)
		}
		if err == nil {
			return tabs, wayTools, nil
		}
		if reason = err; !closed(err) {
			return nil, "", reason
		}
	}
	if !p.scriptable(b) {
		return nil, "", reason
	}
	if tabs, reason = p.scripted(ctx, b); reason != nil {
		return nil, "", reason
	}
	return tabs, wayScript, nil
}

// closed says whether a way to read a browser is not there, and not merely
// blocked for a moment.
func closed(err error) bool {
	for _, shut := range []error{errNoTools, errNoReach, errNoLeave, errRefused, errAsking, errNoScript} {
		if errors.Is(err, shut) {
			return true
		}
	}
	return false
}

// placed tells tabs in front the windows that show them, by the title, and which
// one is in use.
func placed(tabs, titles []tab, pid int) []tab {
	for i := range tabs {
		t := &tabs[i]
		t.pid = pid
		if len(titles) > 0 {
			t.front, t.focused = false, false
		}
		for _, shown := range titles {
			if shown.title == t.title && t.title != "" {
				t.pid, t.window, t.front, t.focused = shown.pid, shown.window, true, shown.focused
				break
			}
		}
	}
	return tabs
}

func (p *plugin) toolsDir(b *browser) string {
	if dir := p.h.Config().Table(b.name).String("dir", ""); dir != "" {
		return dir
	}
	return b.dir(p.home, p.mac)
}

// titles reads the titles of a browser's windows.
func (p *plugin) titles(ctx context.Context, b *browser, pids []int) ([]tab, error) {
	tabs := []tab{}
	var failed error
	for _, pid := range pids {
		s, err := p.h.AXSnapshot(ctx, sdk.AXQuery{
			PID: pid, Roots: "windows", Collect: []string{"AXTitle", "AXWindowNumber", "AXMain"}, MaxNodes: maxWindows, Deadline: titlesPatience,
		})
		if err != nil {
			failed = err
			continue
		}
		var here []tab
		for _, n := range s.Nodes {
			title := strings.TrimSpace(b.page(n.Attrs.String("AXTitle", "")))
			if n.Parent != "" || title == "" {
				continue
			}
			here = append(here, tab{title: title, pid: pid, window: n.Attrs.Int("AXWindowNumber", 0), front: true, focused: n.Attrs.Bool("AXMain", false)})
		}
		// By number: which is in front changes with each focus.
		slices.SortStableFunc(here, func(a, b tab) int { return int(a.window - b.window) })
		tabs = append(tabs, here...)
	}
	if len(tabs) > 0 {
		failed = nil
	}
	return tabs, failed
}

var errNoLeave = errors.New("the session store may not be read; add the folder " + storeDir + " of your profile to `read` in [plugin.browsers]")

// stored reads Firefox's session and begins to watch it.
func (p *plugin) stored() ([]tab, error) {
	profile := p.h.Config().Table("firefox").String("profile", "")
	if profile == "" {
		profile = defaultProfile(firefoxDir(p.home, p.mac))
	}
	if profile == "" {
		return nil, errors.New("the profile of Firefox is not known; name it: `[plugin.browsers.firefox]` `profile = \"…\"`")
	}
	dir := filepath.Join(profile, storeDir)
	if _, err := os.Stat(dir); err != nil {
		return nil, errNoLeave
	}
	p.watch(dir)
	return readStore(filepath.Join(dir, storeFile))
}

// watch has Firefox read again when its session was written.
func (p *plugin) watch(dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.watched == dir {
		return
	}
	if p.watcher == nil {
		w, err := fsnotify.NewWatcher()
		if err != nil {
			return
		}
		p.watcher = w
		firefox := p.browsers[0]
		p.watching.Go(func() {
			for {
				select {
				case ev, ok := <-w.Events:
					if !ok {
						return
					}
					if filepath.Base(ev.Name) == storeFile {
						firefox.settle.Trigger()
					}
				case _, ok := <-w.Errors:
					if !ok {
						return
					}
				}
			}
		})
	}
	if p.watched != "" {
		_ = p.watcher.Remove(p.watched)
	}
	p.watched = ""
	if p.watcher.Add(dir) == nil {
		p.watched = dir
	}
}
