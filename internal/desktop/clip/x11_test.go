package clip

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

const patience = 30 * time.Second

// desk is an X server, its clipboard, and what was told of it.
type desk struct {
	t       *testing.T
	server  *xvfb.Server
	display string
	x       *X11
	watch   *Watch
	told    chan string
}

func newDesk(t *testing.T, clock event.Time, programs ...string) *desk {
	t.Helper()
	leaktest.Check(t)
	desktoptest.Need(t, append([]string{"Xvfb", "openbox"}, programs...)...)
	s, err := xvfb.Start()
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	d := &desk{t: t, server: s, display: s.Display, x: NewX11(s.Display, clock), told: make(chan string, 256)}
	d.watch = NewWatch(d.x, clock, func(text string) { d.told <- text })
	t.Cleanup(d.x.Close)
	return d
}

func watched(t *testing.T, programs ...string) *desk {
	t.Helper()
	d := newDesk(t, event.System(), programs...)
	require.NoError(t, d.watch.Want(true))
	return d
}

func (d *desk) next() string {
	d.t.Helper()
	select {
	case text := <-d.told:
		return text
	case <-time.After(patience):
		d.t.Fatal("no copy was told")
		return ""
	}
}

// run runs a clipboard tool to its end.
func (d *desk) run(stdin string, argv ...string) string {
	d.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "DISPLAY="+d.display)
	if stdin != "" {
		cmd.Stdin = strings.NewReader(stdin)
	}
	// Into files: the tools leave a child behind that keeps what it was given.
	out, err := os.Create(filepath.Join(d.t.TempDir(), "out"))
	require.NoError(d.t, err)
	defer func() { _ = out.Close() }()
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Run()
	text, _ := os.ReadFile(out.Name())
	require.NoError(d.t, err, "%s", text)
	return string(text)
}

func TestACopyOfAnotherProgramIsTold(t *testing.T) {
	d := watched(t, "xclip", "xsel")
	for _, text := range []string{"plain", "é🚀\n", strings.Repeat("a line of text\n", 8000)} {
		d.run(text, "xclip", "-in", "-selection", "clipboard")
		require.Equal(t, text, d.next())
		d.run(text+"2", "xsel", "--input", "--clipboard")
		require.Equal(t, text+"2", d.next())
	}
	assert.Empty(t, d.told)
}

func TestATextThatComesInPartsIsPutTogether(t *testing.T) {
	d := watched(t)
	o := newOwner(t, d.display)
	text := strings.Repeat("0123456789", MaxText/10)
	for _, size := range []int{997, 65536, MaxText} {
		o.set(func() { o.parts, o.least = size, size == 997 })
		o.copy(fmt.Sprint(size)+text[8:], "TARGETS", "UTF8_STRING", "image/png")
		require.Equal(t, fmt.Sprint(size)+text[8:], d.next())
	}
}

func TestATextOfOneByteTooMuchIsNotTold(t *testing.T) {
	d := watched(t)
	o := newOwner(t, d.display)
	for _, parts := range []int{0, 1000, 100000} {
		o.set(func() { o.parts = parts })
		o.copy(strings.Repeat("x", MaxText+1), "UTF8_STRING")
		// Its request is answered before that of the copy after it.
		require.Eventually(t, func() bool { return len(o.requests()) >= 2 }, patience, time.Millisecond)
		o.set(func() { o.parts = 0 })
		o.copy(fmt.Sprint("after ", parts), "UTF8_STRING")
		require.Equal(t, fmt.Sprint("after ", parts), d.next())
	}
}

func TestAMarkedCopyIsNeverAskedForItsText(t *testing.T) {
	d := watched(t)
	o := newOwner(t, d.display)
	for i, mark := range concealed {
		o.copy("secret", "TARGETS", "UTF8_STRING", mark, "text/plain")
		require.Eventually(t, func() bool { return len(o.requests()) == 3*i+1 }, patience, time.Millisecond)
		text := "free " + mark
		o.copy(text, "TARGETS", "UTF8_STRING")
		require.Equal(t, text, d.next())
		asked := o.requests()
		require.Equal(t, []string{"TARGETS", "TARGETS", "UTF8_STRING"}, asked[len(asked)-3:], "nothing of the copy with %s", mark)
	}
	assert.Empty(t, d.told)
}

func TestWhatIsNoTextIsNotRead(t *testing.T) {
	d := watched(t)
	o := newOwner(t, d.display)
	many := make([]string, maxKinds+1)
	for i := range many {
		many[i] = "UTF8_STRING"
	}
	for i, kinds := range [][]string{{"image/png", "TARGETS"}, {}, many} {
		o.copy("data", kinds...)
		require.Eventually(t, func() bool { return len(o.requests()) == i+1 }, patience, time.Millisecond)
	}
	o.copy("gr\xfc\xdfe\x00", "STRING")
	require.Equal(t, "grüße", d.next(), "Latin-1, and without the zero byte at its end")
	o.copy("a\xffb", "text/plain;charset=utf-8")
	require.Equal(t, "a\uFFFDb", d.next())
	require.Equal(t, []string{"TARGETS", "TARGETS", "TARGETS", "TARGETS", "STRING", "TARGETS", "text/plain;charset=utf-8"}, o.requests())
}

func TestAHugeCopyIsNeverHeld(t *testing.T) {
	d := watched(t, "xclip")
	file := filepath.Join(t.TempDir(), "huge")
	require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("0123456789abcde\n"), 4<<20), 0o600))
	o := newOwner(t, d.display)
	largest := 0
	o.set(func() { o.parts, o.onPart = 60000, func(n int) { largest = n } })
	data := strings.Repeat("x", 64<<20)

	var before, after runtime.MemStats
	d.run("", "xclip", "-in", "-selection", "clipboard", file)
	d.run("one", "xclip", "-in", "-selection", "clipboard")
	require.Equal(t, "one", d.next(), "the huge copy was passed over")
	o.copy(data, "UTF8_STRING")
	runtime.ReadMemStats(&before)
	require.Eventually(t, func() bool { return len(o.requests()) == 2 }, patience, time.Millisecond)
	for i := range 50 {
		text := fmt.Sprint("normal ", i)
		d.run(text, "xclip", "-in", "-selection", "clipboard")
		require.Equal(t, text, d.next())
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "what 50 copies and a huge one took")
	o.set(func() {})
	assert.LessOrEqual(t, largest, MaxText+2*o.parts, "the owner was asked for no more")
}

func TestAnOwnerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	clock := eventtest.New()
	d := newDesk(t, clock)
	require.NoError(t, d.watch.Want(true))
	o := newOwner(t, d.display)
	o.set(func() { o.mute = true })
	o.copy("x", "UTF8_STRING")
	require.Eventually(t, func() bool { return len(o.requests()) == 2 }, patience, time.Millisecond)
	clock.AwaitTimer(readTime)
	clock.Advance(readTime)
	require.Eventually(t, func() bool {
		idle := false
		d.x.board.Ask(func() { idle = d.x.board.reading == nil })
		return idle
	}, patience, time.Millisecond)
	o.set(func() { o.mute = false })
	o.copy("later", "UTF8_STRING")
	require.Equal(t, "later", d.next())
}

func TestManyCopiesTellTheLast(t *testing.T) {
	d := watched(t)
	o := newOwner(t, d.display)
	for i := range 3 * rooms {
		o.copy(fmt.Sprint("copy ", i), "UTF8_STRING")
	}
	for last := fmt.Sprint("copy ", 3*rooms-1); d.next() != last; {
	}
}

func TestWhatTheHostWritesOthersRead(t *testing.T) {
	d := watched(t, "xclip", "xsel")
	ctx := context.Background()
	for _, text := range []string{"short", "é🚀\n", strings.Repeat("long é🚀\n", 100000), "last"} {
		d.watch.Wrote(text)
		require.NoError(t, d.x.WriteText(ctx, text))
		require.Equal(t, text, d.run("", "xclip", "-out", "-selection", "clipboard"))
		require.Equal(t, text, d.run("", "xsel", "--output", "--clipboard"))
		require.Equal(t, text, d.run("", "xclip", "-out", "-selection", "clipboard", "-target", "text/plain;charset=utf-8"))
	}
	kinds := strings.Fields(d.run("", "xclip", "-out", "-selection", "clipboard", "-target", "TARGETS"))
	assert.Subset(t, kinds, []string{"TARGETS", "TIMESTAMP", "MULTIPLE", "UTF8_STRING", "STRING"})
	assert.Empty(t, d.told, "the host's own copies are not told")
	d.run("last", "xclip", "-in", "-selection", "clipboard")
	d.run("other", "xclip", "-in", "-selection", "clipboard")
	assert.Equal(t, "other", d.next(), "nor when a manager takes one over")
}

func TestLatin1IsOfferedOnlyWhereItHoldsTheText(t *testing.T) {
	d := newDesk(t, event.System(), "xclip")
	require.NoError(t, d.x.WriteText(context.Background(), "grüße"))
	require.Equal(t, "gr\xfc\xdfe", d.run("", "xclip", "-out", "-selection", "clipboard", "-target", "STRING"))
	require.NoError(t, d.x.WriteText(context.Background(), "🚀"))
	require.NotContains(t, strings.Fields(d.run("", "xclip", "-out", "-selection", "clipboard", "-target", "TARGETS")), "STRING")
}

func TestSeveralKindsAreGivenAtOnce(t *testing.T) {
	d := newDesk(t, event.System())
	require.NoError(t, d.x.WriteText(context.Background(), "text"))
	o := newOwner(t, d.display)
	pairs := []byte{}
	for _, n := range []string{"UTF8_STRING", "P1", "image/png", "P2", "STRING", "P3"} {
		a := o.atom(n)
		pairs = append(pairs, byte(a), byte(a>>8), byte(a>>16), byte(a>>24))
	}
	xproto.ChangeProperty(o.Conn.Conn, xproto.PropModeReplace, o.win, o.atom("PAIRS"), o.atom("ATOM_PAIR"), 32, 6, pairs)
	xproto.ConvertSelection(o.Conn.Conn, o.win, o.atom("CLIPBOARD"), o.atom("MULTIPLE"), o.atom("PAIRS"), xproto.TimeCurrentTime)
	value := func(name string) string {
		r, err := xproto.GetProperty(o.Conn.Conn, false, o.win, o.atom(name), xproto.GetPropertyTypeAny, 0, 64).Reply()
		require.NoError(t, err)
		return string(r.Value)
	}
	require.Eventually(t, func() bool { return value("P3") == "text" }, patience, time.Millisecond)
	assert.Equal(t, "text", value("P1"))
	assert.Empty(t, value("P2"))
	require.Eventually(t, func() bool { return value("PAIRS")[12:16] == "\x00\x00\x00\x00" }, patience, time.Millisecond, "the refused one is struck out")
}

// connected reports whether the clipboard has a connection.
func (d *desk) connected() bool {
	d.x.mu.Lock()
	defer d.x.mu.Unlock()
	return d.x.board != nil
}

func TestNothingIsConnectedWhileNobodyNeedsIt(t *testing.T) {
	d := newDesk(t, event.System(), "xclip")
	require.False(t, d.connected())
	require.NoError(t, d.watch.Want(true))
	require.True(t, d.connected())
	require.NoError(t, d.x.WriteText(context.Background(), "held"))
	require.NoError(t, d.watch.Want(false))
	require.True(t, d.connected(), "it holds a copy")
	require.Equal(t, "held", d.run("", "xclip", "-out", "-selection", "clipboard"))
	d.run("taken", "xclip", "-in", "-selection", "clipboard")
	require.Eventually(t, func() bool { return !d.connected() }, patience, time.Millisecond)
	require.NoError(t, d.watch.Want(true))
	d.run("again", "xclip", "-in", "-selection", "clipboard")
	require.Equal(t, "again", d.next())
	require.NoError(t, d.watch.Want(false))
	require.False(t, d.connected())
}

func TestAServerThatGoesEndsTheWatchAndSaysSo(t *testing.T) {
	d := watched(t)
	require.True(t, d.watch.State().Watching)
	d.server.Kill()
	require.Eventually(t, func() bool { return !d.watch.State().Watching }, patience, time.Millisecond)
	require.ErrorContains(t, d.watch.State().Err, "ended the connection")
	require.Error(t, d.x.WriteText(context.Background(), "x"))
}

func TestNothingIsReadDuringAPause(t *testing.T) {
	clock := eventtest.New()
	d := newDesk(t, clock)
	require.NoError(t, d.watch.Want(true))
	o := newOwner(t, d.display)
	d.watch.Pause(time.Minute)
	s := d.watch.State()
	require.Equal(t, State{Paused: true, Until: clock.Now().Add(time.Minute)}, s)
	o.copy("hidden", "UTF8_STRING")
	clock.Advance(time.Minute)
	require.Equal(t, State{Watching: true}, d.watch.State())
	o.copy("shown", "UTF8_STRING")
	require.Equal(t, "shown", d.next())

	d.watch.Pause(time.Minute)
	d.watch.Pause(0)
	clock.Advance(time.Hour)
	require.Equal(t, State{Paused: true}, d.watch.State(), "a pause without an end replaced the one with")
	require.NoError(t, d.watch.Want(false))
	d.watch.Resume()
	require.Equal(t, State{}, d.watch.State(), "nobody wants it")
	require.Equal(t, []string{"TARGETS", "UTF8_STRING"}, o.requests(), "what was copied in a pause was not looked at")
}
