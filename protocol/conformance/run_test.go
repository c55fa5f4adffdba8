package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/sdk/probe"
)

// busy is the patience of tests: the machine may be doing other things, and
// what waits for something that comes is not slowed by it.
const busy = 20

func pluginOptions(t *testing.T, mode string, only ...string) Options {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return Options{Argv: []string{self, "plugin", mode}, Manifest: probe.Manifest, Only: only, Patience: busy, TempDir: t.TempDir(), Parallel: 4}
}

func runPlugin(t *testing.T, o Options) Report {
	t.Helper()
	report, err := Run(context.Background(), o)
	require.NoError(t, err)
	return report
}

// text is what failed of a report.
func text(t *testing.T, r Report) string {
	t.Helper()
	r.Results = slices.DeleteFunc(slices.Clone(r.Results), func(res Result) bool { return res.Status != Failed })
	var b bytes.Buffer
	require.NoError(t, r.WriteText(&b))
	return b.String()
}

func TestTheProbePassesEveryScenarioThatItsManifestCallsFor(t *testing.T) {
	t.Setenv("FLASH_CONFORMANCE_SECRET", "must not be passed on")
	report := runPlugin(t, pluginOptions(t, "honest"))
	require.True(t, report.OK(), text(t, report))
}

func TestNothingOfThePluginOutlivesTheRun(t *testing.T) {
	for _, mode := range []string{"ignores EOF", "leaves a child", "leaves a child on stdout"} {
		mark := filepath.Join(t.TempDir(), "mark")
		o := pluginOptions(t, mode, "wire/ping")
		o.Patience = 0.3
		o.Env = []string{"FLASH_CONFORMANCE_MARK=" + mark}
		require.False(t, runPlugin(t, o).OK())
		require.Eventually(t, func() bool { return len(processesWith(t, mark)) == 0 }, 20*time.Second, 10*time.Millisecond, mode)
	}
}

// processesWith lists living processes whose environment holds a text.
func processesWith(t *testing.T, text string) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	var found []string
	for _, name := range environments {
		if data, err := os.ReadFile(name); err == nil && bytes.Contains(data, []byte(text)) {
			found = append(found, name)
		}
	}
	return found
}

func TestCancellingEndsARunAndItsChildren(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	ctx, cancel := context.WithCancel(context.Background())
	o := pluginOptions(t, "silent", "wire/ping")
	o.Env = []string{"FLASH_CONFORMANCE_MARK=" + mark}
	done := make(chan error)
	go func() {
		_, err := Run(ctx, o)
		done <- err
	}()
	require.Eventually(t, func() bool { return len(processesWith(t, mark)) > 0 }, 30*time.Second, 5*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Eventually(t, func() bool { return len(processesWith(t, mark)) == 0 }, 20*time.Second, 10*time.Millisecond)
}

func TestARunThatCannotStartSaysWhy(t *testing.T) {
	o := pluginOptions(t, "honest", "wire/ping")
	o.Argv = []string{filepath.Join(t.TempDir(), "no-such-plugin")}
	report := runPlugin(t, o)
	require.Contains(t, text(t, report), "no-such-plugin")

	o.Manifest = []byte(`{"id":"x","unknown":1}`)
	_, err := Run(context.Background(), o)
	require.ErrorContains(t, err, "manifest")

	_, err = Run(context.Background(), pluginOptions(t, "honest", "no/such*"))
	require.ErrorContains(t, err, "no/such*")

	o.Argv = nil
	_, err = Run(context.Background(), o)
	require.ErrorContains(t, err, "command")
}

func TestAFailureShowsTheFrameTheExpectationAndTheDifference(t *testing.T) {
	report := runPlugin(t, pluginOptions(t, "mumbles", "perform/echo"))
	out := text(t, report)
	require.Contains(t, out, `frame    {"id":2,"result":{"ok":true,"message":"x"}}`)
	require.Contains(t, out, `want     {"message"`)
	require.Contains(t, out, `differs  .message: want a string with contains`)
	require.Contains(t, out, `"subcommand":"echo"`)

	var b bytes.Buffer
	require.NoError(t, report.WriteJSON(&b))
	var again Report
	require.NoError(t, json.Unmarshal(b.Bytes(), &again))
	require.Equal(t, report, again)
}

func TestAPluginThatEndsEarlyIsReportedWithItsExit(t *testing.T) {
	report := runPlugin(t, pluginOptions(t, "exits early", "wire/ping"))
	require.Contains(t, text(t, report), "exit status 3")
}

func TestWhatFailsAlikeIsShownOnce(t *testing.T) {
	report := runPlugin(t, pluginOptions(t, "exits early", "wire/ping", "wire/params_absent", "lifecycle/handshake"))
	require.Equal(t, 3, report.Failed)
	var b bytes.Buffer
	require.NoError(t, report.WriteFailures(&b))
	out := b.String()
	require.Equal(t, 1, strings.Count(out, "differs "), out)
	require.Regexp(t, `fail  wire/ping  \(\d+ ms\)  as lifecycle/handshake\n`, out)
	require.NotContains(t, out, "passed", "the caller sums up")
}

func TestAPatternThatMatchesNothingIsToldBeforeARun(t *testing.T) {
	require.NoError(t, CheckOnly([]string{"wire/*", "lifecycle"}))
	require.ErrorContains(t, CheckOnly([]string{"wire/*", "wir/*"}), "no scenario matches wir/*")
	require.ErrorContains(t, CheckOnly([]string{"["}), `pattern "["`)
}

func TestNoiseBeforeTheFirstReplyIsCalledNoise(t *testing.T) {
	o := pluginOptions(t, "honest", "lifecycle/handshake")
	sh := `read -r hello; echo banner; echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'; while read -r more; do :; done`
	o.Argv = []string{"/bin/sh", "-c", sh}
	for range 5 {
		require.Contains(t, text(t, runPlugin(t, o)), "frame    banner\n      want     every line of stdout is one valid frame")
	}
}

func TestScenariosThatMakeNoSenseAreRefusedBeforeTheyRun(t *testing.T) {
	for problem, scenario := range map[string]string{
		"unknown field":  `{"about":"x","stepz":[]}`,
		"about":          `{"steps":[{"sleep_ms":1}]}`,
		"requires":       `{"about":"x","requires":["sorces"],"steps":[{"sleep_ms":1}]}`,
		"allow":          `{"about":"x","allow":["everything"],"steps":[{"sleep_ms":1}]}`,
		"one thing":      `{"about":"x","steps":[{"sleep_ms":1,"close_stdin":true}]}`,
		"two seconds":    `{"about":"x","steps":[{"sleep_ms":2001}]}`,
		"is answered":    `{"about":"x","steps":[{"expect_host_rpc":{"method":"host.ping","params":{}}}]}`,
		"step 1: step 1": `{"about":"x","steps":[{"repeat":{"times":1,"as":"i","from":1,"steps":[{}]}}]}`,
	} {
		_, err := Load(fstest.MapFS{"folder/name.json": {Data: []byte(scenario)}})
		require.ErrorContains(t, err, problem)
		require.ErrorContains(t, err, "folder/name.json")
	}
}

func TestScenariosOfACallerReplaceTheBuiltInOnes(t *testing.T) {
	o := pluginOptions(t, "honest")
	o.Scenarios = fstest.MapFS{"own/ping.json": {Data: []byte(`{"about":"x","steps":[{"call":{"id":2,"method":"ping","reply":{"ok":true}}}]}`)}}
	report := runPlugin(t, o)
	require.Equal(t, "own/ping", report.Results[0].Scenario)
	require.Equal(t, 1, report.Passed)
}
