package ax_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/ax"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
)

// BenchmarkSignalsOfABusyPage says how many signals a second wake the host for
// what the window plugins want, for everything, and how many the bus carries.
func BenchmarkSignalsOfABusyPage(b *testing.B) {
	desktoptest.Need(b, "chromium", "xdotool")
	for name, wanted := range map[string][]string{
		"windows":    {ax.TitleChanged, ax.WindowCreated, ax.UIElementDestroyed, ax.FocusedWindowChanged, ax.MainWindowChanged},
		"everything": ax.All(),
	} {
		b.Run(name, func(b *testing.B) {
			d := newDesk(b, nil)
			d.o.SetWanted(wanted)
			require.Eventually(b, func() bool { return len(d.Find("at-spi-bus-launcher")) > 0 }, patience, time.Millisecond)
			p := d.browser(b)
			m := d.monitor(b)
			d.o.Focused(p.PID(), "chromium")
			m.await(b, register, len(wanted)/2)
			for b.Loop() {
				d.take()
				heard, carried, from := d.o.Heard(), m.of(signals), time.Now()
				<-time.After(5 * time.Second)
				s := time.Since(from).Seconds()
				b.ReportMetric(float64(d.o.Heard()-heard)/s, "heard/s")
				b.ReportMetric(float64(m.of(signals)-carried)/s, "carried/s")
				b.ReportMetric(float64(len(d.take()))/s, "emitted/s")
			}
		})
	}
}
