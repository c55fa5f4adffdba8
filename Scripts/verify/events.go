package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/control"
)

func hotKey(ctx context.Context, s *session) finding {
	if _, err := s.flashlights(ctx, 0); err != nil {
		return fail(err.Error())
	}
	if err := s.hand.chord(keyF18, "control", "option", "shift"); err != nil {
		return skip(err.Error())
	}
	took, err := s.flashlights(ctx, 1)
	if err != nil {
		return fail("after the chord: " + err.Error())
	}
	if err := s.hand.chord(keyEscape); err != nil {
		return skip(err.Error())
	}
	if _, err := s.flashlights(ctx, 0); err != nil {
		return fail("after Escape: " + err.Error())
	}
	return pass("", figure{Name: "open after", Value: float64(took.Milliseconds()), Unit: "ms"})
}

// statusItem asks for the names of all menu bar items of the resident.
func statusItem(ctx context.Context, s *session) finding {
	pid := strconv.Itoa(s.pids[0])
	var o output
	if _, ok := s.until(ctx, soon, func() bool {
		o = s.script(ctx, `tell application "System Events" to tell (first process whose unix id is `+pid+`) to get {name, description, title} of every menu bar item of every menu bar`)
		return strings.Contains(o.stdout, statusText)
	}); !ok {
		return fail("no menu bar item says " + statusText + ": " + o.said())
	}
	return pass("")
}

// told waits until the recorder was told of something of an application.
func (s *session) told(ctx context.Context, bundleID string, notifications ...string) (took time.Duration, ok bool) {
	path := filepath.Join(s.paths.PluginData(recorderID), recorderFile)
	return s.until(ctx, soon, func() bool {
		return slices.ContainsFunc(recorded(path), func(t told) bool {
			return t.BundleID == bundleID && slices.Contains(notifications, t.Notification)
		})
	})
}

// forget has the recorder begin anew.
func (s *session) forget() {
	_ = os.Remove(filepath.Join(s.paths.PluginData(recorderID), recorderFile))
}

// startRecorder puts the recorder among the session's plugins and waits until it
// has written down the first that each plugin is told.
func (s *session) startRecorder(ctx context.Context) (stop func(), err error) {
	dir := filepath.Join(s.paths.ConfigDir, "plugins", recorderID)
	stop = func() { _ = os.RemoveAll(dir) }
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return stop, err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), fmt.Appendf(nil, recorderManifest, s.self), 0o600); err != nil {
		return stop, err
	}
	state := "it is not there"
	if _, ok := s.until(ctx, soon, func() bool {
		var all control.Plugins
		if err := s.query(ctx, &all, "plugins", "--json"); err != nil {
			state = err.Error()
			return false
		}
		for _, p := range all.Plugins {
			if p.ID == recorderID {
				state = p.State + " " + p.LastError + p.Why
			}
		}
		return strings.HasPrefix(state, "running")
	}); !ok {
		return stop, errors.New("the plugin that writes events down does not run: " + state)
	}
	path := filepath.Join(s.paths.PluginData(recorderID), recorderFile)
	if _, ok := s.until(ctx, soon, func() bool { return len(recorded(path)) > 0 }); !ok {
		return stop, errors.New("the plugin that writes events down has written nothing")
	}
	return stop, nil
}

const textEdit = "com.apple.TextEdit"

// leaveTextEdit has TextEdit end as it is found now: to script it starts it. What
// is open in it is the user's.
func (s *session) leaveTextEdit(ctx context.Context) {
	if s.foundTextEdit {
		return
	}
	s.foundTextEdit = true
	if s.brief(ctx, "/usr/bin/pgrep", "-x", "TextEdit").ok() {
		return
	}
	s.atEnd(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
		defer cancel()
		s.script(ctx, `tell application "TextEdit" to if (count documents) = 0 then quit`)
	})
}

func accessibilityEvents(ctx context.Context, s *session) finding {
	stop, err := s.startRecorder(ctx)
	defer stop()
	if err != nil {
		return fail(err.Error())
	}
	s.leaveTextEdit(ctx)
	mark := fmt.Sprintf("flash-verify-%d", s.now().UnixNano())
	first, second := mark+"-first.txt", mark+"-second.txt"
	for _, name := range []string{first, second} {
		if err := os.WriteFile(filepath.Join(s.base, name), []byte("Opened to verify Flash; it is closed again.\n"), 0o600); err != nil {
			return fail(err.Error())
		}
	}
	open := func(name string) output {
		return s.script(ctx, `tell application "TextEdit"`, `activate`, `open POSIX file "`+filepath.Join(s.base, name)+`"`, `end tell`)
	}
	closing := `tell application "TextEdit" to close (every document whose name contains "` + mark + `") saving no`
	s.atEnd(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
		defer cancel()
		s.script(ctx, closing)
	})
	if o := open(first); !o.ok() {
		return fail("TextEdit opens no document: " + o.said())
	}
	row, ok, err := s.asks(ctx, first, soon, func(a answer) bool { return a.has("windows", first) })
	if err != nil || !ok {
		return shown(row, ok, err, "the window's row does not come")
	}
	// The first window may have been there before anybody listened; the second one
	// is told to whoever does.
	s.forget()
	if o := open(second); !o.ok() {
		return fail("TextEdit opens no second document: " + o.said())
	}
	created, ok := s.told(ctx, textEdit, "AXWindowCreated", "AXFocusedWindowChanged", "AXMainWindowChanged")
	if !ok {
		return fail("no plugin is told that TextEdit has another window")
	}
	another, ok, err := s.asks(ctx, second, soon, func(a answer) bool { return a.has("windows", second) })
	if err != nil || !ok {
		return shown(another, ok, err, "the second window's row does not come")
	}
	s.forget()
	if o := s.script(ctx, closing); !o.ok() {
		return fail("TextEdit closes no document: " + o.said())
	}
	closed, ok := s.told(ctx, textEdit, "AXUIElementDestroyed", "AXFocusedWindowChanged", "AXMainWindowChanged")
	if !ok {
		return fail("no plugin is told that windows of TextEdit have gone")
	}
	gone, ok, err := s.asks(ctx, mark, soon, func(a answer) bool { return !a.has("windows", mark) })
	if err != nil || !ok {
		return shown(gone, ok, err, "rows stay after their windows")
	}
	ms := func(name string, d time.Duration) figure {
		return figure{Name: name, Value: float64(d.Milliseconds()), Unit: "ms"}
	}
	return pass("", ms("first row after", row), ms("told of the second window after", created), ms("its row after", another), ms("told of the end after", closed), ms("no row after the end", gone))
}
