package host_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/x11"
)

// desk is a resident in a session with everything on: panel, bar with segments
// that events alone move, windows and accessibility.
func desk(b *testing.B) (*instance, *desktoptest.Session) {
	desktoptest.Need(b, "xdotool", "xterm", "zenity")
	s := desktoptest.New(b)
	i := newInstance(b)
	i.inSession(s)
	i.write("config/flash/config.toml", "[statusbar]\nenabled = true\ntemplate = \"#{flash.plugin.tmux.window} #{flash.plugin.processes.none}\"\n", 0o600)
	s.Start("zenity", "--info", "--title", "Dialog", "--text", "hello")
	s.Window("Dialog")
	i.start()
	i.facet("hot keys")
	return i, s
}

// BenchmarkRetitle measures from a window's new title to its row: the settling of
// 300 ms, the plugin's look at the windows, and the publication.
func BenchmarkRetitle(b *testing.B) {
	i, s := desk(b)
	s.Start("xterm", "-T", "retitled", "-e", "sleep", "9999")
	id, err := strconv.ParseUint(s.Window("retitled"), 10, 32)
	require.NoError(b, err)
	conn, err := x11.Dial(s.X().Display, x11.Handlers{Event: func([]byte) {}})
	require.NoError(b, err)
	defer conn.Close()
	utf8, err := xproto.InternAtom(conn.Conn, false, 11, "UTF8_STRING").Reply()
	require.NoError(b, err)
	name, err := xproto.InternAtom(conn.Conn, false, 12, "_NET_WM_NAME").Reply()
	require.NoError(b, err)
	c, err := control.Dial(b.Context(), filepath.Join(i.dir, "run/flash/flash.sock"), i.version())
	require.NoError(b, err)
	defer c.Close()
	shown := func(title string) bool {
		var r flashlight.Result
		require.NoError(b, c.Call(b.Context(), control.MethodQuery, control.QueryParams{Text: "@windows " + title, Limit: 3}, &r, nil))
		return len(r.Rows) > 0 && r.Rows[0].Title == title
	}
	var took []float64
	for n := 0; b.Loop(); n++ {
		title := fmt.Sprintf("title number %d", n)
		begin := time.Now()
		xproto.ChangeProperty(conn.Conn, xproto.PropModeReplace, xproto.Window(id), name.Atom, utf8.Atom, 8, uint32(len(title)), []byte(title))
		for !shown(title) {
			require.Less(b, time.Since(begin), patience)
			time.Sleep(2 * time.Millisecond)
		}
		took = append(took, float64(time.Since(begin).Microseconds())/1000)
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*95/100], "p95-ms")
}

// idleFor is how long an idle desktop is watched, quietAfter how long it is left
// alone before.
const (
	idleFor    = 60 * time.Second
	quietAfter = 25 * time.Second
)

// BenchmarkIdleDesktop measures what a resident with everything on costs while
// nobody does anything. It takes a minute and a half, however often it is asked.
func BenchmarkIdleDesktop(b *testing.B) {
	i, s := desk(b)
	pid := i.pid()
	for range 3 {
		s.Run("xdotool", "key", "super+space", "type", "--delay", "30", "dialog")
		s.Run("xdotool", "key", "Escape")
	}
	time.Sleep(quietAfter)
	ticks, switches := usage(b, pid)
	time.Sleep(idleFor)
	ticksAfter, switchesAfter := usage(b, pid)
	b.ReportMetric(float64(ticksAfter-ticks), "ticks")
	b.ReportMetric(float64(switchesAfter-switches), "switches")
	b.ReportMetric(float64(rollup(b, pid, "Pss:"))/1024, "pss-MiB")
	b.ReportMetric(float64(rollup(b, pid, "Private_Dirty:"))/1024, "dirty-MiB")
	b.ReportMetric(0, "ns/op")
}

// usage is the processor time in ticks and the context switches of a process.
func usage(b *testing.B, pid int) (ticks, switches int) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(b, err)
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	for _, n := range []int{11, 12} {
		v, err := strconv.Atoi(string(f[n]))
		require.NoError(b, err)
		ticks += v
	}
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	require.NoError(b, err)
	for _, task := range tasks {
		status, err := os.ReadFile(task)
		require.NoError(b, err)
		for _, name := range []string{"voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"} {
			switches += field(status, name)
		}
	}
	return ticks, switches
}

func rollup(b *testing.B, pid int, name string) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	require.NoError(b, err)
	return field(data, name)
}

// field reads the number after a name at the beginning of a line.
func field(text []byte, name string) int {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			n, _ := strconv.Atoi(string(bytes.Fields(rest)[0]))
			return n
		}
	}
	return 0
}
