package host_test

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
)

func TestTheFlashlightFindsAsOneTypesAndEscapeClosesIt(t *testing.T) {
	i := newTerminalTest(t)
	i.app("firefox", "Firefox")
	i.start()
	term := i.terminal(80, 20, "flash open")
	term.await("Type to search")
	term.text("fireofx")
	term.prompted("fireofx")
	screen := term.screen()
	assert.Contains(t, screen[2], "▌ Firefox")
	assert.True(t, strings.HasSuffix(strings.TrimSpace(screen[2]), "apps"), "%q", screen[2])
	assert.EqualValues(t, 1, i.sessions())
	term.keys("Escape")
	term.ended(0)
	i.eventually("the session is gone", func() bool { return i.sessions() == 0 })
}

func TestEveryLetterTypedWhileTheFlashlightOpensIsInTheBox(t *testing.T) {
	i := newTerminalTest(t)
	i.start()
	for _, start := range []string{"cold", "warm"} {
		t.Run(start, func(t *testing.T) {
			// The letters begin before there is a prompt.
			term := i.terminal(80, 20, "flash open")
			term.pace("calculator", 30*time.Millisecond)
			term.prompted("calculator")
			term.keys("Escape")
			term.ended(0)
		})
	}
}

func TestThePromptTakesKeysWhileTheResidentDoesNotAnswer(t *testing.T) {
	i := newTerminalTest(t)
	socket := filepath.Join(i.dir, "mute")
	l, err := net.Listen("unix", socket) // and never accepts
	require.NoError(t, err)
	defer l.Close()
	term := i.terminal(80, 20, "flash --socket "+socket+" open")
	term.text("abc")
	term.until("the prompt holds abc", func(s []string) bool { return promptOf(s) == "abc" })
	term.keys("Escape")
	term.until("it closes", func([]string) bool { return term.shows("[exit ") })
}

func TestWithoutAResidentTheRemedyShowsAndRowsComeOnceOneIsStarted(t *testing.T) {
	i := newTerminalTest(t)
	i.app("firefox", "Firefox")
	term := i.terminal(200, 20, "flash open --query fire") // wide enough for any path of a socket
	term.await("`flash start` starts it")
	i.start()
	term.await("▌ Firefox")
	i.ok("stop")
	term.await("`flash start` starts it")
	term.keys("Escape")
	term.ended(3)
}

func TestALateAnswerToAnEarlierQueryNeverShows(t *testing.T) {
	i := newTerminalTest(t)
	i.script("slowly", `,"sources":[{"name":"slowly.found","live":true}],"sandbox":{"exec":["sh","sleep"]}`, answering(`
	case $query in
	sea) (sleep 0.8; `+reply+`; echo '{"method":"log","params":{"level":"info","message":"sea is answered"}}') & ;;
	search) (sleep 0.05; `+reply+`) & ;;
	*) `+reply+` ;;
	esac`))
	i.start()
	term := i.terminal(80, 20, "flash open")
	term.await("Type to search")
	term.pace("@slowly search", 30*time.Millisecond)
	term.await("answer to search")
	answered := false
	for !answered {
		assert.False(t, strings.HasSuffix(strings.TrimSpace(term.screen()[2]), "answer to sea"))
		answered = strings.Contains(i.ok("logs", "--lines", "200"), "sea is answered")
		require.False(t, t.Failed())
	}
	// Its rows went ahead of the log line, and a keystroke after both is answered.
	term.keys("Left")
	term.prompted("@slowly search")
	assert.True(t, term.shows("answer to search"))
	assert.Len(t, nonEmpty(term.screen()), 4, "prompt, rule, one row, hints")
}

func nonEmpty(lines []string) (out []string) {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			out = append(out, l)
		}
	}
	return out
}

func TestLocalRowsShowAtEachKeyWhileAPluginSleeps(t *testing.T) {
	i := newTerminalTest(t)
	i.app("tool", "Tenletters Tool")
	i.script("sleepy", `,"query":{"prefixes":[]},"sandbox":{"exec":["sh","sleep"]}`, answering(`
	echo '{"method":"log","params":{"level":"info","message":"asked"}}'
	sleep 3
	echo '{"id":'$id',"result":{"ok":true,"answers":[{"title":"late answer to '"$query"'"}]}}'`))
	i.start()
	require.Equal(t, "running", i.plugin("sleepy").State, i.plugin("sleepy").LastError)
	term := i.terminal(80, 20, "flash open")
	term.await("Type to search")
	begin := time.Now()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n := range "tenletters" {
		term.text("tenletters"[n : n+1])
		<-tick.C
	}
	term.prompted("tenletters")
	if time.Since(begin) < 3*time.Second { // else the machine slept too
		assert.True(t, term.shows("▌ Tenletters Tool"))
		assert.False(t, term.shows("late answer"))
	}
	assert.Contains(t, i.ok("logs", "--lines", "200"), `"asked"`)
	term.keys("Escape")
	term.ended(0)
}

func TestEnterRightAfterTheLastLetterTakesTheAnswerOfThatQuery(t *testing.T) {
	i := newTerminalTest(t)
	i.app("tool", "Two plus two")
	i.start()
	term := i.terminal(80, 20, "flash open")
	term.await("Type to search")
	// A plugin that is not given the processor for 50 ms is left out of the
	// lane; then there is nothing to take and one types again.
	term.until("the answer is taken", func([]string) bool {
		term.keys("C-u")
		term.keys("-l", "20+22")
		term.keys("Enter")
		ended := false
		term.until("something comes of it", func([]string) bool {
			ended = term.shows("copied by tmux")
			return ended || term.shows("nothing to choose")
		})
		return ended
	})
	// There is no clipboard, so tmux was given the text, and the status line says so.
	assert.Equal(t, "42", strings.TrimSpace(term.tmux("show-buffer")))
}

func TestWithoutAClipboardTheTerminalIsGivenTheText(t *testing.T) {
	i := newTerminalTest(t)
	i.start()
	// tmux stands for any terminal here: it takes OSC 52 when told to.
	term := i.terminal(80, 20, "tmux set -g set-clipboard on; unset TMUX; flash open")
	term.await("Type to search")
	term.answered("20+22", "= 42")
	term.keys("Enter")
	term.await("OSC 52")
	term.until("tmux has the text", func([]string) bool { return strings.TrimSpace(term.tmux("show-buffer")) == "42" })
	term.keys("Escape")
	term.ended(0)
}

func TestWhatAPluginCopiesIsTheTerminalsToPlaceWhereThereIsNoClipboard(t *testing.T) {
	i := newTerminalTest(t)
	i.script("copier", `,"sources":[{"name":"copier.items","kind":"locations"}],"capabilities":["clipboard"],"sandbox":{"exec":["sh"]}`, `
echo '{"method":"publish","params":{"rows":[{"source":"copier.items","title":"Copy machine"}]}}'
`+answering(`echo '{"id":1,"method":"host.clipboard_write","params":{"text":"from a plugin"}}'
read -r written
case $written in *'"ok":true'*) echo '{"id":'$id',"result":{"ok":true}}';; *) echo '{"id":'$id',"result":{"ok":false,"error":"not written"}}';; esac`))
	i.start()
	i.eventually("the row is there", func() bool { return len(i.query("copy machine").Rows) > 0 })
	term := i.terminal(80, 20, "flash open --query 'copy machine'")
	term.await("▌ Copy machine")
	term.keys("Enter")
	term.await("copied by tmux")
	assert.Equal(t, "from a plugin", strings.TrimSpace(term.tmux("show-buffer")))
}

func TestEnterDoesWhatTheRowIsForAndTheFlashlightCloses(t *testing.T) {
	i := newTerminalTest(t)
	started := filepath.Join(i.dir, "started")
	i.write("app.sh", "#!/bin/sh\necho \"$@\" > "+started+"\n", 0o755)
	i.write("share/applications/tool.desktop", "[Desktop Entry]\nType=Application\nName=Tool\nExec="+filepath.Join(i.dir, "app.sh")+" ran\n", 0o644)
	i.start()
	term := i.terminal(80, 20, "flash open --query tool")
	term.await("▌ Tool")
	term.keys("Enter")
	term.ended(0)
	i.eventually("the application ran", func() bool {
		data, err := os.ReadFile(started)
		return err == nil && string(data) == "ran\n"
	})
	assert.Contains(t, i.ok("history"), "1 row learned")
}

func TestTheActionsOfARowAreFilteredAndRun(t *testing.T) {
	i := newTerminalTest(t)
	seen := filepath.Join(i.dir, "seen")
	i.write("viewer.sh", "#!/bin/sh\necho \"$@\" > "+seen+"\n", 0o755)
	i.write("share/applications/viewer.desktop", "[Desktop Entry]\nType=Application\nName=Viewer\nExec="+filepath.Join(i.dir, "viewer.sh")+" %u\n", 0o644)
	i.script("mine", `,"sources":[{"name":"mine.items","kind":"locations"}],"actions":["close_tab"],"sandbox":{"exec":["sh"]}`, `
echo '{"method":"publish","params":{"rows":[{"source":"mine.items","title":"My page","url":"https://example.org/page"}]}}'
`+answering(`echo '{"id":'$id',"result":{"ok":true,"message":"the tab is closed"}}'`))
	i.start()
	i.eventually("the row is there", func() bool { return len(i.query("my page").Rows) > 0 })
	term := i.terminal(80, 20, "flash open --query 'my page'")
	term.await("▌ My page")
	term.keys("C-k")
	term.await("actions ❯")
	for _, action := range []string{"▌ Open", "Copy the address", "Close tab", "Open with Viewer"} {
		assert.True(t, term.shows(action), "%s\n%s", action, strings.Join(term.screen(), "\n"))
	}
	term.keys("Escape")
	term.until("the rows are back", func([]string) bool { return term.shows("▌ My page") })
	term.keys("C-k")
	term.await("actions ❯")
	term.text("viewer")
	term.await("▌ Open with Viewer")
	term.keys("Enter")
	term.ended(0)
	i.eventually("the page was opened with it", func() bool {
		data, err := os.ReadFile(seen)
		return err == nil && string(data) == "https://example.org/page\n"
	})

	term.tmux("respawn-pane", "-k", "flash open --query 'my page'; echo \"[exit $?]\"; exec cat")
	term.await("▌ My page")
	term.keys("C-k")
	term.await("actions ❯")
	term.text("close")
	term.await("▌ Close tab")
	term.keys("Enter")
	term.ended(0)
	assert.True(t, term.shows("the tab is closed"))
}

func TestTabCompletesSourcesBangsAndCommands(t *testing.T) {
	i := newTerminalTest(t)
	i.script("mine", `,"sources":[{"name":"mine.items"}],"commands":[{"command":"minecraft","subcommand":"dig","description":"Dig"}],"bangs":{"command":"minecraft","items":[{"token":"mine","description":"Mine it"}]},"sandbox":{"exec":["sh"]}`,
		answering(`echo '{"id":'$id',"result":{"ok":false,"error":"the pickaxe broke"}}'`))
	i.start()
	term := i.terminal(80, 20, "flash open")
	term.await("Type to search")
	for _, c := range []struct{ typed, completed string }{
		{"@mi", "@mine.items"},
		{"some !mi", "some !mine"},
		{":minec", ":minecraft"},
		{":minecraft d", ":minecraft dig"},
	} {
		term.keys("C-u")
		term.keys("-l", c.typed)
		term.keys("Tab") // at once, before the completions are known
		term.prompted(c.completed)
	}
	// What the plugin could not do shows in place.
	term.keys("Enter")
	term.await("the pickaxe broke")
	term.keys("C-u")
	term.text("!nosuchbang x")
	term.await("nothing takes !nosuchbang")
}

func TestTheMouseSelectsActsAndScrolls(t *testing.T) {
	i := newTerminalTest(t)
	i.start()
	term := i.terminal(80, 12, "flash open --query '@emojis grinning'")
	term.until("rows are there", func(s []string) bool { return len(s) > 6 && strings.HasPrefix(s[2], "▌") })
	second := strings.TrimSpace(term.screen()[3])
	const wheelUp, wheelDown, left = 64, 65, 0
	term.mouse(wheelDown, 10, 5)
	term.until("the wheel moves down", func(s []string) bool { return strings.HasPrefix(s[3], "▌") })
	term.mouse(wheelUp, 10, 5)
	term.until("the wheel moves up", func(s []string) bool { return strings.HasPrefix(s[2], "▌") })
	term.mouse(left, 10, 3)
	term.until("a click selects", func(s []string) bool { return strings.HasPrefix(s[3], "▌") })
	term.mouse(left, 10, 3)
	term.await("copied by tmux")
	assert.Contains(t, second, strings.TrimSpace(term.tmux("show-buffer")))
}

func TestKeysMoveAndPage(t *testing.T) {
	i := newTerminalTest(t)
	i.start()
	term := i.terminal(80, 12, "flash open --query '@emojis '") // eight rows
	at := func(line int, what string) {
		t.Helper()
		term.until(what, func(s []string) bool { return len(s) > line && strings.HasPrefix(s[line], "▌") })
	}
	at(2, "the first is selected")
	first := term.screen()[2]
	term.keys("C-n", "Down")
	at(4, "two down")
	term.keys("C-p")
	at(3, "one up")
	term.keys("PageDown")
	term.until("a page down", func(s []string) bool { return s[2] != first && strings.Count(strings.Join(s, "\n"), "▌") == 1 })
	term.keys("PageUp", "PageUp")
	term.until("back at the top", func(s []string) bool { return s[2] == first })
}

func TestWideAndRightToLeftTextKeepTheColumnsAndTitlesCannotMoveTheCursor(t *testing.T) {
	i := newTerminalTest(t)
	i.script("odd", `,"sources":[{"name":"odd.items","kind":"locations"}],"sandbox":{"exec":["sh","cat"]}`, `
echo '{"method":"publish","params":{"rows":[
{"source":"odd.items","title":"odd 東京タワー"},
{"source":"odd.items","title":"odd שלום עולם"},
{"source":"odd.items","title":"odd café ü"},
{"source":"odd.items","title":"odd 👩‍👩‍👧‍👦 ❤️ 👍🏽 1️⃣"},
{"source":"odd.items","title":"odd \u001b[31mred\u001b[2J \u0007\u202ereversed"},
{"source":"odd.items","title":"odd 東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東東"}
]}}' | while read -r l; do printf %s "$l"; done; echo
`+answering(`:`))
	i.start()
	i.eventually("the rows are there", func() bool { return len(i.query("odd").Rows) == 6 })
	term := i.terminal(60, 12, "flash open --query odd")
	term.until("the rows show", func(s []string) bool { return len(s) > 8 && strings.Contains(s[7], "odd") })
	badges := 0
	for _, l := range strings.Split(term.tmux("capture-pane", "-p", "-N"), "\n")[2:8] {
		assert.True(t, strings.HasSuffix(strings.TrimRight(l, " "), "odd.items"), "%q", l)
		badges++
	}
	assert.Equal(t, 6, badges)
	assert.True(t, term.shows("odd [31mred[2J reversed"))
	assert.True(t, term.shows("odd café ü"))
	// The column where each badge ends is the last but one, as tmux counts cells.
	term.tmux("resize-window", "-x", "40", "-y", "8")
	term.until("it fits the new size", func(s []string) bool {
		return len(s) <= 8 && strings.HasPrefix(s[0], "❯ odd") && strings.Contains(s[len(s)-1], "Enter")
	})
	term.tmux("resize-window", "-x", "5", "-y", "2")
	term.until("it fits next to nothing", func(s []string) bool { return strings.HasPrefix(s[0], "❯") })
	term.tmux("resize-window", "-x", "100", "-y", "20")
	term.until("it fits a large one", func(s []string) bool { return len(s) == 20 && strings.Contains(s[19], "Esc closes") })
}

// colored finds a colour other than the terminal's own, as tmux writes it.
var colored = regexp.MustCompile(`[\[;](3[0-7]|4[0-7]|9[0-7]|38|48)[;m]`)

func TestNoColorLeavesNoColorAndSixteenColoursNoMore(t *testing.T) {
	i := newTerminalTest(t)
	i.app("firefox", "Firefox")
	i.start()
	for name, c := range map[string]struct {
		env   []string
		wants func(seq string) bool
	}{
		"NO_COLOR": {[]string{"NO_COLOR=1"}, func(s string) bool { return !colored.MatchString(s) && strings.Contains(s, "[1m") }},
		"16":       {[]string{"COLORFGBG=15;0"}, func(s string) bool { return strings.Contains(s, "[36m") && !strings.Contains(s, "48;5") }},
		"256":      {[]string{"COLORFGBG=15;0"}, func(s string) bool { return strings.Contains(s, "48;5;237") }},
	} {
		t.Run(name, func(t *testing.T) {
			term := i.terminal(80, 12, map[string]string{"NO_COLOR": "", "16": "TERM=xterm ", "256": "TERM=tmux-256color "}[name]+"flash open --query fire", c.env...)
			term.await("▌ Firefox")
			term.prompted("fire")
			assert.Condition(t, func() bool { return c.wants(term.tmux("capture-pane", "-p", "-e")) }, "%q", term.tmux("capture-pane", "-p", "-e"))
		})
	}
}

func TestAKilledClientLeavesNoSessionBehind(t *testing.T) {
	i := newTerminalTest(t)
	i.start()
	term := i.terminal(80, 12, "exec flash open")
	i.eventually("a session is open", func() bool { return i.sessions() == 1 })
	pid, err := strconv.Atoi(strings.TrimSpace(term.tmux("display-message", "-p", "#{pane_pid}")))
	require.NoError(t, err)
	kill(t, pid, syscall.SIGKILL)
	i.eventually("the session is gone", func() bool { return i.sessions() == 0 })
}

func TestPluginsHearOfAnOpenedFlashlightAndWhatTheyPublishThenShows(t *testing.T) {
	i := newTerminalTest(t)
	i.script("ear", `,"listen":["core:session.opened"],"sources":[{"name":"ear.items","kind":"locations"}],"sandbox":{"exec":["sh"]}`, `read -r line
echo '{"id":1,"result":{"ok":true,"protocol_version":1}}'
n=0
while read -r line; do
	case $line in *session.opened*) n=$((n+1)); echo '{"method":"publish","params":{"rows":[{"source":"ear.items","title":"Listener '$n'"},{"source":"ear.items","title":"Listener twin"}]}}' ;; esac
done
`)
	i.start()
	require.Equal(t, "running", i.plugin("ear").State, i.plugin("ear").LastError)
	term := i.terminal(80, 12, "flash open --query listener")
	term.await("Listener 1") // published into the open list
	term.keys("Down")
	term.until("the twin is selected", func(s []string) bool { return strings.Contains(s[3], "▌ Listener twin") })
	i.query("anything") // opens a session of its own for a moment
	term.await("Listener 2")
	term.until("the selection stays with its row", func(s []string) bool { return strings.Contains(strings.Join(s, " "), "▌ Listener twin") })
}

func TestWithoutATerminalOpenSaysWhatToDo(t *testing.T) {
	i := newInstance(t)
	r := i.run("open")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.err, "flash query")
	assert.Equal(t, 2, i.run("open", "--multi").code)
}

func TestHistoryIsToldAndClearedWithAndWithoutAResident(t *testing.T) {
	i := newInstance(t)
	for _, app := range []string{"Alpha", "Beta", "Gamma"} {
		i.app(strings.ToLower(app), app)
	}
	i.start()
	var ids []string
	for _, app := range []string{"alpha", "beta", "gamma"} {
		rows := i.query(app).Rows
		require.NotEmpty(t, rows)
		ids = append(ids, rows[0].ID)
		i.ok("perform", rows[0].ID)
	}
	var h control.History
	i.json(&h, "history", "--json")
	assert.Equal(t, 3, h.Items)
	assert.True(t, h.Learning)
	assert.Contains(t, i.ok("history", "clear", "--item", ids[0]), "2 rows")
	assert.Equal(t, 4, i.run("history", "clear", "--item", ids[0]).code)
	assert.Equal(t, 2, i.run("history", "clear", "--item", "").code)

	i.ok("stop")
	assert.Contains(t, i.ok("history"), "2 rows")
	assert.Equal(t, 4, i.run("history", "clear", "--item", ids[0]).code)
	assert.Contains(t, i.ok("history", "clear", "--item", ids[1]), "1 row ")
	i.start()
	assert.Contains(t, i.ok("history"), "1 row ")
	assert.Contains(t, i.ok("history", "clear"), "0 rows")
	i.ok("stop")
	assert.Contains(t, i.ok("history", "clear"), "0 rows")
}
