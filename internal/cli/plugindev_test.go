package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/cli"
)

// flashProgram is the real program, built once for all tests of the verbs.
var flashProgram = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "flash-cli-test-*")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "flash")
	// As `make build` does, which has compiled all of it by then.
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, "github.com/flash-launcher/flash/cmd/flash")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

var built string

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

type outcome struct {
	code        int
	out, stderr string
}

// flash runs the program in a home of its own.
func flash(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	program, err := flashProgram()
	require.NoError(t, err)
	cmd := exec.Command(program, args...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home)
	cmd.Dir = home
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &stderr
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}
}

// scaffolded makes a plugin called hi and builds it.
func scaffolded(t *testing.T, language string) string {
	t.Helper()
	tool := map[string]string{"go": "make", "python": "python3", "node": "node", "sh": "awk"}[language]
	if _, err := exec.LookPath(tool); err != nil {
		t.Skipf("needs %s", tool)
	}
	parent := t.TempDir()
	require.NoError(t, os.Chmod(parent, 0o755))
	r := flash(t, "", "plugin-dev", "new", "hi", "--lang", language, "--dir", parent)
	require.Equal(t, cli.ExitOK, r.code, r.stderr)
	dir := filepath.Join(parent, "hi")
	if language != "go" {
		return dir
	}
	cmd := exec.Command("make")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

const session = "resolve 1\nquery hi you\n:hi say there\nnavigate x:y\nbogus\n"

const golden = `→ {"id":1,"method":"initialize","params":{"protocol_version":1}}
← {"id":1,"result":{"ok":true,"protocol_version":1}}
← {"method":"publish","params":{"rows":[{"source":"hi.items","title":"Hello from hi","effect":{"type":"copy_text","text":"Hello from hi"}}]}}
→ {"id":2,"method":"perform","params":{"kind":"resolve","row":{"source":"hi.items","title":"Hello from hi","effect":{"type":"copy_text","text":"Hello from hi"}}}}
← {"id":2,"result":{"ok":false,"unhandled":true}}
→ {"id":3,"method":"evaluate","params":{"query":"hi you","scope":"","surface":"flashlight"}}
← {"id":3,"result":{"ok":true,"answers":[{"title":"Hello you","subtitle":"Copy the greeting","effect":{"type":"copy_text","text":"Hello you"}}]}}
→ {"id":4,"method":"perform","params":{"kind":"command","command":"hi","subcommand":"say","args":["there"],"raw":":hi say there"}}
← {"id":4,"result":{"ok":true,"message":"Hello there"}}
→ {"id":5,"method":"perform","params":{"kind":"navigate","url":"x:y"}}
← {"id":5,"result":{"ok":false,"unhandled":true}}
# "bogus" is no word of a session; say help
# the plugin ended: exit status 0
`

func TestEachScaffoldSaysTheSameInASession(t *testing.T) {
	for _, language := range []string{"go", "python", "node", "sh"} {
		t.Run(language, func(t *testing.T) {
			r := flash(t, session, "plugin-dev", "run", scaffolded(t, language))
			// A busy machine may be slower than a host would wait.
			assert.Equal(t, golden, regexp.MustCompile(`# evaluate took .*\n`).ReplaceAllString(r.out, ""))
			assert.Equal(t, cli.ExitOK, r.code, r.stderr)
		})
	}
}

func TestARecordingIsReplayedAndADifferenceIsSeen(t *testing.T) {
	dir, recording := scaffolded(t, "sh"), filepath.Join(t.TempDir(), "session")
	require.Equal(t, cli.ExitOK, flash(t, session, "plugin-dev", "run", dir, "--record", recording).code)
	r := flash(t, "", "plugin-dev", "run", dir, "--replay", recording)
	assert.Equal(t, cli.ExitOK, r.code, r.stderr)
	assert.Contains(t, r.out, "6 frames as recorded, 0 missing, 0 more")

	text, err := os.ReadFile(recording)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(recording, bytes.ReplaceAll(text, []byte("Hello there"), []byte("Hullo there")), 0o644))
	r = flash(t, "", "plugin-dev", "run", dir, "--replay", recording)
	assert.Equal(t, cli.ExitFailure, r.code)
	assert.Contains(t, r.stderr, "the plugin differs from the recording: 1 frames are missing, 1 are more")

	r = flash(t, "", "plugin-dev", "run", dir, "--replay", recording, "--record", recording)
	assert.Equal(t, cli.ExitUsage, r.code)
	assert.Contains(t, r.stderr, "name another file")
	info, err := os.Stat(recording)
	require.NoError(t, err)
	assert.Positive(t, info.Size(), "it is still there")
}

func TestColoursAreForTerminalsThatWantThem(t *testing.T) {
	program, err := flashProgram()
	require.NoError(t, err)
	dir := scaffolded(t, "sh")
	for set, want := range map[string]bool{"TERM=xterm": true, "NO_COLOR=1": false, "TERM=dumb": false} {
		cmd := exec.Command(program, "plugin-dev", "run", dir)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=", "TERM=xterm", set)
		terminal, err := pty.Start(cmd)
		require.NoError(t, err)
		defer terminal.Close()
		_, err = terminal.WriteString("ping\nquit\n")
		require.NoError(t, err)
		shown, _ := io.ReadAll(terminal) // an error is the terminal's end
		require.NoError(t, cmd.Wait(), "%s", shown)
		assert.Contains(t, string(shown), "the plugin ended: exit status 0")
		assert.Equal(t, want, bytes.Contains(shown, []byte("\x1b[3")), "%s: %q", set, shown)
	}
	r := flash(t, "ping\n", "plugin-dev", "run", dir)
	assert.NotContains(t, r.out, "\x1b")
}

func TestCtrlCEndsAPluginInOrderAndIsNoError(t *testing.T) {
	program, err := flashProgram()
	require.NoError(t, err)
	dir := scaffolded(t, "sh")
	path := filepath.Join(dir, "hi")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(text, "\necho in order >&2\n"...), 0o755))
	for verb, want := range map[string]int{"run": 130, "watch": cli.ExitOK} {
		cmd := exec.Command(program, "plugin-dev", verb, dir)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		_, err := cmd.StdinPipe() // nothing is said, and it does not end
		require.NoError(t, err)
		var out, stderr output
		cmd.Stdout, cmd.Stderr = &out, &stderr
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { return strings.Contains(out.String(), "Hello from hi") }, time.Minute, 5*time.Millisecond)
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait()
		assert.Equal(t, want, cmd.ProcessState.ExitCode(), "%s: %s", verb, stderr.String())
		assert.Empty(t, stderr.String(), verb)
		assert.Contains(t, out.String(), "! in order\n# the plugin ended: exit status 0\n", verb)
	}
}

func TestConformRunsInAndOutOfTheSandbox(t *testing.T) {
	dir := scaffolded(t, "sh")
	for _, mode := range []string{"--sandbox=false", "--sandbox"} {
		r := flash(t, "", "plugin-dev", "conform", dir, "--only", "lifecycle/*", "--patience", "4", "--json", mode)
		require.Equal(t, cli.ExitOK, r.code, "%s%s", r.out, r.stderr)
		var report struct {
			Sandbox        bool
			Passed, Failed int
		}
		require.NoError(t, json.Unmarshal([]byte(r.out), &report))
		assert.Equal(t, mode == "--sandbox", report.Sandbox)
		assert.Positive(t, report.Passed)
		assert.Zero(t, report.Failed)
	}
}

func TestConformSaysOnceWhatKeepsThePluginFromStarting(t *testing.T) {
	dir := scaffolded(t, "sh")
	program, err := flashProgram()
	require.NoError(t, err)
	cmd := exec.Command(program, "plugin-dev", "conform", dir, "--sandbox")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil { // a host may well know the home of a user without HOME
		assert.Less(t, bytes.Count(out, []byte("\n")), 3, "%s", out)
	}

	path := filepath.Join(dir, "hi")
	require.NoError(t, os.WriteFile(path, []byte("#!/usr/bin/nosuch\n"), 0o755))
	r := flash(t, "", "plugin-dev", "conform", dir)
	assert.Equal(t, cli.ExitFailure, r.code)
	assert.Contains(t, r.stderr, "names /usr/bin/nosuch, which is not there: install it")
	assert.Empty(t, r.out)

	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho no database >&2\nexit 3\n"), 0o755))
	r = flash(t, "", "plugin-dev", "conform", dir, "--only", "wire/*", "--parallel", "1")
	assert.Equal(t, cli.ExitFailure, r.code)
	assert.Equal(t, 1, strings.Count(r.out, "stderr   no database"), r.out)
	assert.Contains(t, r.out, "  as wire/")
	assert.Equal(t, 1, strings.Count(r.out, " passed,"), r.out)
}

func TestAPluginThatOutlivesItsHostFailsInTheSandbox(t *testing.T) {
	dir := scaffolded(t, "sh")
	// It answers as it should, and does not mind the end of its stdin.
	program := filepath.Join(dir, "hi")
	text, err := os.ReadFile(program)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, append(text, "\nwhile :; do :; done\n"...), 0o755))
	r := flash(t, "", "plugin-dev", "conform", dir, "--only", "lifecycle/eof_ends_it", "--sandbox")
	assert.Equal(t, cli.ExitFailure, r.code)
	assert.Contains(t, r.out, "it still ran")
	// The sandbox ends even that one when the host dies.
	r = flash(t, "", "plugin-dev", "conform", dir, "--only", "lifecycle/parent_death", "--sandbox", "--patience", "4")
	assert.Equal(t, cli.ExitOK, r.code, r.out)
}

func TestBenchPrintsJSONAloneAndComparesItself(t *testing.T) {
	dir, file := scaffolded(t, "sh"), filepath.Join(t.TempDir(), "before.json")
	args := []string{"plugin-dev", "bench", "--plugin", dir, "--samples", "2", "--settle-ms", "20", "--no-references", "--json"}
	r := flash(t, "", args...)
	require.Equal(t, cli.ExitOK, r.code, r.stderr)
	var report struct {
		SchemaVersion int   `json:"schema_version"`
		Generated     int64 `json:"generated_at_unix"`
		Results       []struct {
			ID      string
			Summary struct {
				Samples    int
				Initialize struct{ P50, P95 float64 } `json:"initialize_ms"`
				RSS        struct{ P50, Max float64 } `json:"rss_kib"`
				Threads    float64
				CleanExits int `json:"clean_exits"`
			}
			Raw []map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &report))
	assert.Equal(t, 1, report.SchemaVersion)
	assert.Positive(t, report.Generated)
	require.Len(t, report.Results, 1)
	s := report.Results[0].Summary
	assert.Equal(t, "hi", report.Results[0].ID)
	assert.Len(t, report.Results[0].Raw, 2)
	assert.Equal(t, 2, s.Samples)
	assert.Positive(t, s.Initialize.P50)
	assert.GreaterOrEqual(t, s.Initialize.P95, s.Initialize.P50)
	assert.Positive(t, s.RSS.P50)
	assert.Positive(t, s.Threads)

	require.NoError(t, os.WriteFile(file, []byte(r.out), 0o644))
	r = flash(t, "", append(args, "--compare", file, "--concurrent", "--sandbox")...)
	require.Equal(t, cli.ExitOK, r.code, r.stderr)
	assert.True(t, json.Valid([]byte(r.out)))
	assert.Contains(t, r.stderr, "ID\tMETRIC\tBEFORE\tAFTER\tRATIO\tNOISE\tVERDICT\nhi\tinitialize_ms\t")

	r = flash(t, "", append(args[:len(args)-1:len(args)-1], "--compare", file)...)
	require.Equal(t, cli.ExitOK, r.code, r.stderr)
	assert.True(t, strings.HasPrefix(r.out, "ID\tN\tINIT P50 MS\t"), "%s", r.out)
	assert.Contains(t, r.out, "VERDICT\n", "without --json all is on stdout")
	assert.Empty(t, r.stderr)
}

func TestProfileSaysWhichRuleDecides(t *testing.T) {
	dir := scaffolded(t, "sh")
	r := flash(t, "", "plugin-dev", "profile", dir)
	require.Equal(t, cli.ExitOK, r.code, r.stderr)
	for _, part := range []string{"(data directory)", "Linux, a Landlock ruleset", "(deny default)", "awk"} {
		assert.Contains(t, r.out, part)
	}
	r = flash(t, "", "plugin-dev", "profile", dir, "--explain", filepath.Join(dir, "hi"), "--explain", "example.com:443", "--explain", "nosuchcommand")
	require.Equal(t, cli.ExitOK, r.code, r.stderr)
	assert.Regexp(t, `allowed +read .*plugin root|allowed +read .*plugin executable`, r.out)
	assert.Regexp(t, `denied +write `, r.out)
	assert.Contains(t, r.out, "denied   network example.com:443")
	assert.Contains(t, r.out, "it is not on PATH")

	r = flash(t, "", "plugin-dev", "profile", dir, "--explain", ".", "--explain", "~", "--explain", "https://example.com/x")
	require.Equal(t, cli.ExitOK, r.code, r.stderr)
	assert.Equal(t, 2, strings.Count(r.out, "denied   write "), "%s", r.out)
	assert.Contains(t, r.out, "denied   fetch   https://example.com/x  (no capability network_fetch)")
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte(`"exec"`),
		[]byte(`"capabilities":["network_fetch"],"fetch_urls":["https://example.com/a/"],"exec"`), 1), 0o644))
	r = flash(t, "", "plugin-dev", "profile", dir, "--explain", "https://example.com/a/b", "--explain", "https://example.com/ab", "--explain", "http://example.com/a/")
	for _, part := range []string{
		"denied   network https://example.com/a/b  (no capability network)",
		"allowed  fetch   https://example.com/a/b  (fetch_urls https://example.com/a/)",
		"denied   fetch   https://example.com/ab  (not within fetch_urls)",
		"denied   fetch   http://example.com/a/  (",
	} {
		assert.Contains(t, r.out, part)
	}
	r = flash(t, "", "plugin-dev", "profile", dir, "--explain", "")
	assert.Equal(t, cli.ExitUsage, r.code)
}

func TestMistakesAreNamedWithTheirRemedy(t *testing.T) {
	dir := scaffolded(t, "sh")
	empty := t.TempDir()
	r := flash(t, "", "plugin-dev", "bench", "--plugin", dir, "--samples", "999999999", "--svg", filepath.Join(empty, "no", "x.svg"))
	assert.Equal(t, cli.ExitFailure, r.code, "it is seen before the measurement")
	assert.Contains(t, r.stderr, "bench --svg: ")
	r = flash(t, "", "plugin-dev", "new", "../x")
	assert.Equal(t, cli.ExitUsage, r.code)
	assert.Contains(t, r.stderr, "take 1 to 64 of a-z")
	r = flash(t, "", "plugin-dev", "new", "hi", "--dir", filepath.Dir(dir))
	assert.Equal(t, cli.ExitFailure, r.code)
	assert.Contains(t, r.stderr, "it exists already; take another id")
	for id, part := range map[string]string{"conformance": "for their probe", "test": "has a make target"} {
		r = flash(t, "", "plugin-dev", "new", id)
		assert.Equal(t, cli.ExitUsage, r.code)
		assert.Contains(t, r.stderr, part)
	}
	r = flash(t, "", "plugin-dev", "new", "hi", "--lang", "cobol")
	assert.Equal(t, cli.ExitUsage, r.code)
	assert.Contains(t, r.stderr, "take one of go, python, node, sh")
	r = flash(t, "", "plugin-dev", "new", "hi", "--lang", "sh", "--dir", "it's here")
	assert.Equal(t, cli.ExitOK, r.code, r.stderr)
	assert.Contains(t, r.out, "  cd './it'\\''s here/hi'\n")
	for _, wrong := range [][]string{{"--patience", "-1"}, {"--parallel", "-1"}, {"--only", "["}, {"--only", "nosuch"}} {
		r = flash(t, "", append([]string{"plugin-dev", "conform", dir}, wrong...)...)
		assert.Equal(t, cli.ExitUsage, r.code, wrong)
		assert.Contains(t, r.stderr, "conform: ", wrong)
	}
	for _, verb := range [][]string{{"run"}, {"conform"}, {"profile"}, {"bench", "--plugin"}} {
		r = flash(t, "", append(append([]string{"plugin-dev"}, verb...), "nosuch")...)
		assert.Equal(t, cli.ExitNotFound, r.code, "%v", verb)
		assert.Contains(t, r.stderr, `no such plugin: "nosuch"`, "%v", verb)
	}
	r = flash(t, "", "plugin-dev", "run", empty+"/")
	assert.Equal(t, cli.ExitNotFound, r.code)
	assert.Contains(t, r.stderr, "flash plugin-dev new ID")

	path := filepath.Join(dir, "manifest.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"id":"hi","nam":"x","version":1}`), 0o644))
	r = flash(t, "", "plugin-dev", "conform", dir)
	assert.Equal(t, cli.ExitFailure, r.code)
	for _, part := range []string{path, "nam: unknown key", "description: is missing"} {
		assert.Contains(t, r.stderr, part)
	}
	require.NoError(t, os.WriteFile(path, []byte(`{"id":"hi","name":"x","version":"1","description":"x","exec":["./gone"]}`), 0o644))
	r = flash(t, "", "plugin-dev", "run", dir)
	assert.Equal(t, cli.ExitFailure, r.code)
	assert.Contains(t, r.stderr, "build it first")
}
