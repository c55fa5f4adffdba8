package login

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// machine is a home with a program in it, and system tools that note their calls.
type machine struct {
	t    *testing.T
	home string
	exe  string
	env  map[string]string
	unit []string // folders of packaged units
	log  string
	goos string
}

func newMachine(t *testing.T, goos string) *machine {
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	m := &machine{t: t, home: home, goos: goos, exe: filepath.Join(home, "app/bin/flash"), log: filepath.Join(home, "calls"), env: map[string]string{}, unit: []string{}}
	m.write(m.exe, "program", 0o755)
	t.Setenv("PATH", filepath.Join(home, "tools")+":/usr/bin:/bin")
	return m
}

func (m *machine) write(path, text string, mode os.FileMode) {
	m.t.Helper()
	require.NoError(m.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(m.t, os.WriteFile(path, []byte(text), mode))
}

func (m *machine) read(path string) string {
	m.t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(m.t, err)
	return string(data)
}

// tool puts a shell script on PATH that notes its arguments first.
func (m *machine) tool(name, script string) {
	m.write(filepath.Join(m.home, "tools", name), fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\ncd '%s'\n%s\n", m.log, m.home, script), 0o755)
}

// calls are what the tools were asked since the last time, without mere questions.
func (m *machine) calls() (out []string) {
	data, _ := os.ReadFile(m.log)
	_ = os.Remove(m.log)
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "print") && !strings.Contains(line, "is-system-running") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

func (m *machine) manager() *Manager {
	return New(Options{
		GOOS: m.goos, Home: m.home, UID: 501, Executable: m.exe, Temporary: []string{"/nowhere"}, UnitDirs: m.unit,
		Getenv: func(k string) string { return m.env[k] },
	})
}

func (m *machine) enable(force bool) (Result, error) {
	return m.manager().Enable(context.Background(), force)
}

func (m *machine) disable(force bool) (Result, error) {
	return m.manager().Disable(context.Background(), force)
}

func (m *machine) status() State { return m.manager().Status(context.Background()) }

// launchd is a launchctl that keeps its jobs and marks as files.
const launchd = `
case $1 in
print) case $2 in */*/*) [ -e job ] || { echo 'Could not find service' >&2; exit 113; }; cat job ;; *) [ ! -e headless ] || exit 125 ;; esac ;;
print-disabled) [ ! -e off ] || printf 'disabled services = {\n\t"com.github.flash-launcher.flash" => disabled\n}\n' ;;
enable) rm -f off ;;
bootstrap) [ ! -e headless ] || { echo 'Domain does not support specified action' >&2; exit 125; }; [ ! -e job ] || { echo 'Bootstrap failed: 5: Input/output error' >&2; exit 5; }; echo 'state = not running' >job ;;
bootout) rm job ;;
esac`

// systemd is a systemctl that makes the link as the real one does.
const systemd = `
wants="$HOME/.config/systemd/user/default.target.wants"
case "$2" in
is-system-running) echo degraded; exit 1 ;;
enable) from="$HOME/.config/systemd/user/$3"; [ -e "$from" ] || from="$HOME/packaged/$3"
	[ -e "$from" ] || { echo "Unit $3 does not exist" >&2; exit 1; }
	mkdir -p "$wants"; ln -sf "$from" "$wants/$3" ;;
disable) rm -f "$wants/$3" ;;
esac`

func mac(t *testing.T) *machine {
	m := newMachine(t, "darwin")
	m.tool("launchctl", launchd)
	return m
}

func linux(t *testing.T, managed bool) *machine {
	m := newMachine(t, "linux")
	t.Setenv("HOME", m.home)
	if managed {
		m.tool("systemctl", systemd)
	} else {
		m.tool("systemctl", "echo 'Failed to connect to bus' >&2; exit 1")
	}
	return m
}

const agentPath = "Library/LaunchAgents/" + Label + ".plist"

func TestOnMacOSAnAgentIsWrittenAndLaunchdTakesIt(t *testing.T) {
	m := mac(t)
	assert.Equal(t, State{By: []string{}, Files: []string{}}, m.status())
	r, err := m.enable(false)
	require.NoError(t, err)
	assert.Equal(t, Result{Program: m.exe}, r)
	path := filepath.Join(m.home, agentPath)
	assert.Equal(t, LaunchAgent(m.exe), m.read(path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode(), "launchd refuses what others can write")
	assert.Equal(t, []string{"enable gui/501/" + Label, "bootstrap gui/501 " + path}, m.calls())
	assert.Equal(t, State{Enabled: true, By: []string{"launch agent"}, Files: []string{path}, Program: m.exe}, m.status())

	_, err = m.enable(false)
	require.NoError(t, err)
	assert.Equal(t, []string{"enable gui/501/" + Label}, m.calls(), "twice is as good as once")

	r, err = m.disable(false)
	require.NoError(t, err)
	assert.Empty(t, r.Notes)
	assert.NoFileExists(t, path)
	assert.Equal(t, []string{"bootout gui/501/" + Label}, m.calls())
	assert.False(t, m.status().Enabled)
	_, err = m.disable(false)
	require.NoError(t, err)
	assert.Empty(t, m.calls())
}

func TestAResidentThatLaunchdRunsIsNeverEndedByASetting(t *testing.T) {
	m := mac(t)
	_, err := m.enable(false)
	require.NoError(t, err)
	m.write(filepath.Join(m.home, "job"), "gui/501/x = {\n\tstate = running\n\tpid = 4711\n}\n", 0o644)
	m.calls()
	other := filepath.Join(m.home, "elsewhere/flash")
	m.write(other, "program", 0o755)
	m.exe = other
	r, err := m.enable(false)
	require.NoError(t, err)
	assert.NotContains(t, m.calls(), "bootout gui/501/"+Label)
	assert.Contains(t, strings.Join(r.Notes, "\n"), "next login")
	assert.Equal(t, other, m.status().Program)
	r, err = m.disable(false)
	require.NoError(t, err)
	assert.Empty(t, m.calls())
	assert.Contains(t, strings.Join(r.Notes, "\n"), "flash stop")
}

func TestAMovedProgramIsWrittenAnewAndLaunchdToldAgain(t *testing.T) {
	m := mac(t)
	_, err := m.enable(false)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Join(m.home, "app")))
	s := m.status()
	assert.Contains(t, s.Problem, "is not there")
	assert.Equal(t, "flash autostart enable", s.Remedy)
	m.exe = filepath.Join(m.home, "Applications/Flash.app/Contents/MacOS/flash")
	m.write(m.exe, "program", 0o755)
	m.calls()
	_, err = m.enable(false)
	require.NoError(t, err)
	path := filepath.Join(m.home, agentPath)
	assert.Equal(t, []string{"enable gui/501/" + Label, "bootout gui/501/" + Label, "bootstrap gui/501 " + path}, m.calls())
	assert.Empty(t, m.status().Problem)
}

func TestWhatWasSwitchedOffInSystemSettingsIsSaidAndEnabled(t *testing.T) {
	m := mac(t)
	_, err := m.enable(false)
	require.NoError(t, err)
	m.write(filepath.Join(m.home, "off"), "", 0o644)
	s := m.status()
	assert.False(t, s.Enabled)
	assert.Contains(t, s.Problem, "Login Items")
	_, err = m.enable(false)
	require.NoError(t, err)
	assert.True(t, m.status().Enabled)
	assert.False(t, switchedOff("\t\"com.github.flash-launcher.flash\" => enabled\n\t\"other\" => disabled\n"))
	assert.True(t, switchedOff("\t\"com.github.flash-launcher.flash\" => true\n"), "as older versions say it")
}

func TestWithoutAGraphicalSessionItCountsFromTheNextLogin(t *testing.T) {
	m := mac(t)
	m.write(filepath.Join(m.home, "headless"), "", 0o644)
	r, err := m.enable(false)
	require.NoError(t, err)
	assert.Contains(t, r.Notes[0], "next login")
	assert.True(t, m.status().Enabled)
}

func TestWhatLaunchdRefusesIsSaid(t *testing.T) {
	m := mac(t)
	m.tool("launchctl", `case $1 in print) [ "$2" = gui/501 ] ;; bootstrap) echo 'Bootstrap failed: 5: Input/output error' >&2; exit 5 ;; esac`)
	_, err := m.enable(false)
	assert.ErrorContains(t, err, "Bootstrap failed: 5")
}

func TestAFileThatIsNotFlashsIsReplacedOnlyWhenToldAndKept(t *testing.T) {
	for _, c := range []struct{ goos, path, text string }{
		{"darwin", agentPath, "<plist>another's</plist>"},
		{"darwin", agentPath, strings.Replace(LaunchAgent("/a/flash"), "<true/>", "<false/>", 1)},
		{"linux", ".config/autostart/flash.desktop", "[Desktop Entry]\nExec=other\n"},
		{"linux", ".config/systemd/user/flash.service", "[Service]\nExecStart=/usr/sbin/flashd\n"},
	} {
		t.Run(c.goos+" "+c.path, func(t *testing.T) {
			m := mac(t)
			if c.goos == "linux" {
				m = linux(t, true)
			}
			path := filepath.Join(m.home, c.path)
			m.write(path, c.text, 0o600)
			_, err := m.enable(false)
			require.ErrorContains(t, err, path)
			assert.ErrorContains(t, err, "--force")
			assert.Equal(t, c.text, m.read(path))
			assert.Empty(t, m.calls(), "and nothing else is done")
			r, err := m.enable(true)
			require.NoError(t, err)
			assert.Equal(t, c.text, m.read(path+".replaced"))
			assert.Contains(t, r.Notes[0], path+".replaced")
			assert.Empty(t, m.status().Problem)
		})
	}
}

func TestADesktopWithoutSystemdHasAnAutostartEntry(t *testing.T) {
	m := linux(t, false)
	_, err := m.enable(false)
	require.NoError(t, err)
	entry := filepath.Join(m.home, ".config/autostart/flash.desktop")
	assert.Equal(t, AutostartEntry(m.exe), m.read(entry))
	assert.NoDirExists(t, filepath.Join(m.home, ".config/systemd"))
	assert.Equal(t, State{Enabled: true, By: []string{"autostart entry"}, Files: []string{entry}, Program: m.exe}, m.status())
	_, err = m.enable(false)
	require.NoError(t, err)
	_, err = m.disable(false)
	require.NoError(t, err)
	assert.NoFileExists(t, entry)
	assert.Equal(t, State{By: []string{}, Files: []string{}}, m.status())
}

func TestAnEntryThatADesktopSwitchedOffIsSaidAndEnabled(t *testing.T) {
	for _, how := range []string{"Hidden=true\n", "X-GNOME-Autostart-enabled=false\n"} {
		m := linux(t, false)
		entry := filepath.Join(m.home, ".config/autostart/flash.desktop")
		text := AutostartEntry(m.exe) + how
		if strings.HasPrefix(how, "X") {
			text = strings.Replace(AutostartEntry(m.exe), "X-GNOME-Autostart-enabled=true\n", how, 1)
		}
		m.write(entry, text, 0o644)
		s := m.status()
		assert.False(t, s.Enabled)
		assert.Contains(t, s.Problem, "settings of the desktop")
		_, err := m.enable(false)
		require.NoError(t, err)
		assert.True(t, m.status().Enabled)
		assert.Equal(t, AutostartEntry(m.exe), m.read(entry))
	}
}

func TestWithSystemdTheUnitComesAsWell(t *testing.T) {
	m := linux(t, true)
	_, err := m.enable(false)
	require.NoError(t, err)
	unit, entry := filepath.Join(m.home, ".config/systemd/user/flash.service"), filepath.Join(m.home, ".config/autostart/flash.desktop")
	assert.Equal(t, UserUnit(m.exe), m.read(unit))
	assert.Equal(t, []string{"--user daemon-reload", "--user enable flash.service"}, m.calls())
	assert.Equal(t, State{Enabled: true, By: []string{"systemd unit", "autostart entry"}, Files: []string{unit, entry}, Program: m.exe}, m.status())
	_, err = m.disable(false)
	require.NoError(t, err)
	assert.Equal(t, []string{"--user disable flash.service", "--user daemon-reload"}, m.calls())
	assert.NoFileExists(t, unit)
	assert.NoFileExists(t, entry)
}

func TestAPackagesUnitForTheSameProgramIsUsed(t *testing.T) {
	m := linux(t, true)
	dir := filepath.Join(m.home, "packaged")
	m.unit = []string{filepath.Join(m.home, "none"), dir}
	m.write(filepath.Join(dir, Unit), UserUnit(m.exe), 0o644)
	_, err := m.enable(false)
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(m.home, ".config/systemd/user/flash.service"))
	assert.Equal(t, filepath.Join(dir, Unit), m.status().Files[0])
	_, err = m.disable(false)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(dir, Unit))
	assert.False(t, m.status().Enabled)

	m.write(filepath.Join(dir, Unit), UserUnit("/usr/bin/another"), 0o644)
	_, err = m.enable(false)
	require.NoError(t, err)
	assert.Equal(t, UserUnit(m.exe), m.read(filepath.Join(m.home, ".config/systemd/user/flash.service")), "one of another program is not")
}

func TestAnothersUnitThatNothingWantsIsLeftAlone(t *testing.T) {
	m := linux(t, true)
	unit := filepath.Join(m.home, ".config/systemd/user/flash.service")
	m.write(unit, "[Service]\nExecStart=/usr/sbin/flashd\n", 0o644)
	_, err := m.disable(false)
	require.NoError(t, err)
	assert.FileExists(t, unit)
	assert.Empty(t, m.calls())
}

func TestASystemdThatIsGoneLeavesNothingBehind(t *testing.T) {
	m := linux(t, true)
	_, err := m.enable(false)
	require.NoError(t, err)
	m.tool("systemctl", "exit 1")
	_, err = m.disable(false)
	require.NoError(t, err)
	assert.Equal(t, State{By: []string{}, Files: []string{}}, m.status())
	_, err = os.Lstat(m.manager().wanted())
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestTheConfigurationFolderIsTheUsers(t *testing.T) {
	m := linux(t, false)
	m.env["XDG_CONFIG_HOME"] = filepath.Join(m.home, "conf")
	_, err := m.enable(false)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(m.home, "conf/autostart/flash.desktop"))
}

func TestALinkedFileStaysALink(t *testing.T) {
	m := linux(t, false)
	real, entry := filepath.Join(m.home, "dotfiles/flash.desktop"), filepath.Join(m.home, ".config/autostart/flash.desktop")
	m.write(real, AutostartEntry("/old/flash"), 0o644)
	require.NoError(t, os.MkdirAll(filepath.Dir(entry), 0o755))
	require.NoError(t, os.Symlink(real, entry))
	_, err := m.enable(false)
	require.NoError(t, err)
	assert.Equal(t, AutostartEntry(m.exe), m.read(real))
	to, err := os.Readlink(entry)
	require.NoError(t, err)
	assert.Equal(t, real, to)
}
