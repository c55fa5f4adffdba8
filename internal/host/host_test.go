package host_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
)

const firefox = `[Desktop Entry]
Type=Application
Name=Firefox
GenericName=Web Browser
Exec=/bin/true %u
Icon=firefox
`

func TestAFreshResidentRunsItsResidentPluginsAndLetsTheMonitorsWait(t *testing.T) {
	i := newInstance(t)
	assert.Contains(t, i.ok("start"), "is running")
	var all control.Plugins
	i.json(&all, "plugins", "--json")
	require.NotEmpty(t, all.Plugins)
	for _, p := range all.Plugins {
		switch p.Activation {
		case "resident":
			assert.Equal(t, "running", p.State, "%s: %s", p.ID, p.LastError)
			assert.Positive(t, p.PID, p.ID)
			assert.Positive(t, p.RSSKiB, p.ID)
			assert.Contains(t, p.Sandbox, "landlock", p.ID)
		case "status-bound":
			assert.Equal(t, "idle", p.State, p.ID)
			assert.Zero(t, p.PID, p.ID)
			assert.Contains(t, p.Why, "status bar", p.ID)
		}
	}
	assert.Contains(t, i.ok("start"), "already running")
}

func TestAMisspelledApplicationIsFoundAndAppearsWithoutARestart(t *testing.T) {
	i := newInstance(t)
	i.write("share/applications/kate.desktop", strings.ReplaceAll(firefox, "Firefox", "Kate"), 0o644)
	i.start()
	assert.Empty(t, i.query("fireofx").Rows)
	i.write("share/applications/firefox.desktop", firefox, 0o644)
	i.eventually("the new entry is found", func() bool {
		return slices.Contains(i.query("fireofx").titles(), "Firefox")
	})
	q := i.query("firefox")
	require.NotEmpty(t, q.Rows)
	assert.Equal(t, "Firefox", q.Rows[0].Title)
	assert.Equal(t, "core", q.Rows[0].Plugin)
	assert.Equal(t, "core.apps", q.Rows[0].Source)
	assert.Equal(t, [][2]int{{0, 7}}, q.Rows[0].Highlights)
	assert.Positive(t, q.ElapsedUS)
}

func TestChoosingAnApplicationStartsItAndItOutlivesTheHost(t *testing.T) {
	i := newInstance(t)
	started := filepath.Join(i.dir, "started")
	i.write("app.sh", "#!/bin/sh\necho $$ > "+started+".new && mv "+started+".new "+started+"\nexec sleep 600\n", 0o755)
	i.write("share/applications/tool.desktop", "[Desktop Entry]\nType=Application\nName=Tool\nExec="+filepath.Join(i.dir, "app.sh")+"\n", 0o644)
	i.start()
	q := i.query("tool")
	require.NotEmpty(t, q.Rows)
	i.ok("perform", q.Rows[0].ID)
	var pid int
	i.eventually("the application has started", func() bool {
		data, err := os.ReadFile(started)
		return err == nil && json.Unmarshal(data, &pid) == nil
	})
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	i.ok("stop")
	assert.True(t, alive(pid), "an application belongs to the user, not to the host")
}

func TestASecondResidentExitsAndLeavesTheFirstAlone(t *testing.T) {
	i := newInstance(t)
	i.start()
	first := i.pid()
	r := i.run("run")
	assert.Equal(t, 6, r.code)
	assert.Contains(t, r.err, "already running")
	assert.Equal(t, first, i.pid())
}

func TestAKilledHostTakesItsChildrenAlongAndTheNextOneReplacesItsSocket(t *testing.T) {
	i := newInstance(t)
	// One that ignores both EOF and SIGTERM, with a grandchild in a session of its own.
	i.script("stubborn", `,"sources":[{"name":"stubborn.items"}],"sandbox":{"exec":["sh","sleep","setsid"]}`, `
trap '' TERM
read -r line
echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'
setsid sleep 9999 &
while :; do sleep 9999; done
`)
	i.start()
	require.Equal(t, "running", i.plugin("stubborn").State, i.plugin("stubborn").LastError)
	i.eventually("the grandchild lives", func() bool { return len(i.marked()) > 4 })
	kill(t, i.pid(), syscall.SIGKILL)
	begin := time.Now()
	i.eventually("no child lives", func() bool { return len(i.marked()) == 0 })
	assert.Less(t, time.Since(begin), 2*time.Second)
	i.start()
	assert.Equal(t, "running", i.plugin("emojis").State)
}

func TestStopEndsEverythingThatTheHostStarted(t *testing.T) {
	i := newInstance(t)
	i.start()
	require.NotEmpty(t, i.marked())
	assert.Contains(t, i.ok("stop"), "stopped")
	assert.Empty(t, i.marked())
	assert.Equal(t, 3, i.run("stop").code)
}

func TestACrashedPluginIsRestartedAndKeepsItsRowsMeanwhile(t *testing.T) {
	i := newInstance(t)
	i.start()
	before := i.plugin("emojis")
	kill(t, before.PID, syscall.SIGKILL)
	i.eventually("the death is noticed", func() bool { return i.plugin("emojis").PID != before.PID })
	assert.NotEmpty(t, i.query("@emojis grinning").Rows)
	i.eventually("it runs again", func() bool { return i.plugin("emojis").State == "running" })
	after := i.plugin("emojis")
	assert.Equal(t, 1, after.Restarts)
	assert.Contains(t, after.LastError, "signal")
}

func TestAPluginThatIsDroppedInIsPickedUpAndOneThatBreaksKeepsRunning(t *testing.T) {
	i := newInstance(t)
	i.start()
	body := `read -r line
echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'
echo '{"method":"publish","params":{"rows":[{"source":"mine.items","title":"Hand made"}]}}'
while read -r line; do :; done
`
	i.script("mine", `,"sources":[{"name":"mine.items","kind":"locations"}],"sandbox":{"exec":["sh"]}`, body)
	i.eventually("its row is found", func() bool { return slices.Contains(i.query("hand made").titles(), "Hand made") })
	assert.False(t, i.plugin("mine").Official)

	i.write("config/flash/plugins/mine/manifest.json", `{"id":"mine","colour":"red"}`, 0o644)
	var st control.Status
	i.eventually("the fault is told", func() bool {
		i.json(&st, "status", "--json")
		return strings.Contains(strings.Join(st.PluginFaults, " "), "colour")
	})
	assert.Equal(t, "running", i.plugin("mine").State)
	assert.NotEmpty(t, i.query("hand made").Rows)

	require.NoError(t, os.RemoveAll(filepath.Join(i.dir, "config/flash/plugins/mine")))
	i.eventually("it goes with its folder", func() bool { return i.plugin("mine").ID == "" && len(i.query("hand made").Rows) == 0 })
}

func TestAPluginIsDisabledOverRestartsUntilItIsEnabled(t *testing.T) {
	i := newInstance(t)
	i.start()
	assert.Contains(t, i.ok("plugin", "disable", "emojis"), "stopped")
	assert.Empty(t, i.query("@emojis grinning").Rows)
	i.ok("stop")
	i.start()
	p := i.plugin("emojis")
	assert.Equal(t, "stopped", p.State)
	assert.Contains(t, p.Why, "flash plugin disable")
	assert.Contains(t, i.ok("plugin", "enable", "emojis"), "running")
	i.eventually("its rows are back", func() bool { return len(i.query("@emojis grinning").Rows) > 0 })
}

func TestReloadGivesAPluginANewChild(t *testing.T) {
	i := newInstance(t)
	i.start()
	before := i.plugin("emojis")
	assert.Contains(t, i.ok("plugin", "reload", "emojis"), "running")
	after := i.plugin("emojis")
	assert.NotEqual(t, before.PID, after.PID)
	assert.Greater(t, after.Generation, before.Generation)
	assert.Zero(t, after.Restarts)
}

func TestTheConfigurationIsReadAgainAndAFaultyOneLeavesTheLastGood(t *testing.T) {
	i := newInstance(t)
	i.start()
	require.Equal(t, "running", i.plugin("emojis").State)
	i.write("config/flash/config.toml", "[plugins]\ndisabled = [\"emojis\"]\n", 0o600)
	i.eventually("the plugin is off", func() bool { return i.plugin("emojis").State == "stopped" })
	assert.Contains(t, i.plugin("emojis").Why, "config.toml")

	i.write("config/flash/config.toml", "[plugins]\ndisabled = []\n\n[flashlight]\nrows = \"many\"\n", 0o600)
	var st control.Status
	i.eventually("the fault is told with line and key", func() bool {
		i.json(&st, "status", "--json")
		text := strings.Join(st.ConfigFaults, " ")
		return strings.Contains(text, "config.toml:5") && strings.Contains(text, "flashlight.rows")
	})
	assert.Equal(t, "stopped", i.plugin("emojis").State, "the last good configuration stays")
	r := i.run("config", "check")
	assert.Equal(t, 5, r.code)
	assert.Contains(t, r.err, "flashlight.rows")

	i.write("config/flash/config.toml", "", 0o600)
	i.eventually("the plugin is on again", func() bool { return i.plugin("emojis").State == "running" })
	assert.Equal(t, 0, i.run("config", "check").code)
}

func TestTheSandboxIsOffOnlyWhereTheConfigurationSaysSo(t *testing.T) {
	i := newInstance(t)
	i.write("config/flash/config.toml", "[plugin.emojis]\nsandbox = false\n", 0o600)
	i.start()
	off := i.plugin("emojis")
	assert.Equal(t, "running", off.State)
	assert.NotContains(t, off.Sandbox, "landlock")
	assert.Contains(t, i.plugin("processes").Sandbox, "landlock")
	i.write("config/flash/config.toml", "", 0o600)
	i.eventually("the child is confined", func() bool {
		p := i.plugin("emojis")
		return p.State == "running" && strings.Contains(p.Sandbox, "landlock")
	})
	assert.NotEqual(t, off.PID, i.plugin("emojis").PID)
}

func TestAPluginThatEatsMemoryIsStoppedAtItsCapWithAMessage(t *testing.T) {
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip("no /usr/bin/python3")
	}
	i := newInstance(t)
	i.write("config/flash/config.toml", "[plugin.hog]\nmemory_mib = 64\n", 0o600)
	i.script("hog", `,"sources":[{"name":"hog.items"}],"sandbox":{"exec":["/usr/bin/python3"]}`, `
exec /usr/bin/python3 -c '
import sys, json
json.loads(sys.stdin.readline())
print(json.dumps({"id": 1, "result": {"ok": True, "protocol_version": 1}}), flush=True)
held = []
while True:
    held.append(bytearray(1 << 20))
'`)
	i.start()
	i.eventually("it is stopped and says why", func() bool {
		e := strings.ToLower(i.plugin("hog").LastError)
		return strings.Contains(e, "memory")
	})
	assert.Contains(t, i.plugin("hog").LastError, "64 MiB")
	assert.Equal(t, "running", i.plugin("emojis").State)
}

func TestTheLogTellsThePhasesOfAStartAndNothingThatWasTyped(t *testing.T) {
	i := newInstance(t)
	i.start()
	i.query("xyzzy-secret-query")
	i.query("@emojis xyzzy-secret-query")
	log := i.ok("logs", "--lines", "1000")
	for _, field := range []string{`"install_ms"`, `"resolution_ms"`, `"sandbox_ms"`, `"spawn_ms"`, `"elapsed_ms"`, `"startup_total_ms"`} {
		assert.Contains(t, log, field)
	}
	assert.NotContains(t, log, "xyzzy")
	for line := range strings.Lines(log) {
		assert.True(t, json.Valid([]byte(line)), line)
	}
}

func TestABuildWithoutItsPluginsSaysSo(t *testing.T) {
	i := newInstance(t)
	empty := filepath.Join(i.dir, "moved")
	require.NoError(t, os.MkdirAll(empty, 0o755))
	i.env = append(i.env, "FLASH_OFFICIAL_PLUGINS="+empty)
	i.start()
	assert.Contains(t, i.ok("status"), empty+": holds none of the plugins that come with Flash; install Flash anew")
	assert.Contains(t, i.run("doctor").out, "holds none of the plugins")
}

func TestExitCodesTellWhatWentWrong(t *testing.T) {
	i := newInstance(t)
	assert.Equal(t, 3, i.run("query", "x").code)
	assert.Equal(t, 3, i.run("status").code)
	assert.Equal(t, 2, i.run("query").code)
	assert.Equal(t, 2, i.run("query", "--nosuch", "x").code)
	assert.Equal(t, 2, i.run("nosuch").code)
	assert.Equal(t, 4, i.run("logs").code)
	i.start()
	r := i.run("plugin", "reload", "nosuch")
	assert.Equal(t, 4, r.code)
	assert.Contains(t, r.err, "nosuch")
	assert.Equal(t, 2, i.run("perform", "no row id").code)
	for row, says := range map[string]string{
		"emojis/0000000000000000": "plugin emojis has no such row any more",
		"nosuch/0000000000000000": "plugin nosuch is not installed",
		":nosuch now":             "no command is called :nosuch now",
		"!nosuch now":             "nothing takes !nosuch",
		":tmux":                   ":tmux is not whole",
		"!f report":               "!f report searches",
	} {
		r := i.run("perform", row)
		assert.Equal(t, 4, r.code, row)
		assert.Contains(t, r.err, says)
	}
	assert.Equal(t, 4, i.run("history", "clear", "--item", "emojis/0000000000000000").code)
	assert.Equal(t, 2, i.run("query", "--limit", "0", "x").code)
}

func TestTheManualAndCompletionsComeFromTheCommandsThemselves(t *testing.T) {
	i := newInstance(t)
	man := i.ok("man")
	assert.Contains(t, man, ".TH")
	assert.Contains(t, man, "Exit codes")
	dir := filepath.Join(i.dir, "man")
	i.ok("man", "--dir", dir)
	_, err := os.Stat(filepath.Join(dir, "flash-query.1"))
	require.NoError(t, err)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		assert.Contains(t, i.ok("completion", shell), "flash")
	}
	i.start()
	assert.Contains(t, i.ok("__complete", "plugin", "reload", ""), "emojis")
}
