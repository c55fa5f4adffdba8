package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/doctor"
)

// fakeMac plays a Mac on which everything works, until a test says otherwise.
type fakeMac struct {
	t       *testing.T
	s       *session
	at      time.Time
	calls   []string
	argv    []string                            // of the call that is answered
	outputs map[string]func(call string) output // by how a call begins; the longest wins
	open    int64                               // flashlights
	docs    []string                            // open documents of TextEdit
	allowed map[string]bool                     // permissions
	asked   []string
	replies []string
	moved   int // since the worker started
	full    bool
	held    bool
	posts   bool
	stopped bool
}

func newMac(t *testing.T) *fakeMac {
	base, err := os.MkdirTemp("/tmp", "fv-") // short, for the socket's path
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	m := &fakeMac{t: t, at: time.Unix(1, 0), outputs: map[string]func(string) output{}, posts: true,
		allowed: map[string]bool{"accessibility": true, "System Events": true, "TextEdit": true, "pointer": true}}
	s, err := newSession("darwin", base, base, []string{"HOME=/Users/u", "XDG_CONFIG_HOME=/x", "FLASH_SOCKET=/y", "PATH=/usr/bin"})
	require.NoError(t, err)
	m.s = s
	require.NoError(t, os.MkdirAll(filepath.Dir(s.flash), 0o755))
	require.NoError(t, os.WriteFile(s.flash, nil, 0o755))
	s.runner, s.hand, s.identity = m, (*macHand)(m), "-"
	s.now = func() time.Time { return m.at }
	s.sleep = func(ctx context.Context, d time.Duration) error { m.at = m.at.Add(d); return ctx.Err() }
	s.ask = func(q string) (string, error) {
		m.asked = append(m.asked, q)
		if len(m.replies) == 0 {
			return "", fmt.Errorf("end of input")
		}
		r := m.replies[0]
		m.replies = m.replies[1:]
		return r, nil
	}
	m.settle()
	return m
}

func says(text string) func(string) output {
	return func(string) output { return output{stdout: text} }
}

func does(fn func()) func(string) output {
	return func(string) output { fn(); return output{} }
}

func (m *fakeMac) json(v any) output {
	text, err := json.Marshal(v)
	require.NoError(m.t, err)
	return output{stdout: string(text)}
}

// events is what the recorder has been told.
func (m *fakeMac) event(notification string) {
	path := filepath.Join(m.s.paths.PluginData(recorderID), recorderFile)
	require.NoError(m.t, os.MkdirAll(filepath.Dir(path), 0o700))
	text, _ := json.Marshal(told{Event: "core:ax.changed", Notification: notification, BundleID: textEdit})
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(m.t, err)
	_, err = f.Write(append(text, '\n'))
	require.NoError(m.t, err)
	require.NoError(m.t, f.Close())
}

func (m *fakeMac) plugins() control.Plugins {
	all := control.Plugins{Plugins: []control.PluginInfo{{ID: "calculator", State: "running", PID: 101, Sandbox: "seatbelt"}, {ID: "kill", State: "stopped"}}}
	if _, err := os.Stat(filepath.Join(m.s.paths.ConfigDir, "plugins", recorderID)); err == nil {
		m.event("")
		all.Plugins = append(all.Plugins, control.PluginInfo{ID: recorderID, State: "running", PID: 102})
	}
	return all
}

func (m *fakeMac) doctor() doctor.Report {
	r := doctor.Report{Findings: []doctor.Finding{{Area: "sandbox", Name: "seatbelt", State: doctor.OK, Detail: "/usr/bin/sandbox-exec"}, {Area: "desktop", Name: "accessibility", State: doctor.OK}}}
	if !m.allowed["accessibility"] {
		r.Findings[1] = doctor.Finding{Area: "desktop", Name: "accessibility", State: doctor.Note, Detail: "allow Flash"}
	}
	return r
}

const footprintJSON = `{"schema_version":1,"sample_seconds":60,"processes":[
 {"id":"resident","processes":1,"cpu_percent":0.02,"wakeups_per_second":0.40,"rss_kib":30000,"pss_kib":40960,"threads":12},
 {"id":"calculator","processes":1,"cpu_percent":0.00,"wakeups_per_second":0.10,"rss_kib":5000,"pss_kib":2048,"threads":4}],
 "total": {"id":"total","processes":2,"cpu_percent":0.02,"wakeups_per_second":0.50,"rss_kib":35000,"pss_kib":43008,"threads":16},"log":{}}`

// settle is how the Mac answers.
func (m *fakeMac) settle() {
	for call, out := range map[string]func(string) output{
		"make build":                      says(""),
		"/usr/bin/codesign":               says(""),
		"flash version":                   says("flash 0.1.0\n"),
		"go test":                         says(`{"Action":"pass","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p"}` + "\n"),
		"flash plugin-dev conform":        says(`{"sandbox":true,"passed":40,"failed":0,"plugins":[{"name":"calculator","failed":0}]}`),
		"flash plugin-dev profile":        says("Plugin verify-deeds 1.0.0, on darwin:\n  x\n\nmacOS, a profile of sandbox-exec:\n  (version 1)\n  (deny default)\n"),
		"flash start":                     says("flash 0.1.0 is running\n"),
		"flash stop":                      does(func() { m.stopped = true }),
		"flash pointer off":               says(""),
		"flash doctor --ask":              says(""),
		"flash plugins --json":            func(string) output { return m.json(m.plugins()) },
		"flash doctor --json":             func(string) output { return m.json(m.doctor()) },
		"flash status --json":             func(string) output { return m.json(control.Status{PID: 100, Rows: 900, Sessions: m.open}) },
		"flash open":                      does(func() { m.open++ }),
		"flash open --toggle":             does(func() { m.open = 0 }),
		"flash query --json textedit":     says(`{"rows":[{"source":"core.apps","title":"TextEdit"}]}`),
		"flash query --json 6*7":          says(`{"answers":[{"title":"42","plugin":"calculator"}],"rows":[]}`),
		"flash query --json flash-verify": m.windows,
		"flash pointer status --json": func(string) output {
			return m.json(map[string]string{"state": map[bool]string{true: "stopped", false: "no-permission"}[m.allowed["pointer"]]})
		},
		"ps -A":                               says("  1 /sbin/launchd\n  100 something else now\n"),
		"ps -o cputime=":                      says("  0:00.05\n"),
		"/usr/bin/top":                        says("CSW\n120+\n"),
		"/usr/bin/pgrep":                      func(string) output { return output{code: 1} },
		"Scripts/measure-footprint.sh --json": says(footprintJSON),
		"/usr/bin/osascript":                  m.script,
		sandboxExec:                           m.confined,
		"/bin/cat":                            m.free,
		"/usr/bin/touch":                      m.free,
		"/usr/bin/nc":                         m.free,
		"/bin/kill":                           m.free,
		"/usr/bin/id":                         m.free,
	} {
		m.outputs[call] = out
	}
}

// free does here what the programs do on a Mac.
func (m *fakeMac) free(string) output { return unconfined(m.argv) }

func unconfined(argv []string) output {
	switch argv[0] {
	case "/usr/bin/true":
		return output{}
	case "/usr/bin/nc":
		return dial(argv)
	case "/usr/bin/id":
		return output{stdout: "uid=501"}
	}
	return system{}.run(context.Background(), command{argv: argv})
}

// confined lets pass what a good seatbelt does.
func (m *fakeMac) confined(string) output {
	argv := m.argv[3:] // behind sandbox-exec -p PROFILE
	if strings.Contains(strings.Join(argv, " "), m.s.paths.PluginData(deedsID)) || argv[0] == "/usr/bin/true" {
		return unconfined(argv)
	}
	return output{code: 1, stderr: "Operation not permitted"}
}

func (m *fakeMac) script(call string) output {
	for app, ok := range m.allowed {
		if !ok && strings.Contains(call, app) {
			return output{code: 1, stderr: "Not authorized to send Apple events"}
		}
	}
	switch {
	case strings.Contains(call, "menu bar item"):
		return output{stdout: "missing value, " + statusText + "\n"}
	case strings.Contains(call, "open POSIX file"):
		_, name, _ := strings.Cut(call, "open POSIX file \"")
		name, _, _ = strings.Cut(name, "\"")
		m.docs = append(m.docs, filepath.Base(name))
		m.event("AXWindowCreated")
	case strings.Contains(call, "to close"):
		m.docs = nil
		m.event("AXUIElementDestroyed")
	}
	return output{}
}

func (m *fakeMac) windows(string) output {
	rows := []map[string]string{}
	for _, d := range m.docs {
		rows = append(rows, map[string]string{"source": "windows.open", "title": d})
	}
	return m.json(map[string]any{"rows": rows})
}

func (m *fakeMac) run(ctx context.Context, c command) output {
	call := strings.Join(append([]string{filepath.Base(c.argv[0])}, c.argv[1:]...), " ")
	if c.argv[0] != m.s.flash {
		call = strings.Join(c.argv, " ")
	}
	m.calls, m.argv = append(m.calls, call), c.argv
	if ctx.Err() != nil {
		return output{code: -1, err: ctx.Err()}
	}
	best := ""
	for begins := range m.outputs {
		if strings.HasPrefix(call, begins) && len(begins) > len(best) {
			best = begins
		}
	}
	if best == "" {
		return output{code: 127, stderr: "no such program: " + call}
	}
	return m.outputs[best](call)
}

func (m *fakeMac) start(_ context.Context, c command) (process, error) {
	m.moved, m.full = 0, strings.Contains(strings.Join(c.argv, " "), "--full-mask")
	return (*macWorker)(m), nil
}

type macWorker fakeMac

func (*macWorker) pid() int { return 555 }

func (w *macWorker) stop() output {
	if w.held {
		return output{stderr: fmt.Sprintf("down 1\nup 1\nmove %d\nactions 0\n", w.moved)}
	}
	return output{stderr: fmt.Sprintf("move %d\nactions 0\nactions_dropped 0\n", w.moved)}
}

// macHand is the hand at the Mac.
type macHand fakeMac

func (h *macHand) chord(code int, _ ...string) error {
	switch {
	case !h.posts:
		return errNoHand
	case code == keyF18:
		h.open++
	case code == keyEscape:
		h.open = 0
	}
	return nil
}

func (h *macHand) move(n int) error {
	if !h.posts {
		return errNoHand
	}
	if h.full || h.held {
		h.moved += n
	}
	return nil
}

func (h *macHand) button(_ int, down bool) error {
	h.held = h.held || down // until the worker has told
	return nil
}

// verify makes the checks that a pattern names, and what they need.
func (m *fakeMac) verify(only ...string) map[string]entry {
	return m.verifyIn(context.Background(), selection{only: only})
}

func (m *fakeMac) verifyIn(ctx context.Context, s selection) map[string]entry {
	out := map[string]entry{}
	for _, e := range execute(ctx, plan(true), s, m.s, func(check) {}, func(entry) {}) {
		out[e.ID] = e
	}
	return out
}
