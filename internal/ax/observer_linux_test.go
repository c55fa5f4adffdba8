package ax_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/ax"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event/eventtest"
)

const zenity, mousepad = "org.gnome.Zenity", "org.xfce.mousepad"

// observed has an app observed and waits until it is.
func (d *desk) observed(t *testing.T, m *monitor, pid int, bundle string) {
	t.Helper()
	before := m.of(register)
	d.o.Focused(pid, bundle)
	m.await(t, register, before+1)
	d.settled(t, m)
}

// settled waits until the bus carries nothing new: a registration is followed
// by others, and by the apps' own answers to them.
func (d *desk) settled(t *testing.T, m *monitor) {
	t.Helper()
	last, since := m.all(), time.Now()
	require.Eventually(t, func() bool {
		if now := m.all(); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > 200*time.Millisecond
	}, patience, 5*time.Millisecond)
}

func (d *desk) typeInto(window, text string) {
	d.Run("xdotool", "windowactivate", "--sync", window, "type", "--delay", "1", text)
}

func TestAnAppIsReportedOnceItHadTheFocus(t *testing.T) {
	d := newDesk(t, nil)
	d.o.SetWanted([]string{ax.ValueChanged})
	first, window := d.dialog(t, "first")
	m := d.monitor(t)
	d.typeInto(window, "unheard")
	require.Zero(t, m.of(register))
	require.Zero(t, m.of(texts), "an app that had no focus yet is asked for nothing")

	d.observed(t, m, first.PID(), zenity)
	d.typeInto(window, "heard")
	d.await(t, notice{first.PID(), ax.ValueChanged, zenity})

	second, window := d.dialog(t, "second")
	d.settled(t, m)
	heard := d.o.Heard()
	d.typeInto(window, "unheard")
	d.settled(t, m)
	require.Equal(t, heard, d.o.Heard(), "what others send is not delivered here")
	d.observed(t, m, second.PID(), "another")
	d.typeInto(window, "heard")
	d.await(t, notice{second.PID(), ax.ValueChanged, "another"})
}

func TestAnAppThatHasTheFocusBeforeItIsOnTheBusIsObservedWhenItComes(t *testing.T) {
	d := newDesk(t, nil)
	desktoptest.Need(t, "zenity", "xdotool")
	d.o.SetWanted([]string{ax.ValueChanged})
	require.NoError(t, syscall.Mkfifo(d.Dir()+"/go", 0o600))
	p := d.Start("sh", "-c", "read go < "+d.Dir()+"/go; exec zenity --entry --title=late --text=Say")
	d.o.Focused(p.PID(), zenity)
	m := d.monitor(t)
	d.settled(t, m)
	d.Run("sh", "-c", "echo > "+d.Dir()+"/go")
	window := d.Window("^late$")
	m.await(t, register, 1)
	d.settled(t, m)
	d.typeInto(window, "heard")
	d.await(t, notice{p.PID(), ax.ValueChanged, zenity})
}

func TestTypingWakesNobodyWhoWantsWindows(t *testing.T) {
	desktoptest.Need(t, "mousepad", "xdotool")
	d := newDesk(t, nil)
	d.o.SetWanted([]string{ax.TitleChanged, ax.WindowCreated, ax.UIElementDestroyed, ax.FocusedWindowChanged, ax.MainWindowChanged})
	p := d.Start("mousepad", "--disable-server")
	window := d.Window("Mousepad")
	m := d.monitor(t)
	d.observed(t, m, p.PID(), mousepad)
	d.typeInto(window, "x")
	d.await(t, notice{p.PID(), ax.TitleChanged, mousepad}) // the mark that the text is changed
	d.settled(t, m)
	d.take()
	heard := d.o.Heard()
	d.typeInto(window, strings.Repeat("0123456789", 100))
	d.settled(t, m)
	require.Equal(t, heard, d.o.Heard())
	require.Zero(t, m.of(texts), "the app does not even send it")
	require.Empty(t, d.take())

	// A dialog comes and goes.
	d.Run("xdotool", "key", "ctrl+f")
	d.Run("xdotool", "key", "ctrl+r")
	d.await(t, notice{p.PID(), ax.WindowCreated, mousepad})
	d.await(t, notice{p.PID(), ax.FocusedWindowChanged, mousepad})
	d.Run("xdotool", "key", "Escape")
	d.await(t, notice{p.PID(), ax.UIElementDestroyed, mousepad})
	for _, n := range d.take() {
		require.NotEqual(t, ax.ValueChanged, n.name)
	}

	d.o.SetWanted([]string{ax.ValueChanged})
	d.settled(t, m)
	d.typeInto(window, "y")
	d.await(t, notice{p.PID(), ax.ValueChanged, mousepad})
	m.await(t, texts, 1) // the monitor hears it in its own time
	for _, n := range d.take() {
		require.Equal(t, ax.ValueChanged, n.name)
	}
}

func TestWhenNobodyListensNothingIsSubscribed(t *testing.T) {
	d := newDesk(t, nil)
	p, window := d.dialog(t, "first")
	m := d.monitor(t)
	d.o.Focused(p.PID(), zenity)
	d.o.SetWanted([]string{ax.ApplicationHidden, "AXUnknown"})
	d.typeInto(window, "unheard")
	d.settled(t, m)
	require.Zero(t, m.of(register))
	require.Zero(t, m.of(texts))

	d.o.SetWanted(ax.All())
	m.await(t, register, 1)
	d.settled(t, m)
	d.typeInto(window, "heard")
	d.await(t, notice{p.PID(), ax.ValueChanged, zenity})
	m.await(t, texts, 1) // the monitor hears it in its own time

	gone := m.of("org.a11y.atspi.Registry.EventListenerDeregistered")
	d.o.SetWanted(nil)
	m.await(t, "org.a11y.atspi.Registry.EventListenerDeregistered", gone+1)
	d.settled(t, m)
	d.take()
	carried := m.of(texts)
	d.typeInto(window, "unheard")
	d.settled(t, m)
	require.Equal(t, carried, m.of(texts))
	require.Empty(t, d.take())
}

func TestAnAppThatEndedIsForgotten(t *testing.T) {
	d := newDesk(t, nil)
	d.o.SetWanted(ax.All())
	p, window := d.dialog(t, "first")
	m := d.monitor(t)
	d.observed(t, m, p.PID(), zenity)
	d.o.Gone(p.PID())
	m.await(t, deregister, 1)
	d.settled(t, m)
	d.take()
	heard := d.o.Heard()
	d.typeInto(window, "unheard")
	d.settled(t, m)
	require.Equal(t, heard, d.o.Heard())
	require.Empty(t, d.take())
}

// kill kills all processes of a program in the session.
func (d *desk) kill(t *testing.T, name string) {
	t.Helper()
	pids := d.Find(name)
	require.NotEmpty(t, pids, name)
	for _, pid := range pids {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}
}

func TestTheObserverOutlivesTheRegistry(t *testing.T) {
	d := newDesk(t, nil)
	d.o.SetWanted([]string{ax.ValueChanged})
	p, window := d.dialog(t, "first")
	m := d.monitor(t)
	d.observed(t, m, p.PID(), zenity)
	for range 3 {
		before := m.of(register)
		d.kill(t, "at-spi2-registryd")
		m.await(t, register, before+1)
		d.settled(t, m)
		d.take()
		d.typeInto(window, "heard")
		d.await(t, notice{p.PID(), ax.ValueChanged, zenity})
	}
	// An app that comes now is observed as well.
	later, window := d.dialog(t, "later")
	d.observed(t, m, later.PID(), zenity)
	d.typeInto(window, "heard")
	d.await(t, notice{later.PID(), ax.ValueChanged, zenity})
}

func TestTheObserverOutlivesTheAccessibilityBus(t *testing.T) {
	d := newDesk(t, nil)
	d.o.SetWanted([]string{ax.ValueChanged})
	p, _ := d.dialog(t, "first")
	m := d.monitor(t)
	d.observed(t, m, p.PID(), zenity)
	d.kill(t, "at-spi-bus-launcher")
	// What was on the old bus stays there, as its toolkit has it; an app that
	// starts later is on the new one.
	require.Eventually(t, func() bool { return len(d.Find("at-spi-bus-launcher")) == 1 }, patience, 5*time.Millisecond)
	later, window := d.dialog(t, "later")
	m = d.monitor(t)
	d.observed(t, m, later.PID(), zenity)
	d.typeInto(window, "heard")
	d.await(t, notice{later.PID(), ax.ValueChanged, zenity})
}

func TestTheObserverOutlivesTheSessionBus(t *testing.T) {
	clock := eventtest.New()
	d := newDesk(t, func(o *ax.Options) { o.Time = clock })
	d.o.SetWanted([]string{ax.ValueChanged})
	m := d.monitor(t)
	d.settled(t, m)
	d.StopBus()
	// It tries again, ever more rarely, and then not at all.
	steps := 0
	for {
		clockArmed(t, clock, d.o)
		if clock.Armed() == 0 {
			break
		}
		wait, _ := clock.Next()
		clock.Advance(wait)
		steps++
		require.Less(t, steps, 100)
	}
	require.Greater(t, steps, 3)
	require.NotEmpty(t, d.o.Describe().Remedy)

	d.StartBus()
	clock.Advance(time.Minute)
	p, window := d.dialog(t, "later")
	d.o.Focused(p.PID(), zenity)
	m = d.monitor(t)
	d.settled(t, m)
	d.typeInto(window, "heard")
	d.await(t, notice{p.PID(), ax.ValueChanged, zenity})
	require.Equal(t, "AT-SPI", d.o.Describe().Backend)
	require.Zero(t, clock.Armed(), "nothing ticks while all is well")
}

// clockArmed waits until the observer waits for a timer or gave up.
func clockArmed(t *testing.T, clock *eventtest.Fake, o *ax.Observer) {
	t.Helper()
	require.Eventually(t, func() bool { return clock.Armed() > 0 || o.Dormant() }, patience, time.Millisecond)
}
