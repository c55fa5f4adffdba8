package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/doctor"
)

// plan is everything that is looked at, in its order. built says that the Flash
// under test is built here and not one that the person named.
func plan(built bool) []check {
	var all []check
	var program []string
	if built {
		all = append(all,
			check{id: "build", title: "Everything builds, with cgo", does: "make build", timeout: 20 * time.Minute, run: build},
			check{id: "sign", title: "The programs are signed", does: "codesign, with -identity or ad hoc, and codesign --verify", needs: []string{"build"}, timeout: 2 * time.Minute, run: sign},
		)
		program = []string{"sign"}
	}
	all = append(all,
		check{id: "program", title: "The program runs", does: "flash version", needs: program, timeout: stepTimeout, run: version},
		check{id: "tests", title: "The tests pass on this Mac", does: "go test ./...", timeout: 40 * time.Minute, run: tests("./...")},
		check{id: "sandbox.suite", title: "The sandbox's own tests pass under seatbelt", does: "go test ./internal/sandbox/...", timeout: 15 * time.Minute, run: tests("./internal/sandbox/...")},
		check{id: "sandbox.conform", title: "Every plugin holds to the protocol within its sandbox", does: "flash plugin-dev conform --all --sandbox", needs: []string{"program"}, timeout: 20 * time.Minute, run: conform},
		check{id: "sandbox.profile", title: "Seatbelt takes a generated profile", does: "sandbox-exec with the profile that flash plugin-dev profile prints", needs: []string{"program"}, timeout: time.Minute, run: takesProfile},
	)
	for _, d := range allDeeds {
		all = append(all, check{
			id: "sandbox." + d.id, title: d.title, does: "a program of macOS without the profile, then with it",
			needs: []string{"sandbox.profile"}, timeout: 2 * time.Minute, run: d.check,
		})
	}
	all = append(all,
		check{id: "resident", title: "The resident starts, and each plugin in its sandbox", does: "flash start in a home of its own, flash plugins, flash doctor", needs: []string{"program"}, timeout: 2 * time.Minute, run: startResident},
		check{id: "search.apps", title: "Installed applications are found", does: "flash query textedit", needs: []string{"resident"}, timeout: time.Minute, run: findsApps},
		check{id: "search.answers", title: "A plugin answers from its sandbox", does: "flash query 6*7", needs: []string{"resident"}, timeout: time.Minute, run: answers},
		check{id: "panel", title: "The panel opens and closes", does: "flash open, and how many flashlights flash status counts", needs: []string{"resident"}, timeout: time.Minute, run: panelOpens},
	)
	all = append(all, grants()...)
	all = append(all,
		check{id: "hotkey", title: "The hot key opens the panel and Escape closes it", does: "posts " + testChord + " and Escape", needs: []string{"resident", "grant.accessibility"}, timeout: time.Minute, run: hotKey},
		check{id: "status-item", title: "The status line is in the menu bar", does: "asks System Events for the menu bar items of flash", needs: []string{"resident", "grant.accessibility", "grant.automation"}, timeout: 3 * time.Minute, run: statusItem},
		check{id: "accessibility", title: "Windows of another application are told and listed", does: "opens and closes two documents of TextEdit; a plugin of this program's own writes down what it is told, and flash query lists the window", needs: []string{"resident", "grant.accessibility", "grant.textedit"}, timeout: 4 * time.Minute, run: accessibilityEvents},
		check{id: "pointer.gate", title: "No movement is delivered while no gesture button is held", does: "posts movement to flash pointer run --summary; the same with --full-mask shows that it arrives at all", needs: []string{"program", "grant.pointer"}, timeout: 3 * time.Minute, run: pointerGate},
		check{id: "pointer.hold", title: "Movement is delivered while the gesture button is held", does: "posts a press of button 5, movement below the threshold, and the release", needs: []string{"program", "grant.pointer"}, timeout: 2 * time.Minute, run: pointerHold},
		check{id: "idle", title: "A minute at rest", does: "Scripts/measure-footprint.sh --json 60, half a minute after the last activity", needs: []string{"resident"}, timeout: 4 * time.Minute, run: idle},
		check{id: "footprint", title: "The whole running system's memory", does: "Scripts/measure-footprint.sh --json, five times", needs: []string{"resident"}, timeout: 5 * time.Minute, run: memory},
		check{id: "stop", title: "The resident ends and leaves no process", does: "flash stop, then ps", needs: []string{"resident"}, timeout: time.Minute, run: stops},
	)
	return append(all, byHand...)
}

func build(ctx context.Context, s *session) finding {
	if o := s.run(ctx, "make", "build"); !o.ok() {
		return fail(o.said())
	}
	return pass("")
}

// programs are the files of bin that are no links to others.
func programs(bin string) (out []string, err error) {
	files, err := os.ReadDir(bin)
	for _, f := range files {
		if f.Type().IsRegular() {
			out = append(out, filepath.Join(bin, f.Name()))
		}
	}
	return out, err
}

func sign(ctx context.Context, s *session) finding {
	files, err := programs(filepath.Dir(s.flash))
	if err != nil {
		return fail(err.Error())
	}
	for _, f := range files {
		if o := s.run(ctx, "/usr/bin/codesign", "--force", "--options", "runtime", "--timestamp=none", "--sign", s.identity, f); !o.ok() {
			return fail(filepath.Base(f) + ": " + o.said())
		}
		if o := s.run(ctx, "/usr/bin/codesign", "--verify", "--strict", f); !o.ok() {
			return fail(filepath.Base(f) + ": " + o.said())
		}
	}
	return pass(fmt.Sprintf("%d programs", len(files)))
}

func version(ctx context.Context, s *session) finding {
	o := s.call(ctx, "version")
	if !o.ok() {
		return fail(o.said())
	}
	return pass(strings.TrimSpace(o.stdout))
}

func tests(packages string) func(context.Context, *session) finding {
	return func(ctx context.Context, s *session) finding {
		o := s.run(ctx, "go", "test", "-count=1", "-json", packages)
		t, err := readTests(o.stdout)
		if err != nil {
			return fail(err.Error() + ": " + o.said())
		}
		return t.finding(o)
	}
}

func conform(ctx context.Context, s *session) finding {
	c := s.flashCommand("plugin-dev", "conform", "--all", "--sandbox", "--json")
	c.timeout, c.dir = 0, s.root
	var r conformed
	if err := decode(s.runner.run(ctx, c), &r); err != nil {
		return fail("flash plugin-dev conform: " + err.Error())
	}
	return r.finding()
}

func takesProfile(ctx context.Context, s *session) finding {
	if _, err := s.prepareDeeds(ctx); err != nil {
		return fail(err.Error())
	}
	o := s.runner.run(ctx, command{argv: []string{sandboxExec, "-p", s.profile, "/usr/bin/true"}, env: s.environ, dir: s.paths.PluginData(deedsID), timeout: stepTimeout})
	if !o.ok() {
		return fail(o.said())
	}
	return pass(fmt.Sprintf("%d bytes of profile", len(s.profile)))
}

// settleTime is how long the plugins may take to be all up, on a Mac that checks
// each new program the first time it runs.
const settleTime = 60 * time.Second

func startResident(ctx context.Context, s *session) finding {
	c := s.flashCommand("start")
	c.timeout = settleTime
	start := s.now()
	if o := s.runner.run(ctx, c); !o.ok() {
		return fail(o.said())
	}
	up := s.now().Sub(start)
	var all control.Plugins
	var err error
	if _, ok := s.until(ctx, settleTime, func() bool {
		err = s.query(ctx, &all, "plugins", "--json")
		return err == nil && len(all.Plugins) > 0 && len(unsettled(all)) == 0
	}); !ok {
		if err != nil {
			return fail(err.Error())
		}
		return fail(strings.Join(unsettled(all), "; "))
	}
	var st control.Status
	var d doctor.Report
	if err := s.query(ctx, &st, "status", "--json"); err != nil {
		return fail(err.Error())
	}
	// It ends with 1 when it finds something, and says it all the same.
	if err := s.query(ctx, &d, "doctor", "--json"); err != nil {
		return fail(err.Error())
	}
	running := 0
	s.pids = []int{st.PID}
	for _, p := range all.Plugins {
		if p.PID > 0 {
			running++
			s.pids = append(s.pids, p.PID)
		}
		if p.State == "running" && strings.HasPrefix(p.Sandbox, "off") {
			return fail(p.ID + " runs without a sandbox")
		}
	}
	figures := []figure{{Name: "start", Value: float64(up.Milliseconds()), Unit: "ms"}, {Name: "plugins running", Value: float64(running)}, {Name: "rows", Value: float64(st.Rows)}}
	if bad := problems(d); len(bad) > 0 {
		return fail("flash doctor: "+strings.Join(bad, "; "), figures...)
	}
	if s.goos == "darwin" {
		if ok, detail := holds(d, "sandbox", "seatbelt"); !ok {
			return fail("seatbelt: "+detail, figures...)
		}
	}
	if running == 0 {
		return fail("no plugin runs", figures...)
	}
	return pass("", figures...)
}

// asks queries until the result shows something.
func (s *session) asks(ctx context.Context, text string, within time.Duration, shows func(answer) bool) (took time.Duration, ok bool, err error) {
	took, ok = s.until(ctx, within, func() bool {
		var a answer
		err = s.query(ctx, &a, "query", "--json", text)
		return err == nil && shows(a)
	})
	return took, ok, err
}

func shown(took time.Duration, ok bool, err error, missing string) finding {
	switch {
	case err != nil:
		return fail(err.Error())
	case !ok:
		return fail(missing)
	}
	return pass("", figure{Name: "after", Value: float64(took.Milliseconds()), Unit: "ms"})
}

// soon is how long the answer to something that was just done may take.
const soon = 10 * time.Second

func findsApps(ctx context.Context, s *session) finding {
	took, ok, err := s.asks(ctx, "textedit", soon, func(a answer) bool { return a.has("", "TextEdit") })
	return shown(took, ok, err, "TextEdit is not among the rows")
}

func answers(ctx context.Context, s *session) finding {
	took, ok, err := s.asks(ctx, "6*7", soon, func(a answer) bool { return len(a.Answers) > 0 && strings.Contains(a.Answers[0].Title, "42") })
	return shown(took, ok, err, "6*7 has no answer")
}

// flashlights waits until that many are open.
func (s *session) flashlights(ctx context.Context, want int64) (took time.Duration, err error) {
	var st control.Status
	took, ok := s.until(ctx, soon, func() bool {
		err = s.query(ctx, &st, "status", "--json")
		return err == nil && st.Sessions == want
	})
	if err == nil && !ok {
		err = fmt.Errorf("flash status counts %d open flashlights, not %d", st.Sessions, want)
	}
	return took, err
}

func panelOpens(ctx context.Context, s *session) finding {
	if _, err := s.flashlights(ctx, 0); err != nil {
		return fail(err.Error())
	}
	if o := s.call(ctx, "open"); !o.ok() {
		return fail(o.said())
	}
	took, err := s.flashlights(ctx, 1)
	if err != nil {
		return fail("after flash open: " + err.Error())
	}
	if o := s.call(ctx, "open", "--toggle"); !o.ok() {
		return fail(o.said())
	}
	if _, err := s.flashlights(ctx, 0); err != nil {
		return fail("after flash open --toggle: " + err.Error())
	}
	return pass("", figure{Name: "open after", Value: float64(took.Milliseconds()), Unit: "ms"})
}

func stops(ctx context.Context, s *session) finding {
	var all control.Plugins
	if err := s.query(ctx, &all, "plugins", "--json"); err == nil {
		for _, p := range all.Plugins {
			if p.PID > 0 {
				s.pids = append(s.pids, p.PID)
			}
		}
	}
	start := s.now()
	if o := s.call(ctx, "stop"); !o.ok() {
		return fail(o.said())
	}
	took := s.now().Sub(start)
	var left []string
	if _, gone := s.until(ctx, soon, func() bool {
		o := s.brief(ctx, "ps", "-A", "-o", "pid=,command=")
		left = survivors(o.stdout, s.pids)
		return o.ok() && len(left) == 0
	}); !gone {
		return fail("still there: " + strings.Join(left, "; "))
	}
	return pass("", figure{Name: "stopped after", Value: float64(took.Milliseconds()), Unit: "ms"})
}

// survivors are those of the pids that still run a program of Flash.
func survivors(ps string, pids []int) (out []string) {
	for line := range strings.Lines(ps) {
		var pid int
		line = strings.TrimSpace(line)
		if _, err := fmt.Sscan(line, &pid); err != nil || !strings.Contains(line, "flash") && !strings.Contains(line, "verify") {
			continue
		}
		for _, p := range pids {
			if p == pid {
				out = append(out, line)
				break
			}
		}
	}
	return out
}
