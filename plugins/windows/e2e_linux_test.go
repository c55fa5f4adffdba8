package windows

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
)

// resident is the real host with the real plugin in its sandbox, in a session of
// its own.
type resident struct {
	t   *testing.T
	s   *desktoptest.Session
	bin string
	env []string
}

func startResident(t *testing.T) *resident {
	t.Helper()
	s := desktoptest.New(t)
	r := &resident{t: t, s: s, bin: filepath.Join(s.Dir(), "bin")}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	build := exec.Command("go", "build", "-trimpath", "-o", r.bin+"/", "./cmd/flash", "./cmd/flash-plugin")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Symlink("flash-plugin", filepath.Join(r.bin, "flash-plugin-windows")))
	config := filepath.Join(s.Dir(), "config", "flash")
	require.NoError(t, os.MkdirAll(config, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(config, "config.toml"), []byte("[plugins]\nenabled = [\"windows\"]\n[hotkeys]\nopen = \"\"\n"), 0o600))
	r.env = append(s.Env(), "FLASH_OFFICIAL_PLUGINS="+filepath.Join(root, "plugins"))
	cmd := exec.Command(filepath.Join(r.bin, "flash"), "run")
	cmd.Env = r.env
	s.StartCmd(cmd)
	return r
}

func (r *resident) flash(args ...string) ([]byte, error) {
	cmd := exec.Command(filepath.Join(r.bin, "flash"), args...)
	cmd.Env = r.env
	return cmd.Output()
}

type row struct{ ID, Title string }

// rows are what a user who asks for windows sees.
func (r *resident) rows() []row {
	out, err := r.flash("query", "--json", "@windows ")
	var result struct{ Rows []row }
	if err != nil || json.Unmarshal(out, &result) != nil {
		return nil
	}
	return result.Rows
}

// shows waits until there is a row of that title.
func (r *resident) shows(title string) row {
	r.t.Helper()
	var found row
	if !eventually(func() bool {
		rows := r.rows()
		i := slices.IndexFunc(rows, func(w row) bool { return w.Title == title })
		if i >= 0 {
			found = rows[i]
		}
		return i >= 0
	}) {
		log, _ := r.flash("logs")
		r.t.Fatalf("%q is not listed; the log says:\n%s", title, log)
	}
	return found
}

func eventually(is func() bool) bool {
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is() {
			return true
		}
	}
	return false
}

func TestAUserFindsAndChoosesARealWindow(t *testing.T) {
	desktoptest.Need(t, "xterm", "xdotool", "go")
	r := startResident(t)
	r.s.Start("xterm", "-T", "first window")
	r.s.Start("xterm", "-T", "second window")
	first := r.s.Window("^first window$")
	second := r.s.Window("^second window$")
	one := r.shows("first window")
	r.shows("second window")

	r.s.Run("xdotool", "windowactivate", "--sync", second)
	_, err := r.flash("perform", one.ID)
	require.NoError(t, err)
	require.True(t, eventually(func() bool { return r.s.Active() == first }))

	r.s.Run("xdotool", "set_window", "--name", "another title", first)
	began := time.Now()
	r.shows("another title")
	t.Logf("a retitled window was listed after %v", time.Since(began))
	r.s.Run("xdotool", "windowclose", second)
	require.True(t, eventually(func() bool {
		return !slices.ContainsFunc(r.rows(), func(w row) bool { return w.Title == "second window" })
	}))
}
