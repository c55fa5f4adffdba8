package ax_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/ax"
)

const zenity = "org.gnome.Zenity"

// observed has an app observed and waits until it is.
func (d *desk) observed(t *testing.T, m *monitor, pid int, bundle string) {
	t.Helper()
	before := m.of(register)
	d.o.Focused(pid, bundle)
	m.await(t, register, before+1)
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
	require.Zero(t, m.of(signals), "an app that had no focus yet is asked for nothing")

	d.observed(t, m, first.PID(), zenity)
	d.typeInto(window, "heard")
	d.await(t, notice{first.PID(), ax.ValueChanged, zenity})

	second, window := d.dialog(t, "second")
	d.typeInto(window, "unheard")
	d.observed(t, m, second.PID(), "another")
	d.typeInto(window, "heard")
	d.await(t, notice{second.PID(), ax.ValueChanged, "another"})
}
