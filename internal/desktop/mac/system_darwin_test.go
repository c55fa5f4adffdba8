//go:build darwin && cgo

package mac

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheRunLoopThreadDoesWhatItIsGiven(t *testing.T) {
	var got []int
	for i := range 100 {
		onThread(func() { got = append(got, i) })
	}
	require.Len(t, got, 100)
	assert.Equal(t, 99, got[99])
}

func TestTheSystemsSourcesBeginAndEnd(t *testing.T) {
	for _, follow := range []func(func()) (func(), error){FollowPower, FollowNetwork} {
		stop, err := follow(func() {})
		require.NoError(t, err)
		stop()
		stop()
	}
	s := ReadSupply()
	assert.GreaterOrEqual(t, s.Percent, 0)
	assert.LessOrEqual(t, s.Percent, 100)
}

func TestAnAppThatIsNotThereAnswersNothing(t *testing.T) {
	ax := NewAX()
	app := ax.App(os.Getpid())
	require.NotZero(t, app)
	defer ax.Release(app)
	assert.True(t, ax.Same(app, app))
	values, status := ax.Read(app, []string{"AXWindows", "AXRole"})
	Refs(values, ax.Release)
	if status == OK {
		assert.Len(t, values, 2)
	}
	r := NewAXRegistrar(func(uint64, string) {})
	assert.NotEqual(t, OK, r.Install(1, 1<<30-1, NamesOf([]string{"AXTitleChanged", "AXUIElementDestroyed"})))
	r.Remove(1)
}

func TestTheWindowServersListHasWindowsOfProcesses(t *testing.T) {
	for _, w := range NewAX().Listed() {
		assert.Positive(t, w.ID)
		assert.Positive(t, w.PID)
	}
}

func TestTheWorkspaceNamesApplicationsAndWhoOpensWhat(t *testing.T) {
	apps := Running()
	require.NotEmpty(t, apps)
	for _, a := range apps {
		assert.Positive(t, a.PID)
	}
	assert.NotEmpty(t, Openers("https://example.com/"))
	for _, nobody := range []string{"flash-made-up-scheme:x", "", "\xff", "/\xff"} {
		assert.Empty(t, Openers(nobody), nobody)
	}
}
