package menubar

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/status"
	"github.com/flash-launcher/flash/protocol"
)

// fakeStrip is a menu bar; its items are kept from the right.
type fakeStrip struct {
	items []Item
	calls int
	menu  []Entry
}

func (f *fakeStrip) set(at int, it Item) {
	f.calls++
	if at == len(f.items) {
		f.items = append(f.items, it)
		return
	}
	f.items[at] = it
}
func (f *fakeStrip) keep(n int)              { f.calls++; f.items = f.items[:n] }
func (f *fakeStrip) pop(_ int, menu []Entry) { f.menu = menu }
func (f *fakeStrip) texts() (fromLeft []string) {
	for i := len(f.items) - 1; i >= 0; i-- {
		fromLeft = append(fromLeft, f.items[i].Text())
	}
	return fromLeft
}

// scene is a menu bar over a registry, on a loop that runs at once.
type scene struct {
	registry *status.Registry
	strip    *fakeStrip
	bar      *Bar
	conf     config.StatusBar
	did      []string
}

func newScene(t *testing.T, template string) *scene {
	t.Helper()
	s := &scene{strip: &fakeStrip{}, conf: config.StatusBar{Enabled: true, Template: template}}
	s.registry = status.New(eventtest.New())
	s.registry.SetDeclared(map[string][]string{"tmux": {"session"}, "cpu": {"summary"}})
	now := func(fn func()) { fn() }
	s.bar = newBar(Options{
		Do: now, Ask: now, Registry: s.registry, Config: func() config.StatusBar { return s.conf },
		Clicked: func(a string) { s.did = append(s.did, a) }, Open: func() { s.did = append(s.did, "open") },
		Settings: func() { s.did = append(s.did, "settings") }, Quit: func() { s.did = append(s.did, "quit") },
	}, s.strip)
	t.Cleanup(s.bar.Close)
	s.bar.Apply()
	return s
}

func TestEachGroupOfTheLineIsAnItemFromTheLeft(t *testing.T) {
	s := newScene(t, "#{flash.plugin.tmux.session} · #[align=right]#{flash.plugin.cpu.summary}#[range=user|clock] 12:00 #[norange] | ")
	s.report("tmux", "session", "work")
	s.report("cpu", "summary", "7%")
	assert.Equal(t, []string{"work", "7%", "12:00"}, s.strip.texts(), "and what parts them is none")
}

func TestWhatIsReportedAgainTouchesNothing(t *testing.T) {
	s := newScene(t, "#{flash.plugin.tmux.session}#{flash.plugin.cpu.summary}")
	s.report("tmux", "session", "work")
	s.report("cpu", "summary", "7%")
	n := s.strip.calls
	s.report("cpu", "summary", "7%")
	s.bar.Apply()
	assert.Equal(t, n, s.strip.calls)
	s.report("cpu", "summary", "8%")
	assert.Equal(t, n+1, s.strip.calls, "and a new value its own item alone")
	assert.Equal(t, []string{"work", "8%"}, s.strip.texts())
}

func TestAnItemThatGoesLeavesTheOthers(t *testing.T) {
	s := newScene(t, "#{flash.plugin.tmux.session}#{flash.plugin.cpu.summary}")
	s.report("tmux", "session", "work")
	s.report("cpu", "summary", "7%")
	n := s.strip.calls
	s.report("tmux", "session", "")
	assert.Equal(t, []string{"7%"}, s.strip.texts())
	assert.Equal(t, n+1, s.strip.calls)
}

func TestAnEmptyLineStillHoldsTheMenu(t *testing.T) {
	s := newScene(t, "#{flash.plugin.cpu.summary}")
	assert.Equal(t, []string{"Flash"}, s.strip.texts())
	s.bar.clicked(0, buttonLeft, false)
	require.Len(t, s.strip.menu, 3)
	s.bar.picked(0)
	s.bar.picked(1)
	s.bar.picked(2)
	s.bar.picked(7)
	assert.Equal(t, []string{"open", "settings", "quit"}, s.did)
}

func TestTurnedOffThereIsNothing(t *testing.T) {
	s := newScene(t, "#{flash.plugin.cpu.summary}")
	s.conf.Enabled = false
	s.bar.Apply()
	assert.Empty(t, s.strip.items)
	n := s.strip.calls
	s.report("cpu", "summary", "7%")
	assert.Equal(t, n, s.strip.calls)
	s.bar.clicked(0, buttonLeft, false)
	assert.Empty(t, s.did)
	s.conf.Enabled = true
	s.bar.Apply()
	assert.Equal(t, []string{"7%"}, s.strip.texts())
	s.bar.Close()
	assert.Empty(t, s.strip.items)
}

func TestWithoutTheBarOneItemHoldsTheMenuUnlessItIsOff(t *testing.T) {
	s := newScene(t, "#{flash.plugin.cpu.summary}")
	s.report("cpu", "summary", "7%")
	s.conf.Enabled, s.conf.Menu = false, true
	s.bar.Apply()
	assert.Equal(t, []string{"Flash"}, s.strip.texts())
	n := s.strip.calls
	s.report("cpu", "summary", "8%")
	s.bar.Apply()
	assert.Equal(t, n, s.strip.calls, "it shows no segment")
	assert.Empty(t, s.registry.Observed("cpu"), "and starts no monitor")
	s.bar.clicked(0, buttonLeft, false)
	s.bar.picked(len(s.strip.menu) - 1)
	assert.Equal(t, []string{"quit"}, s.did)
	s.conf.Menu = false
	s.bar.Apply()
	assert.Empty(t, s.strip.items)
	s.conf.Enabled = true
	s.bar.Apply()
	assert.Equal(t, []string{"8%"}, s.strip.texts())
	s.conf.Enabled, s.conf.Menu = false, true
	s.bar.Apply()
	assert.Equal(t, []string{"Flash"}, s.strip.texts())
}

func TestNothingHappensWhileNobodyCanSee(t *testing.T) {
	s := newScene(t, "#{flash.plugin.cpu.summary}")
	s.report("cpu", "summary", "7%")
	n := s.strip.calls
	s.bar.Hold(true)
	s.report("cpu", "summary", "9%")
	assert.Equal(t, n, s.strip.calls)
	s.bar.Hold(false)
	assert.Equal(t, []string{"9%"}, s.strip.texts())
}

func TestAClickDoesWhatItIsForAndElseOpensTheMenu(t *testing.T) {
	s := newScene(t, "#[click=:clipboard,click3=hello]#{flash.plugin.cpu.summary}#[noclick]#[hover=two\nlines]x")
	s.report("cpu", "summary", "7%")
	require.Equal(t, []string{"7%", "x"}, s.strip.texts())
	s.bar.clicked(1, buttonLeft, false)
	s.bar.clicked(1, buttonRight, false)
	s.bar.clicked(1, buttonMiddle, false)
	assert.Equal(t, []string{":clipboard", "hello"}, s.did)
	assert.Nil(t, s.strip.menu)
	s.bar.clicked(1, buttonLeft, true)
	assert.Equal(t, []Entry{
		{Title: "Run :clipboard", Action: ":clipboard"}, {Title: "Search for hello", Action: "hello"}, {Own: Separator},
		{Title: "Open Flashlight", Own: OpenFlashlight}, {Title: "Settings…", Own: Settings}, {Title: "Quit Flash", Own: Quit},
	}, s.strip.menu)
	s.bar.picked(0)
	assert.Equal(t, []string{":clipboard", "hello", ":clipboard"}, s.did)
	s.bar.clicked(0, buttonRight, false)
	assert.Equal(t, Own(Separator), s.strip.menu[len(s.strip.menu)-4].Own)
	assert.True(t, strings.HasPrefix(s.strip.menu[0].Title, "two"))
}

func TestColoursFollowTheMenuBarWhereTheyHaveNames(t *testing.T) {
	for _, c := range []struct {
		style       status.Style
		ink, ground Ink
	}{
		{status.Style{}, Ink{}, Ink{}},
		{status.Style{FG: "brightred", BG: "blue"}, Ink{Kind: Red}, Ink{Kind: Blue}},
		{status.Style{FG: "white"}, Ink{}, Ink{}},
		{status.Style{FG: "#12ab34"}, Ink{RGB, 0x12ab34}, Ink{}},
		{status.Style{Dim: true}, Ink{Kind: Dim}, Ink{}},
		{status.Style{Dim: true, FG: "green"}, Ink{Kind: Green}, Ink{}},
		{status.Style{Reverse: true, FG: "green"}, Ink{Kind: Paper}, Ink{Kind: Green}},
		{status.Style{Reverse: true, FG: "green", BG: "red"}, Ink{Kind: Red}, Ink{Kind: Green}},
	} {
		p := partOf("x", c.style)
		assert.Equal(t, c.ink, p.Ink, "%+v", c.style)
		assert.Equal(t, c.ground, p.Ground, "%+v", c.style)
	}
}

func TestALongTextIsCutAndCanBeReadByPointingAtIt(t *testing.T) {
	long := strings.Repeat("👩‍👩‍👧‍👦", maxText+5)
	it, ok := itemOf(status.Group{Name: "a", Runs: []status.Run{{Text: long}, {Text: "more"}}, Hover: "details"})
	require.True(t, ok)
	require.Len(t, it.Parts, 1)
	assert.Equal(t, strings.Repeat("👩‍👩‍👧‍👦", maxText)+"…", it.Parts[0].Text)
	assert.Equal(t, long+"more\ndetails", it.Hover)
}

func TestATemplateOfManyGroupsHasItsFirstOnes(t *testing.T) {
	var line status.Line
	for i := range 3 * maxItems {
		line.Left = append(line.Left, status.Run{Text: "x", Name: strings.Repeat("n", i+1)})
	}
	assert.Len(t, items(line), maxItems)
}

func (s *scene) report(plugin, segment, text string) {
	s.registry.Merge(plugin, 1, map[string]protocol.StatusValue{segment: {Text: text}})
}
