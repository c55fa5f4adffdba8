package panel

import (
	"errors"
	"image"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/ui/draw"
	"github.com/flash-launcher/flash/internal/ui/edit"
	"github.com/flash-launcher/flash/protocol"
)

// fakeToolkit notes what the panel asks of its window.
type fakeToolkit struct {
	mon      monitor
	own      monitor // where the window was last, if that counts as having the focus
	made     bool
	visible  bool // shown with a picture
	keys     bool // has the keyboard
	at       spot
	size     image.Point
	puts     int
	mods     uint32
	board    string
	settled  int
	reader   bool
	said     []string
	edits    int
	released int
	resigned func()
}

func (f *fakeToolkit) monitor() monitor {
	if f.keys && f.own != (monitor{}) {
		return f.own
	}
	return f.mon
}
func (f *fakeToolkit) ready() { f.made = true }
func (f *fakeToolkit) take()  { f.keys = true }
func (f *fakeToolkit) put(_ *draw.Image, size image.Point, at spot) {
	f.visible, f.size, f.at = true, size, at
	f.puts++
}
func (f *fakeToolkit) conceal() {
	had := f.keys
	f.visible, f.keys = false, false
	if had {
		f.resigned() // as a window does that goes
	}
}
func (f *fakeToolkit) modifiers() uint32 { return f.mods }
func (f *fakeToolkit) clipboard() string { return f.board }
func (f *fakeToolkit) settle()           { f.settled++ }
func (f *fakeToolkit) listened() bool    { return f.reader }
func (f *fakeToolkit) edited()           { f.edits++ }
func (f *fakeToolkit) say(text string)   { f.said = append(f.said, text) }
func (f *fakeToolkit) release()          { f.released++ }

// stage is a panel over a fake toolkit, and the loop that both are on.
type stage struct {
	t     testing.TB
	tk    *fakeToolkit
	p     *shell
	host  *fakeHost
	clock *eventtest.Fake
	conf  config.Flashlight
	copied,
	messages []string
	opened, closed int

	mu   sync.Mutex
	jobs []func()
	wake chan struct{}
}

func newStage(t testing.TB) *stage {
	t.Helper()
	s := &stage{
		t: t, tk: &fakeToolkit{mon: monitor{x: 1000, y: -200, w: 1440, h: 900, scale: 2}}, clock: eventtest.New(),
		conf: testConfig(), wake: make(chan struct{}, 1), p: &shell{},
	}
	engine, host := newEngine(t)
	s.host = host
	s.p.init(Options{
		Engine: engine, Clock: s.clock, Config: func() config.Flashlight { return s.conf }, Theme: darkTheme, Icon: testIcon,
		Opened: func() { s.opened++ }, Closed: func() { s.closed++ }, Message: func(m string) { s.messages = append(s.messages, m) },
		Copy: func(text string) error {
			s.do(func() { s.copied = append(s.copied, text) })
			return errors.New("the clipboard is shut")
		},
	}, s.tk, s.do)
	s.tk.resigned = s.p.resigned
	t.Cleanup(func() { s.p.shutdown(); s.turn() })
	return s
}

func (s *stage) do(fn func()) {
	s.mu.Lock()
	s.jobs = append(s.jobs, fn)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// turn runs what is on the loop.
func (s *stage) turn() {
	for {
		s.mu.Lock()
		jobs := s.jobs
		s.jobs = nil
		s.mu.Unlock()
		if len(jobs) == 0 {
			return
		}
		for _, fn := range jobs {
			fn()
		}
	}
}

// until runs the loop until something is so.
func (s *stage) until(what string, so func() bool) {
	s.t.Helper()
	deadline := time.After(20 * time.Second)
	for s.turn(); !so(); s.turn() {
		select {
		case <-s.wake:
		case <-deadline:
			require.Fail(s.t, what)
		}
	}
}

func (s *stage) open(text string) {
	s.t.Helper()
	s.p.Open(OpenOptions{Query: text})
	s.settled()
}

func (s *stage) settled() {
	s.t.Helper()
	s.until("the panel settles", func() bool {
		return s.p.shown && !s.p.dirty && s.p.m.fresh() && !s.p.m.view.Pending && !s.p.m.acting
	})
}

// typing is keys that the input method gives back as what they write.
func (s *stage) typing(text string) {
	for g := range edit.Graphemes(text) {
		require.False(s.t, s.p.key(macEvent{text: g, plain: g}))
		s.p.wrote(g, -1, -1)
	}
}

func (s *stage) text() string { return s.p.m.box.Text() }

func TestThePanelTakesTheKeysBeforeItShows(t *testing.T) {
	s := newStage(t)
	s.p.Open(OpenOptions{})
	assert.True(t, s.tk.keys)
	s.typing("fire")
	assert.Equal(t, "fire", s.text())
	s.settled()
	assert.True(t, s.tk.visible)
	assert.Equal(t, 1, s.opened)
	assert.NotEmpty(t, s.p.m.list.items)
}

func TestTheFirstPaintDoesNotWaitForRowsForever(t *testing.T) {
	s := newStage(t)
	s.p.Open(OpenOptions{Query: "fire"})
	s.clock.Advance(firstPaint)
	s.turn()
	assert.True(t, s.tk.visible)
}

func TestThePanelStandsOnTheMonitorInItsOwnPoints(t *testing.T) {
	s := newStage(t)
	s.open("")
	m := s.tk.mon
	assert.InDelta(t, float64(s.tk.size.X)/2, s.tk.at.w, 0.01, "a Retina monitor has two pixels a point")
	assert.InDelta(t, m.x+(m.w-s.tk.at.w)/2, s.tk.at.x, 1)
	top := s.tk.at.y + s.tk.at.h
	assert.InDelta(t, m.y+m.h*0.8, top, 1)
	// More rows grow it downwards.
	s.typing("f")
	s.settled()
	assert.InDelta(t, top, s.tk.at.y+s.tk.at.h, 1)
}

func TestThePanelOpensOnTheMonitorThatHadTheFocusBeforeIt(t *testing.T) {
	s := newStage(t)
	s.tk.own = monitor{w: 800, h: 600, scale: 1}
	s.open("")
	assert.Equal(t, s.tk.mon, s.p.mon)
}

func TestAnotherScalePaintsAnew(t *testing.T) {
	s := newStage(t)
	s.open("")
	before := s.tk.size
	s.tk.mon.scale = 1
	s.p.changed()
	s.settled()
	assert.InDelta(t, before.X/2, s.tk.size.X, 1)
}

func TestATurnOfTheLoopPaintsOnce(t *testing.T) {
	s := newStage(t)
	s.open("")
	n := s.tk.puts
	for i := range 3 {
		at := s.p.points(s.p.p.scene.lines[i])
		s.p.moved(at.x+2, at.y+2)
	}
	s.turn()
	assert.Equal(t, n+1, s.tk.puts)
	s.p.redraw()
	s.turn()
	assert.Equal(t, n+1, s.tk.puts, "what has not changed is not shown again")
}

func TestComposedTextStandsAtTheCaretUntilItIsWritten(t *testing.T) {
	s := newStage(t)
	s.open("ab")
	s.p.means("moveLeft:")
	s.p.composes("´")
	assert.Equal(t, "´", s.p.m.pending)
	at, n, from, _ := s.p.written()
	assert.Equal(t, [3]int{1, 1, 2}, [3]int{at, n, from})
	assert.False(t, s.p.key(macEvent{code: 0x24, text: "\r", plain: "\r"}), "Return is the input method's meanwhile")
	assert.True(t, s.p.key(macEvent{flags: macCmd, text: "k", plain: "k"}), "and a shortcut waits")
	assert.Nil(t, s.p.m.menu)
	s.p.wrote("é", -1, -1)
	assert.Equal(t, "aéb", s.text())
	assert.Empty(t, s.p.m.pending)
	s.p.key(macEvent{flags: macCmd, text: "a", plain: "a"})
	s.p.composes("ü")
	assert.Empty(t, s.text(), "it stands in place of what was selected")
	s.p.wrote("aéb", -1, -1)
	s.p.composes("に")
	s.p.composes("")
	assert.Equal(t, "aéb", s.text())
	assert.Empty(t, s.p.m.pending)
	s.p.kept()
	assert.Equal(t, "aéb", s.text(), "nothing is composed")
	s.p.composes("に")
	s.p.kept()
	assert.Equal(t, "aébに", s.text())
	assert.Empty(t, s.p.m.pending)
}

func TestTheInputMethodCountsInTheTextThatShows(t *testing.T) {
	s := newStage(t)
	s.open("abc")
	s.p.means("moveLeft:")
	s.p.composes("👍に")
	assert.Equal(t, "b👍にc", s.p.substring(1, 99))
	assert.Equal(t, "👍に", s.p.substring(2, 5))
	s.p.wrote("x", 2, 5) // in place of what is composed
	assert.Equal(t, "abxc", s.text())
	s.p.composes("に")
	s.p.wrote("y", 4, 5) // and of what stands behind it
	assert.Equal(t, "abxy", s.text())
}

func TestTheInputMethodMayReplaceWhatItWrote(t *testing.T) {
	s := newStage(t)
	s.open("")
	s.typing("👍e")
	at, _, from, to := s.p.written()
	assert.Equal(t, [3]int{3, 3, 3}, [3]int{at, from, to})
	assert.Equal(t, "e", s.p.substring(2, 3))
	s.p.wrote("é", 2, 3) // an accent chosen while the key was held
	assert.Equal(t, "👍é", s.text())
}

func TestModifiersOfTheHotKeyAreNotMeantForWhatIsTyped(t *testing.T) {
	s := newStage(t)
	s.tk.mods = macOption
	s.p.Open(OpenOptions{})
	s.turn()
	assert.True(t, s.p.key(macEvent{flags: macOption, text: "ƒ", plain: "f"}))
	assert.Equal(t, "f", s.text())
	s.p.flags(0)
	assert.False(t, s.p.key(macEvent{flags: macOption, text: "ƒ", plain: "f"}), "pressed anew it counts")
}

func TestThePanelClosesWithTheFocusIfItIsToldTo(t *testing.T) {
	s := newStage(t)
	s.conf.CloseOnFocusLoss = false
	s.open("")
	s.p.resigned()
	assert.True(t, s.p.Visible())
	s.p.Close()
	assert.False(t, s.tk.visible)
	s.conf.CloseOnFocusLoss = true
	s.open("")
	s.p.resigned()
	assert.False(t, s.p.Visible())
	assert.Equal(t, 2, s.closed)
}

func TestWhatWritesElsewhereIsDoneWithTheWindowAway(t *testing.T) {
	s := newStage(t)
	s.open("@clipboard func")
	shown := make(chan bool, 1)
	s.host.before = func(e protocol.Effect) {
		done := make(chan struct{})
		s.do(func() { shown <- s.tk.visible || s.tk.keys; close(done) })
		<-done
	}
	s.p.means("insertNewline:")
	s.until("the panel closes", func() bool { return !s.p.Visible() })
	assert.False(t, <-shown)
	require.Len(t, s.host.done(), 1)
	assert.Equal(t, 1, s.closed)
}

func TestAnActionThatFailsBringsThePanelBack(t *testing.T) {
	s := newStage(t)
	s.host.broken = errors.New("no window takes text")
	s.open("@clipboard func")
	s.p.means("insertNewline:")
	s.until("the failure shows", func() bool { return s.p.m.status.Warn && s.tk.visible })
	assert.True(t, s.tk.keys)
	assert.True(t, s.p.Visible())
}

func TestWhatIsCopiedIsCopiedBesideTheLoop(t *testing.T) {
	s := newStage(t)
	s.open("abc")
	s.p.key(macEvent{flags: macCmd, text: "a", plain: "a"})
	s.p.key(macEvent{flags: macCmd, text: "x", plain: "x"})
	assert.Empty(t, s.text())
	s.until("the failure shows", func() bool { return strings.Contains(s.p.m.status.Text, "shut") })
	assert.Equal(t, []string{"abc"}, s.copied)
	s.tk.board = "pasted"
	s.p.key(macEvent{flags: macCmd, text: "v", plain: "v"})
	assert.Equal(t, "pasted", s.text())
}

func TestWhatIsSelectedIsReadToThoseWhoCannotSeeIt(t *testing.T) {
	s := newStage(t)
	s.open("fire")
	assert.Empty(t, s.tk.said)
	s.tk.reader = true
	s.p.means("moveDown:")
	s.turn()
	require.Len(t, s.tk.said, 1)
	assert.Equal(t, s.p.m.list.selected().spoken(), s.tk.said[0])
	s.p.redraw()
	s.turn()
	assert.Len(t, s.tk.said, 1, "and once")
	s.tk.edits = 0
	s.typing("f")
	s.settled()
	assert.Equal(t, 1, s.tk.edits)
	lines := s.p.m.accessible(&s.p.p.scene)
	require.NotEmpty(t, lines)
	for i, l := range lines {
		assert.Equal(t, i == s.p.m.list.At()-s.p.m.list.Top(), l.selected)
		assert.True(t, l.rect.In(image.Rectangle{Max: s.tk.size}))
	}
	s.p.key(macEvent{flags: macCmd, text: "k", plain: "k"})
	s.until("the menu is open", func() bool { return s.p.m.menu != nil && !s.p.dirty })
	assert.Equal(t, s.p.m.menu.list.items[0].spoken(), s.p.m.accessible(&s.p.p.scene)[0].label)
	assert.NotZero(t, s.p.caret())
}

func TestTheMouseMeansPointsOfTheWindow(t *testing.T) {
	s := newStage(t)
	s.open("")
	second := s.p.points(s.p.p.scene.lines[1])
	s.p.moved(second.x+2, second.y+2)
	assert.Equal(t, 1, s.p.m.hover)
	s.p.moved(-1, -1)
	assert.Equal(t, -1, s.p.m.hover)
	s.p.scrolled(second.x, second.y, -1, false)
	assert.Equal(t, 1, s.p.m.list.At())
	s.p.click(buttonRight, second.x+2, second.y+2, false, false)
	s.until("the menu is open", func() bool { return s.p.m.menu != nil })
}

func TestFingersScrollByRowsAndAWheelByLines(t *testing.T) {
	var w wheel
	assert.Equal(t, 0, w.turn(10, true, 40))
	assert.Equal(t, 1, w.turn(35, true, 40))
	assert.Equal(t, 0, w.turn(-10, true, 40), "what was left of the other way is forgotten")
	assert.Equal(t, -2, w.turn(-75, true, 40))
	assert.Equal(t, 1, w.turn(0.1, false, 40), "a slow wheel moves too")
	assert.Equal(t, -3, w.turn(-3.4, false, 40))
	assert.Equal(t, 0, w.turn(0, false, 40))
}

func TestAClosedPanelGivesBackWhatItHas(t *testing.T) {
	s := newStage(t)
	s.p.Warm()
	s.until("it is warm", func() bool { return s.p.im != nil })
	assert.True(t, s.tk.made)
	s.open("")
	s.clock.Advance(2 * dropAfter)
	s.turn()
	assert.NotNil(t, s.p.im, "open, it keeps it")
	s.p.Toggle(OpenOptions{})
	s.clock.Advance(dropAfter)
	s.turn()
	assert.Nil(t, s.p.im)
	assert.Equal(t, 1, s.tk.released)
	assert.Equal(t, 1, s.tk.settled)
	s.p.Toggle(OpenOptions{Query: "f"})
	s.settled()
	assert.True(t, s.tk.visible)
	s.tk.keys = false // the user is elsewhere
	s.p.Open(OpenOptions{Query: "other"})
	assert.Equal(t, "other", s.text())
	assert.True(t, s.tk.keys)
}

func TestAPanelWithoutAMonitorWaitsForOne(t *testing.T) {
	s := newStage(t)
	lit := s.tk.mon
	s.tk.mon = monitor{}
	s.open("")
	s.tk.mon = lit
	s.p.changed()
	s.settled()
	assert.InDelta(t, lit.x+(lit.w-s.tk.at.w)/2, s.tk.at.x, 1)
}

func TestAShutPanelStaysShut(t *testing.T) {
	s := newStage(t)
	s.p.shutdown()
	s.p.Open(OpenOptions{})
	assert.False(t, s.p.Visible())
	assert.True(t, s.p.key(macEvent{text: "a", plain: "a"}), "keys on their way go nowhere")
	s.p.wrote("a", -1, -1)
	s.p.composes("a")
	s.p.means("insertNewline:")
	s.p.resigned()
}
