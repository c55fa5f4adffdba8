package windows

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

//go:embed manifest.json
var manifest []byte

const deadline = 20 * time.Second

// fakeClock stands still until it is moved.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	reads  int // of the time
	timers []*fakeTimer
}

type fakeTimer struct {
	c  *fakeClock
	at time.Time
	f  func()
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	return c.now
}

func (c *fakeClock) looks() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads
}

func (c *fakeClock) AfterFunc(d time.Duration, f func()) sdk.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &fakeTimer{c, c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return t
}

func (t *fakeTimer) Stop() bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	n := len(t.c.timers)
	t.c.timers = slices.DeleteFunc(t.c.timers, func(o *fakeTimer) bool { return o == t })
	return len(t.c.timers) < n
}

func (c *fakeClock) armed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// advance moves the clock and runs what comes due, in order.
func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for {
		var next *fakeTimer
		for _, t := range c.timers {
			if !t.at.After(end) && (next == nil || t.at.Before(next.at)) {
				next = t
			}
		}
		if next == nil {
			break
		}
		c.timers = slices.DeleteFunc(c.timers, func(o *fakeTimer) bool { return o == next })
		c.now = next.at
		c.mu.Unlock()
		next.f()
		c.mu.Lock()
	}
	c.now = end
	c.mu.Unlock()
}

// desk is a host with applications, their windows and a clock.
type desk struct {
	t     *testing.T
	h     *sdktest.Harness
	clock *fakeClock

	mu      sync.Mutex
	windows map[int][]string // titles; window 7 of process 10 has the number 107
	broken  map[int]bool
	asked   map[int]int
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, clock: &fakeClock{now: time.Unix(1e9, 0)}, windows: map[int][]string{}, broken: map[int]bool{}, asked: map[int]int{}}
	d.h = sdktest.InProcess(t, newPlugin(d.clock), sdktest.Options{Manifest: manifest, Timeout: deadline})
	d.h.HostReply(protocol.HostAXSnapshot, d.snapshot)
	d.h.Initialize()
	return d
}

func (d *desk) snapshot(params string) string {
	c := sdk.NewConfig(params)
	pid := int(c.Int("pid", 0))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked[pid]++
	if d.broken[pid] {
		return `{"ok":false,"error":"it does not answer"}`
	}
	assert.Equal(d.t, "windows", c.String("roots", ""))
	var nodes []string
	for i, title := range d.windows[pid] {
		nodes = append(nodes, fmt.Sprintf(`{"handle":"h%d","root":"h%d","attrs":{"AXTitle":%q,"AXWindowNumber":%d,"AXMain":%v}}`, i, i, title, pid*10+i, i == 0))
	}
	return `{"ok":true,"nodes":[` + strings.Join(nodes, ",") + `]}`
}

func (d *desk) set(pid int, titles ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.windows[pid] = titles
}

func (d *desk) times(pid int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked[pid]
}

// running tells which applications run: app10 has the pid 10.
func (d *desk) running(pids ...int) {
	var list []string
	for _, pid := range pids {
		list = append(list, fmt.Sprintf(`{"bundle_id":"app%d","pid":%d,"localized_name":"App %d"}`, pid, pid, pid))
	}
	d.h.Event(protocol.EventAppsChanged, `{"reason":"running","running_applications":[`+strings.Join(list, ",")+`]}`)
}

func (d *desk) ax(pid int, notification string) {
	d.h.Event(protocol.EventAXChanged, fmt.Sprintf(`{"pid":%d,"notification":%q,"bundle_id":"app%d"}`, pid, notification, pid))
}

func (d *desk) focus(pid int) {
	d.h.Event(protocol.EventFocusChanged, fmt.Sprintf(`{"bundle_id":"app%d","localized_name":"App %d","pid":%d}`, pid, pid, pid))
}

// handled does something that the plugin looks at the time for, and waits until
// it did.
func (d *desk) handled(do func()) {
	d.t.Helper()
	before := d.clock.looks()
	do()
	require.Eventually(d.t, func() bool { return d.clock.looks() > before }, deadline, time.Millisecond)
}

// moves waits for a timer and moves the clock on.
func (d *desk) moves(by time.Duration) {
	d.t.Helper()
	require.Eventually(d.t, func() bool { return d.clock.armed() > 0 }, deadline, time.Millisecond)
	d.clock.advance(by)
}

func titles(rows []protocol.Row) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, r.Title)
	}
	return out
}

func meta(r protocol.Row, key string) string {
	v, _ := r.Metadata.Get(key)
	return v
}

// two applications with windows, and their first catalogue.
func (d *desk) start() []protocol.Row {
	d.t.Helper()
	d.set(10, "one", "two")
	d.set(20, "three")
	d.running(10, 20)
	rows := d.h.NextPublish()
	require.Equal(d.t, []string{"one", "two", "three"}, titles(rows))
	return rows
}

func TestTheWindowsOfRunningApplicationsAreListed(t *testing.T) {
	d := newDesk(t)
	d.set(10, "one", "")
	d.running(10, 30)
	rows := d.h.NextPublish()
	require.Equal(t, []string{"one", "App 10"}, titles(rows), "a window without a title has its application's name")
	assert.Equal(t, "window", meta(rows[0], protocol.MetaKind))
	assert.Equal(t, "10", meta(rows[0], protocol.MetaPID))
	assert.Equal(t, "100", meta(rows[0], metaWindow))
	assert.Equal(t, "app10", meta(rows[0], protocol.MetaBundleID))
	assert.Equal(t, "App 10", meta(rows[0], protocol.MetaSubtitle))
	assert.Empty(t, meta(rows[1], protocol.MetaSubtitle))
}

func TestARetitledWindowIsReadAgainOnceItIsQuietAndNoOtherApplicationIs(t *testing.T) {
	for _, notification := range []string{"AXTitleChanged", "AXWindowCreated", "AXUIElementDestroyed"} {
		d := newDesk(t)
		d.start()
		d.set(10, "other", "two")
		d.ax(10, notification)
		d.moves(quiet - time.Millisecond)
		assert.Equal(t, 1, d.times(10), "not before it was quiet")
		d.clock.advance(time.Millisecond)
		require.Equal(t, []string{"other", "two", "three"}, titles(d.h.NextPublish()))
		assert.Equal(t, 2, d.times(10))
		assert.Equal(t, 1, d.times(20))
	}
}

func TestABurstThatDoesNotEndIsReadAfterTenSeconds(t *testing.T) {
	d := newDesk(t)
	d.start()
	for i := range 50 {
		d.set(10, fmt.Sprint("title ", i))
		d.handled(func() { d.ax(10, "AXTitleChanged") })
		assert.Equal(t, 1, d.times(10), "after %d", i)
		d.clock.advance(200 * time.Millisecond)
	}
	require.Equal(t, []string{"title 49", "three"}, titles(d.h.NextPublish()))
	assert.Equal(t, 2, d.times(10))
}

func TestTenThousandTextChangesReadNothing(t *testing.T) {
	d := newDesk(t)
	d.start()
	for range 10000 / 8 {
		for _, n := range []string{"AXValueChanged", "AXFocusedUIElementChanged", "AXLayoutChanged", "AXCreated", "AXSelectedRowsChanged", "AXWindowMoved", "AXValueChanged", "AXWindowResized"} {
			d.ax(10, n)
		}
	}
	// One more of a kind that counts shows that all before it were handled.
	d.set(20, "new")
	d.ax(20, "AXTitleChanged")
	d.moves(quiet)
	require.Equal(t, []string{"one", "two", "new"}, titles(d.h.NextPublish()))
	assert.Equal(t, 1, d.times(10))
	d.clock.advance(time.Hour)
	d.h.CloseStdin()
	d.h.WaitExit()
	assert.Equal(t, 1, d.times(10))
	assert.Zero(t, d.h.Notifications(protocol.MethodPublish))
}

func TestTheApplicationThatGetsTheFocusIsReadAgain(t *testing.T) {
	d := newDesk(t)
	d.start()
	d.set(20, "unheard of")
	d.focus(20)
	d.moves(quiet)
	rows := d.h.NextPublish()
	require.Equal(t, []string{"one", "two", "unheard of"}, titles(rows))
	assert.Equal(t, "true", meta(rows[2], protocol.MetaCurrentLocation), "this is where the user is")
	assert.Empty(t, meta(rows[0], protocol.MetaCurrentLocation))
	assert.Equal(t, 1, d.times(10))
	d.h.Event(protocol.EventWindowFocusChanged, `{"pid":10,"bundle_id":"app10","front_window_frame":{"x":0,"y":0,"width":1,"height":1}}`)
	d.moves(quiet)
	rows = d.h.NextPublish()
	assert.Equal(t, "true", meta(rows[0], protocol.MetaCurrentLocation))
	assert.Empty(t, meta(rows[1], protocol.MetaCurrentLocation), "only the main window")
}

func TestAChangeOfApplicationsReadsAllAfterASecond(t *testing.T) {
	d := newDesk(t)
	d.start()
	d.set(30, "late")
	d.running(10, 20, 30)
	d.moves(sweepAfter - time.Millisecond)
	assert.Zero(t, d.times(30))
	d.clock.advance(time.Millisecond)
	require.Equal(t, []string{"one", "two", "three", "late"}, titles(d.h.NextPublish()))
	d.running(20, 30)
	require.Equal(t, []string{"three", "late"}, titles(d.h.NextPublish()), "at once: it is no more")
}

func TestTheFlashlightReadsAllAtMostOnceAMinute(t *testing.T) {
	d := newDesk(t)
	d.start()
	open := func() { d.h.Event(protocol.EventSessionOpened, "") }
	d.set(10, "first")
	open()
	require.Equal(t, []string{"first", "three"}, titles(d.h.NextPublish()))
	d.set(10, "second")
	d.handled(open)
	d.handled(open)
	asked := d.times(10)
	d.ax(20, "AXTitleChanged") // and behind it all was handled
	d.moves(quiet)
	require.Eventually(t, func() bool { return d.times(20) == 3 }, deadline, time.Millisecond)
	assert.Equal(t, asked, d.times(10))
	d.clock.advance(sweepEvery)
	open()
	require.Equal(t, []string{"second", "three"}, titles(d.h.NextPublish()))
}

func TestAFailedReadingKeepsTheLastRowsAndIsSaidOnceAMinute(t *testing.T) {
	d := newDesk(t)
	d.start()
	d.mu.Lock()
	d.broken[10] = true
	d.mu.Unlock()
	d.set(20, "still read")
	assert.True(t, d.h.Command("windows", "refresh").OK)
	require.Equal(t, []string{"one", "two", "still read"}, titles(d.h.NextPublish()))
	rec := d.h.NextLog()
	assert.Equal(t, "warn", rec.Level)
	assert.NotContains(t, string(rec.Fields), "one", "titles are not logged")
	assert.True(t, d.h.Command("windows", "refresh").OK)
	assert.Zero(t, d.h.Notifications(protocol.MethodLog))
}

func TestAnUnchangedReadingPublishesNothing(t *testing.T) {
	d := newDesk(t)
	d.start()
	for range 3 {
		assert.True(t, d.h.Command("windows", "refresh").OK)
	}
	assert.Zero(t, d.h.Notifications(protocol.MethodPublish))
	assert.Equal(t, 4, d.times(10))
}

func TestAProgramThatIsNoApplicationIsListedOnceItIsHeardOf(t *testing.T) {
	d := newDesk(t)
	d.start()
	d.set(40, "a window of a bare program")
	d.ax(40, "AXWindowCreated")
	d.moves(quiet)
	rows := d.h.NextPublish()
	require.Equal(t, []string{"one", "two", "three", "a window of a bare program"}, titles(rows))
	d.running(10, 20)
	d.moves(sweepAfter)
	d.set(40)
	d.ax(40, "AXUIElementDestroyed")
	d.moves(quiet)
	require.Equal(t, []string{"one", "two", "three"}, titles(d.h.NextPublish()))
}

func TestChoosingARowGoesToThatWindow(t *testing.T) {
	d := newDesk(t)
	rows := d.start()
	d.h.HostReply(protocol.HostActivate, func(params string) string { return `{"ok":true}` })
	out := d.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[1]})
	assert.True(t, out.OK)
	assert.JSONEq(t, `{"pid":10,"window_id":101}`, d.h.NextHostCall(protocol.HostActivate))

	d.h.HostReply(protocol.HostActivate, func(string) string { return `{"ok":false,"error":"the window is gone"}` })
	d.set(10, "one")
	out = d.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[1]})
	assert.Equal(t, "the window is gone", out.Err)
	d.moves(quiet)
	require.Equal(t, []string{"one", "three"}, titles(d.h.NextPublish()))

	assert.True(t, d.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: protocol.Row{Source: source, Title: "x"}}).Unhandled)
	assert.Contains(t, d.h.Command("windows", "nonsense").Err, "unsupported")
}
