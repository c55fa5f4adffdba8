package config

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const testHome = "/home/ada"

func parseTest(s string) (Config, []Fault) { return parseFor([]byte(s), "linux", testHome) }

func good(t *testing.T, s string) Config {
	t.Helper()
	c, faults := parseTest(s)
	require.Empty(t, faults)
	return c
}

func TestAnAbsentFileIsTheDefaults(t *testing.T) {
	c, faults := Load(filepath.Join(t.TempDir(), "config.toml"))
	assert.Empty(t, faults)
	assert.Equal(t, Defaults(), c)
}

func TestAnEmptyFileIsTheDefaults(t *testing.T) {
	assert.Equal(t, defaultsFor("linux"), good(t, ""))
	assert.Equal(t, "alt+space", defaultsFor("darwin").Hotkeys.Open)
}

func TestEveryKeyIsRead(t *testing.T) {
	c := good(t, `
version = 1
[flashlight]
rows = 12
width = 700
position = "center"
theme = "dark"
font = "Inter"
font_size = 18
close_on_focus_loss = false
[hotkeys]
open = "Option+Ctrl+K"
bind = { "cmd+shift+c" = ":clipboard" }
[statusbar]
enabled = true
template = "#{flash.plugin.cpu.summary}"
position = "bottom"
height = 30
[plugins]
enabled = ["cpu", "tmux", "cpu"]
disabled = ["tmux"]
dirs = ["~/plugins", "/opt/flash/../flash"]
startup_timeout = "2s"
[plugin.feed]
sandbox = false
memory_mib = 128
fetch_urls = ["https://example.com/feed/"]
exec_paths = ["/usr/bin/env"]
read = ["~/notes"]
unix_sockets = ["~/work.sock"]
url = "https://example.com/feed/x.xml"
nested = { when = 2026-01-02T03:04:05Z, day = 2026-01-02, "a<b" = [1, 2.5, "é"] }
[plugin.cpu]
enabled = false
[logs]
level = "debug"
max_mib = 1
keep = 0
[history]
learning = false
[pointer]
threshold = 200
`)
	assert.Equal(t, Flashlight{Rows: 12, Width: 700, Position: "center", Theme: "dark", Font: "Inter", FontSize: 18}, c.Flashlight)
	assert.Equal(t, Hotkeys{Open: "ctrl+alt+k", Bind: map[string]Target{"shift+super+c": {Query: ":clipboard"}}}, c.Hotkeys)
	assert.Equal(t, StatusBar{Enabled: true, Template: "#{flash.plugin.cpu.summary}", Position: "bottom", Height: 30, Menu: true}, c.StatusBar)
	assert.Equal(t, Plugins{Enabled: []string{"cpu", "tmux"}, Disabled: []string{"tmux"}, Dirs: []string{testHome + "/plugins", "/opt/flash"}, StartupTimeout: 2 * time.Second}, c.Plugins)
	assert.Equal(t, Logs{Level: "debug", MaxMiB: 1}, c.Logs)
	assert.False(t, c.History.Learning)
	assert.JSONEq(t, `{"threshold":200}`, string(c.Pointer))
	f := c.For("feed")
	assert.True(t, f.Enabled)
	assert.False(t, f.Sandbox)
	assert.Equal(t, 128, f.MemoryMiB)
	assert.Equal(t, []string{"https://example.com/feed/"}, f.FetchURLs)
	assert.Equal(t, []string{"/usr/bin/env"}, f.ExecPaths)
	assert.Equal(t, []string{f.Read[0][:len(f.Read[0])-len("notes")] + "work.sock"}, f.UnixSockets)
	assert.Equal(t, []string{testHome + "/notes"}, f.Read)
	for _, own := range []string{`"nested":{"a<b":[1,2.5,"é"],"day":"2026-01-02","when":"2026-01-02T03:04:05Z"}`, `"url":"https://example.com/feed/x.xml"`, `"sandbox":false`, `"memory_mib":128`} {
		assert.Contains(t, string(f.Table), own)
	}
	assert.Equal(t, `{}`, string(c.For("absent").Table))
	assert.Equal(t, []string{"cpu", "feed"}, c.PluginIDs())
	for id, want := range map[string]bool{"cpu": false, "tmux": false, "feed": false} {
		assert.Equal(t, want, c.Enabled(id), id)
	}
	assert.True(t, good(t, "").Enabled("anything"))
}

func TestAllFaultsAreReportedAtOnceWithTheirPlace(t *testing.T) {
	_, faults := parseTest(`[flashlight]
rows = "many"
widht = 3
font_size = 4
position = "centre"
[hotkeys]
open = "hyper+x"
[plugins]
enabled = "cpu"
disabled = ["cpu", 4, "Bad Id"]
startup_timeout = 5
dirs = ["plugins"]
[plugin.feed]
enabled = "yes"
fetch_urls = ["https://example.com/", "http://example.com/"]
memory_mib = 1
ratio = inf
[plugin.Feed]
[logs]
keep = 1.5
[statubsar]
[plugin]
cpu = 3
`)
	var got []string
	for _, f := range faults {
		got = append(got, f.Error())
	}
	assert.Equal(t, []string{
		`2:1: flashlight.rows: is a string, not a whole number`,
		`3:1: flashlight.widht: is not a setting of Flash; did you mean "width"?`,
		`4:1: flashlight.font_size: is 4; use 6 to 96`,
		`5:1: flashlight.position: "centre" is not a choice; did you mean "center"?`,
		`7:1: hotkeys.open: "hyper" is no modifier; ` + chordRemedy,
		`9:1: plugins.enabled: is a string, not a list of strings; write it as ["cpu"]`,
		`10:20: plugins.disabled[1]: is a whole number, not a string`,
		`10:23: plugins.disabled[2]: "Bad Id" is no plugin id; ` + idRemedy,
		`11:1: plugins.startup_timeout: is a whole number, not a duration; write it as a string with its unit, like "5s"`,
		`12:9: plugins.dirs[0]: "plugins" is not an absolute path; write it from the root, like "/opt/x", or from your home, like "~/x"`,
		`14:1: plugin.feed.enabled: is a string, not true or false`,
		`15:39: plugin.feed.fetch_urls[1]: url is not https; write it like "https://example.com/feed/"`,
		`16:1: plugin.feed.memory_mib: is 1; use 16 to 65536`,
		`17:1: plugin.feed.ratio: is no finite number; settings reach a plugin as JSON, which has finite numbers only`,
		`18:2: plugin.Feed: "Feed" is no plugin id; ` + idRemedy,
		`20:1: logs.keep: is a decimal number, not a whole number`,
		`21:2: statubsar: is not a setting of Flash; did you mean "statusbar"?`,
		`23:1: plugin.cpu: is a whole number, not a table; write it as [plugin.cpu]`,
	}, got)
}

func TestWhatIsRightInAFaultyFileHolds(t *testing.T) {
	c, faults := parseTest("[flashlight]\nrows = 0\nwidth = 700\n[plugins]\ndisabled = [\"clipboard\", 1]\n[plugin.feed]\nenabled = 1\nsandbox = \"no\"\n[history]\nlearning = 0\n")
	assert.Len(t, faults, 5)
	assert.Equal(t, 9, c.Flashlight.Rows)
	assert.Equal(t, 700, c.Flashlight.Width)
	assert.False(t, c.Enabled("clipboard"))
	assert.False(t, c.Enabled("feed"), "a plugin whose switch cannot be read is off")
	assert.True(t, c.For("feed").Sandbox, "a sandbox switch that cannot be read is on")
	assert.False(t, c.History.Learning, "a privacy switch that cannot be read is on the private side")
}

func TestASyntaxErrorHasItsPlaceAndYieldsTheDefaults(t *testing.T) {
	c, faults := parseTest("[flashlight]\nrows = 12\nwidth = = 3\n")
	require.Len(t, faults, 1)
	assert.Equal(t, 3, faults[0].Line)
	assert.Equal(t, 9, faults[0].Column)
	assert.Equal(t, defaultsFor("linux"), c)
	_, faults = parseTest("[logs]\nkeep = 1\nkeep = 2\n")
	require.Len(t, faults, 1)
	assert.Equal(t, 3, faults[0].Line)
}

func TestAFileOfAnotherVersionIsLeftAloneAndSaid(t *testing.T) {
	for _, s := range []string{"version = 2\n[flashlight]\nrows = 12\nfuture = 1", `version = "1"`} {
		c, faults := parseTest(s)
		require.Len(t, faults, 1)
		assert.Contains(t, faults[0].Error(), "1:1: version: ")
		assert.Contains(t, faults[0].Error(), "upgrade Flash")
		assert.Equal(t, defaultsFor("linux"), c)
	}
}

func TestAPluginThatDoesNotExistIsNamedWithTheNearest(t *testing.T) {
	c := good(t, "[plugins]\ndisabled = [\"calcualtor\"]\n[plugin.tmux]\n[plugin.zzz]\n")
	faults := c.UnknownPlugins([]string{"calculator", "tmux"})
	require.Len(t, faults, 2)
	assert.Equal(t, `2:1: plugins.disabled: no plugin is called "calcualtor"; did you mean "calculator"?`, faults[0].Error())
	assert.Contains(t, faults[1].Error(), "4:2: plugin.zzz: ")
}

func TestALoggedFaultHoldsNoValue(t *testing.T) {
	_, faults := parseTest("[flashlight]\nposition = \"hunter2\"\n")
	require.Len(t, faults, 1)
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Warn("config fault", "fault", faults[0])
	assert.NotContains(t, b.String(), "hunter2")
	assert.Contains(t, b.String(), `"fault":{"line":2,"column":1,"key":"flashlight.position"}`)
}

func TestWhatIsShownReadsBackToTheSame(t *testing.T) {
	for _, s := range []string{"", "[plugins]\nenabled=[\"a\"]\nstartup_timeout=\"1m\"\n[plugin.feed]\nread=[\"/x\"]\nurl=\"é\"\nwhen=2026-01-02\nlist=[{a=1},{b=[2]}]\n[plugin.\"a.b\"]\nsandbox=false\n[hotkeys.bind]\n\"ctrl+k\"=\"x\"\n[pointer]\nalpha=0.5\n"} {
		c := good(t, s)
		text, err := c.Show()
		require.NoError(t, err)
		again, faults := parseTest(string(text))
		require.Empty(t, faults, string(text))
		again.mentions, c.mentions = nil, nil
		was, is := c.For("feed"), again.For("feed")
		was.Table, is.Table = nil, nil // what is shown also names the defaults
		assert.Equal(t, was, is)
		assert.Equal(t, c.Hotkeys, again.Hotkeys)
		assert.Equal(t, c.Pointer, again.Pointer)
		second, err := again.Show()
		require.NoError(t, err)
		assert.Equal(t, string(text), string(second))
	}
}

func TestAFileThatIsNoPlainFileIsAFault(t *testing.T) {
	dir := t.TempDir()
	_, faults := Load(dir)
	require.Len(t, faults, 1)
	assert.Equal(t, dir+": is not a regular file; make it a readable file", faults[0].Error())
	big := filepath.Join(dir, "big")
	require.NoError(t, os.WriteFile(big, []byte(strings.Repeat("#\n", maxFile)), 0o600))
	_, faults = Load(big)
	require.Len(t, faults, 1)
	assert.Contains(t, faults[0].Problem, "larger than")
}

func TestPositionsOfArrayTablesAndDottedKeysAreFound(t *testing.T) {
	doc, fault := parse([]byte("[[a]]\nx=1\n[[a]]\n  y=[1,[2,3]]\n[a.sub]\nq=1\n[b]\nc.\"d e\".f = {g=1, h.i=2}\n"))
	require.Nil(t, fault)
	for _, c := range []struct {
		path []string
		want position
	}{
		{[]string{"a", "[0]", "x"}, position{2, 1}},
		{[]string{"a", "[1]", "y"}, position{4, 3}},
		{[]string{"a", "[1]", "y", "[0]"}, position{4, 6}},
		{[]string{"a", "[1]", "sub", "q"}, position{6, 1}},
		{[]string{"b", "c", "d e", "f", "h", "i"}, position{8, 19}},
		{[]string{"b", "c", "absent"}, position{8, 1}},
	} {
		assert.Equal(t, c.want, doc.find(c.path), dotted(c.path))
	}
	assert.Equal(t, `b.c."d e".f[1]`, dotted([]string{"b", "c", "d e", "f", "[1]"}))
}

func TestWhatNestsTooDeepIsRefusedAtOnce(t *testing.T) {
	for _, s := range []string{
		"a = " + strings.Repeat("[", maxFile/2),
		"a = " + strings.Repeat("{b=", maxFile/4),
		strings.Repeat("a.", maxFile/4) + "a = 1",
		"[" + strings.Repeat("a.", maxFile/4) + "a]\n",
		"a = " + strings.Repeat("[", 70) + strings.Repeat("]", 70),
	} {
		_, faults := parseTest(s)
		require.Len(t, faults, 1, "%.10s", s)
		assert.Contains(t, faults[0].Error(), "deep")
		assert.Equal(t, 1, faults[0].Line)
	}
	good(t, "[plugin.x]\na = "+strings.Repeat("[", 50)+strings.Repeat("]", 50))
}

func TestChordsHaveOneSpelling(t *testing.T) {
	for in, want := range map[string]string{
		"alt+space": "alt+space", "Cmd + Option + K": "alt+super+k", "f12": "f12", "shift+f20": "shift+f20", "control+1": "ctrl+1",
	} {
		got, problem := parseChord(in)
		assert.Empty(t, problem, in)
		assert.Equal(t, want, got)
	}
	for _, in := range []string{"", "space", "a", "shift+a", "ctrl+", "ctrl", "+a", "ctrl+ctrl+a", "ctrl+ab", "ctrl+f21", "ctrl+f0", "f1x"} {
		_, problem := parseChord(in)
		assert.NotEmpty(t, problem, in)
	}
	_, faults := parseTest("[hotkeys]\nopen=\"ctrl+a\"\nbind={\"control+a\"=\"x\"}\n")
	require.Len(t, faults, 1)
	assert.Contains(t, faults[0].Problem, "bound twice")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[flashlight]\nrows = 12\n[plugin.feed]\nurl=\"x\"\nlist=[1,[2]]\n"))
	f.Add([]byte("[[plugin]]\n[plugin.a]\nx.y.z=1979-05-27T07:32:00Z\n"))
	f.Add([]byte("a = [[[[[[]]]]]]\nb={c={d=1}}\n[x]\n[[x.y]]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, faults := parseTest(string(data))
		for _, fault := range faults {
			if fault.Problem == "" || fault.Line < 0 || fault.Line > bytes.Count(data, []byte("\n"))+1 {
				t.Fatalf("bad fault %+v", fault)
			}
		}
		text, err := c.Show()
		if err != nil {
			t.Fatalf("cannot be shown: %v", err)
		}
		if len(faults) > 0 {
			return
		}
		again, faults := parseTest(string(text))
		if len(faults) > 0 {
			t.Fatalf("what is shown has faults: %v\n%s", faults, text)
		}
		for _, id := range c.PluginIDs() {
			if was, is := c.For(id).settings, again.For(id).settings; !reflect.DeepEqual(was, is) {
				t.Fatalf("settings changed: %v, %v", was, is)
			}
		}
	})
}
