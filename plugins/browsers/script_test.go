package browsers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// printed is what tabs.js prints. Its form is this project's own.
const printed = `{"windows":[` +
	`{"id":"1723","front":1,"ids":["11","12"],"titles":["Caf\u00e9 \ud83d\ude00","Say \"hi\""],"urls":["https://a.example/","https://b.example/?q=%22"]},` +
	`{"id":"88","front":0,"ids":["31"],"titles":["Docs"],"urls":[""]}]}` + "\n"

func TestWhatAScriptPrintsBecomesTabs(t *testing.T) {
	tabs, err := parseScript([]byte(printed), 5)
	require.NoError(t, err)
	require.Equal(t, []tab{
		{title: "Docs", pid: 5, id: "script:88:31", front: true},
		{title: "Café 😀", url: "https://a.example/", pid: 5, id: "script:1723:11"},
		{title: `Say "hi"`, url: "https://b.example/?q=%22", pid: 5, id: "script:1723:12", front: true, focused: true},
	}, tabs, "by the number of the window, whichever is in front")
	none, err := parseScript([]byte(`{"windows":[]}`), 5)
	require.NoError(t, err)
	assert.Equal(t, []tab{}, none)
}

func TestWhatIsNoListOfTabsIsRefused(t *testing.T) {
	for _, out := range []string{
		"", "null", "[]", "hello", `{"windows":1}`, `{"windows":[{}]}`, `{"windows":[],"more":1}x`,
		`{"windows":[{"id":"1","front":0,"ids":["1","2"],"titles":["a"],"urls":["b","c"]}]}`,
		`{"windows":[{"id":1,"front":0,"ids":[],"titles":[],"urls":[]}]}`,
		`{"windows":[{"id":"1","front":0,"ids":[1],"titles":["a"],"urls":["b"]}]}`,
	} {
		_, err := parseScript([]byte(out), 5)
		assert.ErrorIs(t, err, errScript, "%s", out)
	}
	tabs, err := parseScript([]byte(`{"windows":[{"id":"1;x","front":0,"ids":["1"],"titles":["a"],"urls":["b"]},{"id":"2","front":0,"ids":["1:2","3"],"titles":["a","c"],"urls":["b","d"]}]}`), 5)
	require.NoError(t, err)
	require.Len(t, tabs, 1, "ids that are no ids go nowhere")
	assert.Equal(t, "script:2:3", tabs[0].id)
}

func TestTabsOfOneProcessAreBounded(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`"1",`, maxScripted+50), ",")
	tabs, err := parseScript([]byte(`{"windows":[{"id":"1","front":0,"ids":[`+many+`],"titles":[`+many+`],"urls":[`+many+`]}]}`), 5)
	require.NoError(t, err)
	assert.Len(t, tabs, maxScripted)
}

func TestErrorsOfAppleEventsSayWhatToDo(t *testing.T) {
	for number, want := range map[int64]error{-1743: errRefused, -600: errEnded, -609: errEnded, -1728: errGone, -1712: errLate} {
		_, err := parseScript(fmt.Appendf(nil, `{"error":%d}`, number), 5)
		assert.ErrorIs(t, err, want)
		assert.ErrorIs(t, statusError(fmt.Sprintf("script:12:4: execution error: Error: Error: Something. (%d)\n", number)), want)
	}
	assert.ErrorContains(t, scriptError(-50), "-50")
	assert.ErrorContains(t, scriptError(0), "report it")
	for _, complaint := range []string{"", ")", "()", "syntax error (x)", "(0)"} {
		assert.ErrorIs(t, statusError(complaint), errScript)
	}
	assert.Contains(t, errRefused.Error(), "Privacy & Security, Automation")
}

func TestAPlaceIsOnlyTakenInItsOwnForm(t *testing.T) {
	window, at, ok := scriptPlace(scriptID("17", "0C3D-aa"))
	assert.True(t, ok)
	assert.Equal(t, []string{"17", "0C3D-aa"}, []string{window, at})
	for _, id := range []string{"", "17:3", "script:", "script:1", "script:1:", "script::1", "script:1:2:3", `script:1:"x`, "script:1:" + strings.Repeat("1", 65)} {
		_, _, ok := scriptPlace(id)
		assert.False(t, ok, id)
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add([]byte(printed), "")
	f.Add([]byte(`{"error":-1743}`), "execution error: no (-600)")
	f.Fuzz(func(t *testing.T, out []byte, complaint string) {
		tabs, err := parseScript(out, 5)
		if err == nil {
			require.LessOrEqual(t, len(tabs), maxScripted)
			for _, one := range tabs {
				_, _, ok := scriptPlace(one.id)
				require.True(t, ok, one.id)
			}
		}
		require.Error(t, statusError(complaint))
	})
}

// mac is a system whose osascript is a shell script.
func mac(t *testing.T, script string) system {
	t.Helper()
	path := filepath.Join(t.TempDir(), "osascript")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
	return system{mac: true, osascript: path, patience: deadline}
}

// hasty gives up soon.
func hasty(s system) system {
	s.patience = 3 * time.Second
	return s
}

func TestARefusalLeavesTheTitlesAndSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	w := newWorldOn(t, "", mac(t, "echo x >>"+dir+`/asked; echo '{"error":-1743}'`))
	w.set(5, "One - Google Chrome")
	w.running(map[string]int{"com.google.Chrome": 5})
	require.Equal(t, []string{"chrome: One"}, lines(w.h.NextPublish()))
	log := w.h.NextLog()
	for log.Level != "warn" {
		log = w.h.NextLog()
	}
	assert.Contains(t, string(log.Fields), "Privacy & Security, Automation")
	asked := func() int {
		b, _ := os.ReadFile(dir + "/asked")
		return strings.Count(string(b), "x")
	}
	require.Equal(t, 1, asked())
	w.set(5, "Two - Google Chrome")
	w.ax(5, "AXTitleChanged")
	require.Equal(t, []string{"chrome: Two"}, lines(w.h.NextPublish()))
	assert.Equal(t, 1, asked(), "it is not asked again at once")
	assert.Contains(t, w.h.Command("browsers", "refresh").Message, "chrome: window titles (macOS does not let Flash")
	assert.Equal(t, 2, asked(), "but when the user says so")
}

func TestABrowserWhoseReadingFailsKeepsItsTabs(t *testing.T) {
	dir := t.TempDir()
	answer := func(text string) { require.NoError(t, os.WriteFile(dir+"/answer", []byte(text), 0o600)) }
	w := newWorldOn(t, "", mac(t, "cat "+dir+"/answer"))
	answer(printed)
	w.set(6, "Other - Brave")
	w.running(map[string]int{"com.google.Chrome": 5})
	require.Len(t, w.h.NextPublish(), 3)
	for _, text := range []string{"rubbish", `{"error":-1712}`, `{"error":0}`} {
		answer(text)
		assert.NotEmpty(t, w.h.Command("browsers", "refresh").Err)
	}
	assert.Zero(t, w.h.Notifications(protocol.MethodPublish))
	assert.Zero(t, w.times(5), "nor is its window asked")
	answer(`{"error":-1743}`)
	w.set(5, "One - Google Chrome")
	assert.True(t, w.h.Command("browsers", "refresh").OK)
	require.Equal(t, []string{"chrome: One"}, lines(w.h.NextPublish()), "leave that was taken away is no failure")
}

func TestWhileMacOSAsksTheUserTheTitlesStand(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/answer", []byte(printed), 0o600))
	w := newWorldOn(t, "", hasty(mac(t, "until test -e "+dir+"/allowed; do sleep 0.05; done; cat "+dir+"/answer")))
	w.set(5, "One - Google Chrome")
	w.running(map[string]int{"com.google.Chrome": 5})
	require.Equal(t, []string{"chrome: One"}, lines(w.h.NextPublish()))
	assert.Contains(t, w.h.Command("browsers", "refresh").Message, "answer its question")
	require.NoError(t, os.WriteFile(dir+"/allowed", nil, 0o600))
	require.Len(t, w.h.NextPublish(), 3, "the user's answer has it read once more")
}

func TestABrowserThatHangsIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/answer", []byte(printed), 0o600))
	w := newWorldOn(t, "", hasty(mac(t, "cat "+dir+"/answer && rm "+dir+"/answer || exec sleep 600")))
	w.running(map[string]int{"com.google.Chrome": 5})
	require.Len(t, w.h.NextPublish(), 3)
	assert.Contains(t, w.h.Command("browsers", "refresh").Err, "did not answer in time")
	assert.Zero(t, w.h.Notifications(protocol.MethodPublish))
}

func TestWithoutOsascriptTheTitlesAreRead(t *testing.T) {
	w := newWorldOn(t, "", system{mac: true, osascript: "/no/such/osascript", patience: deadline})
	w.set(5, "One - Google Chrome")
	w.running(map[string]int{"com.google.Chrome": 5})
	require.Equal(t, []string{"chrome: One"}, lines(w.h.NextPublish()))
	assert.Contains(t, w.h.Command("browsers", "refresh").Message, "osascript may not be run")
}

func TestAppleEventsCanBeTurnedOff(t *testing.T) {
	w := newWorldOn(t, `{"apple_events":false}`, mac(t, "echo '{\"windows\":[]}'"))
	w.set(9, "Start")
	w.running(map[string]int{"com.apple.Safari": 9})
	require.Equal(t, []string{"safari: Start"}, lines(w.h.NextPublish()))
}

func TestFirefoxOnMacOSIsReadFromItsSession(t *testing.T) {
	w := newWorldOn(t, "", system{mac: true})
	w.firefox(session)
	w.set(7, "Inbox", "Private — Private Browsing")
	w.running(map[string]int{"org.mozilla.firefox": 7})
	require.Equal(t, []string{
		"firefox: Inbox https://mail.example/inbox", "firefox: https://typed.example/ https://typed.example/",
		"firefox: Docs https://www.docs.example/a/", "firefox: Private",
	}, lines(w.h.NextPublish()))
	assert.DirExists(t, filepath.Join(w.home, "Library/Application Support/Firefox"))
}

// actOn performs an action on a row.
func actOn(w *world, name string, row protocol.Row) protocol.Outcome {
	args := append(append([]byte(`{"row":`), protocol.AppendRow(nil, row)...), '}')
	return w.h.Perform(protocol.Perform{Kind: protocol.PerformAction, Name: name, ActionArgs: args})
}

func TestChromiumsFamilyIsReadAndDrivenByItsScript(t *testing.T) {
	on, m := scripts(t, modelState{Browsers: []*modelBrowser{chrome()}})
	w := newWorldOn(t, "", on)
	w.running(map[string]int{"com.google.Chrome": 5})
	w.h.Event(protocol.EventFocusChanged, `{"bundle_id":"com.google.Chrome","localized_name":"Chrome","pid":5}`)
	rows := w.h.NextPublish()
	require.Equal(t, []string{
		"chrome: Docs https://docs.example/", "chrome:", "chrome: News\u2028\"x\" \\ 日本 https://news.example/", "chrome: Mail https://mail.example/?a=é",
	}, lines(rows), "a window without tabs is left out")
	assert.Equal(t, "true", meta(rows[3], protocol.MetaCurrentLocation))
	assert.Equal(t, "script:10:31", meta(rows[0], metaTab))
	assert.Zero(t, w.times(5), "its windows are not asked as well")

	require.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[1]}).OK)
	assert.JSONEq(t, `{"pid":5}`, w.h.NextHostCall(protocol.HostActivate))
	front := m.read().Browsers[0].Windows[0]
	assert.Equal(t, "10", front.ID)
	assert.InDelta(t, 2, front.Active, 0)
	assert.False(t, front.Minimized)

	require.True(t, actOn(w, "tab_close", rows[2]).OK)
	require.True(t, actOn(w, "tab_new", rows[3]).OK)
	news := m.read().Browsers[0].Windows
	require.Len(t, news[0].Tabs, 2)
	assert.Equal(t, "20", news[0].ID)
	assert.Equal(t, []string{"12", "900"}, []string{news[0].Tabs[0].ID, news[0].Tabs[1].ID})

	out := actOn(w, "tab_select", rows[2])
	assert.Contains(t, out.Err, "no longer there")
	out = w.h.Perform(protocol.Perform{Kind: protocol.PerformNavigate, URL: "tab:https://docs.example/"})
	assert.True(t, out.OK && out.NavigationURL == "", "%+v", out)
	assert.False(t, m.read().Launched)
}

func TestSafarisTabsGoByTheirPlaceAndAddress(t *testing.T) {
	safari := &modelBrowser{PID: 9, ID: "com.apple.Safari", Kind: "safari", Running: true, Windows: []*modelWindow{
		{ID: "41", Active: 1, Tabs: []modelTab{{Title: "A", URL: at("https://a.example/")}, {Title: "B", URL: at("https://b.example/")}, {Title: "Start", URL: nil}}},
	}}
	on, m := scripts(t, modelState{Browsers: []*modelBrowser{safari}})
	w := newWorldOn(t, "", on)
	w.running(map[string]int{"com.apple.Safari": 9})
	rows := w.h.NextPublish()
	require.Equal(t, []string{"safari: A https://a.example/", "safari: B https://b.example/", "safari: Start"}, lines(rows))
	require.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[1]}).OK)
	assert.InDelta(t, 2, m.read().Browsers[0].Windows[0].Active, 0)

	// Its tabs move along meanwhile.
	s := m.read()
	s.Browsers[0].Windows[0].Tabs = s.Browsers[0].Windows[0].Tabs[1:]
	s.Browsers[0].Windows[0].Active = 2
	m.write(s)
	require.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[1]}).OK)
	assert.InDelta(t, 1, m.read().Browsers[0].Windows[0].Active, 0, "by its address")
	assert.Contains(t, actOn(w, "tab_close", rows[0]).Err, "no longer there")
	require.True(t, actOn(w, "tab_close", rows[1]).OK)
	require.Len(t, m.read().Browsers[0].Windows[0].Tabs, 1)
	require.True(t, actOn(w, "tab_new", rows[2]).OK)
	assert.Len(t, m.read().Browsers[0].Windows[0].Tabs, 2)
}

func TestArcSelectsItsTabsItself(t *testing.T) {
	arc := &modelBrowser{PID: 9, ID: "company.thebrowser.Browser", Kind: "arc", Running: true, Windows: []*modelWindow{
		{ID: "41", Active: "AB-1", Tabs: []modelTab{{"AB-1", "A", at("https://a.example/")}, {"AB-2", "B", at("https://b.example/")}}},
	}}
	on, m := scripts(t, modelState{Browsers: []*modelBrowser{arc}})
	w := newWorldOn(t, "", on)
	w.running(map[string]int{"company.thebrowser.Browser": 9})
	rows := w.h.NextPublish()
	require.Equal(t, []string{"arc: A https://a.example/", "arc: B https://b.example/"}, lines(rows))
	require.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[1]}).OK)
	assert.Equal(t, "AB-2", m.read().Browsers[0].Windows[0].Active)
	require.True(t, actOn(w, "tab_new", rows[1]).OK)
	assert.Contains(t, w.h.NextHostCall(protocol.HostPostKeys), "command", "the key opens Arc's bar")
}

func TestABrowserThatHasEndedIsNeverStarted(t *testing.T) {
	gone := chrome()
	gone.Running = false
	for _, byIDOnly := range []bool{false, true} {
		on, m := scripts(t, modelState{Browsers: []*modelBrowser{gone}, ByIDOnly: byIDOnly})
		w := newWorldOn(t, "", on)
		w.running(map[string]int{"com.google.Chrome": 5})
		require.Empty(t, w.h.NextPublish())
		row := protocol.Row{Source: "chrome.tabs", Title: "x", Metadata: protocol.NewMetadata(map[string]string{protocol.MetaPID: "5", metaTab: "script:1:2"})}
		assert.Contains(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: row}).Err, "has just ended")
		w.running(map[string]int{})
		assert.Contains(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: row}).Err, "has just ended", "without asking")
		assert.False(t, m.read().Launched)
	}
}

func TestARefusalComesThroughTheScript(t *testing.T) {
	refused := chrome()
	refused.Refused = true
	on, _ := scripts(t, modelState{Browsers: []*modelBrowser{refused}})
	w := newWorldOn(t, "", on)
	w.set(5, "One - Google Chrome")
	w.running(map[string]int{"com.google.Chrome": 5})
	require.Equal(t, []string{"chrome: One"}, lines(w.h.NextPublish()))
	row := protocol.Row{Source: "chrome.tabs", Title: "x", Metadata: protocol.NewMetadata(map[string]string{protocol.MetaPID: "5", metaTab: "script:1:2"})}
	assert.Contains(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: row}).Err, "allow it in System Settings")
	assert.Contains(t, actOn(w, "tab_close", protocol.Row{Source: "chrome.tabs", Title: "One", Metadata: protocol.NewMetadata(map[string]string{protocol.MetaPID: "5"})}).Err, "closing a tab needs Apple events; macOS does not let")
}

func TestAProcessThatCannotBeAddressedIsGoneToByItsID(t *testing.T) {
	on, _ := scripts(t, modelState{Browsers: []*modelBrowser{chrome()}, ByIDOnly: true})
	w := newWorldOn(t, "", on)
	w.running(map[string]int{"com.google.Chrome": 5})
	require.Len(t, w.h.NextPublish(), 4)
}

func TestTextThatIsTooLongIsCutWhole(t *testing.T) {
	long := chrome()
	long.Windows = []*modelWindow{{ID: "1", Active: 1, Tabs: []modelTab{
		{"1", strings.Repeat("x", 1023) + "😀", at("https://long.example/" + strings.Repeat("y", 5000))},
	}}}
	on, _ := scripts(t, modelState{Browsers: []*modelBrowser{long}})
	w := newWorldOn(t, "", on)
	w.running(map[string]int{"com.google.Chrome": 5})
	rows := w.h.NextPublish()
	require.Len(t, rows, 1)
	assert.Equal(t, strings.Repeat("x", 1023)+"\ufffd", rows[0].Title, "half a character is none")
	assert.Empty(t, rows[0].URL, "an address that is cut leads elsewhere")
}

func TestAReadingThatIsUnderWayEndsWithThePlugin(t *testing.T) {
	began := time.Now()
	t.Run("world", func(t *testing.T) {
		w := newWorldOn(t, "", hasty(mac(t, "exec sleep 600")))
		w.running(map[string]int{"com.google.Chrome": 5})
		require.Empty(t, w.h.NextPublish())
	})
	assert.Less(t, time.Since(began), askPatience, "the question is not waited for")
}
