package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/protocol"
)

type nowhenTimer struct{}

func (nowhenTimer) Now() time.Time                              { return time.Unix(0, 0) }
func (nowhenTimer) AfterFunc(time.Duration, func()) event.Timer { return nowhenTimer{} }
func (nowhenTimer) Stop() bool                                  { return true }

// watch returns a view of cpu's summary that is on, and how often it woke.
func watch(t *testing.T, template string) (*Registry, *View, *int, *eventtest.Fake) {
	t.Helper()
	r, clock, _ := start(t)
	woken := new(int)
	v := r.NewView("test", func() { *woken++ })
	t.Cleanup(v.Close)
	v.Show(ParseTemplate(template), true)
	v.Line()
	*woken = 0
	return r, v, woken, clock
}

func shows(v *View) string {
	line, _ := v.Line()
	if len(line.Left) == 0 {
		return ""
	}
	return line.Left[0].Text
}

func TestAViewWakesOnceUntilItIsLookedAt(t *testing.T) {
	r, v, woken, _ := watch(t, "#{flash.plugin.cpu.summary}")
	r.Merge("cpu", 1, values("summary", "3%"))
	r.Merge("cpu", 1, values("summary", "4%"))
	assert.Equal(t, 1, *woken)
	line, changed := v.Line()
	assert.True(t, changed)
	assert.Equal(t, "4%", line.Left[0].Text)
	_, changed = v.Line()
	assert.False(t, changed)
}

func TestARestatedValueWakesNoViewAndAForeignOneChangesNoLine(t *testing.T) {
	r, v, woken, _ := watch(t, "#{flash.plugin.cpu.summary}")
	r.Merge("cpu", 1, values("summary", "3%"))
	v.Line()
	*woken = 0
	r.Merge("cpu", 1, values("summary", "3%"))
	assert.Zero(t, *woken)
	r.Merge("cpu", 1, values("percent", "3"))
	_, changed := v.Line()
	assert.False(t, changed)
}

func TestAViewThatIsOffObservesNothing(t *testing.T) {
	r, v, _, _ := watch(t, "#{flash.plugin.cpu.summary}")
	assert.Equal(t, []string{"summary"}, r.Observed("cpu"))
	v.Show(ParseTemplate("#{flash.plugin.cpu.percent}"), true)
	assert.Equal(t, []string{"percent"}, r.Observed("cpu"))
	v.Show(ParseTemplate("#{flash.plugin.cpu.percent}"), false)
	assert.Empty(t, r.Observed("cpu"))
	assert.Empty(t, shows(v))
	v.Show(ParseTemplate("#{flash.plugin.cpu.percent}"), true)
	v.Close()
	assert.Empty(t, r.Observed("cpu"))
}

func TestAHeldViewDoesNothingAndIsObservedForAGraceOnly(t *testing.T) {
	r, v, woken, clock := watch(t, "#{flash.plugin.cpu.summary}#{T:%T}")
	r.Merge("cpu", 1, values("summary", "3%"))
	v.Line()
	*woken = 0
	v.Hold(true)
	r.Merge("cpu", 1, values("summary", "4%"))
	clock.Advance(HoldGrace / 2)
	assert.Zero(t, *woken)
	assert.Contains(t, shows(v), "3%", "what it was")
	assert.NotEmpty(t, r.Observed("cpu"))
	clock.Advance(HoldGrace)
	assert.Empty(t, r.Observed("cpu"))
	v.Hold(false)
	assert.Equal(t, 1, *woken)
	assert.Equal(t, []string{"summary"}, r.Observed("cpu"))
	assert.Contains(t, shows(v), "4%")
}

func TestAShortHoldCostsNoPluginItsProcess(t *testing.T) {
	r, v, _, clock := watch(t, "#{flash.plugin.cpu.summary}")
	told := 0
	defer r.SubscribeObserved(func(string, []string) { told++ })()
	for range 3 {
		v.Hold(true)
		clock.Advance(HoldGrace / 2)
		v.Hold(false)
		clock.Advance(HoldGrace / 2)
	}
	clock.Advance(time.Minute)
	assert.Zero(t, told)
}

func TestOneTimerStandsWhileACarouselShows(t *testing.T) {
	r, v, woken, clock := watch(t, "#{flash.plugin.cpu.summary}")
	r.Merge("cpu", 1, map[string]protocol.StatusValue{"summary": {Carousel: &protocol.Carousel{Lines: []string{"a", "b"}, CycleSeconds: 5}}})
	assert.Equal(t, "a", shows(v))
	*woken = 0
	clock.Advance(4 * time.Second)
	assert.Zero(t, *woken)
	clock.Advance(time.Second)
	assert.Equal(t, 1, *woken)
	assert.Equal(t, "b", shows(v))
	r.Merge("cpu", 1, values("summary", "still"))
	assert.Equal(t, "still", shows(v))
	*woken = 0
	clock.Advance(time.Hour)
	assert.Zero(t, *woken)
}

func TestAViewIsCompleteOnceEveryDeclaredSegmentHasAValue(t *testing.T) {
	r, v, _, _ := watch(t, "#{flash.plugin.cpu.summary}#{flash.plugin.cpu.ghost}#{flash.plugin.ghost.x}")
	require.False(t, v.Complete())
	r.Merge("cpu", 1, values("summary", "3%"))
	assert.True(t, v.Complete())
}
