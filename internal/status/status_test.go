package status

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/protocol"
)

func text(s string) protocol.StatusValue { return protocol.StatusValue{Text: s} }

func values(kv ...string) map[string]protocol.StatusValue {
	m := map[string]protocol.StatusValue{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = text(kv[i+1])
	}
	return m
}

// start returns a registry with the plugin cpu, its clock, and how often a
// change was told.
func start(t *testing.T) (*Registry, *eventtest.Fake, *int) {
	t.Helper()
	clock := eventtest.New()
	r := New(clock)
	r.SetDeclared(map[string][]string{"cpu": {"summary", "percent", "history"}})
	told := new(int)
	t.Cleanup(r.Subscribe(func() { *told++ }))
	return r, clock, told
}

func shown(r *Registry, plugin string) string {
	s := r.Snapshot()
	var out []string
	for _, name := range s.Segments(plugin) {
		v, _ := s.Get(plugin, name)
		out = append(out, name+"="+v.StatusValue.Text)
	}
	return strings.Join(out, " ")
}

func TestSegmentsMergeByNameAndAnEmptyTextClears(t *testing.T) {
	r, _, told := start(t)
	r.Merge("cpu", 1, values("summary", "3%", "percent", "3"))
	r.Merge("cpu", 1, values("summary", "4%"))
	assert.Equal(t, "percent=3 summary=4%", shown(r, "cpu"))
	r.Merge("cpu", 1, values("percent", ""))
	assert.Equal(t, "summary=4%", shown(r, "cpu"))
	assert.Equal(t, 3, *told)
}

func TestAnUndeclaredNameOrPluginIsIgnored(t *testing.T) {
	r, _, told := start(t)
	r.Merge("cpu", 1, values("invented", "x"))
	r.Merge("ghost", 1, values("summary", "x"))
	assert.Empty(t, r.Snapshot().Plugins())
	assert.Zero(t, *told)
}

func TestRestatingWhatStandsTellsNobodyAndKeepsTheSnapshot(t *testing.T) {
	r, _, told := start(t)
	carousel := func() map[string]protocol.StatusValue {
		return map[string]protocol.StatusValue{"history": {Carousel: &protocol.Carousel{Lines: []string{"a", "b"}, CycleSeconds: 2}}}
	}
	r.Merge("cpu", 1, values("summary", "3%"))
	r.Merge("cpu", 1, carousel())
	before := r.Snapshot()
	r.Merge("cpu", 1, values("summary", "3%", "percent", ""))
	r.Merge("cpu", 1, carousel())
	assert.Equal(t, 2, *told)
	assert.Same(t, before, r.Snapshot())
}

func TestACrashClearsAtOnceAndWhatTheDeadStillSaysIsDropped(t *testing.T) {
	r, _, told := start(t)
	r.Merge("cpu", 1, values("summary", "3%"))
	r.Clear("cpu", false)
	assert.Empty(t, shown(r, "cpu"))
	r.Merge("cpu", 1, values("summary", "late"))
	assert.Empty(t, shown(r, "cpu"))
	r.Merge("cpu", 2, values("summary", "5%"))
	assert.Equal(t, "summary=5%", shown(r, "cpu"))
	assert.Equal(t, 3, *told)
}

func TestAPlannedReloadKeepsTheLastValuesForTenSeconds(t *testing.T) {
	r, clock, told := start(t)
	r.Merge("cpu", 1, values("summary", "3%", "percent", "3", "history", "▁"))
	r.Clear("cpu", true)
	clock.Advance(9 * time.Second)
	assert.Equal(t, "history=▁ percent=3 summary=3%", shown(r, "cpu"))
	r.Merge("cpu", 2, values("summary", "3%", "percent", "7"))
	clock.Advance(2 * time.Second)
	assert.Equal(t, "percent=7 summary=3%", shown(r, "cpu"), "what the successor stated stays, also when it is the same")
	assert.Equal(t, 3, *told)
	clock.Advance(time.Minute)
	assert.Equal(t, "percent=7 summary=3%", shown(r, "cpu"))
}

func TestASecondReloadStartsTheHoldAnewAndACrashInItClears(t *testing.T) {
	r, clock, _ := start(t)
	r.Merge("cpu", 1, values("summary", "3%"))
	r.Clear("cpu", true)
	clock.Advance(6 * time.Second)
	r.Clear("cpu", true)
	clock.Advance(6 * time.Second)
	assert.Equal(t, "summary=3%", shown(r, "cpu"))
	clock.Advance(5 * time.Second)
	assert.Empty(t, shown(r, "cpu"))
	r.Merge("cpu", 3, values("summary", "3%"))
	r.Clear("cpu", true)
	r.Clear("cpu", false)
	assert.Empty(t, shown(r, "cpu"))
}

func TestASnapshotNeverChanges(t *testing.T) {
	r, _, _ := start(t)
	r.Merge("cpu", 1, values("summary", "3%"))
	s := r.Snapshot()
	r.Merge("cpu", 1, values("summary", "4%"))
	v, ok := s.Get("cpu", "summary")
	require.True(t, ok)
	assert.Equal(t, "3%", v.StatusValue.Text)
}

func TestAnUnloadedPluginTakesItsValuesAlong(t *testing.T) {
	r, _, told := start(t)
	r.Merge("cpu", 1, values("summary", "3%"))
	r.Clear("cpu", false)
	r.SetDeclared(map[string][]string{})
	r.SetDeclared(map[string][]string{"cpu": {"summary"}})
	r.Merge("cpu", 1, values("summary", "3%"))
	assert.Equal(t, "summary=3%", shown(r, "cpu"), "a plugin loaded anew counts its generations anew")
	r.SetDeclared(map[string][]string{"cpu": {"percent"}})
	assert.Empty(t, shown(r, "cpu"))
	assert.Equal(t, 4, *told)
}

func TestOnlyWhatAnEnabledViewerShowsIsObserved(t *testing.T) {
	r, _, _ := start(t)
	var told []string
	defer r.SubscribeObserved(func(id string, segments []string) { told = append(told, fmt.Sprint(id, segments)) })()
	bar := ParseTemplate("#{flash.plugin.cpu.summary} | #{flash.plugin.cpu.percent} #{flash.plugin.cpu.summary} #{flash.plugin.cpu.ghost} #{flash.plugin.ghost.x}")
	r.Observe("bar", bar, false)
	assert.Equal(t, []string{}, r.Observed("cpu"))
	r.Observe("bar", bar, true)
	assert.Equal(t, []string{"percent", "summary"}, r.Observed("cpu"))
	r.Observe("bar", bar, true)
	r.Observe("tmux", ParseTemplate("#{flash.plugin.cpu.history}"), true)
	r.Observe("bar", bar, false)
	r.Observe("tmux", Template{}, true)
	assert.Equal(t, []string{"cpu[percent summary]", "cpu[history percent summary]", "cpu[history]", "cpu[]"}, told)
	assert.Equal(t, []string{}, r.Observed("ghost"))
}

func TestAPluginLoadedLaterIsObservedByTheTemplateThatStands(t *testing.T) {
	r, _, _ := start(t)
	r.Observe("bar", ParseTemplate("#{flash.plugin.a.b.state}"), true)
	var told []string
	defer r.SubscribeObserved(func(id string, segments []string) { told = append(told, fmt.Sprint(id, segments)) })()
	r.SetDeclared(map[string][]string{"a.b": {"state"}})
	assert.Equal(t, []string{"state"}, r.Observed("a.b"))
	r.SetDeclared(nil)
	assert.Equal(t, []string{"a.b[state]", "a.b[]"}, told)
}

func TestACarouselTurnsByTheTimeSinceItWasSet(t *testing.T) {
	r, clock, _ := start(t)
	r.Merge("cpu", 1, map[string]protocol.StatusValue{
		"history": {Carousel: &protocol.Carousel{Prefix: "> ", Lines: []string{"a", "b", "c"}, CycleSeconds: 2}},
		"summary": {Carousel: &protocol.Carousel{Lines: []string{"alone"}, CycleSeconds: 1}},
	})
	tpl := ParseTemplate("#{flash.plugin.cpu.history} #{flash.plugin.cpu.summary}")
	began := clock.Now()
	for _, want := range []string{"> a alone", "> b alone", "> c alone", "> a alone"} {
		got, next := tpl.Render(r.Snapshot(), clock.Now())
		assert.Equal(t, want, got)
		assert.Equal(t, clock.Now().Add(2*time.Second), next)
		got, next = tpl.Render(r.Snapshot(), clock.Now().Add(time.Second))
		assert.Equal(t, want, got)
		assert.Equal(t, clock.Now().Add(2*time.Second), next)
		clock.Advance(2 * time.Second)
	}
	got, _ := tpl.Render(r.Snapshot(), began.Add(-time.Hour))
	assert.Equal(t, "> a alone", got, "a clock that went back")
}

func TestManyWritersAndReadersAgree(t *testing.T) {
	r, _, _ := start(t)
	r2 := New(eventtest.New())
	r2.SetDeclared(map[string][]string{"cpu": {"summary"}, "mem": {"summary"}})
	cancel := r2.Subscribe(func() { r2.Snapshot() })
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			id := []string{"cpu", "mem"}[w%2]
			for i := range 200 {
				r2.Merge(id, uint64(i+1), values("summary", fmt.Sprint(i)))
				if i%50 == 0 {
					r2.Clear(id, w < 2)
					r2.Observe("bar", ParseTemplate("#{flash.plugin.cpu.summary}"), i%100 == 0)
				}
				r2.Snapshot().Get(id, "summary")
			}
		})
	}
	wg.Wait()
	cancel()
	assert.Len(t, r2.Snapshot().Plugins(), 2)
	assert.Empty(t, r.Snapshot().Plugins())
}

func BenchmarkRestate(b *testing.B) {
	r := New(eventtest.New())
	r.SetDeclared(map[string][]string{"cpu": {"summary", "percent"}})
	v := values("summary", "3%", "percent", "3")
	b.ReportAllocs()
	for b.Loop() {
		r.Merge("cpu", 1, v)
	}
}
