package mac

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event/eventtest"
)

// fakeApps is a Registrar whose apps answer as the test says.
type fakeApps struct {
	mu        sync.Mutex
	untrusted bool
	answers   map[int][]Status // of the next tries, then OK
	installed map[uint64]int
	names     Names
	tries     chan int
	removed   chan uint64
	hold      chan struct{} // Install waits for it, if there is one
}

func newFakeApps() *fakeApps {
	return &fakeApps{answers: map[int][]Status{}, installed: map[uint64]int{}, tries: make(chan int, 100), removed: make(chan uint64, 100)}
}

func (f *fakeApps) Trusted() bool { f.mu.Lock(); defer f.mu.Unlock(); return !f.untrusted }

func (f *fakeApps) Install(token uint64, pid int, names Names) Status {
	f.mu.Lock()
	hold := f.hold
	defer func() { f.tries <- pid }()
	defer f.mu.Unlock()
	if hold != nil {
		f.mu.Unlock()
		<-hold
		f.mu.Lock()
	}
	if next := f.answers[pid]; len(next) > 0 {
		f.answers[pid] = next[1:]
		return next[0]
	}
	f.installed[token], f.names = pid, names
	return OK
}

func (f *fakeApps) Remove(token uint64) {
	f.mu.Lock()
	delete(f.installed, token)
	f.mu.Unlock()
	f.removed <- token
}

func (f *fakeApps) token(t *testing.T, pid int) uint64 {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for token, p := range f.installed {
		if p == pid {
			return token
		}
	}
	t.Fatalf("no observer of %d", pid)
	return 0
}

func (f *fakeApps) count() int { f.mu.Lock(); defer f.mu.Unlock(); return len(f.installed) }

type told struct {
	pid            int
	name, bundleID string
}

func rig(t *testing.T) (*Observers, *fakeApps, *eventtest.Fake, chan told) {
	f, clock, heard := newFakeApps(), eventtest.New(), make(chan told, 100)
	o := NewObservers(f, clock, func(pid int, name, bundleID string) { heard <- told{pid, name, bundleID} })
	t.Cleanup(func() {
		o.Close()
		assert.Zero(t, f.count(), "an observer outlived Close")
		assert.Zero(t, clock.Armed(), "a timer outlived Close")
	})
	return o, f, clock, heard
}

func soon[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(10 * time.Second):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 10*time.Second, time.Millisecond)
}

func TestANotificationCarriesTheBundleIdFromInstall(t *testing.T) {
	o, f, _, heard := rig(t)
	o.Want([]string{"AXTitleChanged"})
	o.Add(7, "org.example.Editor")
	soon(t, f.tries)
	o.Heard(f.token(t, 7), "AXTitleChanged")
	assert.Equal(t, told{7, "AXTitleChanged", "org.example.Editor"}, soon(t, heard))
	o.Heard(f.token(t, 7), "AXWindowMoved")
	o.Heard(999, "AXTitleChanged")
	assert.Empty(t, heard, "neither what nobody wants nor a stranger is told")
}

func TestNothingIsInstalledWhileNobodyWantsAnything(t *testing.T) {
	o, f, clock, _ := rig(t)
	o.Add(7, "a")
	o.Want([]string{"AXTitleChanged"})
	soon(t, f.tries)
	assert.Len(t, f.tries, 0)
	o.Want(nil)
	soon(t, f.removed)
	assert.Zero(t, f.count())
	assert.Zero(t, clock.Armed())
}

func TestAnAppThatDoesNotAnswerYetIsTriedUpTheLadderAndThenLeft(t *testing.T) {
	o, f, clock, _ := rig(t)
	for range len(Ladder) + 1 {
		f.answers[7] = append(f.answers[7], CannotComplete)
	}
	o.Want([]string{"AXTitleChanged"})
	o.Add(7, "a")
	soon(t, f.tries)
	for _, wait := range Ladder {
		clock.AwaitTimer(wait)
		clock.Advance(wait - 1)
		assert.Empty(t, f.tries, "too early")
		clock.Advance(1)
		soon(t, f.tries)
	}
	o.mu.Lock()
	a := o.apps[7]
	o.mu.Unlock()
	eventually(t, func() bool { o.mu.Lock(); defer o.mu.Unlock(); return a.token == 0 && a.timer == nil })
	assert.Zero(t, clock.Armed(), "an app that never answers costs nothing")
	o.Add(7, "a") // it has the focus again
	soon(t, f.tries)
	eventually(t, func() bool { return f.count() == 1 })
}

func TestTheFocusDoesNotHurryAnAppThatIsWaitedFor(t *testing.T) {
	o, f, clock, _ := rig(t)
	f.answers[7] = []Status{CannotComplete}
	o.Want([]string{"AXTitleChanged"})
	o.Add(7, "a")
	soon(t, f.tries)
	clock.AwaitTimer(Ladder[0])
	o.Add(7, "a")
	assert.Empty(t, f.tries)
	clock.Advance(Ladder[0])
	soon(t, f.tries)
	eventually(t, func() bool { return f.count() == 1 })
}

func TestAnAppWithoutAccessibilityIsNotTriedAgainByItself(t *testing.T) {
	o, f, clock, _ := rig(t)
	f.answers[7] = []Status{NotImplemented}
	o.Want([]string{"AXTitleChanged"})
	o.Add(7, "a")
	soon(t, f.tries)
	assert.Zero(t, clock.Armed())
}

func TestAnAppThatEndsDuringInstallLeavesNoObserver(t *testing.T) {
	o, f, _, heard := rig(t)
	f.hold = make(chan struct{})
	o.Want([]string{"AXTitleChanged"})
	o.Add(7, "a")
	eventually(t, func() bool { o.mu.Lock(); defer o.mu.Unlock(); return len(o.byToken) == 1 })
	o.Remove(7)
	close(f.hold)
	soon(t, f.tries)
	token := soon(t, f.removed)
	o.Heard(token, "AXTitleChanged")
	assert.Empty(t, heard)
	assert.Zero(t, f.count())
}

func TestANumberThatAnotherAppTookOverCarriesTheNewBundleId(t *testing.T) {
	o, f, _, heard := rig(t)
	o.Want([]string{"AXTitleChanged"})
	o.Add(7, "old")
	soon(t, f.tries)
	old := f.token(t, 7)
	o.Add(7, "new")
	assert.Equal(t, old, soon(t, f.removed))
	soon(t, f.tries)
	o.Heard(old, "AXTitleChanged")
	o.Heard(f.token(t, 7), "AXTitleChanged")
	assert.Equal(t, told{7, "AXTitleChanged", "new"}, soon(t, heard))
	assert.Empty(t, heard)
}

func TestTheLossOfThePermissionEndsAllAndItsReturnBringsThemBack(t *testing.T) {
	o, f, clock, _ := rig(t)
	o.Want([]string{"AXTitleChanged"})
	o.Add(7, "a")
	o.Add(8, "b")
	soon(t, f.tries)
	soon(t, f.tries)
	f.mu.Lock()
	f.untrusted = true
	f.mu.Unlock()
	o.TrustChanged()
	soon(t, f.removed)
	soon(t, f.removed)
	assert.True(t, o.Denied())

	// The notice of the return comes before the answer says so.
	o.TrustChanged()
	f.mu.Lock()
	f.untrusted = false
	f.mu.Unlock()
	clock.Advance(trustDelay)
	soon(t, f.tries)
	soon(t, f.tries)
	eventually(t, func() bool { return f.count() == 2 && !o.Denied() })
}

func TestAnInstallThatMacOSForbidsIsALostPermission(t *testing.T) {
	o, f, clock, _ := rig(t)
	f.answers[7] = []Status{Disabled}
	o.Want([]string{"AXTitleChanged"})
	o.Add(7, "a")
	soon(t, f.tries)
	eventually(t, o.Denied)
	assert.Zero(t, clock.Armed())
	assert.Contains(t, Disabled.Error(), Remedy)
}

func TestANewWishReplacesTheObservers(t *testing.T) {
	o, f, _, _ := rig(t)
	o.Want([]string{"AXTitleChanged"})
	o.Add(7, "a")
	soon(t, f.tries)
	o.Want([]string{"AXTitleChanged"})
	assert.Empty(t, f.tries, "the same wish changes nothing")
	o.Want([]string{"AXUIElementDestroyed", "AXTitleChanged"})
	soon(t, f.removed)
	soon(t, f.tries)
	f.mu.Lock()
	defer f.mu.Unlock()
	assert.Equal(t, Names{App: []string{"AXTitleChanged", "AXWindowCreated"}, Window: []string{"AXUIElementDestroyed"}}, f.names)
	assert.True(t, slices.IsSorted(f.names.App))
}

func TestWhoeverFollowsAnAppHearsWhenItsObserverStands(t *testing.T) {
	f, clock, installed := newFakeApps(), eventtest.New(), make(chan int, 9)
	o := NewObservers(f, clock, func(int, string, string) {})
	defer o.Close()
	o.Installed = func(pid int) { installed <- pid }
	f.answers[7] = []Status{CannotComplete}
	o.Want([]string{"AXTitleChanged"})
	o.Add(7, "a")
	clock.AwaitTimer(Ladder[0])
	assert.Empty(t, installed)
	clock.Advance(Ladder[0])
	assert.Equal(t, 7, soon(t, installed))
}

func TestWhatAnAppDoesNotImplementIsPassedOver(t *testing.T) {
	for _, c := range []struct {
		answers []Status
		want    Status
		asked   int
	}{
		{[]Status{OK, NoNotification, Already}, OK, 3},
		{[]Status{NoNotification, NotImplemented}, NotImplemented, 2},
		{[]Status{NotImplemented, OK, NotImplemented}, OK, 3},
		{[]Status{CannotComplete, OK}, CannotComplete, 1},
		{[]Status{OK, Disabled, OK}, Disabled, 2},
		{nil, NotImplemented, 0},
	} {
		asked := 0
		got := AddAll(make([]string, len(c.answers)), func(string) Status { asked++; return c.answers[asked-1] })
		assert.Equal(t, c.want, got)
		assert.Equal(t, c.asked, asked)
	}
}
