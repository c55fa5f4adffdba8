package quiesce_test

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/sdk/quiesce"
)

const settle = 20 * time.Millisecond

// collector returns the collector's settings.
func collector() (percent int, limit int64) {
	percent = debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent, debug.SetMemoryLimit(-1)
}

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	require.Eventually(t, cond, 20*time.Second, time.Millisecond, what)
}

func TestAGuardTurnsTheCollectorOffUntilTouched(t *testing.T) {
	percent, limit := collector()
	quiet := make(chan struct{}, 1)
	g := quiesce.NewFunc(settle, 4<<20, func() { quiet <- struct{}{} })
	defer g.Stop()
	for range 2 {
		<-quiet
		assert.True(t, g.Quiet())
		p, l := collector()
		assert.Equal(t, -1, p)
		assert.Less(t, l, limit)
		g.Touch()
		assert.False(t, g.Quiet())
		p, l = collector()
		assert.Equal(t, percent, p)
		assert.Equal(t, limit, l)
	}
}

func TestActivityKeepsAProcessFromFallingQuiet(t *testing.T) {
	g := quiesce.New(settle, 4<<20)
	defer g.Stop()
	for begin := time.Now(); time.Since(begin) < 5*settle; {
		g.Touch()
		require.False(t, g.Quiet())
		runtime.Gosched()
	}
	eventually(t, "quiet", g.Quiet)
}

func TestStopRestoresTheCollectorAndEndsTheGuard(t *testing.T) {
	percent, limit := collector()
	for _, wait := range []bool{true, false} {
		g := quiesce.New(settle, 4<<20)
		if wait {
			eventually(t, "quiet", g.Quiet)
		}
		g.Stop()
		g.Stop()
		g.Touch()
		p, l := collector()
		assert.Equal(t, percent, p)
		assert.Equal(t, limit, l)
	}
}

func TestAQuietProcessThatGrowsIsCollectedAfterAll(t *testing.T) {
	g := quiesce.New(settle, 4<<20)
	defer g.Stop()
	eventually(t, "quiet", g.Quiet)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 64 {
		keep = make([]byte, 1<<20)
	}
	keep = nil
	runtime.ReadMemStats(&after)
	assert.Greater(t, after.NumGC, before.NumGC)
	assert.True(t, g.Quiet())
}

var keep []byte

func TestTouchesFromManyGoroutinesAreOne(t *testing.T) {
	percent, _ := collector()
	g := quiesce.New(time.Millisecond, 4<<20)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 2000 {
				g.Touch()
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	eventually(t, "quiet", g.Quiet)
	g.Stop()
	p, _ := collector()
	assert.Equal(t, percent, p)
}

func TestASecondQuietTimeCollectsOnlyWhenThereWasGarbage(t *testing.T) {
	quiet := make(chan struct{}, 1)
	g := quiesce.NewFunc(settle, 4<<20, func() { quiet <- struct{}{} })
	defer g.Stop()
	collections := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	<-quiet
	first := collections()
	g.Touch()
	<-quiet
	assert.Equal(t, first, collections())
	g.Touch()
	keep = make([]byte, 2<<20)
	keep = nil
	<-quiet
	assert.Equal(t, first+1, collections())
}

const child = "FLASH_QUIESCE_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		os.Exit(m.Run())
	}
	// A small process that has never collected falls quiet without doing so.
	var stats debug.GCStats
	g := quiesce.New(settle, 4<<20)
	for !g.Quiet() {
		time.Sleep(settle)
	}
	debug.ReadGCStats(&stats)
	_, _ = os.Stdout.WriteString(strconv.FormatInt(stats.NumGC, 10))
	os.Exit(0)
}

func TestASmallProcessFallsQuietWithoutAFirstCollection(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	for gogc, want := range map[string]string{"25": "0", "100": "1"} {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), child+"=1", "GOGC="+gogc)
		out, err := cmd.Output()
		require.NoError(t, err)
		assert.Equal(t, want, string(out), "GOGC=%s", gogc)
	}
}

func BenchmarkTouch(b *testing.B) {
	g := quiesce.New(time.Minute, 4<<20)
	defer g.Stop()
	for b.Loop() {
		g.Touch()
	}
}
