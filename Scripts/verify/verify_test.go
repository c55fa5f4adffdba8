package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/doctor"
)

// dial does what nc does here.
func dial(argv []string) output {
	network, address := "unix", argv[len(argv)-1]
	if argv[1] == "-z" {
		network, address = "tcp", net.JoinHostPort(argv[4], argv[5])
	}
	c, err := net.Dial(network, address)
	if err != nil {
		return output{code: 1, stderr: err.Error()}
	}
	_ = c.Close()
	return output{}
}

// faults are what is wrong with a plan: a name twice, a need that comes later or
// is of no check.
func faults(all []check) (out []string) {
	seen := map[string]bool{}
	for _, c := range all {
		if seen[c.id] {
			out = append(out, c.id+" is there twice")
		}
		for _, n := range c.needs {
			if !seen[n] {
				out = append(out, c.id+" needs "+n+", which does not come before it")
			}
		}
		if (c.run == nil) == (c.by == "") {
			out = append(out, c.id+" is checked by both or neither of program and person")
		}
		if c.run != nil && c.timeout <= 0 {
			out = append(out, c.id+" has no time limit")
		}
		seen[c.id] = true
	}
	return out
}

func TestThePlanHolds(t *testing.T) {
	assert.Empty(t, faults(plan(true)))
	assert.Empty(t, faults(plan(false)))
	assert.NotContains(t, fmt.Sprint(ids(plan(false))), "build", "with a flash of the user's none is built")
	assert.Len(t, faults([]check{{id: "a", needs: []string{"b"}}, {id: "a", by: "x"}}), 3)
}

func ids(all []check) (out []string) {
	for _, c := range all {
		out = append(out, c.id)
	}
	return out
}

func TestOnAMacWhereAllWorksAllPassesAndWhatTakesHandsIsNotPassed(t *testing.T) {
	m := newMac(t)
	for id, e := range m.verify() {
		want := passed
		if strings.HasPrefix(id, "hand.") {
			want = manual
			assert.NotEmpty(t, e.Instructions)
			assert.Empty(t, e.Figures)
		}
		assert.Equal(t, want, e.Result, "%s: %s", id, e.Reason)
	}
	assert.Empty(t, m.asked)
	assert.True(t, m.stopped)
	require.NoError(t, m.s.close())
	assert.NoDirExists(t, m.s.base)
	assert.Empty(t, m.docs)
}

func TestWhatHardwareIsNeededForIsInEveryReport(t *testing.T) {
	m := newMac(t)
	all := m.verify("program")
	for _, id := range []string{"hand.ratchet", "hand.free-spin", "hand.trackpad", "hand.gesture-latency", "hand.backends"} {
		assert.Equal(t, manual, all[id].Result)
	}
	assert.Equal(t, skipped, all["footprint"].Result)
	assert.Equal(t, "not asked for", all["footprint"].Reason)
}

func TestARefusedPermissionSkipsWhatNeedsItAndNothingElse(t *testing.T) {
	for permission, want := range map[string][]string{
		"accessibility": {"grant.accessibility", "hotkey", "status-item", "accessibility"},
		"System Events": {"grant.automation", "status-item"},
		"TextEdit":      {"grant.textedit", "accessibility"},
		"pointer":       {"grant.pointer", "pointer.gate", "pointer.hold"},
	} {
		t.Run(permission, func(t *testing.T) {
			m := newMac(t)
			m.allowed[permission] = false
			m.replies = []string{"\n", "s\n"}
			var got []string
			for id, e := range m.verify() {
				if e.Result == skipped {
					got = append(got, id)
					assert.NotEmpty(t, e.Reason)
				} else {
					assert.NotEqual(t, failed, e.Result, "%s: %s", id, e.Reason)
				}
			}
			assert.ElementsMatch(t, want, got)
			assert.Len(t, m.asked, 2, "Return looks again, s goes on")
		})
	}
}

func TestAPermissionThatIsGivenMeanwhileIsUsed(t *testing.T) {
	m := newMac(t)
	m.allowed["accessibility"] = false
	ask := m.s.ask
	m.s.ask = func(q string) (string, error) {
		m.allowed["accessibility"] = true
		return ask(q)
	}
	m.replies = []string{"\n"}
	assert.Equal(t, passed, m.verify("hotkey")["hotkey"].Result)
	assert.Contains(t, m.calls, "flash doctor --ask")
}

func TestNobodyIsAskedWhoDoesNotWantTo(t *testing.T) {
	for _, set := range []func(*session){func(s *session) { s.yes = true }, func(s *session) { s.noGrants = true }} {
		m := newMac(t)
		m.allowed["pointer"] = false
		set(m.s)
		all := m.verify("pointer.*")
		assert.Equal(t, skipped, all["grant.pointer"].Result)
		assert.Equal(t, "needs grant.pointer: it was skipped", all["pointer.gate"].Reason)
		assert.Empty(t, m.asked)
	}
}

func TestWithoutProgramsThatRunNothingIsClaimedOfThem(t *testing.T) {
	m := newMac(t)
	m.outputs["make build"] = func(string) output { return output{code: 2, stderr: "cc: error"} }
	all := m.verify()
	assert.Equal(t, failed, all["build"].Result)
	assert.Contains(t, all["build"].Reason, "cc: error")
	for _, id := range []string{"sign", "program", "resident", "panel", "footprint", "sandbox.network", "pointer.gate"} {
		assert.Equal(t, skipped, all[id].Result, id)
	}
}

func TestAnEscapeFailsAndADeedThatNeverWorksIsSkipped(t *testing.T) {
	m := newMac(t)
	m.outputs[sandboxExec] = func(string) output { return unconfined(m.argv[3:]) }
	m.outputs["/usr/bin/id"] = func(string) output { return output{code: 127} }
	all := m.verify("sandbox")
	for _, d := range allDeeds {
		want := failed
		if d.allowed {
			want = passed
		}
		if d.id == "exec" {
			want = skipped
		}
		assert.Equal(t, want, all["sandbox."+d.id].Result, "%s: %s", d.id, all["sandbox."+d.id].Reason)
	}
	assert.NoFileExists(t, filepath.Join(m.s.home(), "Documents/new.txt"))
}

func TestASandboxThatDeniesAllOrDoesNotCompileIsNoPass(t *testing.T) {
	m := newMac(t)
	m.outputs[sandboxExec] = func(call string) output {
		if strings.HasSuffix(call, "/usr/bin/true") {
			return output{}
		}
		return output{code: 65, stderr: "syntax error"}
	}
	all := m.verify("sandbox")
	for _, d := range allDeeds {
		assert.Equal(t, failed, all["sandbox."+d.id].Result, d.id)
	}
	m.outputs[sandboxExec] = func(string) output { return output{code: 65} }
	assert.Equal(t, failed, m.verify("sandbox")["sandbox.profile"].Result)
}

func TestAWorkerThatIsToldOfMovementFailsAndWhereNoneCanBePostedNothingIsSaid(t *testing.T) {
	m := newMac(t)
	m.posts = false
	all := m.verify("pointer.*", "hotkey")
	for _, id := range []string{"pointer.gate", "pointer.hold", "hotkey"} {
		assert.Equal(t, skipped, all[id].Result, id)
		assert.Contains(t, all[id].Reason, "CGO_ENABLED=1")
	}
	m = newMac(t)
	m.held = true // as if the gate were always open
	assert.Equal(t, failed, m.verify("pointer.gate")["pointer.gate"].Result)
}

func TestAccessibilityThatTellsNothingFails(t *testing.T) {
	m := newMac(t)
	m.outputs["/usr/bin/osascript"] = func(call string) output {
		o := m.script(call)
		m.s.forget()
		return o
	}
	e := m.verify("accessibility")["accessibility"]
	assert.Equal(t, failed, e.Result)
	assert.Contains(t, e.Reason, "no plugin is told")
	require.NoError(t, m.s.close())
	assert.Empty(t, m.docs, "the documents are closed all the same")
}

func TestAResidentWithAFailedPluginIsNoPass(t *testing.T) {
	m := newMac(t)
	m.outputs["flash plugins --json"] = func(string) output {
		all := m.plugins()
		all.Plugins[0].State, all.Plugins[0].LastError = "backoff", "exit code 71"
		return m.json(all)
	}
	e := m.verify("resident")["resident"]
	assert.Equal(t, failed, e.Result)
	assert.Contains(t, e.Reason, "calculator is backoff: exit code 71")
	m = newMac(t)
	m.outputs["flash doctor --json"] = func(string) output {
		return m.json(doctor.Report{Findings: []doctor.Finding{{Area: "sandbox", Name: "seatbelt", State: doctor.Problem, Detail: "missing"}}})
	}
	assert.Contains(t, m.verify("resident")["resident"].Reason, "seatbelt: missing")
}

func TestAProcessThatStaysFails(t *testing.T) {
	m := newMac(t)
	m.outputs["ps -A"] = says("  101 /x/bin/flash-plugin-calculator\n")
	e := m.verify("stop")["stop"]
	assert.Equal(t, failed, e.Result)
	assert.Contains(t, e.Reason, "flash-plugin-calculator")
}

func TestAnInterruptedRunSaysOfNothingThatItPassedOrFailed(t *testing.T) {
	m := newMac(t)
	ctx, cancel := context.WithCancel(context.Background())
	m.outputs["Scripts/measure-footprint.sh --json"] = func(string) output {
		cancel()
		return output{code: -1, err: context.Canceled}
	}
	all := m.verifyIn(ctx, selection{})
	assert.Equal(t, entry{ID: "idle", Title: all["idle"].Title, Result: skipped, Reason: "interrupted", DurationMS: all["idle"].DurationMS}, all["idle"])
	assert.Equal(t, "interrupted before it began", all["footprint"].Reason)
	assert.Equal(t, passed, all["resident"].Result)
	assert.False(t, m.stopped)
	require.NoError(t, m.s.close())
	assert.True(t, m.stopped, "the resident ends with the run")
	assert.NoDirExists(t, m.s.base)
}

func TestACheckThatTakesTooLongFails(t *testing.T) {
	c := check{id: "slow", timeout: time.Millisecond, run: func(ctx context.Context, _ *session) finding { <-ctx.Done(); return fail("it waits") }}
	f := runOne(context.Background(), c, nil)
	assert.Equal(t, failed, f.result)
	assert.Contains(t, f.reason, "did not finish within 1ms")
}

func readMemory(t *testing.T, mib ...float64) finding {
	var all []sample
	for _, v := range mib {
		all = append(all, sample{Processes: []load{{ID: "resident", Memory: 1024}}, Total: load{Count: 3, Memory: v * 1024}})
	}
	return runOne(t.Context(), check{timeout: time.Minute, run: func(context.Context, *session) finding { return memoryFinding(all) }}, nil)
}

func TestTheLargestOfFiveSamplesIsHeldToTheBudget(t *testing.T) {
	f := readMemory(t, 120, 129, 125, 126, 127)
	assert.Equal(t, passed, f.result)
	assert.Equal(t, []figure{{"median", 126, "MiB", 130}, {"maximum", 129, "MiB", 130}}, f.figures[:2])
	f = readMemory(t, 120, 130.5, 125, 126, 127)
	assert.Equal(t, failed, f.result)
	assert.Equal(t, "maximum is 130.5 MiB, above 130 MiB", f.reason)
	assert.Equal(t, passed, readMemory(t, 130, 130).result)
}

func TestWhatCouldNotBeMeasuredIsNoFigure(t *testing.T) {
	for name, text := range map[string]string{
		"no footprint of one": strings.Replace(footprintJSON, `"pss_kib":2048`, `"pss_kib":0`, 1),
		"no resident":         strings.Replace(footprintJSON, `"id":"resident"`, `"id":"x"`, 1),
		"no JSON":             "measure-footprint: no flash",
	} {
		_, err := readSample(output{stdout: text})
		assert.Error(t, err, name)
	}
	_, err := readSample(output{code: 3, stderr: "no resident is running"})
	assert.ErrorContains(t, err, "no resident is running")
	m, err := readSample(output{stdout: footprintJSON})
	require.NoError(t, err)
	assert.Equal(t, passed, idleFinding(m).result)
	m.Total.Wakeups = 0
	assert.Equal(t, failed, idleFinding(m).result, "nothing sleeps for a whole minute")
}

func TestTestsAreCountedAndNoneIsNoPass(t *testing.T) {
	read := func(o output) finding {
		r, err := readTests(o.stdout)
		if err != nil {
			return fail(err.Error())
		}
		return r.finding(o)
	}
	line := func(action, test string) string {
		return fmt.Sprintf(`{"Action":%q,"Package":"github.com/flash-launcher/flash/internal/sandbox","Test":%q}`+"\n", action, test)
	}
	assert.Equal(t, passed, read(output{stdout: "# a warning\n" + line("pass", "TestA") + line("skip", "TestB") + line("pass", "")}).result)
	f := read(output{code: 1, stdout: line("pass", "TestA") + line("fail", "TestB") + line("fail", "")})
	assert.Equal(t, "failed: internal/sandbox.TestB", f.reason)
	assert.Equal(t, "failed: internal/sandbox", read(output{code: 1, stdout: line("fail", "")}).reason, "it does not compile")
	assert.Equal(t, skipped, read(output{stdout: line("skip", "TestB")}).result)
	assert.Equal(t, failed, read(output{stdout: ""}).result)
}

func TestSelections(t *testing.T) {
	all := []check{{id: "a"}, {id: "b", needs: []string{"a"}}, {id: "c.x", needs: []string{"b"}}, {id: "d"}}
	want := func(s selection) (out []string) {
		for id, yes := range s.with(all) {
			if yes {
				out = append(out, id)
			}
		}
		slices.Sort(out)
		return out
	}
	assert.Equal(t, []string{"a", "b", "c.x", "d"}, want(selection{}))
	assert.Equal(t, []string{"a", "b", "c.x"}, want(selection{only: []string{"c"}}))
	assert.Equal(t, []string{"a", "b", "c.x"}, want(selection{only: []string{"c.*"}}))
	assert.Equal(t, []string{"b", "c.x", "d"}, want(selection{not: []string{"a"}}))
}

func TestTheReportReadsTheSameInBothForms(t *testing.T) {
	r := report{SchemaVersion: 1, Commit: "abc", Modified: true, Identity: "-", Complete: true, Date: time.Unix(0, 0).UTC(), Machine: machine{OS: "macOS", Version: "15.1", Arch: "arm64"}}
	r.take([]entry{
		{ID: "idle", Title: "A minute at rest", Result: failed, Reason: "too much\nof it", Figures: []figure{{"wake-ups", 7.5, "", 5}}, DurationMS: 60123},
		{ID: "hotkey", Title: "T", Result: skipped, Reason: "needs grant.accessibility: it was skipped"},
		{ID: "hand.x", Title: "T", Result: manual, Instructions: "Scroll."}, {ID: "p", Result: passed},
	})
	assert.Equal(t, summary{1, 1, 1, 1}, r.Summary)
	assert.Equal(t, exitFailed, r.exitCode())
	paths, err := r.write(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	text, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	for _, want := range []string{"commit abc, modified", "macOS 15.1", "FAIL     idle", "         of it", "wake-ups 7.5 (at most 5)", "skipped  hotkey", "manual   hand.x", "1 passed, 1 failed, 1 skipped, 1 to check by hand"} {
		assert.Contains(t, string(text), want)
	}
	data, err := os.ReadFile(paths[1])
	require.NoError(t, err)
	var back report
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, r, back)
	r.take([]entry{{Result: skipped}})
	assert.Equal(t, exitOK, r.exitCode())
	r.Complete = false
	assert.Equal(t, exitInterrupted, r.exitCode())
	var b bytes.Buffer
	require.NoError(t, r.text(&b))
	assert.Contains(t, b.String(), "interrupted")
}

func TestWithoutAMacItSaysSoAndStillTellsWhatItWouldDo(t *testing.T) {
	var out, errs bytes.Buffer
	assert.Equal(t, exitCannot, run(nil, "linux", nil, &out, &errs))
	assert.Contains(t, errs.String(), "this is not macOS")
	assert.Empty(t, out.String())
	assert.Equal(t, exitOK, run([]string{"-list"}, "linux", nil, &out, &errs))
	for _, c := range plan(true) {
		assert.Contains(t, out.String(), c.id)
	}
	out.Reset()
	assert.Equal(t, exitOK, run([]string{"-dry-run"}, "linux", nil, &out, &errs))
	var r report
	require.NoError(t, json.Unmarshal(out.Bytes(), &r))
	assert.Zero(t, r.Summary.Passed+r.Summary.Failed)
	assert.Len(t, r.Checks, len(plan(true)))
	assert.Equal(t, exitCannot, run([]string{"-nonsense"}, "darwin", nil, &out, &errs))
	assert.Equal(t, exitCannot, run([]string{"extra"}, "darwin", nil, &out, &errs))
	assert.Equal(t, exitCannot, run([]string{"-only", "["}, "darwin", nil, &out, &errs))
	assert.Equal(t, exitOK, run([]string{"-h"}, "linux", nil, &out, &errs))
}

func TestNothingOfTheUsersIsInTheEnvironment(t *testing.T) {
	env := isolated([]string{"HOME=/Users/u", "XDG_CONFIG_HOME=/c", "FLASH_SOCKET=/s", "FLASH=/f", "PATH=/bin", "TMPDIR=/t"}, "darwin", "/tmp/fv-1")
	assert.Equal(t, []string{"PATH=/bin", "TMPDIR=/t", "HOME=/tmp/fv-1/home", "FLASH_CONFIG=/tmp/fv-1/conf/config.toml"}, env)
}

func FuzzWhatProgramsPrint(f *testing.F) {
	f.Add(footprintJSON)
	f.Add("Plugin x\n\nmacOS, a profile of sandbox-exec:\n  (version 1)\n")
	f.Add(`{"Action":"fail","Package":"p","Test":"T"}`)
	f.Add("CSW\n12+\n  0:00.05")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = readSample(output{stdout: text})
		_, _ = readTests(text)
		_, _ = profileOf(text)
		_, _ = lastNumber(text)
		_, _ = cpuTime(text)
		_ = delivered(text)
		_ = survivors(text, []int{1})
	})
}
