package login

import (
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/entry"
)

func link(t *testing.T, to, at string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
	require.NoError(t, os.Symlink(to, at))
}

func TestTheProgramIsNamedByAPathThatStays(t *testing.T) {
	for _, c := range []struct {
		name, goos, real string
		links            []string // to real, the parts of a path
		path             []string
		want, note       string
	}{
		{name: "a checkout", goos: "linux", real: "work/flash/bin/flash", want: "work/flash/bin/flash"},
		{name: "a package", goos: "linux", real: "usr/lib/flash/bin/flash", links: []string{"usr/bin/flash"}, path: []string{"none", "usr/bin"}, want: "usr/bin/flash"},
		{name: "Homebrew", goos: "darwin", real: "brew/Cellar/flash/1.2/bin/flash", links: []string{"brew/opt/flash/bin/flash", "brew/bin/flash"}, path: []string{"brew/bin"}, want: "brew/opt/flash/bin/flash"},
		{name: "Homebrew without opt", goos: "darwin", real: "brew/Cellar/flash/1.2/bin/flash", links: []string{"brew/bin/flash"}, want: "brew/bin/flash"},
		{name: "Homebrew without links", goos: "darwin", real: "brew/Cellar/flash/1.2/bin/flash", want: "brew/Cellar/flash/1.2/bin/flash", note: "next upgrade"},
		{name: "Nix", goos: "linux", real: "nix/store/abc-flash/bin/flash", links: []string{"run/current-system/sw/bin/flash"}, path: []string{"nix/store/abc-flash/bin", "run/current-system/sw/bin"}, want: "run/current-system/sw/bin/flash"},
		{name: "a bundle", goos: "darwin", real: "Applications/Flash.app/Contents/MacOS/flash", links: []string{"bin/flash"}, path: []string{"bin"}, want: "Applications/Flash.app/Contents/MacOS/flash"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t, c.goos)
			in := func(p string) string { return filepath.Join(m.home, p) }
			m.exe = in(c.real)
			m.write(m.exe, "program", 0o755)
			for _, l := range c.links {
				link(t, m.exe, in(l))
				m.exe = in(l) // however it was called
			}
			var path []string
			for _, p := range c.path {
				path = append(path, in(p))
			}
			m.env["PATH"] = strings.Join(path, ":")
			got, note, err := m.manager().program()
			require.NoError(t, err)
			assert.Equal(t, in(c.want), got)
			assert.Contains(t, note, c.note)
			assert.Equal(t, c.note == "", note == "")
		})
	}
}

func TestAPlaceThatDoesNotStayIsRefusedWithTheRemedy(t *testing.T) {
	mac, linux := New(Options{GOOS: "darwin", Getenv: func(string) string { return "" }}), New(Options{GOOS: "linux", Getenv: func(string) string { return "/my/tmp/" }})
	for path, want := range map[string]string{
		"/private/var/folders/x/y/T/AppTranslocation/1/d/Flash.app/Contents/MacOS/flash": "move Flash.app to /Applications",
		"/Volumes/Flash/Flash.app/Contents/MacOS/flash":                                  "copy Flash.app to /Applications",
		"/private/tmp/go-build1/flash":                                                   "install Flash",
		"/Users/u/a\nb/flash":                                                            "control character",
	} {
		assert.ErrorContains(t, mac.stays(path), want)
	}
	assert.ErrorContains(t, linux.stays("/my/tmp/flash"), "/my/tmp,")
	assert.ErrorContains(t, linux.stays("/tmp/.mount_flash/flash"), "install Flash")
	assert.NoError(t, linux.stays("/Volumes/x/flash"))
	assert.ErrorContains(t, linux.stays("/a'b/flash"), "rename the folder")
	assert.NoError(t, mac.stays("/Applications/Flash.app/Contents/MacOS/flash"))
	m := newMachine(t, "linux")
	o := New(Options{GOOS: "linux", Home: m.home, Executable: m.exe, Temporary: []string{m.home}, Getenv: func(string) string { return "" }})
	_, err := o.Enable(t.Context(), false)
	assert.ErrorContains(t, err, "does not keep what is in it")
}

var (
	oddPaths = []string{"/usr/bin/flash", "/Applications/My Apps/Flash.app/Contents/MacOS/flash", "/a & b/<c>/50%/ü;/flash"}
	// Only macOS takes these.
	macPaths = append([]string{`/a "b"/$HOME/50%/c\d/` + "`e`" + `/'f'/flash`}, oddPaths...)
)

func TestEveryTextNamesTheProgramItWasMadeFor(t *testing.T) {
	for _, p := range macPaths {
		assert.Equal(t, p, agentProgram(LaunchAgent(p)))
	}
	for _, p := range oddPaths {
		assert.Equal(t, p, unitProgram(UserUnit(p)))
		assert.Equal(t, p, entryProgram(AutostartEntry(p)))
	}
	for _, text := range []string{"", "[Service]\nExecStart=flash\n", "<key>ProgramArguments</key><string>x", "[Desktop Entry]\nExec=\"\n"} {
		assert.Empty(t, agentProgram(text))
		assert.Empty(t, unitProgram(text))
		assert.Empty(t, entryProgram(text))
	}
}

func TestADesktopTakesTheEntry(t *testing.T) {
	for _, p := range oddPaths {
		e, err := entry.Parse([]byte(AutostartEntry(p)), entry.Locale{})
		require.NoError(t, err)
		c, err := entry.ParseExec(e.Exec)
		require.NoError(t, err)
		runs, err := c.Expand(entry.Fields{})
		require.NoError(t, err)
		assert.Equal(t, [][]string{{p, "start"}}, runs)
	}
}

func TestTheAgentIsWellFormedAndSaysWhatItMust(t *testing.T) {
	for _, p := range macPaths {
		d := xml.NewDecoder(strings.NewReader(LaunchAgent(p)))
		var texts []string
		for {
			tok, err := d.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			if c, ok := tok.(xml.CharData); ok && strings.TrimSpace(string(c)) != "" {
				texts = append(texts, string(c))
			}
		}
		assert.Equal(t, []string{"Label", Label, "ProgramArguments", p, "run", "--unless-running", "RunAtLoad", "KeepAlive", "SuccessfulExit", "LimitLoadToSessionType", "Aqua", "ProcessType", "Interactive"}, texts)
	}
}

func TestSystemdTakesTheUnit(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	program := filepath.Join(t.TempDir(), "a & b; 50%", "flash")
	require.NoError(t, os.MkdirAll(filepath.Dir(program), 0o755))
	require.NoError(t, os.WriteFile(program, nil, 0o755))
	unit := filepath.Join(t.TempDir(), Unit)
	require.NoError(t, os.WriteFile(unit, []byte(UserUnit(program)), 0o644))
	verify := exec.Command("systemd-analyze", "--user", "--man=no", "verify", unit)
	verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	text, err := verify.CombinedOutput()
	assert.NoError(t, err, string(text))
}

func FuzzTheProgramOfAText(f *testing.F) {
	for _, p := range oddPaths {
		f.Add(LaunchAgent(p))
		f.Add(UserUnit(p))
		f.Add(AutostartEntry(p))
	}
	f.Fuzz(func(_ *testing.T, text string) {
		agentProgram(text)
		unitProgram(text)
		entryProgram(text)
		jobRuns(text)
		switchedOff(text)
	})
}
