package action

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
)

// slow is a backend whose actions wait.
type slow struct {
	gate   chan struct{}
	done   atomic.Int64
	closed atomic.Bool
}

func (s *slow) Named(string) error   { <-s.gate; s.done.Add(1); return nil }
func (s *slow) Chord([]string) error { return s.Named("") }
func (s *slow) Close()               { s.closed.Store(true) }

func TestAFullQueueDropsAndNeverBlocks(t *testing.T) {
	b := &slow{gate: make(chan struct{})}
	q := NewQueue(func() (Backend, error) { return b, nil }, nil)
	taken := 0
	for range 10 * maxQueued {
		if q.Add(named("overview")) {
			taken++
		}
	}
	assert.LessOrEqual(t, taken, maxQueued+1, "what waits, and the one being performed")
	close(b.gate)
	q.Close()
	assert.EqualValues(t, taken, b.done.Load(), "what was taken is performed")
	assert.True(t, b.closed.Load())
}

func TestTheBackendIsOpenedByTheFirstActionAndAgainAfterAFailure(t *testing.T) {
	opened := 0
	notes := make(chan error, 4)
	q := NewQueue(func() (Backend, error) {
		opened++
		if opened == 1 {
			return nil, errors.New("not yet")
		}
		return &slow{gate: closedGate()}, nil
	}, func(_ settings.Action, err error) { notes <- err })
	q.Add(named("back"))
	require.Error(t, <-notes)
	q.Add(named("back"))
	require.NoError(t, <-notes)
	q.Add(settings.Action{Kind: settings.Chord, Keys: []string{"a"}})
	require.NoError(t, <-notes)
	q.Close()
	assert.Equal(t, 2, opened)
}

func closedGate() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestFiftyCommandsLeaveNoDeadProcess(t *testing.T) {
	dir := t.TempDir()
	notes := make(chan error, 1)
	q := NewQueue(func() (Backend, error) { return nil, errors.New("none") }, func(_ settings.Action, err error) { notes <- err })
	for i := range 50 {
		file := filepath.Join(dir, string(rune('a'+i%26))+string(rune('a'+i/26)))
		deadline := time.Now().Add(20 * time.Second)
		for {
			require.True(t, q.Add(settings.Action{Kind: settings.Command, Argv: []string{"touch", file}}))
			if err := <-notes; err == nil {
				break
			} else if time.Now().After(deadline) { // sixteen at once are the most
				t.Fatal(err)
			}
			runtime.Gosched()
		}
	}
	require.Eventually(t, func() bool {
		e, err := os.ReadDir(dir)
		return err == nil && len(e) == 50
	}, 20*time.Second, 5*time.Millisecond)
	require.Eventually(t, func() bool {
		q.Add(settings.Action{Kind: settings.Command, Argv: []string{"no-such-program"}})
		<-notes // each start collects what has ended
		return childrenOf(t) == 0
	}, 20*time.Second, 5*time.Millisecond)
	q.Close()
}

func TestADecisionIsWhatTheTableBindsElseItsOwnMeaning(t *testing.T) {
	s := settings.Default()
	fired := engine.Decision{Action: engine.WorkspaceRight, Direction: engine.StrokeLeft}
	a, ok := Resolve(&s, fired)
	assert.True(t, ok)
	assert.Equal(t, "workspace_right", a.Name)
	s.Actions = map[string]settings.Action{"left": {Kind: settings.Command, Argv: []string{"x"}}, "up": {}}
	a, ok = Resolve(&s, fired)
	assert.True(t, ok)
	assert.Equal(t, settings.Command, a.Kind)
	_, ok = Resolve(&s, engine.Decision{Action: engine.Overview, Direction: engine.StrokeUp})
	assert.False(t, ok, "bound to none")
	for mode, want := range map[settings.ClickMode]bool{settings.ClickOverview: true, settings.ClickNone: false, settings.ClickPass: false} {
		s.Click = mode
		_, ok := Resolve(&s, engine.Decision{Action: engine.Click})
		assert.Equal(t, want, ok, mode)
		assert.Equal(t, mode == settings.ClickPass, Replays(&s, engine.Decision{Action: engine.Click}))
	}
}

func TestEveryMacKeyThatGoesDownComesUpUnderTheRightFlags(t *testing.T) {
	for _, name := range settings.Names {
		keys, err := macChord(name)
		require.NoError(t, err)
		steps, err := macSteps(keys)
		require.NoError(t, err)
		down := map[uint16]bool{}
		for _, s := range steps {
			assert.NotEqual(t, s.down, down[s.code], name)
			down[s.code] = s.down
		}
		for code, is := range down {
			assert.False(t, is, "%s leaves key %d down", name, code)
		}
		assert.Zero(t, steps[len(steps)-1].flags&^macFn, name)
	}
	steps, err := macSteps([]string{"ctrl", "left"})
	require.NoError(t, err)
	const ctrl = 1 << 18
	assert.Equal(t, []macStep{
		{flagsOnly: true, code: 59, down: true, flags: ctrl},
		{code: 123, down: true, flags: ctrl | macFn}, {code: 123, flags: ctrl | macFn},
		{flagsOnly: true, code: 59},
	}, steps)
}

func TestAppleScriptSaysTheChord(t *testing.T) {
	script, err := appleScript([]string{"ctrl", "shift", "up"})
	require.NoError(t, err)
	assert.Equal(t, `tell application "System Events" to key code 126 using {control down, shift down}`, script)
	_, err = appleScript([]string{"hyper"})
	assert.Error(t, err)
}

func TestEveryKeyOfAChordHasACodeOnBothPlatforms(t *testing.T) {
	for _, key := range []string{"left", "page_down", "delete", "f1", "f12", "a", "z", "0", "9"} {
		_, err := settings.ParseChord("ctrl+" + key)
		require.NoError(t, err)
		_, err = macKey(key)
		assert.NoError(t, err, key)
		assert.NotZero(t, keysym(key), key)
	}
	assert.EqualValues(t, 0xffc9, keysym("f12"))
	assert.EqualValues(t, 'q', keysym("q"))
}
