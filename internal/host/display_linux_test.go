package host_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
)

// sessionVariables say which session a program is in.
var sessionVariables = []string{"DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"}

// inSession puts the instance's commands, and the resident that they start, into
// a desktop session.
func (i *instance) inSession(s *desktoptest.Session) {
	for _, e := range s.Env() {
		for _, name := range sessionVariables {
			if strings.HasPrefix(e, name+"=") {
				i.env = append(i.env, e)
			}
		}
	}
}

// facet waits until the desktop's facet of that name is served.
func (i *instance) facet(name string) {
	i.t.Helper()
	i.eventually(name+" is served", func() bool {
		var st control.Status
		i.json(&st, "status", "--json")
		for _, c := range st.Desktop {
			if c.Name == name {
				return c.OK
			}
		}
		return false
	})
}

// echoing is a plugin that answers a query that begins with its prefix with the
// query itself, to be copied.
func (i *instance) echoing(prefix string) {
	i.script("echoing", fmt.Sprintf(`,"query":{"prefixes":[%q]},"sandbox":{"exec":["sh"]}`, prefix),
		answering(`echo '{"id":'$id',"result":{"ok":true,"answers":[{"title":"'"$query"'","effect":{"type":"copy_text","text":"'"$query"'"}}]}}'`))
}

func (i *instance) clipboard(s *desktoptest.Session) string {
	cmd := exec.Command("xclip", "-o", "-selection", "clipboard")
	cmd.Env = s.Env()
	out, _ := cmd.Output()
	return string(out)
}

func TestKeysRightAfterTheHotKeyAreAllInTheBoxAndTheFocusGoesBack(t *testing.T) {
	desktoptest.Need(t, "xdotool", "xclip", "xterm")
	s := desktoptest.New(t)
	i := newInstance(t)
	i.inSession(s)
	i.echoing("calc")
	leaked := filepath.Join(i.dir, "leaked")
	s.Start("xterm", "-T", "Editor", "-e", "sh", "-c", "cat > "+leaked)
	editor := s.Window("Editor")
	s.Run("xdotool", "windowfocus", "--sync", editor)
	i.start()
	i.facet("hot keys")
	i.eventually("the plugin runs", func() bool { return i.plugin("echoing").State == "running" })
	for _, when := range []string{"cold", "warm"} {
		i.eventually("all letters are in the box, "+when, func() bool {
			s.Run("xdotool", "key", "super+space", "type", "--delay", "30", "calculator")
			// Enter waits for the lane of what was typed; one that took too long on a
			// loaded machine leaves nothing to copy, and one types again.
			s.Run("xdotool", "key", "Return")
			ok := false
			for deadline := time.Now().Add(2 * time.Second); !ok && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
				ok = i.clipboard(s) == "calculator"
			}
			if !ok {
				s.Run("xdotool", "key", "Escape")
			}
			return ok
		})
		i.eventually("the focus is back", func() bool { return s.Focused() == editor })
		i.ok("query", "x") // the resident lives
		s.Run("xdotool", "key", "super+space")
		s.Run("xdotool", "key", "Escape")
	}
	i.eventually("the focus is back", func() bool { return s.Focused() == editor })
	s.Run("xdotool", "type", "mine")
	s.Run("xdotool", "key", "Return")
	i.eventually("the editor has its own letters", func() bool { return i.read(leaked) != "" })
	assert.Equal(t, "mine\n", i.read(leaked), "no letter of the flashlight's reached the window below")
}

func TestAnEmojiIsWrittenIntoTheWindowThatHadTheFocus(t *testing.T) {
	desktoptest.Need(t, "xdotool", "zenity")
	s := desktoptest.New(t)
	i := newInstance(t)
	i.inSession(s)
	i.start()
	i.facet("hot keys")
	i.eventually("emojis are there", func() bool { return len(i.query("@emojis rocket").Rows) > 0 })
	// A dialog takes what is pasted when the clipboard's owner has answered, and Enter
	// at once: one that was ended too early says nothing, and another is tried.
	i.eventually("a note has it", func() bool {
		entry := s.Start("zenity", "--entry", "--title", "Note", "--text", "Write")
		defer entry.Stop()
		s.Run("xdotool", "windowfocus", "--sync", s.Window("Note"))
		s.Run("xdotool", "key", "super+space", "type", "--delay", "30", "@emojis rocket")
		s.Run("xdotool", "key", "Return")
		i.eventually("it is copied", func() bool { return i.clipboard(s) == "🚀" })
		i.eventually("it is done", func() bool { return strings.Contains(i.ok("history"), "1 row learned") })
		s.Run("xdotool", "key", "End", "Return")
		select {
		case <-entry.Done():
		case <-time.After(2 * time.Second):
		}
		return strings.Contains(entry.Output(), "🚀")
	})
}

func TestARetitledWindowShowsUnderItsNewName(t *testing.T) {
	desktoptest.Need(t, "xdotool", "xterm")
	s := desktoptest.New(t)
	i := newInstance(t)
	i.inSession(s)
	i.start()
	i.facet("windows")
	s.Start("xterm", "-T", "before", "-e", "sleep", "600")
	w := s.Window("before")
	titled := func(title string) func() bool {
		return func() bool {
			rows := i.query("@windows " + title).Rows
			return len(rows) == 1 && rows[0].Title == title
		}
	}
	i.eventually("it is listed", titled("before"))
	s.Run("xdotool", "set_window", "--name", "afterwards", w)
	i.eventually("the new title is", titled("afterwards"))
	assert.Empty(t, i.query("@windows before").Rows)

	other := s.Start("xterm", "-T", "other", "-e", "sleep", "600")
	second := s.Window("other")
	i.eventually("the other one is listed", titled("other"))
	s.Run("xdotool", "windowfocus", "--sync", second)
	r := i.query("@windows afterwards").Rows[0]
	i.ok("perform", r.ID)
	i.eventually("the window has the focus", func() bool { return s.Active() == w })
	other.Stop()
	i.eventually("the closed one is gone", func() bool { return len(i.query("@windows other").Rows) == 0 })
}

func TestWhatAnActionLeadsToComesInFront(t *testing.T) {
	desktoptest.Need(t, "xdotool", "xterm")
	s := desktoptest.New(t)
	i := newInstance(t)
	i.inSession(s)
	s.Start("xterm", "-T", "behind", "-e", "sleep", "600")
	behind := s.Window("behind")
	pid := strings.TrimSpace(s.Run("xdotool", "getwindowpid", behind))
	s.Start("xterm", "-T", "in front", "-e", "sleep", "600")
	front := s.Window("in front")
	i.start()
	i.facet("windows")
	s.Run("xdotool", "windowfocus", "--sync", front)
	i.eventually("the processes are listed", func() bool { return len(i.query("@processes "+pid).Rows) > 0 })
	assert.Empty(t, i.ok("perform", i.query("@processes " + pid).Rows[0].ID))
	i.eventually("its window has the focus", func() bool { return s.Active() == behind })

	me := strconv.Itoa(i.pid()) // a process without a window
	assert.Equal(t, "process "+me+" has no window to bring in front\n", i.ok("perform", i.query("@processes " + me).Rows[0].ID))
}

func TestAResidentWithoutADisplayTakesUpTheOneOfWhoAsks(t *testing.T) {
	desktoptest.Need(t, "xdotool")
	s := desktoptest.New(t)
	i := newInstance(t)
	i.start()
	r := i.run("status")
	require.Contains(t, r.out, "no  panel")
	r = i.run("open", "--toggle")
	assert.NotZero(t, r.code, "there is no terminal here and no display")
	i.inSession(s)
	i.ok("open", "--query", "hello")
	i.facet("panel")
	i.facet("hot keys")
	i.eventually("the panel is open", func() bool {
		var st control.Status
		i.json(&st, "status", "--json")
		return st.Sessions == 1
	})
	i.ok("open", "--toggle")
	i.eventually("the panel is closed", func() bool {
		var st control.Status
		i.json(&st, "status", "--json")
		return st.Sessions == 0
	})
}

func TestAStartInASessionGivesItToAResidentThatHasNone(t *testing.T) {
	s := desktoptest.New(t)
	i := newInstance(t)
	i.start()
	i.inSession(s)
	r := i.run("start")
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.out, "already running")
	i.facet("panel")
	i.facet("hot keys")
	require.Zero(t, i.run("start").code, "one that has it keeps it")
}

func TestADisplayThatComesBackIsTakenUpAgain(t *testing.T) {
	s := desktoptest.New(t)
	i := newInstance(t)
	i.inSession(s)
	i.start()
	i.facet("hot keys")
	display := s.X().Display
	s.X().Kill()
	i.eventually("the loss is said", func() bool { return strings.Contains(i.run("status").out, "no  panel") })
	i.eventually("the server is back", func() bool {
		p := s.Start("Xvfb", display, "-screen", "0", "1000x800x24", "-nolisten", "tcp")
		for deadline := time.Now().Add(3 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			cmd := exec.Command("xdotool", "getdisplaygeometry")
			cmd.Env = s.Env()
			if cmd.Run() == nil {
				return true
			}
		}
		p.Stop()
		return false
	})
	i.facet("panel")
	i.facet("hot keys")
}

func TestTheClipboardIsFollowedForWhoMayKnowAndCanBePaused(t *testing.T) {
	desktoptest.Need(t, "xclip")
	s := desktoptest.New(t)
	i := newInstance(t)
	i.inSession(s)
	i.start()
	i.facet("clipboard watch")
	assert.Contains(t, i.ok("clipboard", "status"), "not followed")
	i.script("keeper", `,"listen":["core:clipboard.changed"],"capabilities":["clipboard"],"sandbox":{"exec":["sh"]}`, `
read -r line
echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'
while read -r line; do
	case $line in
	*clipboard.changed*) printf '%s\n' "$line" >> "$FLASH_PLUGIN_DATA_DIR/heard" ;;
	*'"ping"'*) id=${line#*'"id":'}; echo '{"id":'${id%%,*}',"result":{"ok":true}}' ;;
	esac
done
`)
	heard := filepath.Join(i.dir, "data/flash/plugins/keeper/heard")
	i.eventually("it is followed", func() bool { return strings.Contains(i.ok("clipboard", "status"), "is followed") })
	cp := func(text string) {
		cmd := exec.Command("xclip", "-i", "-selection", "clipboard")
		cmd.Env, cmd.Stdin = s.Env(), strings.NewReader(text)
		require.NoError(t, cmd.Run())
	}
	// A copy from before the plugin's start is not told to it, and the same text
	// again is no news.
	tries := 0
	another := func(text string) func() bool {
		return func() bool {
			tries++
			cp(fmt.Sprint(text, tries))
			return strings.Contains(i.read(heard), text)
		}
	}
	i.eventually("a copy is told", another("first"))
	assert.Contains(t, i.ok("clipboard", "pause", "1h"), "paused until")
	cp("in between")
	assert.Contains(t, i.ok("clipboard", "resume"), "is followed")
	i.eventually("the next copy is told", another("last"))
	assert.NotContains(t, i.read(heard), "in between")
}

func TestTheBarComesAndGoesWithTheConfiguration(t *testing.T) {
	desktoptest.Need(t, "xdotool")
	s := desktoptest.New(t)
	i := newInstance(t)
	i.inSession(s)
	i.start()
	i.facet("panel")
	assert.Equal(t, "idle", i.plugin("cpu").State)
	bar := func() string {
		cmd := exec.Command("xdotool", "search", "--name", "^Flash status bar$")
		cmd.Env = s.Env()
		out, _ := cmd.Output()
		return strings.TrimSpace(string(out))
	}
	i.write("config/flash/config.toml", "[statusbar]\nenabled = true\ntemplate = \"#{flash.plugin.cpu.summary}\"\n", 0o600)
	i.eventually("the bar is there", func() bool { return bar() != "" })
	i.eventually("the monitor runs", func() bool { return i.plugin("cpu").State == "running" })
	i.write("config/flash/config.toml", "[statusbar]\nenabled = false\n", 0o600)
	i.eventually("the bar is gone", func() bool { return bar() == "" })
	i.eventually("the monitor rests", func() bool { return i.plugin("cpu").State == "idle" })
}

func TestTabsOfARealBrowserAreReadInTheSandboxOnceGranted(t *testing.T) {
	desktoptest.Need(t, "chromium", "xdotool")
	s := desktoptest.New(t)
	i := newInstance(t)
	i.inSession(s)
	profile := filepath.Join(i.dir, "profile")
	page := filepath.Join(i.dir, "page.html")
	i.write("share/applications/chromium.desktop", "[Desktop Entry]\nType=Application\nName=Chromium\nExec=chromium %U\nStartupWMClass=chromium\n", 0o644)
	i.write("page.html", "<title>Granted page</title><p>text", 0o644)
	s.Start("chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
		"--password-store=basic", "--user-data-dir="+profile, "--remote-debugging-port=0", "file://"+page)
	port := filepath.Join(profile, "DevToolsActivePort")
	i.eventually("DevTools listens", func() bool { return i.read(port) != "" })
	s.Window("Granted page")
	tables := func(grants string) string {
		return fmt.Sprintf("[plugin.browsers]\n%s\n[plugin.browsers.chromium]\ndir = %q\n", grants, profile)
	}
	i.write("config/flash/config.toml", tables(""), 0o600)
	i.start()
	tab := func() string {
		for _, r := range i.query("@chromium granted").Rows {
			return r.URL
		}
		return "none"
	}
	i.eventually("without a grant there is the title of its window", func() bool { return tab() == "" })
	i.write("config/flash/config.toml", tables(fmt.Sprintf("network = true\nread = [%q]", port)), 0o600)
	i.eventually("with it the tab and its address", func() bool { return tab() == "file://"+page })
	assert.Contains(t, i.plugin("browsers").Sandbox, "landlock")
}
